//===- Frame.h - the frame of a gpu kernel: its function, who a thread is -----------------------------------------===//
#ifndef KILN_CODEGEN_GPU_FRAME_H
#define KILN_CODEGEN_GPU_FRAME_H

#include "ir/tile/Tile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace kiln::codegen::gpu {

constexpr int64_t kWarpgroup = 128; ///< threads

/// Who runs an op together.
enum class Role {
  Cta,      ///< all threads
  Producer, ///< one thread
  Consumer  ///< a warpgroup
};

/// Facts about a tile program that one op alone does not show.
struct ProgramFacts {
  llvm::DenseMap<mlir::Operation *, Role> roles;     ///< of ops in roles
  llvm::DenseSet<mlir::Operation *> perWarp;         ///< stores of scalars that may differ from warp to warp
  llvm::DenseSet<mlir::Operation *> waiting;         ///< folds whose scratch tile may still be read at their start
  llvm::DenseSet<mlir::Operation *> readyBehind;     ///< rings behind which barriers made so far must be seen by all
  llvm::DenseSet<mlir::Operation *> relaxed;         ///< cluster barriers that nothing in shared memory is written for
  llvm::DenseSet<mlir::Operation *> wholeChunks;     ///< copies whose columns end where a chunk of 16 bytes does
  llvm::MapVector<mlir::Operation *, int64_t> turns; ///< the first named barrier of each `tile.alloc_turns`
  bool warpgroups = false;                           ///< there are roles or warpgroup products
  bool storesInBulk = false;                         ///< copies read shared memory
  int64_t ctasPerSm = 0;                             ///< at least, where roles share registers; else 0
  int64_t registersAtLaunch = 0;                     ///< of a thread then: what roles start with

  explicit ProgramFacts(tile::KernelOp kernel);
  ProgramFacts() = default;
};

/// What a kernel's rows share: values made once, at the function's start, and facts about the tile program.
struct Frame : ProgramFacts {
  int64_t threads = 0;                  ///< of the CTA
  int64_t cluster = 1;                  ///< CTAs of a cluster
  mlir::Value cta, thread, lane, warp;  ///< i32: which CTA; which thread of it; which thread of which warp
  mlir::Value warpgroup;                ///< i32: which warpgroup of the CTA
  mlir::Value consumer;                 ///< i32: which consumer this warpgroup is
  mlir::Value groupThread, groupWarp;   ///< i32: which thread, which warp of the warpgroup
  mlir::Value shared;                   ///< where shared memory starts; null if the kernel has none
  llvm::DenseSet<mlir::Value> readOnly; ///< `!tile.global` values that nothing is stored to
  /// What the launch says to an op: an extent or stride (i64), a copy's tensor map (pointer).
  llvm::DenseMap<mlir::Operation *, mlir::Value> launchValues;

  Role roleOf(mlir::Operation *op) const { return roles.lookup(op); }
};

/// Replaces `kernel` by `llvm.func @name(arguments…)` around its body, whose arguments are those of
/// ir/tile/Arguments.h; inside it, the program's are casts of them.
mlir::LLVM::LLVMFuncOp outlineKernel(tile::KernelOp kernel, Frame &frame);

/// The stores of scalars whose value, place, mask or execution may differ from warp to warp.
llvm::DenseSet<mlir::Operation *> findPerWarpStores(tile::KernelOp kernel);

/// The folds through a tile that was used since the last barrier, or in a loop's iteration before. Tiles that share
/// memory are kept apart by `tile-assign-shared`.
llvm::DenseSet<mlir::Operation *> findWaitingFolds(tile::KernelOp kernel);

} // namespace kiln::codegen::gpu

#endif
