//===- Jit.h - machine code of LLVM-dialect functions, in this process --------------------------------------------===//
//
// What cpu-lower leaves goes to LLVM IR, through a light pipeline (no vectoriser: the vectors are there), to machine
// code, to executable memory. One kernel at a time, each in an LLVM context of its own, so any number may be compiled
// at once. An op that LLVM refuses is an error, never the end of the process.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_CPU_JIT_H
#define KILN_CODEGEN_CPU_JIT_H

#include "codegen/cpu/HostCpu.h"
#include "runtime/KernelImage.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace kiln::codegen {

class MachinePool;

/// Registers the translations to LLVM IR that CpuJit needs; call it on the registry of the context whose modules it is
/// given.
void registerCpuTranslations(mlir::DialectRegistry &registry);

/// One kernel, ready to be called for as long as `keepAlive` lives.
struct CompiledKernel {
  std::string symbol;
  kiln::HostKernelFn fn = nullptr;
  std::shared_ptr<void> keepAlive;
  std::shared_ptr<const HostCodeImage> code; ///< the same as bytes, for another process
  double compileSeconds = 0;                 ///< wall time from the LLVM dialect to executable code
};

/// How hard LLVM works.
enum class JitEffort {
  Fast, ///< no IR pass, quickest code generation: for tests that run a kernel once
  Full, ///< what users run
};

/// Compiles for one target. All members may be called from several threads at once.
class CpuJit {
public:
  /// Fails if this machine cannot run the target's code.
  static llvm::Expected<std::shared_ptr<CpuJit>> create(const CpuTarget &target = detectHostCpu(),
                                                        JitEffort effort = JitEffort::Full,
                                                        CodeFor machines = CodeFor::ThisMachine);
  ~CpuJit();

  /// One function, which must have passed verifyThreadLevel and have HostKernelFn's signature.
  llvm::Expected<CompiledKernel> compile(mlir::LLVM::LLVMFuncOp kernel) const;

private:
  CpuJit(std::unique_ptr<MachinePool> machines, CpuTarget target);

  std::unique_ptr<MachinePool> machines;
  CpuTarget target;
};

/// The function as optimised LLVM IR, or as assembly, for any target on any machine: for tests, and for studying a
/// kernel.
enum class CodeText { LlvmIr, Assembly };
llvm::Expected<std::string> printCode(mlir::LLVM::LLVMFuncOp kernel, const CpuTarget &target, CodeText what,
                                      JitEffort effort = JitEffort::Full);

} // namespace kiln::codegen

#endif
