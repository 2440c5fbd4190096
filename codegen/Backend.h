//===- Backend.h - code for a target, whatever its kind -----------------------------------------------------------===//
#ifndef KILN_CODEGEN_BACKEND_H
#define KILN_CODEGEN_BACKEND_H

#include "codegen/cpu/Jit.h"
#include "ir/target/Target.h"
#include "runtime/KernelImage.h"

namespace kiln::codegen {

/// The functions that a module's tile programs became, in their order.
inline auto functionsOf(mlir::ModuleOp module) {
  return llvm::make_filter_range(module.getOps<mlir::LLVM::LLVMFuncOp>(), [](auto f) { return !f.isExternal(); });
}

/// Makes code of thread-level functions. All members may be called from several threads at once.
class Backend {
public:
  virtual ~Backend() = default;
  /// One function, as `cpu-lower` or `gpu-lower` leaves it, to what a device loads. An op that LLVM refuses is an
  /// error, never the end of the process.
  virtual llvm::Expected<KernelImage> compile(mlir::LLVM::LLVMFuncOp kernel) const = 0;
};

/// Fails for a cpu target whose code this machine cannot run, and for whatever LLVM reports. `effort` and `machines`
/// are the cpu's JIT's; `lines` is a gpu's PtxEmitter's.
llvm::Expected<std::shared_ptr<const Backend>> makeBackend(const Target &target, JitEffort effort = JitEffort::Full,
                                                           CodeFor machines = CodeFor::ThisMachine, bool lines = false);

/// Registers the translations to LLVM IR that backends need; call it on the registry of the context whose functions
/// they are given.
void registerTranslations(mlir::DialectRegistry &registry);

} // namespace kiln::codegen

#endif
