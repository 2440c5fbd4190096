#include "passes/tiling/RowReduction.h"

#include "passes/tiling/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

namespace {
// The canonical order's numbers, as in the numerics contract.
constexpr int64_t kUnit = 8, kVirtualLanes = 1024, kPiece = int64_t(1) << 16;
} // namespace

FailureOr<RowReduction> RowReduction::create(SkeletonContext &context, graph::ReduceOp reduce, int64_t lanes,
                                             int64_t length) {
  FailureOr<Combine> combine = Combine::get(reduce);
  if (failed(combine)) return failure();
  RowReduction r{reduce, *combine, lanes, length};
  if (!combine->ordered || length <= lanes) return r;
  r.virtualLanes = std::max<int64_t>(
      std::min<int64_t>(kVirtualLanes, llvm::bit_ceil<uint64_t>(llvm::divideCeil(length, kUnit))), lanes / kUnit);
  r.buffer = allocShared(context, {r.virtualLanes}, combine->element);
  if (length > kPiece) r.total = allocShared(context, {1}, combine->element);
  return r;
}

LogicalResult RowReduction::begin(SkeletonContext &context) {
  if (!buffer) return success();
  OpBuilder &b = context.builder;
  IndexBuilder index{b, context.loc};
  if (total)
    tile::StoreOp::create(b, context.loc, combine.identityValue(b, context.loc, 0), total, index.constant(0), Value(),
                          IntegerAttr());
  clear(context);
  return success();
}

/// Every virtual lane absent.
void RowReduction::clear(SkeletonContext &context) {
  OpBuilder &b = context.builder;
  IndexBuilder index{b, context.loc};
  int64_t step = lanes / kUnit;
  Value identity = combine.identityValue(b, context.loc, step);
  (void)forLoop(b, context.loc, index.constant(0), index.constant(virtualLanes), step, [&](Value i) {
    tile::StoreOp::create(b, context.loc, identity, buffer, i, Value(), IntegerAttr());
    return success();
  });
}

SmallVector<Value> RowReduction::initial(SkeletonContext &context) {
  if (!carries()) return {};
  return {combine.identityValue(context.builder, context.loc, combine.ordered ? lanes / kUnit : lanes)};
}

/// The units of `x` into the virtual lanes from `lane` on.
void RowReduction::foldInto(SkeletonContext &context, Value x, Value lane) {
  OpBuilder &b = context.builder;
  auto type = tile::simd(combine.element, cast<RankedTensorType>(x.getType()).getDimSize(0) / kUnit);
  Value old = tile::LoadOp::create(b, context.loc, type, buffer, lane, Value(), IntegerAttr());
  Value next = tile::FoldUnitsOp::create(b, context.loc, type, combine.kind, x, old);
  tile::StoreOp::create(b, context.loc, next, buffer, lane, Value(), IntegerAttr());
}

Value RowReduction::accumulate(SkeletonContext &context, Value x, Value chunk, Value carried) {
  OpBuilder &b = context.builder;
  Location loc = context.loc;
  if (!combine.ordered) return combine.apply(b, loc, carried, x);
  if (!buffer) return tile::FoldUnitsOp::create(b, loc, carried.getType(), combine.kind, x, carried);
  IndexBuilder index{b, loc};
  foldInto(context, x, index.rem(index.mul(chunk, lanes / kUnit), virtualLanes));
  if (!total) return {};
  // The last chunk of a piece: its lanes meet, the piece joins the total, the lanes start anew.
  int64_t chunksPerPiece = kPiece / lanes;
  Value last = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index.rem(chunk, chunksPerPiece),
                                     index.constant(chunksPerPiece - 1));
  auto branch = scf::IfOp::create(b, loc, last, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  Value piece = foldLanes(context);
  Value sum = tile::LoadOp::create(b, loc, combine.element, total, index.constant(0), Value(), IntegerAttr());
  sum = combine.apply(b, loc, sum, piece);
  tile::StoreOp::create(b, loc, sum, total, index.constant(0), Value(), IntegerAttr());
  clear(context);
  return {};
}

void RowReduction::accumulateRest(SkeletonContext &context, Value x, Value residue) {
  OpBuilder &b = context.builder;
  Location loc = context.loc;
  int64_t restLanes = cast<RankedTensorType>(x.getType()).getDimSize(0);
  if (residue) x = arith::SelectOp::create(b, loc, residue, x, combine.identityValue(b, loc, restLanes));
  if (buffer) return foldInto(context, x, IndexBuilder{b, loc}.constant(length / lanes * lanes / kUnit % virtualLanes));
  if (combine.ordered) {
    Value none = combine.identityValue(b, loc, restLanes / kUnit);
    x = tile::FoldUnitsOp::create(b, loc, none.getType(), combine.kind, x, none);
  }
  rest = combine.fold(b, loc, x);
}

/// The halving tree over the buffer, which it overwrites.
Value RowReduction::foldLanes(SkeletonContext &context) {
  OpBuilder &b = context.builder;
  Location loc = context.loc;
  IndexBuilder index{b, loc};
  int64_t step = lanes / kUnit;
  auto type = tile::simd(combine.element, step);
  auto load = [&](Value at) -> Value { return tile::LoadOp::create(b, loc, type, buffer, at, Value(), IntegerAttr()); };
  for (int64_t half = virtualLanes / 2; half >= step; half /= 2)
    (void)forLoop(b, loc, index.constant(0), index.constant(half), step, [&](Value i) {
      Value met = combine.apply(b, loc, load(i), load(index.add(i, index.constant(half))));
      tile::StoreOp::create(b, loc, met, buffer, i, Value(), IntegerAttr());
      return success();
    });
  return combine.fold(b, loc, load(index.constant(0)));
}

FailureOr<Value> RowReduction::finish(SkeletonContext &context, Value carried) {
  OpBuilder &b = context.builder;
  Location loc = context.loc;
  if (length == 0) {
    if (!combine.empty) return reduce.emitError("nothing to combine");
    return arith::ConstantOp::create(b, loc, combine.empty).getResult();
  }
  if (!buffer) {
    if (!carried) return rest;
    Value whole = combine.fold(b, loc, carried);
    return rest ? combine.apply(b, loc, whole, rest) : whole;
  }
  if (!total) return foldLanes(context);
  Value sum =
      tile::LoadOp::create(b, loc, combine.element, total, IndexBuilder{b, loc}.constant(0), Value(), IntegerAttr());
  if (length % kPiece == 0) return sum;
  return combine.apply(b, loc, sum, foldLanes(context));
}
