#include "codegen/gpu/TileAddress.h"
#include "codegen/gpu/Arithmetic.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;

int64_t kiln::codegen::gpu::plainOffset(const layout::SharedTile &tile, int64_t row, int64_t column) {
  return column / tile.panel * tile.panelBytes() + row * tile.rowBytes() + column % tile.panel * tile.elementBytes;
}

/// Bits 7, 8, … choose, bits 4, 5, … are changed.
Value TileAddress::swizzledAddress(Value address) const {
  Arithmetic a{to};
  int64_t chunks = tile.swizzle / 16;
  return a.bxor(address, a.band(a.shr(address, 3), (chunks - 1) << 4));
}

void TileAddress::startAt(Value row, Value column, int64_t columnSpan) {
  Arithmetic a{to};
  start = a.mul(row, tile.rowBytes());
  if (columnSpan == 0 && tile.panels() > 1) {
    start = a.add(start, a.mul(a.div(column, tile.panel), tile.panelBytes()));
    column = a.rem(column, tile.panel);
  }
  start = a.add(start, a.mul(column, tile.elementBytes));
  if (byAddress()) start = a.add(a.addressOf(base), start);
  span = columnSpan * tile.elementBytes;
  moved = Value();
}

Place TileAddress::at(int64_t rows, int64_t columns) {
  Arithmetic a{to};
  int64_t offset = plainOffset(tile, rows, columns), chunks = tile.swizzle / 16;
  if (!chunks) return {a.past(base, start), offset};
  if (!byAddress()) {
    Value from = a.add(start, offset);
    Value number = a.rem(a.div(from, tile.rowBytes()), chunks);
    return {a.past(base, a.bxor(from, a.mul(number, 16))), 0};
  }
  auto pointerAt = [&](Value address) -> Value {
    return LLVM::IntToPtrOp::create(to.rewriter, to.loc, base.getType(), address);
  };
  // A column that changes no bit of the start's changes the same bits of the swizzled address; so do whole periods.
  int64_t within = columns % tile.panel * tile.elementBytes, rest = offset - within;
  if (span == 0 || within % span != 0 || rest % (tile.swizzle * 8) != 0)
    return {pointerAt(swizzledAddress(a.add(start, offset))), 0};
  if (!moved) moved = swizzledAddress(start);
  return {pointerAt(a.bxor(moved, within)), rest};
}
