//===- Access.h - where a kernel reads and writes memory ----------------------------------------------------------===//
//
// What a skeleton must know before it lays lanes along a dimension: every load and store of the kernel as an offset
// over the iteration space, so that it can ask what is contiguous and what is aligned.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_KERNEL_ACCESS_H
#define KILN_PASSES_KERNEL_ACCESS_H

#include "ir/tile/Tile.h"
#include "passes/kernel/KernelForm.h"

#include "llvm/ADT/DenseMap.h"

namespace kiln::tiling {

/// Memory that holds a value of the region: a kernel argument, or a shared tile that keeps a value for later.
struct Memory {
  mlir::Value base;                        ///< `!tile.global` or `!tile.shared`
  llvm::SmallVector<int64_t> strides = {}; ///< elements per index step, one per dimension of the value
  int64_t offset = 0;                      ///< elements before index 0
};

using Memories = llvm::DenseMap<mlir::Value, Memory>;

/// Where a kernel's arguments lie.
struct KernelMemory {
  Memories inputs;                   ///< of the region's arguments
  llvm::SmallVector<Memory> outputs; ///< where each output of the form is stored
};
/// `bases` are the tile program's arguments, inputs then outputs; none for the strides alone.
KernelMemory memoryOf(graph::KernelOp kernel, mlir::ValueRange bases);

/// One load or store.
struct Access {
  mlir::AffineExpr offset; ///< in elements, over the full iteration space; gathered indices are symbols
  int64_t bytes;           ///< of an element
  bool store;
  mlir::Value value;   ///< of the region
  mlir::AffineMap map; ///< iteration space -> index in the value
};
/// Every load and store of a kernel, each once; of a matmul kernel, those of its epilogue.
llvm::SmallVector<Access> accessesOf(const graph::KernelForm &form, const Memories &inputs,
                                     llvm::ArrayRef<Memory> outputs);

/// How many of the trailing `dims` run through memory as one dimension in every access, so that lanes may run across
/// them. At least 1 (of a non-empty list).
size_t contiguousSuffix(llvm::ArrayRef<Access> accesses, llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> dims);

/// Some dimensions as rows × row length.
struct Rows {
  llvm::SmallVector<int64_t> outer, inner; ///< dimensions, in order
  int64_t count = 1, length = 1;
};
/// The last `suffix` of `dims` are a row.
Rows splitRows(llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> dims, size_t suffix);

/// The order of `dims` in which most bytes are accessed contiguously along the last; stores count double, since a store
/// of a part of a sector costs a load as well. As given where no other order is better.
llvm::SmallVector<int64_t> coalescedOrder(llvm::ArrayRef<Access> accesses, llvm::ArrayRef<int64_t> extents,
                                          llvm::ArrayRef<int64_t> dims);

/// Whether an access is contiguous along rows.
bool isAlong(const Access &access, llvm::ArrayRef<int64_t> extents, const Rows &rows);
/// Of such an access: the largest number of elements, at most 16, that is known to divide where rows start.
int64_t rowAlignment(const Access &access, llvm::ArrayRef<int64_t> extents, const Rows &rows);

} // namespace kiln::tiling

#endif
