#include "ir/layout/SharedTile.h"

#include "ir/layout/Fragment.h"

#include <algorithm>
#include <numeric>

using namespace kiln::layout;

int64_t SharedTile::offset(int64_t row, int64_t column) const {
  int64_t linear = column / panel * panelBytes() + row * rowBytes() + column % panel * elementBytes;
  return swizzled(linear, swizzle, rowBytes());
}

int64_t SharedTile::periodRows() const {
  constexpr int64_t kChunk = 16, kLine = 128;
  if (swizzle == 0 || rowBytes() == 0) return 1;
  return std::lcm(swizzle / kChunk * std::max(rowBytes(), kLine), rowBytes()) / rowBytes();
}
