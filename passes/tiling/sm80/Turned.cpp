// The gpu skeleton of pointwise kernels that transpose: a CTA has a square tile of the output.
//
//   each warp, row by row along q: reads what is contiguous along p, and leaves it in shared memory
//   barrier
//   each warp, row by row along p: reads that across the rows, and every other operand along q; stores along q
//
// Both sides of global memory are read and written a warp's fragment at a time (64 elements: 128 bytes of a 16-bit
// type). Rows in shared memory are one element longer than the tile, so that 32 lanes meet 32 banks both ways. 256
// threads with 16 elements each have 8 KB of a 16-bit operand in flight, 64 KB with the 8 CTAs of an SM.
#include "passes/tiling/sm80/Turned.h"

#include "passes/tiling/sm80/Lanes.h"

#include "ir/layout/IndexMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

namespace {

/// Sides shorter than this leave too little of a tile: gathers do.
constexpr int64_t kShortSide = 32;
/// Shared memory for tiles: what lets four CTAs be resident on an SM of 100 KB.
constexpr int64_t kTileBytes = 24 << 10;

/// How far an access moves along a dimension per step; none where it is not so simple.
std::optional<int64_t> step(const Access &access, int64_t dim, ArrayRef<int64_t> extents) {
  auto linear = layout::linearIn(access.offset, dim, extents);
  return linear ? std::optional(linear->coefficient) : std::nullopt;
}

/// The last of some dimensions that is not of extent 1; -1 if all are.
int64_t fastest(ArrayRef<int64_t> dims, ArrayRef<int64_t> extents) {
  for (int64_t dim : llvm::reverse(dims))
    if (extents[dim] != 1) return dim;
  return -1;
}

bool isIndirect(const Access &access) {
  bool found = false;
  access.offset.walk([&](AffineExpr part) { found |= isa<AffineSymbolExpr>(part); });
  return found;
}

} // namespace

std::optional<Turn> sm80::planTurn(ArrayRef<Access> accesses, const graph::KernelForm &form) {
  ArrayRef<int64_t> extents = form.extents;
  SmallVector<int64_t> dims = coalescedOrder(accesses, extents, sequence(0, extents.size()));
  if (dims.size() < 2 || form.outputs.empty()) return std::nullopt;
  Block *body = Value(form.outputs[0].value).getParentBlock();
  if (llvm::any_of(*body, [](Operation &op) { return isa<graph::ConcatOp>(op); })) return std::nullopt;
  size_t suffix = contiguousSuffix(accesses, extents, dims);
  Rows along = splitRows(extents, dims, suffix);
  int64_t q = fastest(along.inner, extents), p = -1, most = 0;
  if (q < 0) return std::nullopt;
  auto isTurned = [&](const Access &access, int64_t dim) {
    std::optional<int64_t> across = step(access, q, extents);
    return !access.store && !isIndirect(access) && across && *across > 1 && step(access, dim, extents) == 1;
  };
  for (int64_t dim : along.outer) {
    int64_t bytes = 0;
    for (const Access &access : accesses) bytes += isTurned(access, dim) ? access.bytes : 0;
    if (bytes > most) p = dim, most = bytes;
  }
  if (p < 0) return std::nullopt;
  SmallVector<int64_t> rest(along.outer);
  rest.erase(llvm::find(rest, p));
  rest.push_back(p);
  Rows turned = splitRows(extents, rest, contiguousSuffix(accesses, extents, rest));
  if (turned.length < kShortSide || along.length < kShortSide) return std::nullopt;
  Turn turn{turned.outer, turned.inner, along.inner, {}};
  for (const Access &access : accesses)
    if (isTurned(access, p)) turn.loads.push_back(access);
  return turn;
}

namespace {

class TurnedBuilder {
public:
  TurnedBuilder(SkeletonContext &context, const PointwiseSchedule &schedule, const Turn &turn)
      : context(context), b(context.builder), loc(context.loc), index{b, loc}, turn(turn), vec(schedule.vec),
        side(32 * schedule.vec * schedule.runs), warps(schedule.groups) {}

  FailureOr<int64_t> run() {
    ArrayRef<int64_t> extents = context.form.extents;
    outers = layout::elementCount(extents, turn.outer);
    p = {layout::elementCount(extents, turn.p), 0};
    q = {layout::elementCount(extents, turn.q), 0};
    p.tiles = llvm::divideCeil(p.length, side);
    q.tiles = llvm::divideCeil(q.length, side);
    context.program.setThreads(32 * warps);
    if (outers == 0) return 0;
    int64_t bytes = 0;
    for (const Access &load : turn.loads) {
      bytes += side * (side + 1) * load.bytes;
      if (bytes > kTileBytes && !staged.empty()) break; // what does not fit is gathered
      Type element = getElementTypeOrSelf(load.value.getType());
      staged.push_back({&load, allocShared(context, {side, side + 1}, element)});
    }
    Value cta = tile::CtaIdOp::create(b, loc, b.getIndexType());
    warp = tile::WarpIdOp::create(b, loc, b.getIndexType());
    // Neighbouring CTAs have neighbouring tiles along q: what they store lies together.
    q.tile = index.rem(cta, q.tiles);
    p.tile = index.rem(index.div(cta, q.tiles), p.tiles);
    outer = index.div(cta, q.tiles * p.tiles);
    if (failed(buildTile())) return failure();
    return outers * p.tiles * q.tiles;
  }

private:
  /// One side of the tiles.
  struct Side {
    int64_t length, tiles;
    Value tile;
  };
  struct Staged {
    const Access *load;
    Value tile;
  };

  SkeletonContext &context;
  OpBuilder &b;
  Location loc;
  IndexBuilder index;
  const Turn &turn;
  int64_t vec, side, warps, outers = 1;
  Side p, q;
  SmallVector<Staged> staged;
  Value warp, outer;
  const Emitter::Anchors noAnchors;

  LogicalResult buildTile() {
    auto whole = [&] { return buildTile(/*masked=*/false); };
    auto partly = [&] { return buildTile(/*masked=*/true); };
    if (p.length % side == 0 && q.length % side == 0) return whole();
    Value full;
    for (const Side &s : {p, q}) {
      if (s.length % side == 0) continue;
      Value here = less(context, s.tile, index.constant(s.tiles - 1));
      full = full ? arith::AndIOp::create(b, loc, full, here).getResult() : here;
    }
    return ifElse(context, full, whole, partly);
  }

  LogicalResult buildTile(bool masked) {
    for (const Staged &s : staged)
      if (failed(stage(s, masked))) return failure();
    tile::BarrierOp::create(b, loc);
    OutputsOfPoints outputs(context);
    for (int64_t i = 0; i < side / warps; ++i) {
      Value row = rowOf(i);
      Emitter emitter(b, loc, context.memories, noAnchors, pointAt(p, turn.p, row, q, turn.q, masked));
      for (const Staged &s : staged) emitter.provide(across(s, i), context.memories.lookup(s.load->value), s.load->map);
      if (failed(outputs.emit(std::move(emitter)))) return failure();
    }
    return outputs.store();
  }

  /// This warp's i-th row of a tile.
  Value rowOf(int64_t i) { return index.add(warp, index.constant(i * warps)); }

  /// Rows along p into shared memory, all loaded before any is stored.
  LogicalResult stage(const Staged &s, bool masked) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < side / warps; ++i) {
      Emitter emitter(b, loc, context.memories, noAnchors, pointAt(q, turn.q, rowOf(i), p, turn.p, masked));
      FailureOr<Value> row = emitter.emitFragment(s.load->value, s.load->map);
      if (failed(row)) return failure();
      rows.push_back(*row);
    }
    for (auto [i, row] : llvm::enumerate(rows))
      tile::StoreOp::create(b, loc, row, s.tile, index.mul(rowOf(i), side + 1), Value(), IntegerAttr());
    return success();
  }

  /// This warp's i-th column of a staged tile. Columns differ by a constant, which an access can carry.
  Value across(const Staged &s, int64_t i) {
    RankedTensorType offsets = tile::blocked(b.getI64Type(), side, vec, 32);
    auto splat = [&](Value scalar) -> Value { return tile::SplatOp::create(b, loc, offsets, scalar); };
    auto constant = [&](int64_t value) { return splat(arith::ConstantIntOp::create(b, loc, b.getI64Type(), value)); };
    Value lanes = arith::MulIOp::create(b, loc, tile::LanesOp::create(b, loc, offsets), constant(side + 1));
    Value first = splat(arith::IndexCastOp::create(b, loc, b.getI64Type(), warp));
    Value at = arith::AddIOp::create(b, loc, arith::AddIOp::create(b, loc, lanes, first), constant(i * warps));
    Type type = tile::blocked(getElementTypeOrSelf(s.load->value.getType()), side, vec, 32);
    return tile::GatherOp::create(b, loc, type, s.tile, at, Value());
  }

  /// Row `row` of a tile, with lanes along its other side. Skeleton dimensions: outer, the row's tile and number, the
  /// lanes' tile, lane.
  Point pointAt(const Side &of, ArrayRef<int64_t> rowDims, Value row, const Side &along, ArrayRef<int64_t> laneDims,
                bool masked) {
    MLIRContext *mlirContext = b.getContext();
    auto dim = [&](unsigned i) { return getAffineDimExpr(i, mlirContext); };
    SmallVector<AffineExpr> iteration(context.form.extents.size());
    delinearize(dim(0), turn.outer, context.form.extents, iteration);
    delinearize(dim(1) * side + dim(2), rowDims, context.form.extents, iteration);
    delinearize(dim(3) * side + dim(4), laneDims, context.form.extents, iteration);
    // A row that does not exist reads what the last one does, where that is the same for all lanes, and stores nothing.
    Value exists;
    if (masked && of.length % side != 0) {
      Value rowsLeft = index.sub(index.constant(of.length), index.mul(of.tile, side));
      exists = less(context, row, rowsLeft);
      row = index.min(row, index.sub(rowsLeft, index.constant(1)));
    }
    Point point{{outers, of.tiles, side, along.tiles, side},
                {outer, of.tile, row, along.tile},
                AffineMap::get(5, 0, iteration, mlirContext),
                side,
                tile::BlockedAttr::get(mlirContext, vec, 32)};
    if (!masked) return point;
    Value count = index.sub(index.constant(along.length), index.mul(along.tile, side));
    if (exists) count = arith::SelectOp::create(b, loc, exists, count, index.constant(0));
    point.residue = Groups{32, 1}.mask(context, count, side, vec, along.length);
    return point;
  }
};

} // namespace

FailureOr<int64_t> sm80::buildTurned(SkeletonContext &context, const PointwiseSchedule &schedule, const Turn &turn) {
  return TurnedBuilder(context, schedule, turn).run();
}
