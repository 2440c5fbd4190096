// Where kernels under test run, and what code they need there: one executor per target.
#pragma once

#include "codegen/Backend.h"
#include "passes/plan/Launch.h"

#include "mlir/IR/BuiltinOps.h"

#include <kiln/HostTensor.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kiln {
class Device;
}

namespace kiln::numeric {

/// One of a kernel's launches, as code.
struct BuiltLaunch {
  KernelLaunch launch;
  KernelImage image = {};
  std::shared_ptr<void> own = {}; ///< what else the executor keeps of it
  int64_t grid() const { return launch.grid[0].constant(); }
};

/// A kernel as code.
struct BuiltKernel {
  std::string text; ///< the graph.kernel, for messages
  std::vector<BuiltLaunch> launches;
  std::string tileProgram; ///< the tile programs as text, if asked for
};

/// What came of one run: outputs, and what is wrong whatever their values ("wrote byte 4 behind the end of output 0").
struct KernelRun {
  std::vector<HostTensor> outputs;
  std::string fault;
};

/// Runs kernels of one target in memory that shows what they should not have done. Failures to make code are thrown as
/// std::runtime_error.
class Executor {
public:
  virtual ~Executor() = default;
  /// From a module that holds the tile programs of the launches, with offsets of their shared tiles, to what `run`
  /// needs.
  virtual void makeCode(mlir::ModuleOp module, BuiltKernel &built) = 0;
  /// Runs twice, with other poison, other neighbours of the memory and, where that can be had, the CTAs in another
  /// order; the two must agree. Any write outside the outputs and the scratch memory, and any element left unwritten,
  /// is a fault.
  virtual KernelRun run(graph::KernelOp kernel, const BuiltKernel &built, std::span<const HostTensor> inputs) = 0;
  /// What runs whole plans of its kernels; null if nothing does.
  virtual std::shared_ptr<Device> device() = 0;
};

std::unique_ptr<Executor> makeHostExecutor(const Target &target, codegen::JitEffort effort);
/// On this machine's first GPU. Throws Error (no device).
std::unique_ptr<Executor> makeCudaExecutor(const Target &target);
/// Interprets the tile programs of gpu targets, and runs no plans.
std::unique_ptr<Executor> makeTileExecutor();
/// Interprets what thread-level functions of a gpu target do, every thread, and runs no plans.
std::unique_ptr<Executor> makeThreadExecutor(const Target &target);
/// One of the first two, as the target says. `effort` is that of the cpu's JIT.
std::unique_ptr<Executor> makeExecutor(const Target &target, codegen::JitEffort effort);

/// From a module that holds tile programs to the code of each. Failures are thrown as std::runtime_error.
class ImageMaker {
public:
  explicit ImageMaker(const Target &target, codegen::JitEffort effort = codegen::JitEffort::Full);
  void make(mlir::ModuleOp module, BuiltKernel &built) const;

private:
  Target target;
  std::shared_ptr<const codegen::Backend> backend;
};

/// Inputs as a kernel's layouts say they lie; of a tile program, the arguments that the call makes of them.
std::vector<HostTensor> operandsOf(graph::KernelOp kernel, std::span<const HostTensor> inputs);
/// Which tensors a launch passes: those of operandsOf, results and workspaces are counted in this order.
std::vector<size_t> passedBy(graph::KernelOp kernel, const KernelLaunch &launch);
/// Bytes of each workspace of a kernel.
std::vector<size_t> workspacesOf(graph::KernelOp kernel, const BuiltKernel &built);
/// A run whose outputs are what lies in memory -> one whose outputs are dense.
KernelRun denseRun(graph::KernelOp kernel, KernelRun run);

/// Two runs of one kernel as one, with a fault where they differ.
KernelRun sameTwice(KernelRun first, const KernelRun &second);

} // namespace kiln::numeric
