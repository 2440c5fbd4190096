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
  return tile::SlotOp::create(b, loc, type.getTile(), ring, block);
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
  // Elements of 16 bits are stored in pairs even where they cannot be loaded so.
  int64_t least = frame.problem.isSixteenBit() ? 2 : 1;
  return std::min(std::max(operand.vec, least), mostOfThread(lanes()));
}

/// Skeleton dimensions: batch, the side's tile, block, row, lane.
Point MatmulFeed::rowPoint(Value block, Value row) {
  AffineExpr along = frame.dim(4), across = frame.dim(3);
  AffineExpr free = frame.dim(1) * frame.tile.extent[side] + (operand.alongK ? across : along);
  AffineExpr k = frame.dim(2) * frame.tile.depth + (operand.alongK ? along : across);
  Point point;
  point.extents = {frame.problem.batches, frame.tiles[side], frame.blocks, rows(), lanes()};
  point.coords = {frame.batch, frame.place[side], block, row};
  point.iteration = frame.iteration(5, side == Left ? free : frame.zero(), side == Left ? frame.zero() : free, k);
  point.lanes = lanes();
  point.layout = tile::BlockedAttr::get(b.getContext(), vec(), 32);
  return point;
}

FailureOr<Value> MatmulFeed::loadRow(Value block, Value row) {
  bool kResidue = frame.problem.k % frame.tile.depth != 0, freeResidue = frame.hasResidue(side);
  Value depth = depthLeft(block), free = frame.remaining(side);
  // A row that does not exist reads the last one: its products are dropped, or (along k) it is cleared.
  auto last = [&](Value count) { return index.min(row, index.sub(count, index.constant(1))); };
  Value lanesLeft, existing = row;
  if (operand.alongK) {
    if (freeResidue) existing = last(free);
    if (kResidue) lanesLeft = depth;
  } else {
    if (freeResidue) lanesLeft = free;
    if (kResidue) {
      existing = last(depth);
      Value count = lanesLeft ? lanesLeft : index.constant(lanes());
      lanesLeft = arith::SelectOp::create(b, loc, less(frame.context, row, depth), count, index.constant(0));
    }
  }
  Point point = rowPoint(block, existing);
  int64_t divides = std::gcd(lanes(), operand.alongK ? frame.problem.k : operand.extent);
  if (lanesLeft) point.residue = frame.mask(lanesLeft, lanes(), vec(), divides);
  const Emitter::Anchors noAnchors;
  Emitter emitter(b, loc, frame.context.memories, noAnchors, point);
  FailureOr<Value> value = emitter.emitFragment(operand.value, operand.map);
  if (failed(value) || !lanesLeft || !kResidue || operand.memory) return value;
  // What a prologue makes of a masked element may be anything.
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(frame.problem.element));
  return arith::SelectOp::create(b, loc, point.residue, *value, emitter.splat(zero)).getResult();
}

bool MatmulFeed::isHeld() const {
  constexpr int64_t kMostOps = 16; // each is there once per row
  int64_t ops = 0;
  SmallVector<int64_t> extents(frame.context.form.extents);
  extents.push_back(frame.problem.k);
  graph::walkDemands(graph::Demand{operand.value, operand.map}, extents, [&](const graph::Demand &) {
    ++ops;
    return ops <= kMostOps;
  });
  return ops <= kMostOps;
}

FailureOr<SmallVector<Value>> MatmulFeed::load(Value block) {
  SmallVector<Value> fragments;
  for (int64_t i = 0; isHeld() && i < rows() / frame.tile.warps; ++i) {
    FailureOr<Value> row = loadRow(block, index.add(index.constant(i * frame.tile.warps), frame.warp));
    if (failed(row)) return failure();
    fragments.push_back(*row);
  }
  return fragments;
}

LogicalResult MatmulFeed::store(ArrayRef<Value> fragments, Value existing, Value block) {
  Value tile = slot(block);
  if (!isHeld())
    return forLoop(b, loc, frame.warp, index.constant(rows()), frame.tile.warps, [&](Value row) -> LogicalResult {
      FailureOr<Value> fragment = loadRow(existing, row);
      if (failed(fragment)) return failure();
      storeRow(*fragment, tile, row);
      return success();
    });
  for (auto [i, fragment] : llvm::enumerate(fragments))
    storeRow(fragment, tile, index.add(index.constant(static_cast<int64_t>(i) * frame.tile.warps), frame.warp));
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
