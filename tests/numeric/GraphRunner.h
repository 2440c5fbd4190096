// Whole graphs, kernel by kernel: fused and with one kernel per op, each kernel judged on the inputs it really got, and
// the two plans held to equal bits.
#pragma once

#include "tests/numeric/Inputs.h"
#include "tests/numeric/KernelRunner.h"
#include "tests/numeric/Ledger.h"

#include "runtime/Executable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <kiln/Graph.h>

#include <optional>

namespace kiln::numeric {

/// What went wrong with a graph, one paragraph each, and what came out.
struct GraphOutcome {
  std::vector<std::string> failures;
  std::vector<HostTensor> outputs; ///< of the fused plan
  int64_t fusedKernels = 0, singleKernels = 0;
  bool passed() const { return failures.empty(); }
  std::string text() const;
};

/// A graph cut into kernels.
struct KernelGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function() { return *module->getOps<mlir::func::FuncOp>().begin(); }
};

class GraphRunner {
public:
  GraphRunner();

  /// Cuts a graph into kernels. Throws std::runtime_error with the diagnostics.
  KernelGraph cut(const std::string &mlir, bool fuse);

  /// Runs every kernel in order on what those before it made, and judges each. Failures are appended.
  std::vector<HostTensor> run(KernelGraph &graph, const InputSet &inputs, std::vector<std::string> &failures);
  /// The same without the interpreter: faults only.
  std::vector<HostTensor> runUnjudged(KernelGraph &graph, const InputSet &inputs, std::vector<std::string> &failures);

  /// The launch plan of a graph cut into kernels, with its code on a device; `poison` fills the
  /// arena with NaN before every run. Throws std::runtime_error.
  std::unique_ptr<PlanExecutable> plan(KernelGraph &graph, std::shared_ptr<Device> on, bool poison = false);
  /// The same graph as users run it: through the planner and the plan's executor, which reuse memory and may run a
  /// kernel in place. What memory held before is poison.
  std::vector<HostTensor> runPlanned(KernelGraph &graph, const InputSet &inputs);

  /// Cuts the graph, fused and not, and counts its ops as those of a case that another process runs.
  void skim(const Graph &graph);

  /// Everything: the graph fused and not, on each set of inputs, judged, compared bit for bit, and again as
  /// planned. Never throws.
  GraphOutcome check(const Graph &graph, const std::vector<InputSet> &inputSets);

  Ledger ledger;
  BuildOptions options; ///< of all kernels
  KernelRunner &runner() { return kernels; }
  mlir::MLIRContext &mlirContext() { return *context; }

private:
  using RunKernel = std::function<KernelRun(graph::KernelOp, std::span<const HostTensor>)>;
  std::vector<HostTensor> walk(KernelGraph &graph, const InputSet &inputs, const RunKernel &runKernel);
  void checkOnce(KernelGraph &fused, KernelGraph &single, const InputSet &inputs, GraphOutcome &outcome);

  std::unique_ptr<mlir::MLIRContext> context;
  KernelRunner kernels;
};

/// A constant's elements.
HostTensor toHost(mlir::DenseElementsAttr elements);

} // namespace kiln::numeric
