#include "passes/tiling/sm80/MatmulFeed.h"

#include "ir/layout/IndexMap.h"
#include "passes/tiling/sm80/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

MatmulFeed::MatmulFeed(MatmulFrame &frame, Side side, FeedLayout layout)
    : frame(frame), side(side), operand(frame.problem.operands[side]), layout(layout), b(frame.b), loc(frame.loc),
      index(frame.index) {}

void MatmulFeed::allocate(int64_t stages) {
  MLIRContext *context = b.getContext();
  auto tile = tile::SharedType::get(context, {layout.rows, layout.columns}, frame.problem.element, layout.swizzle);
  auto type = tile::RingType::get(context, isAsync() ? stages : 2, tile);
  ring = tile::AllocRingOp::create(b, loc, type, IntegerAttr());
  if (!isAsync()) return;
  // Where the CTA's tile starts: of its batch by the source's own expression, then so many rows or columns further.
  const CopySource &source = *operand.source;
  SmallVector<int64_t> extents{frame.problem.batches};
  auto whole = AffineMap::get(frame.context.form.extents.size() + 1, 0, source.start);
  AffineMap ofBatch = layout::compose(whole, frame.iteration(1, frame.zero(), frame.zero(), frame.zero()), extents);
  Point point;
  point.extents = extents;
  point.coords = {frame.batch};
  const Emitter::Anchors noAnchors;
  Emitter emitter(b, loc, frame.context.memories, noAnchors, point);
  int64_t ofFree = operand.alongK ? source.rowStride : 1;
  start =
      index.add(emitter.expand(ofBatch.getResult(0)), index.mul(frame.place[side], frame.tile.extent[side] * ofFree));
}

Value MatmulFeed::slot(Value block) {
  auto type = cast<tile::RingType>(ring.getType());
  return tile::SlotOp::create(b, loc, type.getTile(), ring, block).getTiles().front();
}

/// How many k's are left from a block on; a constant where every block is whole.
Value MatmulFeed::depthLeft(Value block) {
  if (frame.problem.k % frame.tile.depth == 0) return index.constant(frame.tile.depth);
  return index.sub(index.constant(frame.problem.k), index.mul(block, frame.tile.depth));
}

void MatmulFeed::copy(Value block) {
  const CopySource &source = *operand.source;
  Value free = frame.remaining(side), depth = depthLeft(block);
  Value offset = index.add(start, index.mul(block, frame.tile.depth * (operand.alongK ? 1 : source.rowStride)));
  tile::AsyncCopyOp::create(b, loc, source.base, offset, b.getI64IntegerAttr(source.rowStride),
                            operand.alongK ? free : depth, operand.alongK ? depth : free, slot(block));
}

//===- Through registers ------------------------------------------------------------------------------------------===//

int64_t MatmulFeed::vec() const {
  // What is narrower than a word is stored by words even where it cannot be loaded so.
  int64_t least = std::max<int64_t>(4 / tile::bytesOf(frame.problem.element), 1);
  return std::min(std::max(operand.vec, least), mostOfThread(lanes()));
}

Value MatmulFeed::rowOf(Row row) { return index.add(row.start, index.constant(row.plus)); }

/// Skeleton dimensions: batch, the side's tile, block, start of the row's number, lane.
Point MatmulFeed::rowPoint(Value block, Row row) {
  AffineExpr along = frame.dim(4), across = frame.dim(3) + row.plus;
  AffineExpr free = frame.dim(1) * frame.tile.extent[side] + (operand.alongK ? across : along);
  AffineExpr k = frame.dim(2) * frame.tile.depth + (operand.alongK ? along : across);
  return {{frame.problem.batches, frame.tiles[side], frame.blocks, rows() - row.plus, lanes()},
          {frame.batch, frame.place[side], block, row.start},
          frame.iteration(5, side == Left ? free : frame.zero(), side == Left ? frame.zero() : free, k),
          lanes(),
          tile::BlockedAttr::get(b.getContext(), vec(), 32)};
}

FailureOr<Value> MatmulFeed::loadRow(Value block, Row row) {
  bool kResidue = frame.problem.k % frame.tile.depth != 0, freeResidue = frame.hasResidue(side);
  Value depth = depthLeft(block), free = frame.remaining(side);
  Value lanesLeft;
  if (operand.alongK ? kResidue : freeResidue) lanesLeft = operand.alongK ? depth : free;
  if (operand.alongK ? freeResidue : kResidue) {
    Value rowsLeft = operand.alongK ? free : depth, number = rowOf(row);
    // A row that does not exist has no lanes. What is the same along all of them is that of the last row.
    Value count = lanesLeft ? lanesLeft : index.constant(lanes());
    lanesLeft = arith::SelectOp::create(b, loc, less(frame.context, number, rowsLeft), count, index.constant(0));
    if (!operand.variesAlongLanes) row = {index.min(number, index.sub(rowsLeft, index.constant(1))), 0};
  }
  Point point = rowPoint(block, row);
  int64_t divides = std::gcd(lanes(), operand.alongK ? frame.problem.k : operand.extent);
  if (lanesLeft) point.residue = frame.mask(lanesLeft, lanes(), vec(), divides);
  const Emitter::Anchors noAnchors;
  Emitter emitter(b, loc, frame.context.memories, noAnchors, point);
  FailureOr<Value> value = emitter.emitFragment(operand.value, operand.map);
  if (failed(value) || !kResidue || (operand.memory && operand.variesAlongLanes)) return value;
  // What a prologue makes of a masked element may be anything, and so may a scalar that is there for all lanes: an
  // infinity would meet the other operand's zeros.
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(frame.problem.element));
  return arith::SelectOp::create(b, loc, point.residue, *value, emitter.splat(zero)).getResult();
}

FailureOr<SmallVector<Value>> MatmulFeed::load(Value block) {
  SmallVector<Value> fragments;
  for (int64_t i = 0; operand.isHeld && i < rows() / frame.tile.warps; ++i) {
    FailureOr<Value> fragment = loadRow(block, {frame.warp, i * frame.tile.warps});
    if (failed(fragment)) return failure();
    fragments.push_back(*fragment);
  }
  return fragments;
}

LogicalResult MatmulFeed::store(ArrayRef<Value> fragments, Value existing, Value block) {
  Value tile = slot(block);
  if (!operand.isHeld)
    return forLoop(b, loc, frame.warp, index.constant(rows()), frame.tile.warps, [&](Value row) -> LogicalResult {
      FailureOr<Value> fragment = loadRow(existing, {row, 0});
      if (failed(fragment)) return failure();
      storeRow(*fragment, tile, row);
      return success();
    });
  for (auto [i, fragment] : llvm::enumerate(fragments))
    storeRow(fragment, tile, rowOf({frame.warp, static_cast<int64_t>(i) * frame.tile.warps}));
  return success();
}

void MatmulFeed::storeRow(Value fragment, Value tile, Value row) {
  if (layout.alongK == operand.alongK) {
    int64_t aligned = std::gcd(vec(), layout.columns);
    tile::StoreOp::create(b, loc, fragment, tile, index.mul(row, layout.columns), Value(), IntegerAttr(),
                          aligned > 1 ? b.getI64IntegerAttr(aligned) : IntegerAttr());
    return;
  }
  // Along the tile's other dimension: lane l goes to row l of it.
  auto offsets = cast<RankedTensorType>(fragment.getType()).clone(b.getI64Type());
  auto splat = [&](Value scalar) { return tile::SplatOp::create(b, loc, offsets, scalar).getResult(); };
  Value stride = arith::ConstantIntOp::create(b, loc, layout.columns, 64);
  Value column = arith::IndexCastOp::create(b, loc, b.getI64Type(), row);
  Value down = arith::MulIOp::create(b, loc, tile::LanesOp::create(b, loc, offsets), splat(stride));
  Value at = arith::AddIOp::create(b, loc, down, splat(column));
  tile::ScatterOp::create(b, loc, fragment, tile, at, Value());
}

//===- Both operands ----------------------------------------------------------------------------------------------===//

void MatmulFeeds::allocate(int64_t stages) {
  for (MatmulFeed &feed : feeds) feed.allocate(stages);
}

void MatmulFeeds::copy(Value block) {
  for (MatmulFeed &feed : feeds)
    if (feed.isAsync()) feed.copy(block);
}

FailureOr<MatmulFeeds::InFlight> MatmulFeeds::load(Value existing) {
  InFlight fragments;
  for (Side side : {Left, Right}) {
    if (feeds[side].isAsync()) continue;
    FailureOr<SmallVector<Value>> loaded = feeds[side].load(existing);
    if (failed(loaded)) return failure();
    fragments[side] = *loaded;
  }
  return fragments;
}

LogicalResult MatmulFeeds::store(const InFlight &fragments, Value existing, Value block) {
  for (Side side : {Left, Right})
    if (!feeds[side].isAsync() && failed(feeds[side].store(fragments[side], existing, block))) return failure();
  return success();
}

std::array<Value, 2> MatmulFeeds::slots(Value block) { return {feeds[Left].slot(block), feeds[Right].slot(block)}; }
