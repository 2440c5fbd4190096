// Where kernels under test run, and what code they need there: one executor per target.
#pragma once

#include "codegen/Backend.h"
#include "ir/graph/Graph.h"

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

/// A kernel as code.
struct BuiltKernel {
  std::string text; ///< the graph.kernel, for messages
  KernelImage image;
  int64_t grid = 0;          ///< CTAs
  int64_t sharedBytes = 0;   ///< of a CTA's shared tiles; on the cpu target, of one worker's scratch memory
  std::string tileProgram;   ///< the tile program as text, if asked for
  std::shared_ptr<void> own; ///< what else the executor keeps of it
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
  /// From a module that holds one tile program, with offsets of its shared tiles, to what `run` needs.
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

/// From a module that holds one tile program to the code of its kernel. Failures are thrown as std::runtime_error.
class ImageMaker {
public:
  explicit ImageMaker(const Target &target, codegen::JitEffort effort = codegen::JitEffort::Full);
  KernelImage make(mlir::ModuleOp module) const;

private:
  Target target;
  std::shared_ptr<const codegen::Backend> backend;
};

/// Inputs as a kernel's layouts say they lie; of a tile program, the arguments that the call makes of them.
std::vector<HostTensor> operandsOf(graph::KernelOp kernel, std::span<const HostTensor> inputs);
/// A run whose outputs are what lies in memory -> one whose outputs are dense.
KernelRun denseRun(graph::KernelOp kernel, KernelRun run);

/// Two runs of one kernel as one, with a fault where they differ.
KernelRun sameTwice(KernelRun first, const KernelRun &second);

} // namespace kiln::numeric
