//===- MatmulFeed.h - how tiles of a matmul's operand come into shared memory -------------------------------------===//
//
// A ring of shared tiles per operand, a block along k in each. Plain memory with rows of whole 16-byte chunks is copied
// asynchronously, some blocks ahead. Anything else (a fused prologue, another element type, unaligned rows, gathers) is
// emitted in registers, a row of the tile per warp at a time, one block ahead of the products.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SM80_MATMULFEED_H
#define KILN_PASSES_TILING_SM80_MATMULFEED_H

#include "passes/tiling/sm80/MatmulFrame.h"
#include "passes/tiling/sm80/MatmulSchedule.h"

namespace kiln::tiling::sm80 {

class MatmulFeed {
public:
  MatmulFeed(MatmulFrame &frame, Side side, FeedLayout layout);

  /// Whether blocks come by asynchronous copies.
  bool isAsync() const { return layout.async; }
  /// Allocates the ring: of `stages` tiles where copies are asynchronous, else of 2.
  void allocate(int64_t stages);
  /// The tile that holds a block.
  mlir::Value slot(mlir::Value block);
  const FeedLayout &shape() const { return layout; }

  /// Starts the copy of an existing block.
  void copy(mlir::Value block);
  /// Emits this warp's rows of an existing block, zero where k runs out; none where rows are not held in registers.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> load(mlir::Value block);
  /// Puts them into the tile that `block` has in its turn; `existing` is where they were loaded from.
  llvm::LogicalResult store(llvm::ArrayRef<mlir::Value> fragments, mlir::Value existing, mlir::Value block);

private:
  MatmulFrame &frame;
  Side side;
  const MatmulOperand &operand;
  FeedLayout layout;
  mlir::OpBuilder &b;
  mlir::Location loc;
  IndexBuilder &index;
  mlir::Value ring;
  mlir::Value start; ///< of the CTA's first block in the source, in elements

  /// Elements of a fragment, and rows of it that a warp has.
  int64_t lanes() const { return operand.alongK ? frame.tile.depth : frame.tile.extent[side]; }
  int64_t rows() const { return operand.alongK ? frame.tile.extent[side] : frame.tile.depth; }
  int64_t vec() const;
  mlir::Value depthLeft(mlir::Value block);
  /// A row's number: a value and a constant, apart so that rows of a warp share what is computed of their addresses.
  struct Row {
    mlir::Value start;
    int64_t plus;
  };
  mlir::Value rowOf(Row row);
  Point rowPoint(mlir::Value block, Row row);
  mlir::FailureOr<mlir::Value> loadRow(mlir::Value block, Row row);
  void storeRow(mlir::Value fragment, mlir::Value tile, mlir::Value row);
};

/// Both operands' feeds.
class MatmulFeeds {
public:
  MatmulFeeds(MatmulFrame &frame, FeedLayout left, FeedLayout right)
      : feeds{MatmulFeed(frame, Left, left), MatmulFeed(frame, Right, right)} {}

  MatmulFeed &operator[](Side side) { return feeds[side]; }
  bool anyAsync() const { return feeds[Left].isAsync() || feeds[Right].isAsync(); }
  void allocate(int64_t stages);
  /// Starts the asynchronous copies of an existing block.
  void copy(mlir::Value block);
  /// What goes through registers of a block: loads now, stores when the returned fragments are handed back.
  using InFlight = std::array<llvm::SmallVector<mlir::Value>, 2>;
  mlir::FailureOr<InFlight> load(mlir::Value existing);
  llvm::LogicalResult store(const InFlight &fragments, mlir::Value existing, mlir::Value block);
  /// The tiles that hold a block.
  std::array<mlir::Value, 2> slots(mlir::Value block);

private:
  std::array<MatmulFeed, 2> feeds;
};

} // namespace kiln::tiling::sm80

#endif
