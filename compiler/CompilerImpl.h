//===- CompilerImpl.h - what stands behind kiln::Compiler and kiln::Executable ------------------------------------===//
#ifndef KILN_COMPILER_COMPILERIMPL_H
#define KILN_COMPILER_COMPILERIMPL_H

#include "codegen/Backend.h"
#include "codegen/ptx/Assemble.h"
#include "compiler/KernelCut.h"
#include "compiler/kiln/Compiler.h"
#include "ir/graph/Graph.h"
#include "passes/plan/Planner.h"
#include "runtime/BoundPlan.h"
#include "runtime/CompiledFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

struct CompilerImpl {
  explicit CompilerImpl(CompileOptions options);

  CompileOptions options;
  Target target;
  std::unique_ptr<mlir::MLIRContext> context;
  std::shared_ptr<const codegen::Backend> backend;
  std::shared_ptr<const codegen::Assembler> assembler; ///< null where kernels stay PTX
  std::shared_ptr<Device> device; ///< null where code is for other machines and this one has no such device
  /// Held while a graph is compiled or checked: diagnostics of one must not reach another.
  std::mutex lock;

  int threads() const;
  /// "cpu" or "cuda".
  const char *deviceName() const { return target.cpu() ? "cpu" : "cuda"; }
};

/// A program of a kernel, as code for a device, with what its launch needs.
struct CompiledProgram {
  KernelImage image;
  KernelLaunch launch;
  std::optional<AssemblyReport> assembly;
};
/// One distinct kernel: the programs that are launched one after the other.
struct CompiledKernelInfo {
  std::vector<CompiledProgram> programs;
  double seconds = 0; ///< tile programs to what the device loads, assembling left out
  KernelLaunches launches() const;
};
using CompiledKernels = std::map<std::string, CompiledKernelInfo, std::less<>>;

struct ExecutableImpl {
  std::shared_ptr<CompilerImpl> compiler;  ///< owns the context of `fused`
  mlir::OwningOpRef<mlir::ModuleOp> fused; ///< the function of kernels that the plan was made of
  LaunchPlan plan;
  CompiledKernels kernels;
  int opsInGraph = 0; ///< after decomposition
  Report report;
  IrRecorder recorder;

  /// The plan with its kernels and parameters.
  std::unique_ptr<BoundPlan> bound;
  mlir::func::FuncOp function() { return *fused->getOps<mlir::func::FuncOp>().begin(); }
};

/// The way from what users hold to what stands behind it.
struct ExecutableAccess {
  static ExecutableImpl &impl(const Executable &executable) { return *executable.impl; }
  /// As a file holds it.
  static CompiledGraph compiled(const Executable &executable);
};

/// Compiles every distinct kernel of `function` that is not among `kernels`, in parallel, and adds them. Those whose
/// programs ask for too much are left out and returned, unless a schedule is the user's. Failures are diagnostics, or
/// thrown where LLVM reports them.
mlir::FailureOr<Refusals> compileKernels(const CompilerImpl &compiler, mlir::func::FuncOp function,
                                         const PipelineOptions &options, IrRecorder *recorder,
                                         CompiledKernels &kernels);

/// The report of a compiled graph, without times.
Report makeReport(const CompilerImpl &compiler, ExecutableImpl &executable, const Decisions &decisions);

} // namespace kiln

#endif
