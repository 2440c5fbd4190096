//===- EmitPtx.h - from a function of llvm, nvvm and ptx ops to PTX -----------------------------------------------===//
#ifndef KILN_CODEGEN_PTX_EMITPTX_H
#define KILN_CODEGEN_PTX_EMITPTX_H

#include "codegen/machine/Compile.h"
#include "ir/target/Gpu.h"
#include "runtime/KernelImage.h"

#include "mlir/IR/DialectRegistry.h"

namespace kiln::codegen {

/// What a kernel is printed as.
enum class GpuText { Ptx, LlvmIr };

/// Emits kernels for one target. All members may be called from several threads at once.
class PtxEmitter {
public:
  /// With `lines`, PTX says by `.loc` which line of the source it is for.
  explicit PtxEmitter(const GpuTarget &target, bool lines = false);

  /// The kernel as `gpu-lower` leaves it, to PTX: of an "a" target only if the kernel has an op that no other has, else
  /// of the plain one, whose code runs on later GPUs, too. Whatever LLVM reports, fatal errors included, is the error's
  /// text.
  llvm::Expected<CodeImage> emit(mlir::LLVM::LLVMFuncOp kernel);
  /// The text alone: PTX, or the LLVM IR that it is made of.
  llvm::Expected<std::string> print(mlir::LLVM::LLVMFuncOp kernel, GpuText what);

private:
  /// A target with LLVM's machines for it.
  struct Chip {
    explicit Chip(const GpuTarget &target);
    const GpuTarget &target;
    TargetMachines machines;
  };
  Chip exact, plain;
  const bool lines;

  Chip &chipFor(mlir::LLVM::LLVMFuncOp kernel);
};

/// One kernel, by an emitter of its own.
llvm::Expected<CodeImage> emitPtx(mlir::LLVM::LLVMFuncOp kernel, const GpuTarget &target);

} // namespace kiln::codegen

#endif
