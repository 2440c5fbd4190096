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
  /// The launches of a kernel, at least one; fails with a diagnostic.
  std::function<mlir::FailureOr<KernelLaunches>(graph::KernelOp)> launches;
};

/// The plan of a function that graph-fuse and graph-name-kernels are done with. What launches pass, addLaunches
/// says. Outputs are written directly; one that is an
/// input, a parameter, a constant or a value already returned is a copy at the end. Arguments and results are named by
/// `graph.name` ("x0", "y0", … by position without it) and are parameters with `graph.param`. Fails with a diagnostic
/// on anything else.
mlir::FailureOr<LaunchPlan> planGraph(mlir::func::FuncOp function, const PlanOptions &options);

/// Gives a plan's temporaries their lifetimes and places in the arena. Fails, with a diagnostic at `loc`, where no memory
/// holds them.
llvm::LogicalResult placeTemporaries(LaunchPlan &plan, mlir::Location loc);

} // namespace kiln

#endif
