#include "codegen/gpu/Access.h"
#include "codegen/gpu/Arithmetic.h"
#include "codegen/gpu/ByteFloats.h"
#include "codegen/gpu/TileAddress.h"
#include "ir/ptx/Ptx.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;
using layout::Fragment;
using layout::FragmentKind;

/// Rows of a warp in each 64 of a warpgroup's fragment.
static constexpr int64_t kWarpRows = 16;

int64_t kiln::codegen::gpu::powerOfTwoIn(int64_t value) {
  return value == 0 ? 16 : std::min<int64_t>(value & -value, 16);
}

/// Registers r … r + width - 1 of thread 0 are neighbours in a row, for every r that is a multiple of width.
static bool areNeighbours(const Fragment &f, int64_t width) {
  for (int64_t r = 0; r < f.registers(); ++r) {
    layout::Place first = f.registerPlace(r / width * width), place = f.registerPlace(r);
    if (place.row != first.row || place.column != first.column + r % width || first.column % width != 0) return false;
  }
  return true;
}

int64_t kiln::codegen::gpu::contiguousRegisters(const Fragment &f) {
  int64_t starts = 0; // the bits that threads' first columns may have
  for (int64_t t = 0; t < f.threads(); ++t) starts |= f.threadPlace(t).column;
  int64_t width = std::min(powerOfTwoIn(f.registers()), powerOfTwoIn(starts));
  while (!areNeighbours(f, width)) width /= 2;
  return width;
}

ThreadPlace kiln::codegen::gpu::blockPlaceOf(const Fragment &f, Lowering &to) {
  Arithmetic a{to};
  switch (f.kind) {
  case FragmentKind::MmaAcc:
    return {a.mul(a.div(to.warp(), f.q), f.rows / f.p), a.mul(a.rem(to.warp(), f.q), f.columns / f.q)};
  case FragmentKind::MmaA:
    return {a.mul(a.div(to.warp(), f.q), f.rows / f.p), Value()};
  case FragmentKind::MmaB:
    return {Value(), a.mul(a.rem(to.warp(), f.q), f.columns / f.q)};
  case FragmentKind::WgmmaAcc:
  case FragmentKind::WgmmaA:
    return {a.mul(to.frame.groupWarp, kWarpRows), Value()};
  default:
    return {};
  }
}

// As Fragment::threadPlace, on values.
ThreadPlace kiln::codegen::gpu::threadPlaceOf(const Fragment &f, Lowering &to) {
  Arithmetic a{to};
  Value lane = to.frame.lane;
  constexpr int64_t kRun = 4;
  auto within = [&](Value block, Value place) { return block ? a.add(block, place) : place; };
  switch (f.kind) {
  case FragmentKind::Blocked:
    return {a.c(0), a.mul(to.threadOf(f.threads()), f.p)};
  case FragmentKind::MmaAcc:
  case FragmentKind::MmaA:
  case FragmentKind::WgmmaAcc:
  case FragmentKind::WgmmaA: {
    ThreadPlace block = blockPlaceOf(f, to);
    int64_t together = f.kind == FragmentKind::WgmmaA ? f.p : 2;
    return {within(block.row, a.div(lane, 4)), within(block.column, a.mul(a.rem(lane, 4), together))};
  }
  case FragmentKind::MmaB:
    return {a.mul(a.rem(lane, 4), 2), within(blockPlaceOf(f, to).column, a.div(lane, 4))};
  case FragmentKind::Outer:
    return {a.mul(a.div(to.thread(), f.q), kRun), a.mul(a.rem(to.thread(), f.q), kRun)};
  case FragmentKind::OuterA:
    return {a.c(0), a.mul(a.div(to.thread(), f.q), kRun)};
  case FragmentKind::OuterB:
    return {a.c(0), a.mul(a.rem(to.thread(), f.q), kRun)};
  case FragmentKind::WgmmaRows:
    return {a.c(0), a.add(a.mul(to.frame.groupWarp, kWarpRows), a.div(lane, 4))};
  case FragmentKind::WgmmaColumns:
    return {a.c(0), a.mul(a.rem(lane, 4), 2)};
  }
  return {};
}

//===- Addresses --------------------------------------------------------------------------------------------------===//

Value kiln::codegen::gpu::addressOf(Lowering &to, Place place) {
  return Arithmetic{to}.past(place.pointer, place.offset);
}

/// Elements from the first to the last one, one more; -1 if that is no i64, or not known.
static int64_t spanOf(tile::GlobalType type) {
  if (llvm::any_of(type.getShape(), ShapedType::isDynamic) || llvm::any_of(type.getStrides(), ShapedType::isDynamic))
    return -1;
  int64_t span = 1, stride = 1;
  for (size_t d = type.getShape().size(); d-- > 0;) {
    int64_t extent = type.getShape()[d], step = type.getStrides().empty() ? stride : type.getStrides()[d], reach;
    if (extent == 0) return 0;
    if (llvm::MulOverflow(extent - 1, std::abs(step), reach) || llvm::AddOverflow(span, reach, span) ||
        llvm::MulOverflow(stride, extent, stride))
      return -1;
  }
  return span;
}

Memory::Memory(Lowering &to, Value value, Value base)
    : element(keptAs(tile::elementTypeOf(value.getType()))), bytes(tile::bytesOf(element)),
      shared(!isa<tile::GlobalType>(value.getType())), readOnly(to.frame.readOnly.contains(value)), to(to), base(base),
      narrow(true) {
  if (shared) {
    auto remote = dyn_cast<tile::RemoteType>(value.getType());
    tile = tile::tileOf(remote ? remote.getTile() : cast<tile::SharedType>(value.getType()));
    return;
  }
  int64_t span = spanOf(cast<tile::GlobalType>(value.getType())); // what is in range is computed right modulo 2^32
  narrow = span >= 0 && span <= std::numeric_limits<int32_t>::max();
}

/// pointer + elements · bytes. A thread may start before the memory, where a mask lets only later registers take part.
Value Memory::pointerPast(Value pointer, Value elements) {
  OpBuilder &b = to.rewriter;
  if (!shared && elements.getType().isInteger(32)) elements = LLVM::SExtOp::create(b, to.loc, b.getI64Type(), elements);
  Type unit = b.getIntegerType(8 * static_cast<unsigned>(bytes));
  return LLVM::GEPOp::create(b, to.loc, pointer.getType(), unit, pointer, ValueRange{elements});
}

/// Elements (an index, i64 or i32) in 64 bits.
Value Memory::wide(Value elements) {
  OpBuilder &b = to.rewriter;
  if (elements.getType().isIndex()) return arith::IndexCastOp::create(b, to.loc, b.getI64Type(), elements);
  if (elements.getType().isInteger(64)) return elements;
  return LLVM::SExtOp::create(b, to.loc, b.getI64Type(), elements);
}

void Memory::startAt(Value offset, ThreadPlace place, int64_t stride, int64_t reach) {
  OpBuilder &b = to.rewriter;
  // What is in range lies less than 2^31 behind the start, then, and the start less than that on either side of 0.
  narrow &= reach <= std::numeric_limits<int32_t>::max();
  if (narrow) {
    Value row = LLVM::MulOp::create(b, to.loc, place.row, to.i32(stride));
    return startAt(offset, LLVM::AddOp::create(b, to.loc, row, place.column));
  }
  Value row = LLVM::MulOp::create(b, to.loc, wide(place.row), to.i64(stride));
  startAt(offset, LLVM::AddOp::create(b, to.loc, row, wide(place.column)));
}

void Memory::startAt(Value offset, Value more) {
  OpBuilder &b = to.rewriter;
  Value elements = narrow ? to.low32(offset) : wide(offset);
  if (more) elements = LLVM::AddOp::create(b, to.loc, elements, narrow ? to.low32(more) : wide(more));
  bool plain = !tile || (tile->panels() <= 1 && !tile->swizzle);
  start = plain ? pointerPast(base, elements) : elements;
}

void Memory::moveBy(Value bytes) {
  OpBuilder &b = to.rewriter;
  if (!shared && bytes.getType().isInteger(32)) bytes = LLVM::SExtOp::create(b, to.loc, b.getI64Type(), bytes);
  start = LLVM::GEPOp::create(b, to.loc, start.getType(), b.getI8Type(), start, ValueRange{bytes});
}

Place Memory::at(int64_t elements) {
  int64_t offset = elements * bytes;
  if (tile && tile->panels() > 1) return inPanels(elements);
  if (tile && tile->swizzle) return swizzledAt(offset);
  if (llvm::isInt<32>(offset)) return {start, offset};
  Value far =
      LLVM::ConstantOp::create(to.rewriter, to.loc, to.rewriter.getI64Type(), to.rewriter.getI64IntegerAttr(elements));
  return {pointerPast(start, far), 0};
}

// layout::swizzled on values. What moves by whole periods of the swizzle moves the address by as much.
Place Memory::swizzledAt(int64_t offset) {
  Arithmetic a{to};
  int64_t chunks = tile->swizzle / 16, line = std::max<int64_t>(tile->rowBytes(), 128);
  int64_t period = chunks * line, whole = offset / period * period;
  Value from = a.mul(start, bytes);
  if (offset != whole) from = a.add(from, offset - whole);
  Value number = a.rem(a.div(from, line), chunks);
  return {a.past(base, a.bxor(from, a.mul(number, 16))), whole};
}

Place Memory::inRow(int64_t rows, int64_t columns) {
  int64_t line = tile && tile->swizzle ? tile->rowBytes() : 0, right = columns * bytes;
  // What is added to a swizzled address is no part of a chunk's number then, nor of a row's in the swizzle's period.
  bool isSwizzledAlike =
      tile && tile->panels() <= 1 && line >= 128 && right % 128 == 0 && rows % (tile->swizzle / 16) == 0;
  if (!isSwizzledAlike || right == 0) return at(rows * (tile ? tile->columns : 0) + columns);
  Place first = swizzledAt(0);
  return {first.pointer, rows * line + right};
}

/// Rows do not follow one another: the element's row and column say where it lies.
Place Memory::inPanels(int64_t elements) {
  Arithmetic a{to};
  Value number = a.add(start, elements);
  TileAddress places(to, *tile, base);
  places.startAt(a.div(number, tile->columns), a.rem(number, tile->columns), 0);
  return places.at(0, 0);
}
