//===- Compile.h - one kernel through LLVM, for any target --------------------------------------------------------===//
//
// A kernel is translated to LLVM IR in a context of its own, so that any number may be compiled at once, and given to
// a target's last step. Whatever LLVM reports, fatal errors included, becomes an error.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_MACHINE_COMPILE_H
#define KILN_CODEGEN_MACHINE_COMPILE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kiln::codegen {

/// LLVM's code generators for one target. Making one costs more than a small kernel, and each serves one thread at a
/// time, so they are lent and given back.
class TargetMachines {
public:
  /// Makes one; null, with LLVM's reason in `error`, if LLVM knows no such machine.
  using Make = std::function<std::unique_ptr<llvm::TargetMachine>(std::string &error)>;
  explicit TargetMachines(Make make) : make(std::move(make)) {}

  /// One that nobody else has, or null and LLVM's reason.
  std::unique_ptr<llvm::TargetMachine> take(std::string &error);
  void give(std::unique_ptr<llvm::TargetMachine> machine);

private:
  Make make;
  std::mutex lock;
  std::vector<std::unique_ptr<llvm::TargetMachine>> idle;
};

/// Everything made for one kernel; lives on the heap so that a fatal error abandons it as a whole.
struct Compilation {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module; ///< the kernel and the globals it names, laid out for the machine
  std::string errors;                   ///< LLVM's diagnostics, one a line
};

/// Translates `kernel` and runs `finish`, which says whether it could. After a fatal error the LLVM context that it
/// happened in is abandoned, not freed.
/// With `lines`, its instructions say which line of the source they are from.
llvm::Error compileKernel(mlir::LLVM::LLVMFuncOp kernel, TargetMachines &machines,
                          llvm::function_ref<bool(Compilation &)> finish, bool lines = false);

} // namespace kiln::codegen

#endif
