// One kernel at a time: graph.kernel to machine code through the whole pipeline, run in fenced and poisoned memory, and
// judged by the interpreter fed with the same inputs. Everything in the numeric suite rests on this file.
#pragma once

#include "codegen/cpu/Jit.h"
#include "ir/graph/Graph.h"
#include "passes/interp/Compare.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <kiln/HostTensor.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kiln::numeric {

/// A context with every dialect of the pipeline, single-threaded.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// A kernel as machine code.
struct BuiltKernel {
  std::string text; ///< the graph.kernel, for messages
  codegen::CompiledKernel code;
  int64_t grid = 0;         ///< CTAs
  int64_t scratchBytes = 0; ///< of one worker
  std::string tileProgram;  ///< the tile program as text, if asked for
};

/// A change to a module of one tile program, before it is lowered; returns whether it found what it wanted to change.
using TileEdit = std::function<bool(mlir::ModuleOp)>;

struct BuildOptions {
  std::string target;   ///< a row of ir/target/Cpu.h; empty: the best of this machine
  std::string schedule; ///< #graph.schedule<...> as text; empty: the kernel's own, or the default one
  codegen::JitEffort effort = codegen::JitEffort::Fast;
  TileEdit edit = {};           ///< an edited kernel is not kept for others
  bool keepTileProgram = false; ///< fill BuiltKernel::tileProgram
};

/// The target that options name. Throws std::runtime_error on an unknown one.
CpuTarget targetOf(const BuildOptions &options);

/// What came of one run: outputs, and what is wrong whatever their values ("wrote byte 4 behind the end of output 0").
struct KernelRun {
  std::vector<HostTensor> outputs;
  std::string fault;
};

/// A run with the interpreter's verdicts, one per output.
struct KernelVerdict {
  KernelRun run;
  std::vector<interp::Comparison> comparisons;
  int64_t unknown = 0;  ///< elements of which the oracle knows nothing
  int64_t elements = 0; ///< of all outputs
  /// The first thing wrong, in one line; empty if nothing is. `wild` inputs overflow and meet NaN inside a kernel,
  /// where the oracle often knows nothing: how many elements that may be is then no matter.
  std::string failure(bool wild = false) const;
  double worstErrorOverBound() const;
};

/// Compiles kernels and keeps them by their text, schedule and target. Throws std::runtime_error with the diagnostics
/// of whatever refused.
class KernelRunner {
public:
  explicit KernelRunner(mlir::MLIRContext &context) : context(context) {}

  std::shared_ptr<const BuiltKernel> build(graph::KernelOp kernel, const BuildOptions &options = {});
  /// Kernels compiled so far, and the time they took.
  int64_t compiled() const { return compiledCount; }
  double compileSeconds() const { return seconds; }

private:
  std::shared_ptr<codegen::CpuJit> jitFor(const CpuTarget &target, codegen::JitEffort effort);

  mlir::MLIRContext &context;
  std::map<std::string, std::shared_ptr<const BuiltKernel>> kernels;
  std::map<std::string, std::shared_ptr<codegen::CpuJit>> jits;
  std::map<std::string, std::string> symbols; ///< of kernels -> their text: equal symbols must mean equal kernels
  int64_t compiledCount = 0;
  double seconds = 0;
};

/// The type of a tensor value as the runtime says it.
HostTensor allocateLike(mlir::Value tensor);

/// Runs twice, with other poison, other neighbours of the memory and the CTAs in another order; the two must agree. Any
/// write outside the outputs and the scratch memory, any access beyond the fences, and any element left unwritten is a
/// fault.
KernelRun runFenced(graph::KernelOp kernel, const BuiltKernel &built, std::span<const HostTensor> inputs);

/// runFenced, judged by the interpreter. Throws std::runtime_error if the interpreter refuses.
KernelVerdict judge(graph::KernelOp kernel, const BuiltKernel &built, std::span<const HostTensor> inputs);
/// Outputs that somebody else made, judged.
KernelVerdict judge(graph::KernelOp kernel, KernelRun run, std::span<const HostTensor> inputs);

/// Collects diagnostics while it lives.
class Diagnostics {
public:
  explicit Diagnostics(mlir::MLIRContext &context);
  std::string text;

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace kiln::numeric
