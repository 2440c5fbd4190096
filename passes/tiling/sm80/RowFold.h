//===- RowFold.h - one reduction along a row, by a group of threads -----------------------------------------------===//
//
// The parts of one reduction in the gpu's row skeleton. Whatever its kind, it takes the canonical order's steps: units
// of 8 elements fold into virtual lanes, dealt to threads and held in registers; the lanes of a piece meet in a halving
// tree; pieces are combined in order. Where the order does not matter this is as quick as any other.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SM80_ROWFOLD_H
#define KILN_PASSES_TILING_SM80_ROWFOLD_H

#include "passes/tiling/Combine.h"
#include "passes/tiling/sm80/Lanes.h"

namespace kiln::tiling::sm80 {

// The canonical order's numbers, as in the numerics contract.
inline constexpr int64_t kUnit = 8, kVirtualLanes = 1024, kPiece = int64_t(1) << 16;

class RowFold {
public:
  graph::ReduceOp reduce;
  Combine combine; ///< of the element type; bools fold as i32, 0 and 1

  /// A reduction by `groups` whose fragments of the row have `extent` elements. Fails with a diagnostic where it is not
  /// one that a decomposed graph may hold.
  static mlir::FailureOr<RowFold> create(SkeletonContext &context, const Groups &groups, graph::ReduceOp reduce,
                                         int64_t extent);

  /// The virtual lanes, all absent.
  mlir::Value none(SkeletonContext &context) const;
  /// The lanes with the units of a fragment `x` of the row folded in; absent elements, where `mask` (if given) is
  /// false, are skipped.
  mlir::Value accumulate(SkeletonContext &context, mlir::Value x, mlir::Value mask, mlir::Value lanes) const;
  /// The lanes of a piece as one scalar.
  mlir::Value meet(SkeletonContext &context, mlir::Value lanes) const;
  /// Two pieces.
  mlir::Value join(SkeletonContext &context, mlir::Value total, mlir::Value piece) const;
  /// No piece yet.
  mlir::Value nothing(SkeletonContext &context) const;
  /// What a row without elements comes to; fails with a diagnostic where there is no such value.
  mlir::FailureOr<mlir::Value> ofEmpty(SkeletonContext &context) const;
  /// Whether `meet` goes through shared memory, which it may only reuse behind a barrier.
  bool meetsInShared() const { return scratch != nullptr; }

private:
  mlir::RankedTensorType lanes;
  mlir::Value scratch; ///< where warps meet; null where one warp has the row

  Combine folding() const;
};

} // namespace kiln::tiling::sm80

#endif
