//===- RowReduction.h - one reduction along a row, in the canonical order -----------------------------------------===//
//
// The parts of one reduction in a row skeleton: what it carries through the loop over the row, and how it ends. A
// reduction whose order does not matter carries a fragment. A float sum or product follows the canonical order: units
// of 8 elements fold into virtual lanes, held in a shared tile (or in registers where the row is one chunk); lanes meet
// in a halving tree; every 2^16 elements the pieces are combined in order.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_ROWREDUCTION_H
#define KILN_PASSES_TILING_ROWREDUCTION_H

#include "passes/tiling/Combine.h"
#include "passes/tiling/Skeleton.h"

namespace kiln::tiling {

struct RowReduction {
  graph::ReduceOp reduce;
  Combine combine;
  int64_t lanes = 0;        ///< of a fragment of the row
  int64_t length = 0;       ///< of the row
  int64_t virtualLanes = 0; ///< lanes of the canonical order that this row uses, a power of two
  mlir::Value buffer;       ///< shared tile of the virtual lanes; null where a fragment holds them
  mlir::Value total;        ///< shared tile of one element: the pieces so far; null where there is one piece
  mlir::Value rest;         ///< what the row's last, partial chunk came to, a scalar; null where there is none

  /// Fails with a diagnostic where the reduction is not one a decomposed graph may hold.
  static mlir::FailureOr<RowReduction> create(SkeletonContext &context, graph::ReduceOp reduce, int64_t lanes,
                                              int64_t length);

  /// Before the row: sets the shared tiles to the identity.
  mlir::LogicalResult begin(SkeletonContext &context);
  /// Whether a value is carried through the loop, and its first value.
  bool carries() const { return !buffer && length >= lanes; }
  llvm::SmallVector<mlir::Value> initial(SkeletonContext &context);
  /// One whole chunk of the row; returns the carried value, null where nothing is carried.
  mlir::Value accumulate(SkeletonContext &context, mlir::Value x, mlir::Value chunk, mlir::Value carried);
  /// The last chunk, of fewer lanes, where the row is no whole number of chunks; `residue`: those that exist (or null).
  void accumulateRest(SkeletonContext &context, mlir::Value x, mlir::Value residue);
  /// After the loop: the row's result, a scalar.
  mlir::FailureOr<mlir::Value> finish(SkeletonContext &context, mlir::Value carried);

private:
  void foldInto(SkeletonContext &context, mlir::Value x, mlir::Value lane);
  void clear(SkeletonContext &context);
  mlir::Value foldLanes(SkeletonContext &context);
};

} // namespace kiln::tiling

#endif
