//===- Access.h - how a thread reaches its registers' memory ------------------------------------------------------===//
//
// A thread's registers are cut into runs that lie side by side in memory; each run is one access. Addresses are one
// value per thread and constants, as layouts are separable.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_ACCESS_H
#define KILN_CODEGEN_GPU_ACCESS_H

#include "codegen/gpu/Rows.h"

namespace kiln::codegen::gpu {

/// The largest power of two that divides `value`, at most 16; 16 for 0.
int64_t powerOfTwoIn(int64_t value);

/// The most consecutive registers, a power of two, that lie side by side in every thread and start at a multiple of
/// their number.
int64_t contiguousRegisters(const layout::Fragment &fragment);

/// Where a thread's first register lies, computed: row and column, i32.
struct ThreadPlace {
  mlir::Value row, column;
};
ThreadPlace threadPlaceOf(const layout::Fragment &fragment, Lowering &to);
/// The warp's part of it: where the block of a fragment starts that a warp holds; null where all start at 0.
ThreadPlace blockPlaceOf(const layout::Fragment &fragment, Lowering &to);

/// A pointer and bytes past it, which fit an instruction.
struct Place {
  mlir::Value pointer;
  int64_t offset;
};
/// The pointer with the offset added: backends fold it into the access.
mlir::Value addressOf(Lowering &to, Place place);

/// Addresses in one memory.
class Memory {
public:
  /// `value` is the op's operand, a `!tile.global`, `!tile.shared` or `!tile.remote`, `base` its lowered pointer.
  Memory(Lowering &to, mlir::Value value, mlir::Value base);

  mlir::Type element; ///< of values
  int64_t bytes;      ///< of an element
  bool shared;
  bool readOnly; ///< nothing writes it while the kernel runs

  /// Names where the offsets given to `at` count from: element `offset` (an index, i64 or i32) + `more` (i32 or i64, or
  /// null), neither of which is negative.
  void startAt(mlir::Value offset, mlir::Value more);
  /// The same from row and column (i32) of rows `stride` elements apart. `reach` is the largest offset `at` is given.
  void startAt(mlir::Value offset, ThreadPlace place, int64_t stride, int64_t reach);
  /// `elements` past the start.
  Place at(int64_t elements);
  /// In a tile: so many columns past the start, which end in the start's row, and so many rows down.
  Place inRow(int64_t rows, int64_t columns);
  /// Moves the start, in global memory or a tile that is plain rows, by so many bytes (i32 or i64, signed).
  void moveBy(mlir::Value bytes);

private:
  Lowering &to;
  std::optional<layout::SharedTile> tile; ///< none in global memory
  mlir::Value base;
  mlir::Value
      start;   ///< the pointer where offsets count from; in tiles that are not plain rows, that many elements, i32
  bool narrow; ///< what is in range is found right by offsets modulo 2^32

  mlir::Value wide(mlir::Value elements);
  mlir::Value pointerPast(mlir::Value pointer, mlir::Value elements);
  Place swizzledAt(int64_t bytes);
  Place inPanels(int64_t elements);
};

} // namespace kiln::codegen::gpu

#endif
