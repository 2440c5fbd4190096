// Where elements lie: of shared tiles by their layout, of global memory in the bytes of an argument.
#pragma once

#include "tests/numeric/tiles/Machine.h"

namespace kiln::numeric::tiles {

/// The bytes of a shared tile's elements in its CTA's memory.
class TilePlace {
public:
  /// A tile at byte `base`. Throws Fault where its swizzle does not begin there.
  TilePlace(Agent &m, tile::SharedType type, int64_t base);
  /// A tile whose place all warps that are here agree on.
  TilePlace(Agent &m, mlir::TypedValue<tile::SharedType> tile);

  const layout::SharedTile shape;
  const int64_t base;

  /// First byte of an element; of the n-th, row by row. Throw Fault outside of the tile.
  int64_t of(int64_t row, int64_t column) const;
  int64_t of(int64_t n) const { return of(n < 0 ? -1 : n / shape.columns, n < 0 ? 0 : n % shape.columns); }
};

/// The bytes of `count` bytes of an argument from element `element` on, each of `count` bytes. Throws Fault where it
/// has none.
std::byte *globalAt(Agent &m, uint64_t argument, int64_t element, int64_t count);

} // namespace kiln::numeric::tiles
