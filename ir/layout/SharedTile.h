//===- SharedTile.h - where the elements of a shared tile lie -----------------------------------------------------===//
//
// `!tile.shared` as a plain index map: rows, the 16-byte chunks that a swizzle permutes, and panels one behind the
// other. What the tensor memory accelerator writes, what matrix loads read and what descriptors say is held to it.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_LAYOUT_SHAREDTILE_H
#define KILN_IR_LAYOUT_SHAREDTILE_H

#include <cstdint>

namespace kiln::layout {

/// A tile of rank 2 in shared memory, or a part of one. Extents in elements.
struct SharedTile {
  int64_t rows, columns;
  int64_t elementBytes;
  int64_t swizzle; ///< bytes: 0, 32, 64 or 128
  int64_t panel;   ///< columns of a panel; all of them where there are no panels

  /// Bytes of a row of a panel.
  int64_t rowBytes() const { return panel * elementBytes; }
  /// Bytes from one panel to the next: panels lie one behind the other.
  int64_t panelBytes() const { return rows * rowBytes(); }
  int64_t panels() const { return panel ? columns / panel : 0; }
  /// Byte offset of an element from the tile's first byte.
  int64_t offset(int64_t row, int64_t column) const;
  /// Rows after which the swizzle repeats: 8 where rows are as long as it; 1 without one.
  int64_t periodRows() const;
};

} // namespace kiln::layout

#endif
