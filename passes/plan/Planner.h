//===- Planner.h - from a function of kernels to a launch plan ----------------------------------------------------===//
//
// The plan level: which buffers there are, where each lies, and what is launched in which order. The kernels' grids and
// workspaces come from whoever made their code.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_PLAN_PLANNER_H
#define KILN_PASSES_PLAN_PLANNER_H

#include "passes/plan/Launch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>

namespace kiln {

struct PlanOptions {
  std::string target = "cpu";
  /// A pointwise kernel may overwrite an operand that nobody reads afterwards, element by element.
  bool inPlace = true;
  /// The launch of a kernel; fails with a diagnostic.
  std::function<mlir::FailureOr<KernelLaunch>(graph::KernelOp)> launch;
};

/// The plan of a function that graph-fuse and graph-name-kernels are done with. Launch arguments are the kernel's
/// operands, then its results; of a tile program, what makeLaunch says. Outputs are written directly; one that is an
/// input, a parameter, a constant or a value already returned is a copy at the end. Arguments and results are named by
/// `graph.name` ("x0", "y0", … by position without it) and are parameters with `graph.param`. Fails with a diagnostic
/// on anything else.
mlir::FailureOr<LaunchPlan> planGraph(mlir::func::FuncOp function, const PlanOptions &options);

} // namespace kiln

#endif
