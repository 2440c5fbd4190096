//===- TileAddress.h - places in shared tiles of two dimensions ---------------------------------------------------===//
//
// Addresses of layout::SharedTile. Where rows are no longer than the 128-byte lines that a swizzle goes by, the
// hardware and this code swizzle the address itself, since such tiles lie at multiples of the swizzle's period.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_TILEADDRESS_H
#define KILN_CODEGEN_GPU_TILEADDRESS_H

#include "codegen/gpu/Access.h"

namespace kiln::codegen::gpu {

/// Bytes from a tile's first element to one at (row, column), before any swizzle.
int64_t plainOffset(const layout::SharedTile &tile, int64_t row, int64_t column);

/// Addresses of elements of a tile.
class TileAddress {
public:
  /// `base` is the tile's lowered pointer.
  TileAddress(Lowering &to, const layout::SharedTile &tile, mlir::Value base) : tile(tile), to(to), base(base) {}

  /// Names where the places given to `at` count from: i32. `span`, a power of two of at most a panel, is more than
  /// `column`, or 0 where that is not known.
  void startAt(mlir::Value row, mlir::Value column, int64_t span);
  /// `rows` and `columns` further, both constant.
  Place at(int64_t rows, int64_t columns);

private:
  const layout::SharedTile tile;
  Lowering &to;
  mlir::Value base, start; ///< start: bytes from shared memory's first (swizzled by address) or from the base, i32
  mlir::Value moved;       ///< start, swizzled; null until needed
  int64_t span = 0;        ///< bytes

  bool byAddress() const { return tile.swizzle != 0 && tile.rowBytes() <= 128; }
  mlir::Value swizzledAddress(mlir::Value address) const;
};

} // namespace kiln::codegen::gpu

#endif
