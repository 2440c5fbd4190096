//===- Frame.h - the frame of a gpu kernel: its function, who a thread is -----------------------------------------===//
#ifndef KILN_CODEGEN_GPU_FRAME_H
#define KILN_CODEGEN_GPU_FRAME_H

#include "ir/tile/Tile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln::codegen::gpu {

/// What a kernel's rows share: values made once, at the function's start, and facts about the tile program.
struct Frame {
  int64_t threads = 0;               ///< of the CTA
  mlir::Value cta, thread, lane, warp; ///< i32: which CTA; which thread of it; which thread of which warp
  mlir::Value shared;                ///< where shared memory starts; null if the kernel has none
  llvm::DenseSet<mlir::Value> readOnly;      ///< `!tile.global` values that nothing is stored to
  llvm::DenseSet<mlir::Operation *> perWarp; ///< stores of scalars that may differ from warp to warp
  llvm::DenseSet<mlir::Operation *> waiting; ///< folds whose scratch tile may still be read when they begin
};

/// Replaces `kernel` by `llvm.func @name(pointers…)` around its body; inside it, arguments are casts of the pointers.
mlir::LLVM::LLVMFuncOp outlineKernel(tile::KernelOp kernel, Frame &frame);

/// The stores of scalars whose value, place, mask or execution may differ from warp to warp.
llvm::DenseSet<mlir::Operation *> findPerWarpStores(tile::KernelOp kernel);

/// The folds through a tile that was used since the last barrier, or in a loop's iteration before. Tiles that share
/// memory are kept apart by `tile-assign-shared`.
llvm::DenseSet<mlir::Operation *> findWaitingFolds(tile::KernelOp kernel);

} // namespace kiln::codegen::gpu

#endif
