#include "passes/tiling/sm80/Spread.h"

#include "ir/layout/IndexMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

using Values = SmallVector<Value>;

bool sm80::spreads(const graph::KernelForm &form) {
  return form.stageCount() == 1 && llvm::all_of(form.outputs, [](auto &output) { return output.perRow; });
}

Point sm80::keptPointOf(SkeletonContext &context, Value row) {
  MLIRContext *mlirContext = context.builder.getContext();
  SmallVector<int64_t> extents;
  for (int64_t d : context.form.keptAxes()) extents.push_back(context.form.extents[d]);
  SmallVector<AffineExpr> iteration(extents.size());
  delinearize(getAffineDimExpr(0, mlirContext), sequence(0, extents.size()), extents, iteration);
  Point point;
  point.extents = {layout::elementCount(extents)};
  point.coords = {row};
  point.iteration = AffineMap::get(1, 0, iteration, mlirContext);
  return point;
}

/// What the reductions came to, by their results.
static Emitter::Anchors anchorsOf(const graph::KernelForm &form, ValueRange results) {
  Emitter::Anchors anchors;
  for (auto [reduce, result] : llvm::zip(form.reductions, results))
    anchors[graph::ReduceOp(reduce).getResult()] = result;
  return anchors;
}

/// `body` for 0, step … below count: a loop, or once where it is one iteration.
static FailureOr<Values> inSteps(SkeletonContext &context, int64_t count, int64_t step, ValueRange init,
                                 llvm::function_ref<FailureOr<Values>(Value, ValueRange)> body) {
  IndexBuilder index{context.builder, context.loc};
  if (count <= step) return body(index.constant(0), init);
  return forLoop(context.builder, context.loc, index.constant(0), index.constant(count), step, init, body);
}

//===- Columns ----------------------------------------------------------------------------------------------------===//

namespace {
/// A CTA has 32 columns, and each warp the tree of a piece, all of whose leaves it loads at once; every warp then adds
/// the pieces in order.
class ColumnJoin : KeptLanes {
public:
  ColumnJoin(SkeletonContext &context, const Rows &columns, ArrayRef<Combine> combines, int64_t pieces, int64_t leaves)
      : KeptLanes(context, columns, /*vec=*/1, /*shifted=*/0), b(context.builder), loc(context.loc), index{b, loc},
        combines(combines), pieces(pieces), leaves(leaves),
        warps(std::min<int64_t>(llvm::bit_ceil<uint64_t>(pieces), 32)) {}

  FailureOr<int64_t> run() {
    context.program.setThreads(32 * warps);
    Value cta = tile::CtaIdOp::create(b, loc, b.getIndexType());
    warp = warps > 1 ? tile::WarpIdOp::create(b, loc, b.getIndexType()).getResult() : index.constant(0);
    setVector(cta);
    Values none;
    for (const Combine &combine : combines) {
      tiles.push_back(warps > 1 ? allocShared(context, {warps, extent}, combine.element) : Value());
      none.push_back(combine.identityFragment(b, loc, fragment(combine)));
    }
    auto some = [&](Value first, ValueRange before) { return joinPieces(first, before, none); };
    FailureOr<Values> results = inSteps(context, pieces, warps, none, some);
    if (failed(results)) return failure();
    Emitter::Anchors anchors = anchorsOf(context.form, *results);
    auto store = [&] {
      Emitter emitter(b, loc, context.memories, anchors, keptPoint());
      return storeOutputs(context, emitter, /*perRow=*/true);
    };
    if (failed(warps == 1 ? store() : ifElse(context, less(context, warp, index.constant(1)), store))) return failure();
    return columns.count * chunks;
  }

private:
  OpBuilder &b;
  Location loc;
  IndexBuilder index;
  ArrayRef<Combine> combines;
  int64_t pieces, leaves, warps;
  Values tiles; ///< where warps leave what their pieces come to
  Value warp;

  RankedTensorType fragment(const Combine &combine) const { return tile::blocked(combine.element, extent, 1, 32); }

  /// Pieces first … first + warps - 1 joined to what those before came to; an absent one is nothing.
  Values joinPieces(Value first, ValueRange before, ArrayRef<Value> none) {
    if (pieces > warps) tile::BarrierOp::create(b, loc); // some warps may still read the last ones
    Value own = index.add(first, warp), row = index.mul(index.min(own, index.constant(pieces - 1)), leaves);
    Value exists = less(context, own, index.constant(pieces));
    Values joined(before);
    for (auto [i, combine] : llvm::enumerate(combines)) {
      Value piece = tree(i, row, 0, 1);
      if (warps == 1) {
        joined[i] = combine.apply(b, loc, joined[i], piece);
        continue;
      }
      auto mask = cast<RankedTensorType>(fragment(combine).clone(b.getI1Type()));
      if (pieces % warps)
        piece = arith::SelectOp::create(b, loc, tile::SplatOp::create(b, loc, mask, exists), piece, none[i]);
      tile::StoreOp::create(b, loc, piece, tiles[i], index.mul(warp, extent), Value(), IntegerAttr());
    }
    if (warps == 1) return joined;
    tile::BarrierOp::create(b, loc);
    for (auto [combine, tile, total] : llvm::zip(combines, tiles, joined))
      for (int64_t w = 0; w < warps; ++w)
        total = combine.apply(
            b, loc, total,
            tile::LoadOp::create(b, loc, fragment(combine), tile, index.constant(w * extent), Value(), IntegerAttr()));
    return joined;
  }

  /// The tree at leaf `leaf` once leaves `half` apart are combined.
  Value tree(size_t i, Value row, int64_t leaf, int64_t half) {
    if (half < leaves)
      return combines[i].apply(b, loc, tree(i, row, leaf, 2 * half), tree(i, row, leaf + half, 2 * half));
    Value at = placeOf(index.add(row, index.constant(leaf)));
    return tile::LoadOp::create(b, loc, fragment(combines[i]), context.workspaces[i], at, residue(), IntegerAttr());
  }
};
} // namespace

FailureOr<int64_t> sm80::joinColumns(SkeletonContext &context, const Rows &columns, ArrayRef<Combine> combines,
                                     int64_t pieces, int64_t leaves) {
  return ColumnJoin(context, columns, combines, pieces, leaves).run();
}

//===- Rows -------------------------------------------------------------------------------------------------------===//

/// A warp per row brings its pieces to shared memory, some thousands at a time, and adds them in order. Each addition
/// waits for the one before, so that nothing else should be waited for: no farther memory, and no other warp's loads.
FailureOr<int64_t> sm80::joinRows(SkeletonContext &context, ArrayRef<Combine> combines, int64_t rows, int64_t pieces) {
  constexpr uint64_t kMostAtOnce = 2048, kMostUnrolled = 64;
  OpBuilder &b = context.builder;
  Location loc = context.loc;
  IndexBuilder index{b, loc};
  uint64_t all = llvm::bit_ceil<uint64_t>(pieces);
  int64_t atOnce = std::clamp<uint64_t>(all, 32, kMostAtOnce / llvm::bit_ceil<uint64_t>(combines.size()));
  int64_t unroll = std::min<int64_t>(all, kMostUnrolled);
  Groups warp{32, 1};
  Value row = warp.begin(context);
  Values tiles, none;
  for (const Combine &combine : combines) {
    tiles.push_back(allocShared(context, {atOnce}, combine.element));
    none.push_back(combine.identityValue(b, loc, 0));
  }
  auto some = [&](Value first, ValueRange before) -> FailureOr<Values> {
    if (pieces > atOnce) tile::BarrierOp::create(b, loc); // some lanes may still read the last ones
    Value mask = warp.mask(context, index.sub(index.constant(pieces), first), atOnce, 1, 1);
    Value at = index.add(index.mul(row, pieces), first);
    for (auto [combine, memory, tile] : llvm::zip(combines, context.workspaces, tiles)) {
      auto type = warp.fragment(combine.element, atOnce, 1);
      Value loaded = tile::LoadOp::create(b, loc, type, memory, at, mask, IntegerAttr());
      loaded = arith::SelectOp::create(b, loc, mask, loaded, combine.identityFragment(b, loc, type));
      tile::StoreOp::create(b, loc, loaded, tile, index.constant(0), Value(), IntegerAttr());
    }
    tile::BarrierOp::create(b, loc);
    Value end = index.constant(pieces > atOnce ? atOnce : llvm::alignTo(pieces, unroll));
    return forLoop(
        b, loc, index.constant(0), end, unroll, before, [&](Value i, ValueRange carried) -> FailureOr<Values> {
          Values totals(carried);
          for (auto [combine, tile, total] : llvm::zip(combines, tiles, totals))
            for (int64_t k = 0; k < unroll; ++k)
              total = combine.apply(b, loc, total,
                                    tile::LoadOp::create(b, loc, combine.element, tile, index.add(i, index.constant(k)),
                                                         Value(), IntegerAttr()));
          return totals;
        });
  };
  FailureOr<Values> results = inSteps(context, pieces, atOnce, none, some);
  if (failed(results)) return failure();
  Emitter::Anchors anchors = anchorsOf(context.form, *results);
  Emitter emitter(b, loc, context.memories, anchors, keptPointOf(context, row));
  if (failed(storeOutputs(context, emitter, /*perRow=*/true))) return failure();
  return rows;
}
