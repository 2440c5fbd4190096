//===- MatmulFrame.h - what surrounds the mainloop of a matmul on a gpu -------------------------------------------===//
//
// Which tile of the result a CTA computes, and what becomes of the sums. Mainloops (MatmulMma.cpp for MMA atoms of
// 16-bit operands, MatmulOuter.cpp for outer products) stand between; their operands come as MatmulFeed.h says.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SM80_MATMULFRAME_H
#define KILN_PASSES_TILING_SM80_MATMULFRAME_H

#include "passes/tiling/Loops.h"
#include "passes/tiling/sm80/MatmulProblem.h"

namespace kiln::tiling::sm80 {

/// What a CTA computes at a time.
struct CtaTile {
  std::array<int64_t, 2> extent; ///< rows and columns of the result
  int64_t depth;                 ///< of a block along k
  int64_t warps;
  int64_t group; ///< rows of tiles that are done before the next ones, so that their operands stay in L2
};

class MatmulFrame {
public:
  MatmulFrame(SkeletonContext &context, const MatmulProblem &problem, const CtaTile &tile);

  /// From sums that are zero to those of all of k. It leaves shared memory free: every warp is past a barrier behind
  /// its last use.
  using Mainloop = llvm::function_ref<llvm::FailureOr<llvm::SmallVector<mlir::Value>>(llvm::ArrayRef<mlir::Value>)>;
  /// Builds the tile program around a mainloop; returns the grid. The sums are the slices of the CTA's rows from the
  /// top, `slices` fragments of `type` of the whole width.
  llvm::FailureOr<int64_t> build(mlir::RankedTensorType type, int64_t slices, Mainloop mainloop);

  // For mainloops and operands.
  SkeletonContext &context;
  const MatmulProblem &problem;
  const CtaTile tile;
  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexBuilder index;
  std::array<int64_t, 2> tiles;     ///< along the rows and the columns
  int64_t blocks;                   ///< along k
  mlir::Value warp;                 ///< this one's number
  mlir::Value batch;                ///< this CTA's
  std::array<mlir::Value, 2> place; ///< this CTA's tile along the rows and the columns

  /// The block behind `block`, and an existing one to load in its place: behind the last it is that one once more, into
  /// a slot that nobody reads.
  struct Ahead {
    mlir::Value block, existing;
  };
  Ahead following(mlir::Value block);
  /// How many of a side's elements are left from the CTA's tile on; a constant where every tile is whole.
  mlir::Value remaining(Side side);
  /// Whether some tile of a side is not whole.
  bool hasResidue(Side side) const { return problem.extent(side) % tile.extent[side] != 0; }
  /// Iteration space from skeleton dimensions: the batch from dimension 0, the given expressions for the rows', the
  /// columns' and (where it is given) the k index.
  mlir::AffineMap iteration(unsigned dims, mlir::AffineExpr rows, mlir::AffineExpr columns, mlir::AffineExpr k) const;
  mlir::AffineExpr dim(unsigned i) const { return mlir::getAffineDimExpr(i, b.getContext()); }
  mlir::AffineExpr zero() const { return mlir::getAffineConstantExpr(0, b.getContext()); }
  void barrier() { tile::BarrierOp::create(b, loc); }
  /// The mask of the first `count` lanes of a warp's fragment; `aligned` elements are known to divide the count.
  mlir::Value mask(mlir::Value count, int64_t lanes, int64_t vec, int64_t aligned);

  /// Elements beyond a row of the sums in shared memory, so that the rows of an atom do not meet in one bank.
  static constexpr int64_t kPad = 8;

private:
  /// CTAs of the grid; 0 where there is nothing to compute.
  int64_t grid() const { return problem.batches * tiles[Left] * tiles[Right]; }
  /// Gives the kernel its threads, and says which tile this CTA has.
  void begin();
  /// Writes the outputs of the CTA's tile.
  llvm::LogicalResult finish(llvm::ArrayRef<mlir::Value> sums);
  /// Skeleton dimensions of a row of outputs: batch, rows' tile, row, columns' tile, piece, lane.
  mlir::AffineMap rowIteration(int64_t lanes) const;
  llvm::SmallVector<int64_t> rowExtents(int64_t lanes) const;
  /// Elements of one fragment of a row, and those that one thread stores at a time.
  struct RowLanes {
    int64_t lanes, vec;
  };
  RowLanes lanesOfRow() const;
  /// The same if fragments have so many lanes; nullopt where some output is not contiguous along them.
  std::optional<int64_t> storeWidth(int64_t lanes) const;
  llvm::LogicalResult storeRows(mlir::Value shared, int64_t first, int64_t count);
};

} // namespace kiln::tiling::sm80

#endif
