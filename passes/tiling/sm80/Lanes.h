//===- Lanes.h - how skeletons of gpu targets lay a kernel's lanes ------------------------------------------------===//
//
// What the sm_80 skeletons share: fragments of runs dealt to the threads of a warp or a CTA, which group of threads
// this is, the choice of the dimensions that lanes run along, and branches on uniform conditions.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SM80_LANES_H
#define KILN_PASSES_TILING_SM80_LANES_H

#include "passes/kernel/Access.h"
#include "passes/tiling/Loops.h"

namespace kiln::tiling::sm80 {

/// The groups of threads of a CTA, each of which holds fragments of its own: one of all its threads, or its warps.
struct Groups {
  int64_t threads = 32; ///< of a fragment
  int64_t perCta = 1;

  /// Gives the kernel its threads; returns this group's number in the grid.
  mlir::Value begin(SkeletonContext &context) const;
  mlir::RankedTensorType fragment(mlir::Type element, int64_t extent, int64_t vec) const {
    return tile::blocked(element, extent, vec, threads);
  }
  /// The mask of the first `count` lanes of a fragment; `aligned` elements are known to divide the count.
  mlir::Value mask(SkeletonContext &context, mlir::Value count, int64_t extent, int64_t vec, int64_t aligned) const;
};

/// The rows of a pointwise kernel: what runs through memory as one; `across`: the whole space.
Rows pointwiseRows(llvm::ArrayRef<Access> accesses, const graph::KernelForm &form, bool across);

/// The kept dimensions of a kernel whose lanes run along them: what runs through memory as one is a row.
Rows columnsOf(llvm::ArrayRef<Access> accesses, const graph::KernelForm &form);

/// A warp's lanes along the kept dimensions: a fragment of columns, `vec` neighbours of a thread.
struct KeptLanes {
  SkeletonContext &context;
  Rows columns; ///< the kept dimensions; `inner` is what lanes run along
  int64_t vec, shifted;
  int64_t extent;           ///< columns of a fragment
  int64_t chunks;           ///< fragments along the inner dimensions
  mlir::Value outer, chunk; ///< which fragment this is

  KeptLanes(SkeletonContext &context, Rows columns, int64_t vec, int64_t shifted);
  /// Takes a fragment by its number among all.
  void setVector(mlir::Value vector);
  /// The lanes that exist; null where all do.
  mlir::Value residue();
  /// A point, some of whose skeleton dimensions the coordinates are of; the lanes are the last.
  Point point(llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<mlir::Value> coords,
              llvm::ArrayRef<mlir::AffineExpr> iteration);
  /// The fragment in the kept space. Skeleton dimensions: outer, chunk, lane.
  Point keptPoint();
  /// Where row `row` of dense memory, which has all columns, has the fragment's.
  mlir::Value placeOf(mlir::Value row);
  /// The `aligned` of accesses of the fragment, where rows have `length` elements.
  mlir::IntegerAttr aligned(int64_t length);
};

/// `scf.if condition` of a uniform condition, without results; `otherwise` may be null.
mlir::LogicalResult ifElse(SkeletonContext &context, mlir::Value condition,
                           llvm::function_ref<mlir::LogicalResult()> then,
                           llvm::function_ref<mlir::LogicalResult()> otherwise = nullptr);

/// l < r, of indices.
mlir::Value less(SkeletonContext &context, mlir::Value l, mlir::Value r);

} // namespace kiln::tiling::sm80

#endif
