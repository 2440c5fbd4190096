#include "codegen/gpu/Access.h"
#include "ir/ptx/Ptx.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;
using layout::Fragment;
using layout::FragmentKind;

int64_t kiln::codegen::gpu::powerOfTwoIn(int64_t value) { return value == 0 ? 16 : std::min<int64_t>(value & -value, 16); }

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

namespace {
/// i32 arithmetic that folds what it can.
struct I32 {
  Lowering &to;

  Value div(Value x, int64_t by) const { return by == 1 ? x : LLVM::UDivOp::create(to.rewriter, to.loc, x, c(by)); }
  Value rem(Value x, int64_t by) const {
    return by == 1 ? c(0) : LLVM::URemOp::create(to.rewriter, to.loc, x, c(by)).getResult();
  }
  Value mul(Value x, int64_t by) const { return by == 1 ? x : LLVM::MulOp::create(to.rewriter, to.loc, x, c(by)); }
  Value add(Value x, Value y) const { return LLVM::AddOp::create(to.rewriter, to.loc, x, y); }
  Value c(int64_t value) const { return to.i32(value); }
};
} // namespace

// As Fragment::threadPlace, on values.
ThreadPlace kiln::codegen::gpu::threadPlaceOf(const Fragment &f, Lowering &to) {
  I32 b{to};
  Value t = to.threadOf(f.threads()), lane = to.frame.lane, warp = to.frame.warp;
  int64_t p = f.p, q = f.q;
  constexpr int64_t kRun = 4;
  switch (f.kind) {
  case FragmentKind::Blocked:
    return {b.c(0), b.mul(t, p)};
  case FragmentKind::MmaAcc:
    return {b.add(b.mul(b.div(warp, q), f.rows / p), b.div(lane, 4)),
            b.add(b.mul(b.rem(warp, q), f.columns / q), b.mul(b.rem(lane, 4), 2))};
  case FragmentKind::MmaA:
    return {b.add(b.mul(b.div(warp, q), f.rows / p), b.div(lane, 4)), b.mul(b.rem(lane, 4), 2)};
  case FragmentKind::MmaB:
    return {b.mul(b.rem(lane, 4), 2), b.add(b.mul(b.rem(warp, q), f.columns / q), b.div(lane, 4))};
  case FragmentKind::Outer:
    return {b.mul(b.div(t, q), kRun), b.mul(b.rem(t, q), kRun)};
  case FragmentKind::OuterA:
    return {b.c(0), b.mul(b.div(t, q), kRun)};
  case FragmentKind::OuterB:
    return {b.c(0), b.mul(b.rem(t, q), kRun)};
  case FragmentKind::WgmmaAcc:
  case FragmentKind::WgmmaA:
    return {b.add(b.mul(warp, 16), b.div(lane, 4)), b.mul(b.rem(lane, 4), 2)};
  case FragmentKind::WgmmaRows:
    return {b.c(0), b.add(b.mul(warp, 16), b.div(lane, 4))};
  case FragmentKind::WgmmaColumns:
    return {b.c(0), b.mul(b.rem(lane, 4), 2)};
  }
  return {};
}

//===- Addresses --------------------------------------------------------------------------------------------------===//

Value kiln::codegen::gpu::addressOf(Lowering &to, Place place) {
  if (place.offset == 0) return place.pointer;
  OpBuilder &b = to.rewriter;
  return LLVM::GEPOp::create(b, to.loc, place.pointer.getType(), b.getI8Type(), place.pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(place.offset)});
}

/// Elements from the first to the last one, one more; -1 if that is no i64.
static int64_t spanOf(tile::GlobalType type) {
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
    : element(tile::elementTypeOf(value.getType())), bytes(tile::bytesOf(element)),
      shared(isa<tile::SharedType>(value.getType())), readOnly(to.frame.readOnly.contains(value)), to(to),
      tile(dyn_cast<tile::SharedType>(value.getType())), base(base), narrow(true) {
  auto global = dyn_cast<tile::GlobalType>(value.getType());
  if (!global) return;
  int64_t span = spanOf(global); // what is in range is computed right modulo 2^32
  narrow = span >= 0 && span <= std::numeric_limits<int32_t>::max();
}

/// pointer + elements · bytes. A thread may start before the memory, where a mask lets only later registers take part.
Value Memory::pointerPast(Value pointer, Value elements) {
  OpBuilder &b = to.rewriter;
  if (!shared && elements.getType().isInteger(32))
    elements = LLVM::SExtOp::create(b, to.loc, b.getI64Type(), elements);
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
  if (more) elements = LLVM::AddOp::create(b, to.loc, elements, narrow ? more : wide(more));
  bool swizzled = tile && tile.getSwizzle();
  start = swizzled ? LLVM::MulOp::create(b, to.loc, elements, to.i32(bytes)).getResult() : pointerPast(base, elements);
}

void Memory::moveBy(Value bytes) {
  OpBuilder &b = to.rewriter;
  Value wide = LLVM::SExtOp::create(b, to.loc, b.getI64Type(), bytes);
  start = LLVM::GEPOp::create(b, to.loc, start.getType(), b.getI8Type(), start, ValueRange{wide});
}

Place Memory::at(int64_t elements) {
  int64_t offset = elements * bytes;
  if (tile && tile.getSwizzle()) return swizzledAt(offset);
  if (llvm::isInt<32>(offset)) return {start, offset};
  Value far = LLVM::ConstantOp::create(to.rewriter, to.loc, to.rewriter.getI64Type(),
                                       to.rewriter.getI64IntegerAttr(elements));
  return {pointerPast(start, far), 0};
}

// layout::swizzled on values. What moves by whole periods of the swizzle moves the address by as much.
Place Memory::swizzledAt(int64_t offset) {
  OpBuilder &b = to.rewriter;
  int64_t chunks = tile.getSwizzle() / 16, line = std::max<int64_t>(tile.getShape().back() * bytes, 128);
  int64_t period = chunks * line, whole = offset / period * period;
  Value from = start;
  if (offset != whole) from = LLVM::AddOp::create(b, to.loc, start, to.i32(offset - whole));
  Value number = LLVM::URemOp::create(b, to.loc, LLVM::UDivOp::create(b, to.loc, from, to.i32(line)), to.i32(chunks));
  Value moved = LLVM::XOrOp::create(b, to.loc, from, LLVM::MulOp::create(b, to.loc, number, to.i32(16)));
  return {LLVM::GEPOp::create(b, to.loc, base.getType(), b.getI8Type(), base, ValueRange{moved}), whole};
}
