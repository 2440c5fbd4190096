//===- Column.h - reductions with lanes along the kept dimensions -------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SM80_COLUMN_H
#define KILN_PASSES_TILING_SM80_COLUMN_H

#include "passes/tiling/Skeleton.h"
#include "passes/tiling/sm80/Schedule.h"

namespace kiln::tiling::sm80 {

/// A canonical order: blocks of so many elements in sequence, the blocks of a piece in a halving tree, pieces in order.
struct BlockOrder {
  int64_t block, blocksOfPiece;
};
/// That of column reductions, and that of rows of at most 8192 elements: there each virtual lane is one block.
inline constexpr BlockOrder kColumnOrder{128, 512}, kShortRowOrder{8, 1024};

/// The column kernel's body, also of rows that are shorter than a warp is wide; returns the grid.
mlir::FailureOr<int64_t> buildAlongKept(SkeletonContext &context, const ColumnSchedule &schedule, BlockOrder order);

} // namespace kiln::tiling::sm80

#endif
