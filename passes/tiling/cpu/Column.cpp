// The cpu skeleton of column kernels: vectors along the kept dimension, the reduced space in sequence.
//
//   for each vector of columns of this CTA:
//     for each stage: for block of 128 in the reduced space: accumulate in sequence; then the blocks meet in a tree
//       (and past 2^16 points: piece by piece)
//     for point in the reduced space: every output that has an element per point
//     every output that has an element per column
#include "passes/tiling/Combine.h"
#include "passes/tiling/Loops.h"
#include "passes/tiling/cpu/Families.h"

#include "ir/layout/IndexMap.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::cpu;

namespace {

// The canonical order's numbers, as in the numerics contract.
constexpr int64_t kBlock = 128, kBlocksPerPiece = (int64_t(1) << 16) / kBlock;

class ColumnBuilder {
public:
  ColumnBuilder(SkeletonContext &context, ColumnSchedule schedule)
      : context(context), form(context.form), b(context.builder), index{context.builder, context.loc},
        lanes(schedule.lanes), tileElements(schedule.tile) {}

  FailureOr<int64_t> run() {
    SmallVector<int64_t> kept = form.keptAxes();
    size_t suffix = contiguousSuffix(accessesOf(context.form, context.memories, context.outputs), form.extents, kept);
    outer.assign(kept.begin(), kept.end() - suffix);
    inner.assign(kept.end() - suffix, kept.end());
    outerCount = layout::elementCount(form.extents, outer);
    columns = layout::elementCount(form.extents, inner);
    length = layout::elementCount(form.extents, form.reducedAxes);
    if (outerCount == 0 || columns == 0) return 0;
    chunks = llvm::divideCeil(columns, lanes);
    blocks = std::max<int64_t>(1, llvm::divideCeil(length, kBlock));
    for (graph::ReduceOp reduce : form.reductions) {
      FailureOr<Combine> combine = Combine::get(reduce);
      if (failed(combine)) return failure();
      combines.push_back(*combine);
      bool tree = blocks > 1 && combine->ordered;
      buffers.push_back(tree ? allocShared(context, {treeWidth(), lanes}, combine->element) : Value());
    }
    int64_t vectors = outerCount * chunks;
    int64_t perCta = std::clamp<int64_t>(tileElements / (lanes * std::max<int64_t>(length, 1)), 1, vectors);
    Value first = index.mul(tile::CtaIdOp::create(b, context.loc, b.getIndexType()), perCta);
    Value last = index.min(index.add(first, index.constant(perCta)), index.constant(vectors));
    if (failed(forLoop(b, context.loc, first, last, 1, [&](Value vector) {
          return buildVector(index.div(vector, chunks), index.rem(vector, chunks));
        })))
      return failure();
    return llvm::divideCeil(vectors, perCta);
  }

private:
  SkeletonContext &context;
  const graph::KernelForm &form;
  OpBuilder &b;
  IndexBuilder index;
  int64_t lanes, tileElements;
  SmallVector<int64_t> outer, inner; ///< kept dimensions: one vector after another, and along the vector
  int64_t outerCount = 1, columns = 1, length = 1, chunks = 1, blocks = 1;
  SmallVector<Combine> combines;
  SmallVector<Value> buffers; ///< a piece's block results of each reduction; null where one sequence will do

  /// Leaves of the tree that a piece's blocks meet in.
  int64_t treeWidth() const { return llvm::bit_ceil<uint64_t>(std::min(blocks, kBlocksPerPiece)); }
  Value residue(Value chunk) {
    if (columns % lanes == 0) return {};
    Value rest = index.sub(index.constant(columns), index.mul(chunk, lanes));
    return tile::LaneMaskOp::create(b, context.loc, tile::simd(b.getI1Type(), lanes), rest);
  }

  /// A point of the full space: skeleton dimensions outer, chunk, reduced, lane.
  Point pointAt(Value outerIndex, Value chunk, Value reduced) {
    MLIRContext *mlirContext = b.getContext();
    auto dim = [&](unsigned i) { return getAffineDimExpr(i, mlirContext); };
    SmallVector<AffineExpr> iteration(form.extents.size());
    delinearize(dim(0), outer, form.extents, iteration);
    delinearize(dim(1) * lanes + dim(3), inner, form.extents, iteration);
    delinearize(dim(2), form.reducedAxes, form.extents, iteration);
    Point point{{outerCount, chunks, length, lanes},
                {outerIndex, chunk, reduced},
                AffineMap::get(4, 0, iteration, mlirContext),
                lanes};
    point.residue = residue(chunk);
    return point;
  }

  /// A point of the kept space: skeleton dimensions outer, chunk, lane.
  Point keptPointAt(Value outerIndex, Value chunk) {
    MLIRContext *mlirContext = b.getContext();
    SmallVector<int64_t> kept;
    for (int64_t d : form.keptAxes()) kept.push_back(form.extents[d]);
    SmallVector<int64_t> outerDims = sequence(0, outer.size()), innerDims = sequence(outer.size(), kept.size());
    SmallVector<AffineExpr> iteration(kept.size());
    delinearize(getAffineDimExpr(0, mlirContext), outerDims, kept, iteration);
    delinearize(getAffineDimExpr(1, mlirContext) * lanes + getAffineDimExpr(2, mlirContext), innerDims, kept,
                iteration);
    Point point{{outerCount, chunks, lanes}, {outerIndex, chunk}, AffineMap::get(3, 0, iteration, mlirContext), lanes};
    point.residue = residue(chunk);
    return point;
  }

  LogicalResult buildVector(Value outerIndex, Value chunk) {
    Emitter::Anchors anchors;
    for (unsigned stage = 0, stages = form.stageCount(); stage < stages; ++stage)
      if (failed(buildStage(outerIndex, chunk, stage, anchors))) return failure();
    if (failed(storePoints(outerIndex, chunk, anchors))) return failure();
    Emitter emitter(b, context.loc, context.memories, anchors, keptPointAt(outerIndex, chunk));
    return storeOutputs(context, emitter, /*perRow=*/true);
  }

  /// All reductions of one stage in one pass over the reduced space.
  LogicalResult buildStage(Value outerIndex, Value chunk, unsigned stage, Emitter::Anchors &anchors) {
    SmallVector<size_t> now;
    for (size_t i = 0; i < form.reductions.size(); ++i)
      if (form.reductionStages[i] == stage) now.push_back(i);
    if (length == 0) return finishEmpty(now, anchors);
    SmallVector<Value> identities;
    for (size_t i : now) identities.push_back(combines[i].identityValue(b, context.loc, lanes));
    Sweep sweep{outerIndex, chunk, now, anchors};
    bool inSequence = llvm::none_of(now, [&](size_t i) { return buffers[i]; });
    FailureOr<SmallVector<Value>> results =
        inSequence ? accumulate(sweep, index.constant(0), index.constant(length), identities)
                   : pieces(sweep, identities);
    if (failed(results)) return failure();
    for (auto [i, result] : llvm::zip(now, *results)) anchors[graph::ReduceOp(form.reductions[i]).getResult()] = result;
    return success();
  }

  /// The reductions of one stage at one vector of columns.
  struct Sweep {
    Value outerIndex, chunk;
    ArrayRef<size_t> now;
    const Emitter::Anchors &anchors;
  };

  /// Accumulates points first … last - 1 in sequence.
  FailureOr<SmallVector<Value>> accumulate(const Sweep &sweep, Value first, Value last, ValueRange init) {
    auto body = [&](Value reduced, ValueRange carried) -> FailureOr<SmallVector<Value>> {
      Emitter emitter(b, context.loc, context.memories, sweep.anchors, pointAt(sweep.outerIndex, sweep.chunk, reduced));
      SmallVector<Value> next;
      for (auto [i, acc] : llvm::zip(sweep.now, carried)) {
        graph::ReduceOp reduce = form.reductions[i];
        FailureOr<Value> x = emitter.emitFragment(reduce.getX(), layout::identity(b.getContext(), form.extents));
        if (failed(x)) return failure();
        next.push_back(combines[i].apply(b, context.loc, acc, *x));
      }
      return next;
    };
    return forLoop(b, context.loc, first, last, 1, init, body);
  }

  /// The canonical order past one block: pieces in order, of each the blocks in a tree. Reductions whose order does not
  /// matter just run on.
  FailureOr<SmallVector<Value>> pieces(const Sweep &sweep, ValueRange init) {
    int64_t count = llvm::divideCeil(blocks, kBlocksPerPiece);
    return forLoop(b, context.loc, index.constant(0), index.constant(count), 1, init,
                   [&](Value piece, ValueRange totals) -> FailureOr<SmallVector<Value>> {
                     Value firstBlock = index.mul(piece, kBlocksPerPiece);
                     Value blocksHere =
                         index.min(index.constant(kBlocksPerPiece), index.sub(index.constant(blocks), firstBlock));
                     FailureOr<SmallVector<Value>> running =
                         forLoop(b, context.loc, index.constant(0), blocksHere, 1, totals,
                                 [&](Value block, ValueRange carried) -> FailureOr<SmallVector<Value>> {
                                   SmallVector<Value> start(carried);
                                   for (auto [value, i] : llvm::zip(start, sweep.now))
                                     if (buffers[i]) value = combines[i].identityValue(b, context.loc, lanes);
                                   Value first = index.mul(index.add(firstBlock, block), kBlock);
                                   Value last =
                                       index.min(index.add(first, index.constant(kBlock)), index.constant(length));
                                   FailureOr<SmallVector<Value>> results = accumulate(sweep, first, last, start);
                                   if (failed(results)) return failure();
                                   for (auto [result, carriedValue, i] : llvm::zip(*results, carried, sweep.now)) {
                                     if (!buffers[i]) continue;
                                     storeBlock(i, block, result);
                                     result = carriedValue;
                                   }
                                   return *results;
                                 });
                     if (failed(running)) return failure();
                     for (auto [value, i] : llvm::zip(*running, sweep.now))
                       if (buffers[i]) value = combines[i].apply(b, context.loc, value, foldBlocks(i, blocksHere));
                     return *running;
                   });
  }

  LogicalResult finishEmpty(ArrayRef<size_t> now, Emitter::Anchors &anchors) {
    for (size_t i : now) {
      graph::ReduceOp reduce = form.reductions[i];
      if (!combines[i].empty) return reduce.emitError("nothing to combine");
      Value scalar = arith::ConstantOp::create(b, context.loc, combines[i].empty);
      anchors[reduce.getResult()] =
          tile::SplatOp::create(b, context.loc, tile::simd(combines[i].element, lanes), scalar);
    }
    return success();
  }

  void storeBlock(size_t i, Value block, Value result) {
    tile::StoreOp::create(b, context.loc, result, buffers[i], index.mul(block, lanes), Value(), IntegerAttr());
  }
  Value loadBlock(size_t i, Value block) {
    return tile::LoadOp::create(b, context.loc, tile::simd(combines[i].element, lanes), buffers[i],
                                index.mul(block, lanes), Value(), IntegerAttr());
  }

  /// The block results of one piece meet in a halving tree; those that do not exist are the identity.
  Value foldBlocks(size_t i, Value count) {
    Value identity = combines[i].identityValue(b, context.loc, lanes);
    (void)forLoop(b, context.loc, count, index.constant(treeWidth()), 1, [&](Value block) {
      storeBlock(i, block, identity);
      return success();
    });
    for (int64_t half = treeWidth() / 2; half >= 1; half /= 2)
      (void)forLoop(b, context.loc, index.constant(0), index.constant(half), 1, [&](Value block) {
        Value other = loadBlock(i, index.add(block, index.constant(half)));
        storeBlock(i, block, combines[i].apply(b, context.loc, loadBlock(i, block), other));
        return success();
      });
    return loadBlock(i, index.constant(0));
  }

  LogicalResult storePoints(Value outerIndex, Value chunk, const Emitter::Anchors &anchors) {
    bool any = llvm::any_of(form.outputs, [](auto &output) { return !output.perRow; });
    if (!any || length == 0) return success();
    return forLoop(b, context.loc, index.constant(0), index.constant(length), 1, [&](Value reduced) -> LogicalResult {
      Emitter emitter(b, context.loc, context.memories, anchors, pointAt(outerIndex, chunk, reduced));
      return storeOutputs(context, emitter, /*perRow=*/false);
    });
  }
};

} // namespace

FailureOr<int64_t> cpu::buildColumn(SkeletonContext &context) {
  auto schedule = parseSchedule<ColumnSchedule>(context.loc, context.kernel.getScheduleAttr());
  if (failed(schedule)) return failure();
  return ColumnBuilder(context, *schedule).run();
}
