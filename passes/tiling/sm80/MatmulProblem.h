//===- MatmulProblem.h - a matmul kernel as its gpu skeletons see it ----------------------------------------------===//
//
// The result as rows × columns, whichever way round it is stored, and each operand with what is known of its memory:
// which dimension runs through it, and whether it is plain memory that asynchronous copies can take.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SM80_MATMULPROBLEM_H
#define KILN_PASSES_TILING_SM80_MATMULPROBLEM_H

#include "passes/kernel/Access.h"

#include <array>

namespace kiln::tiling::sm80 {

/// Bytes of the widest access of a thread.
inline constexpr int64_t kAccessBytes = 16;
/// What is known to divide an offset, as far as it divides `most` (a power of two).
int64_t alignmentOf(mlir::AffineExpr offset, int64_t most);

/// The most consecutive elements that each thread of a warp may have of a fragment of so many lanes, a multiple of 32.
inline int64_t mostOfThread(int64_t lanes) { return lanes / 32 & -(lanes / 32); }

/// A side of the product: the left operand spans the result's rows, the right one its columns.
enum Side : unsigned { Left, Right };

/// Memory whose rows start at 16 bytes, as `tile.async_copy` takes it.
struct CopySource {
  mlir::Value base;
  mlir::AffineExpr start; ///< of the batch, in elements, over the iteration space; of its batch dimensions alone
  int64_t rowStride;      ///< elements between neighbours along the dimension that is not contiguous
};

/// One operand of the matmul, by the side of the result that it spans. Its index is (batch…, free, k).
struct MatmulOperand {
  mlir::Value value;
  mlir::AffineMap map; ///< (batch…, m, n, k) -> index in `value`
  unsigned free = 0;   ///< dimension m or n of the iteration space
  int64_t extent = 0;  ///< of `free`
  bool alongK = true;  ///< what is next to each other in memory runs along k, else along `free`
  int64_t vec = 1;     ///< elements of one access of up to 16 bytes along that dimension
  /// Where it does not come by copies: whether a block's rows are loaded at once, before the products that hide their
  /// latency, and stored behind them; else, of a long prologue, one after the other in a loop.
  bool isHeld = true;
  bool variesAlongLanes = true; ///< everything that is loaded for it does
  int64_t heldBytes = 0;        ///< of a thread's registers, for each element that it has loaded
  mlir::Value memory;           ///< the region's argument that it is, views aside; null where it is computed
  std::optional<CopySource> source;
};

struct MatmulProblem {
  int64_t batches = 1, k = 0;
  llvm::SmallVector<int64_t> batchDims; ///< dimensions of the iteration space
  mlir::Type element;                   ///< of the operands
  mlir::Type sum;                       ///< of the result: f32
  mlir::Value result;                   ///< of the matmul
  std::array<MatmulOperand, 2> operands;

  int64_t extent(Side side) const { return operands[side].extent; }
};

/// What a matmul kernel computes. Rows are m and columns n, or the other way round where more bytes of what the kernel
/// loads and stores beside its operands are contiguous along m.
MatmulProblem matmulProblem(const graph::KernelForm &form, const KernelMemory &memory);

} // namespace kiln::tiling::sm80

#endif
