// One kernel at a time: graph.kernel to code through the whole pipeline, run in fenced and poisoned memory, and
// judged by the interpreter fed with the same inputs. Everything in the numeric suite rests on this file.
#pragma once

#include "compiler/KernelCut.h"
#include "passes/interp/Compare.h"
#include "tests/numeric/Executor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <kiln/HostTensor.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace kiln::numeric {

/// A context with every dialect of the pipeline, single-threaded.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// A change to a module of one tile program, before it is lowered; returns whether it found what it wanted to change.
using TileEdit = std::function<bool(mlir::ModuleOp)>;

/// Which of the cases this process runs: those whose number leaves `index` by `count`, and of the others only what does
/// not need running. All, at first.
struct Part {
  uint64_t index = 0, count = 1;
  bool has(uint64_t number) const { return number % count == index; }
};
Part &part();

/// Whether tile programs are interpreted where nothing else is said: at first not.
bool &interpretsTiles();
/// Whether it is the threads that are interpreted then, not the tile programs.
bool &interpretsThreads();

struct BuildOptions {
  std::string target;                 ///< a row of ir/target; empty: defaultTarget()
  std::string schedule;               ///< #graph.schedule<...> as text; empty: the kernel's own, or the default one
  bool interpret = interpretsTiles(); ///< run tile programs of a gpu target without one
  codegen::JitEffort effort = codegen::JitEffort::Fast;
  TileEdit edit = {};           ///< an edited kernel is not kept for others
  bool keepTileProgram = false; ///< fill BuiltKernel::tileProgram
};

/// The name of the target that is meant where none is named: at first the best of this machine's processor.
std::string &defaultTarget();
/// The target that options name. Throws std::runtime_error on an unknown one.
Target targetOf(const BuildOptions &options);

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
  /// Why kernels ask for more than the target has, by symbol. Each kernel is looked at once.
  Refusals refusals(mlir::func::FuncOp function, const BuildOptions &options);
  /// Builds, then runs in the executor's fenced memory.
  KernelRun run(graph::KernelOp kernel, std::span<const HostTensor> inputs, const BuildOptions &options = {});
  /// Where kernels with these options run.
  Executor &executor(const BuildOptions &options = {});
  /// Gives kernels with these options another executor than the target's own.
  void setExecutor(const BuildOptions &options, std::unique_ptr<Executor> executor);
  /// Kernels compiled so far, and the time they took.
  int64_t compiled() const { return compiledCount; }
  double compileSeconds() const { return seconds; }

private:
  mlir::MLIRContext &context;
  std::map<std::string, std::shared_ptr<const BuiltKernel>> kernels;
  std::map<std::string, std::unique_ptr<Executor>> executors;
  std::set<std::string> fitting;              ///< symbols, behind what must be equal for two builds
  std::map<std::string, std::string> symbols; ///< of kernels -> their text: equal symbols must mean equal kernels
  int64_t compiledCount = 0;
  double seconds = 0;
};

/// A run, judged by the interpreter. Throws std::runtime_error if the interpreter refuses.
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
