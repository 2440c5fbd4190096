//===- MachineCode.h - from a function of the LLVM dialect to text or an object file ------------------------------===//
#ifndef KILN_CODEGEN_CPU_MACHINECODE_H
#define KILN_CODEGEN_CPU_MACHINECODE_H

#include "codegen/cpu/Jit.h"

#include "llvm/ADT/SmallVector.h"

#include <mutex>

namespace llvm {
class TargetMachine;
}

namespace kiln::codegen {

/// Makes LLVM's backend for this machine known to LLVM, once per process.
void registerHostBackend();

/// LLVM's code generators for one target. Making one costs more than a small kernel, and each serves one thread at a
/// time, so they are lent and given back.
class MachinePool {
public:
  MachinePool(CpuMachine machine, JitEffort effort);
  ~MachinePool();

  /// One that nobody else has; null, with LLVM's reason in `error`, if LLVM knows no such machine.
  std::unique_ptr<llvm::TargetMachine> take(std::string &error);
  void give(std::unique_ptr<llvm::TargetMachine> machine);

  const CpuMachine machine;
  const JitEffort effort;

private:
  std::mutex lock;
  std::vector<std::unique_ptr<llvm::TargetMachine>> idle;
};

enum class CodeForm { LlvmIr, Assembly, Object };

/// The bytes of one form. Whatever LLVM reports, fatal errors included, is the error's text; after a fatal one the
/// LLVM context it happened in is abandoned, not freed.
llvm::Expected<llvm::SmallVector<char, 0>> makeCode(mlir::LLVM::LLVMFuncOp kernel, MachinePool &machines,
                                                    const CpuTarget &target, CodeForm form);

} // namespace kiln::codegen

#endif
