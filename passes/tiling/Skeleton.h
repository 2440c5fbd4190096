//===- Skeleton.h - from a kernel region to a tile program --------------------------------------------------------===//
//
// A skeleton builds the frame of a tile program for one kernel family on one target: grid, loops, shared tiles,
// mainloop. What the region computes it asks an Emitter for.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SKELETON_H
#define KILN_PASSES_TILING_SKELETON_H

#include "ir/target/Target.h"
#include "passes/kernel/Access.h"
#include "passes/tiling/Emitter.h"
#include "passes/tiling/Schedule.h"

namespace kiln::tiling {

/// What a skeleton builds from, and into.
struct SkeletonContext {
  graph::KernelOp kernel;
  graph::KernelForm form;
  Target target;
  tile::KernelOp program;   ///< being built
  mlir::OpBuilder &builder; ///< at the start of the tile program's body
  mlir::Location loc;
  Memories memories;                 ///< of the region's arguments
  llvm::SmallVector<Memory> outputs; ///< where each output of the form is stored
};

struct Skeleton {
  graph::KernelKind kind;
  /// Builds the body; returns the grid, in CTAs.
  mlir::FailureOr<int64_t> (*build)(SkeletonContext &);
};

/// A skeleton for each kind of kernel.
llvm::ArrayRef<Skeleton> skeletonsOf(const Target &target);

namespace cpu {
mlir::FailureOr<int64_t> buildPointwise(SkeletonContext &);
mlir::FailureOr<int64_t> buildRow(SkeletonContext &);
mlir::FailureOr<int64_t> buildColumn(SkeletonContext &);
mlir::FailureOr<int64_t> buildMatmul(SkeletonContext &);
llvm::ArrayRef<Skeleton> skeletons();
} // namespace cpu

namespace sm80 {
mlir::FailureOr<int64_t> buildPointwise(SkeletonContext &);
mlir::FailureOr<int64_t> buildRow(SkeletonContext &);
mlir::FailureOr<int64_t> buildColumn(SkeletonContext &);
mlir::FailureOr<int64_t> buildMatmul(SkeletonContext &);
/// Those of every gpu target: what a newer one does not override runs on it as well.
llvm::ArrayRef<Skeleton> skeletons();
} // namespace sm80

} // namespace kiln::tiling

#endif
