//===- MachineCode.h - from a function of the LLVM dialect to text or an object file ------------------------------===//
#ifndef KILN_CODEGEN_CPU_MACHINECODE_H
#define KILN_CODEGEN_CPU_MACHINECODE_H

#include "codegen/cpu/Jit.h"
#include "codegen/machine/Compile.h"

#include "llvm/ADT/SmallVector.h"

namespace kiln::codegen {

/// Makes LLVM's backend for this machine known to LLVM, once per process.
void registerHostBackend();

/// LLVM's code generators for one cpu target.
class MachinePool : public TargetMachines {
public:
  MachinePool(CpuMachine machine, JitEffort effort);

  const CpuMachine machine;
  const JitEffort effort;
};

enum class CodeForm { LlvmIr, Assembly, Object };

/// The bytes of one form. Whatever LLVM reports, fatal errors included, is the error's text; after a fatal one the
/// LLVM context it happened in is abandoned, not freed.
llvm::Expected<llvm::SmallVector<char, 0>> makeCode(mlir::LLVM::LLVMFuncOp kernel, MachinePool &machines,
                                                    const CpuTarget &target, CodeForm form);

} // namespace kiln::codegen

#endif
