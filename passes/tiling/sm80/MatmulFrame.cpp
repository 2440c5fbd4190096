#include "passes/tiling/sm80/MatmulFrame.h"

#include "ir/layout/IndexMap.h"
#include "passes/tiling/sm80/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

MatmulFrame::MatmulFrame(SkeletonContext &context, const MatmulProblem &problem, const CtaTile &tile)
    : context(context), problem(problem), tile(tile), b(context.builder), loc(context.loc), index{b, loc} {
  for (Side side : {Left, Right}) tiles[side] = llvm::divideCeil(problem.extent(side), tile.extent[side]);
  blocks = llvm::divideCeil(problem.k, tile.depth);
}

// Tiles are numbered down the rows of a group, then along its columns, then group by group: the CTAs that run at one
// time read few rows and columns of the operands.
void MatmulFrame::begin() {
  context.program.setThreads(tile.warps * 32);
  if (grid() == 0) return;
  warp = tile::WarpIdOp::create(b, loc, b.getIndexType());
  Value cta = tile::CtaIdOp::create(b, loc, b.getIndexType());
  int64_t ofBatch = tiles[Left] * tiles[Right];
  batch = problem.batches == 1 ? index.constant(0) : index.div(cta, ofBatch);
  Value number = problem.batches == 1 ? cta : index.rem(cta, ofBatch);
  int64_t group = std::min(tile.group, tiles[Left]);
  Value first = index.mul(index.div(number, group * tiles[Right]), group);
  Value inGroup = index.rem(number, group * tiles[Right]);
  if (tiles[Left] % group == 0) {
    place = {index.add(first, index.rem(inGroup, group)), index.div(inGroup, group)};
    return;
  }
  Value rows = index.min(index.sub(index.constant(tiles[Left]), first), index.constant(group)); // the last has fewer
  place = {index.add(first, arith::RemUIOp::create(b, loc, inGroup, rows)),
           arith::DivUIOp::create(b, loc, inGroup, rows)};
}

FailureOr<int64_t> MatmulFrame::build(RankedTensorType type, int64_t slices, Mainloop mainloop) {
  begin();
  if (grid() == 0) return 0;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(problem.sum));
  FailureOr<SmallVector<Value>> sums = SmallVector<Value>(slices, tile::SplatOp::create(b, loc, type, zero));
  if (blocks != 0) sums = mainloop(*sums);
  if (failed(sums) || failed(finish(*sums))) return failure();
  return grid();
}

MatmulFrame::Ahead MatmulFrame::following(Value block) {
  Value next = index.add(block, index.constant(1));
  return {next, index.min(next, index.constant(blocks - 1))};
}

Value MatmulFrame::remaining(Side side) {
  if (!hasResidue(side)) return index.constant(tile.extent[side]);
  return index.sub(index.constant(problem.extent(side)), index.mul(place[side], tile.extent[side]));
}

AffineMap MatmulFrame::iteration(unsigned dims, AffineExpr rows, AffineExpr columns, AffineExpr k) const {
  size_t rank = context.form.extents.size();
  SmallVector<AffineExpr> results(rank + (k ? 1 : 0));
  delinearize(dim(0), problem.batchDims, context.form.extents, results);
  results[problem.operands[Left].free] = rows;
  results[problem.operands[Right].free] = columns;
  if (k) results[rank] = k;
  return AffineMap::get(dims, 0, results, b.getContext());
}

Value MatmulFrame::mask(Value count, int64_t lanes, int64_t vec, int64_t aligned) {
  return Groups{}.mask(context, count, lanes, vec, aligned);
}

//===- Outputs ----------------------------------------------------------------------------------------------------===//

namespace {
/// Rows that a warp has in flight at once: their loads are all issued before anything is stored.
constexpr int64_t kRowsInFlight = 4;
} // namespace

AffineMap MatmulFrame::rowIteration(int64_t lanes) const {
  AffineExpr row = dim(1) * tile.extent[Left] + dim(2);
  return iteration(6, row, dim(3) * tile.extent[Right] + dim(4) * lanes + dim(5), AffineExpr());
}

SmallVector<int64_t> MatmulFrame::rowExtents(int64_t lanes) const {
  return {problem.batches, tiles[Left], tile.extent[Left], tiles[Right], tile.extent[Right] / lanes, lanes};
}

std::optional<int64_t> MatmulFrame::storeWidth(int64_t lanes) const {
  SmallVector<int64_t> extents = rowExtents(lanes);
  int64_t vec = mostOfThread(lanes);
  for (auto [output, memory] : llvm::zip(context.form.outputs, context.outputs)) {
    AffineMap at = layout::compose(output.store, rowIteration(lanes), extents);
    auto linear = layout::linearIn(layout::linearOffset(at, memory.strides, extents) + memory.offset, 5, extents);
    if (!linear || linear->coefficient != 1) return std::nullopt;
    int64_t chunk = kAccessBytes / tile::bytesOf(getElementTypeOrSelf(output.value.getType()));
    vec = std::min(vec, alignmentOf(linear->rest, chunk));
  }
  return vec;
}

/// The whole row, or so much of it that what is stored is contiguous (of a row that a view cuts into heads, say).
MatmulFrame::RowLanes MatmulFrame::lanesOfRow() const {
  for (int64_t lanes = tile.extent[Right]; lanes % 32 == 0; lanes /= 2)
    if (std::optional<int64_t> vec = storeWidth(lanes)) return {lanes, *vec};
  return {tile.extent[Right], 1};
}

LogicalResult MatmulFrame::finish(ArrayRef<Value> sums) {
  int64_t rows = tile.extent[Left] / static_cast<int64_t>(sums.size()), stride = tile.extent[Right] + kPad;
  Value shared = allocShared(context, {rows, stride}, problem.sum);
  for (auto [i, slice] : llvm::enumerate(sums)) {
    if (i != 0) barrier(); // the slice before has been read
    tile::StoreOp::create(b, loc, slice, shared, index.constant(0), Value(), b.getI64IntegerAttr(stride),
                          b.getI64IntegerAttr(kPad));
    barrier();
    if (failed(storeRows(shared, i * rows, rows))) return failure();
  }
  return success();
}

/// The outputs of `count` rows from `first` on, whose sums are in shared memory: every warp takes a row in turn.
LogicalResult MatmulFrame::storeRows(Value shared, int64_t first, int64_t count) {
  auto [lanes, vec] = lanesOfRow();
  int64_t stride = tile.extent[Right] + kPad;
  int64_t rowsOfWarp = count / tile.warps, inFlight = std::gcd(rowsOfWarp, kRowsInFlight);
  auto layout = tile::BlockedAttr::get(b.getContext(), vec, 32);
  auto sumType = RankedTensorType::get({lanes}, problem.sum, layout);
  bool residue = hasResidue(Left) || hasResidue(Right);
  Value rowsLeft = remaining(Left), columnsLeft = remaining(Right);

  auto pointOf = [&](Value row, int64_t piece) {
    Point point;
    point.extents = rowExtents(lanes);
    point.iteration = rowIteration(lanes);
    point.lanes = lanes;
    point.layout = layout;
    // A row that does not exist computes the last one's values, and stores none.
    Value exists = hasResidue(Left) ? less(context, row, rowsLeft) : Value();
    if (exists) row = index.min(row, index.sub(rowsLeft, index.constant(1)));
    point.coords = {batch, place[Left], row, place[Right], index.constant(piece)};
    if (!residue) return point;
    Value columns = index.sub(columnsLeft, index.constant(piece * lanes));
    if (exists) columns = arith::SelectOp::create(b, loc, exists, columns, index.constant(0));
    point.residue = mask(columns, lanes, vec, std::gcd(problem.extent(Right), lanes));
    return point;
  };
  return forLoop(b, loc, index.constant(0), index.constant(rowsOfWarp), inFlight, [&](Value i) -> LogicalResult {
    SmallVector<Emitter::Anchors, 0> anchors;
    SmallVector<Point, 0> points;
    for (int64_t j = 0; j < inFlight; ++j) {
      Value row = index.add(index.mul(index.add(i, index.constant(j)), tile.warps), warp);
      for (int64_t piece = 0; piece < tile.extent[Right] / lanes; ++piece) {
        Value at = index.add(index.mul(row, stride), index.constant(piece * lanes));
        anchors.emplace_back()[problem.result] = tile::LoadOp::create(
            b, loc, sumType, shared, at, Value(), IntegerAttr(), vec > 1 ? b.getI64IntegerAttr(vec) : IntegerAttr());
        points.push_back(pointOf(index.add(row, index.constant(first)), piece));
      }
    }
    OutputsOfPoints outputs(context);
    for (auto [point, sums] : llvm::zip(points, anchors))
      if (failed(outputs.emit({b, loc, context.memories, sums, point}))) return failure();
    return outputs.store();
  });
}
