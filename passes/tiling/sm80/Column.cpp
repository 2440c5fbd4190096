// The gpu skeleton of column kernels: a warp's lanes along the kept dimensions, the reduced space in sequence.
//
//   for each stage, for each piece of 2^16:
//     each warp: its blocks of 128, one after another, several loads at a time; they meet in registers
//     the warps' results meet through a shared tile, which every warp reads in the same order
//   the warps share the points of the reduced space: every output that has an element per point
//   the first warp: every output that has an element per column
//
// Few columns are spread: several CTAs share a piece's blocks as warps do, and a second launch has the rest of the
// tree.
//
// A warp reads 64 to 512 contiguous bytes of a row, 8 rows at a time; 32 warps of a CTA share the blocks of its
// columns. Bytes in flight are no concern then: 64 KB of an SM.
#include "passes/tiling/sm80/Column.h"
#include "passes/tiling/Combine.h"
#include "passes/tiling/sm80/Lanes.h"
#include "passes/tiling/sm80/Schedule.h"
#include "passes/tiling/sm80/Spread.h"

#include "ir/layout/IndexMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

namespace {

using Fragments = SmallVector<Value>;

class AlongKept : KeptLanes {
public:
  AlongKept(SkeletonContext &context, const ColumnSchedule &schedule, BlockOrder order)
      : KeptLanes(context, columnsOf(accessesOf(context.form, context.memories, context.outputs), context.form),
                  schedule.vec, schedule.shifted),
        form(context.form), b(context.builder), loc(context.loc), index{b, loc}, schedule(schedule), order(order) {}

  FailureOr<int64_t> run() {
    length = layout::elementCount(form.extents, form.reducedAxes);
    blocks = std::max<int64_t>(1, llvm::divideCeil(length, order.block));
    width = llvm::bit_ceil<uint64_t>(std::min(blocks, order.blocksOfPiece));
    ctas = std::min(schedule.ctas, width);
    width /= ctas;
    warps = std::min(schedule.warps, width);
    Groups groups{32, schedule.groups};
    if (columns.count == 0 || columns.length == 0) return groups.begin(context), 0;
    for (graph::ReduceOp reduce : form.reductions) {
      FailureOr<Combine> combine = Combine::get(reduce);
      if (failed(combine)) return failure();
      combines.push_back(*combine);
      meeting.push_back(warps > 1 ? allocShared(context, {warps, extent}, combine->element) : Value());
    }
    int64_t vectors = columns.count * chunks;
    if (warps > 1 || ctas > 1) {
      Value cta = beginWarps();
      if (ctas > 1) return buildSpread(cta);
      if (failed(buildVector(cta))) return failure();
      return vectors;
    }
    warp = index.constant(0);
    Value vector = groups.begin(context);
    auto build = [&] { return buildVector(vector); };
    bool whole = vectors % groups.perCta == 0;
    if (failed(whole ? build() : ifElse(context, less(context, vector, index.constant(vectors)), build)))
      return failure();
    return llvm::divideCeil(vectors, groups.perCta);
  }

private:
  const graph::KernelForm &form;
  OpBuilder &b;
  Location loc;
  IndexBuilder index;
  const ColumnSchedule &schedule;
  BlockOrder order;
  int64_t length = 1; ///< of the reduced space
  int64_t blocks = 1; ///< of the reduced space
  int64_t width = 1;  ///< leaves of the tree that a CTA's blocks of a piece meet in
  int64_t ctas = 1;   ///< that share the blocks of a piece: block c + ctas·i is CTA c's
  int64_t warps = 1;  ///< that share the blocks of a piece
  SmallVector<Combine> combines;
  SmallVector<Value> meeting; ///< of each reduction: where warps meet; null of one warp
  Value warp;
  Emitter::Anchors anchors;
  SmallVector<size_t> now; ///< reductions of the stage being built

  RankedTensorType fragment(size_t reduction) const {
    return tile::blocked(combines[reduction].element, extent, schedule.vec, 32);
  }
  Fragments identities() {
    Fragments values;
    for (size_t i : now) values.push_back(combines[i].identityFragment(b, loc, fragment(i)));
    return values;
  }
  Fragments join(ValueRange left, ValueRange right) {
    Fragments values;
    for (auto [i, l, r] : llvm::zip(now, left, right)) values.push_back(combines[i].apply(b, loc, l, r));
    return values;
  }

  /// Gives the CTA its warps; returns its number.
  Value beginWarps() {
    context.program.setThreads(32 * warps);
    Value cta = tile::CtaIdOp::create(b, loc, b.getIndexType());
    warp = warps > 1 ? tile::WarpIdOp::create(b, loc, b.getIndexType()).getResult() : index.constant(0);
    return cta;
  }

  LogicalResult buildVector(Value vector) {
    setVector(vector);
    for (unsigned stage = 0, stages = form.stageCount(); stage < stages; ++stage) {
      now.clear();
      for (size_t i = 0; i < form.reductions.size(); ++i)
        if (form.reductionStages[i] == stage) now.push_back(i);
      FailureOr<Fragments> results = length == 0 ? ofNothing() : reduceAll();
      if (failed(results)) return failure();
      for (auto [i, result] : llvm::zip(now, *results))
        anchors[graph::ReduceOp(form.reductions[i]).getResult()] = result;
    }
    if (failed(storePoints())) return failure();
    return byFirstWarp([&] { return storeColumns(); });
  }
  LogicalResult byFirstWarp(llvm::function_ref<LogicalResult()> body) {
    return warps == 1 ? body() : ifElse(context, less(context, warp, index.constant(1)), body);
  }
  LogicalResult storeColumns() {
    Emitter emitter(b, loc, context.memories, anchors, keptPoint());
    return storeOutputs(context, emitter, /*perRow=*/true);
  }

  FailureOr<Fragments> ofNothing() {
    Fragments values;
    for (size_t i : now) {
      if (!combines[i].empty) return graph::ReduceOp(form.reductions[i]).emitError("nothing to combine");
      Value scalar = arith::ConstantOp::create(b, loc, combines[i].empty);
      values.push_back(tile::SplatOp::create(b, loc, fragment(i), scalar));
    }
    return values;
  }

  //===- The canonical order --------------------------------------------------------------------------------------===//

  FailureOr<Fragments> reduceAll() {
    int64_t pieces = llvm::divideCeil(blocks, order.blocksOfPiece);
    if (pieces == 1) return piece(index.constant(0));
    return forLoop(b, loc, index.constant(0), index.constant(pieces), 1, identities(),
                   [&](Value number, ValueRange before) -> FailureOr<Fragments> {
                     // Some warps may still read where those of the last piece met.
                     if (warps > 1) tile::BarrierOp::create(b, loc);
                     FailureOr<Fragments> results = piece(index.mul(number, order.blocksOfPiece));
                     if (failed(results)) return failure();
                     return join(before, *results);
                   });
  }

  /// The blocks of a piece in a halving tree: block w + warps·j is warp w's, so that the tree's upper levels pair the
  /// blocks of one warp, and the lower ones the warps.
  FailureOr<Fragments> piece(Value firstBlock) {
    FailureOr<Fragments> own = blocksOfWarp(firstBlock);
    if (failed(own) || warps == 1) return own;
    for (auto [i, value] : llvm::zip(now, *own))
      tile::StoreOp::create(b, loc, value, meeting[i], index.mul(warp, extent), Value(), IntegerAttr(),
                            aligned(extent));
    tile::BarrierOp::create(b, loc);
    return meet(0, 1);
  }

  /// What the tree has at leaf `first` once leaves `half` apart have met.
  Fragments meet(int64_t first, int64_t half) {
    if (half < warps) return join(meet(first, 2 * half), meet(first + half, 2 * half));
    Fragments values;
    for (size_t i : now)
      values.push_back(tile::LoadOp::create(b, loc, fragment(i), meeting[i], index.constant(first * extent), Value(),
                                            IntegerAttr(), aligned(extent)));
    return values;
  }

  /// The tree over a warp's blocks. They come in the order in which a walk of the tree meets its leaves, so that what
  /// waits for its partner is one fragment per level: a binary counter, whose digit l is what level l holds.
  FailureOr<Fragments> blocksOfWarp(Value firstBlock) {
    int64_t count = width / warps, levels = llvm::Log2_64(count), n = now.size();
    if (count == 1) return block(index.add(firstBlock, index.mul(warp, ctas)));
    Fragments init;
    for (int64_t level = 0; level <= levels; ++level) llvm::append_range(init, identities());
    FailureOr<Fragments> all =
        forLoop(b, loc, index.constant(0), index.constant(count), 1, init,
                [&](Value step, ValueRange carried) -> FailureOr<Fragments> {
                  Value leaf = index.constant(0);
                  SmallVector<Value> digits;
                  for (int64_t level = 0; level < levels; ++level) {
                    digits.push_back(index.rem(index.div(step, int64_t(1) << level), 2));
                    leaf = index.add(leaf, index.mul(digits.back(), count >> (level + 1)));
                  }
                  FailureOr<Fragments> value =
                      block(index.add(firstBlock, index.mul(index.add(warp, index.mul(leaf, warps)), ctas)));
                  if (failed(value)) return failure();
                  Fragments next(carried);
                  Value carry = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
                  for (int64_t level = 0; level < levels; ++level) {
                    Value one =
                        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, digits[level], index.constant(1));
                    Value meets = arith::AndIOp::create(b, loc, carry, one);
                    Fragments met = join(carried.slice(level * n, n), *value);
                    for (int64_t i = 0; i < n; ++i) {
                      Value &held = next[level * n + i];
                      held = choose(carry, (*value)[i], held); // what met its partner is never looked at again
                      (*value)[i] = choose(meets, met[i], (*value)[i]);
                    }
                    carry = meets;
                  }
                  std::copy(value->begin(), value->end(), next.end() - n);
                  return next;
                });
    if (failed(all)) return failure();
    return Fragments(ArrayRef<Value>(*all).take_back(n));
  }

  Value choose(Value condition, Value yes, Value no) {
    auto type = cast<RankedTensorType>(cast<RankedTensorType>(yes.getType()).clone(b.getI1Type()));
    return arith::SelectOp::create(b, loc, tile::SplatOp::create(b, loc, type, condition), yes, no);
  }

  /// One block in sequence; nothing where it lies behind the end.
  FailureOr<Fragments> block(Value number) {
    Value first = index.mul(number, order.block), end = index.constant(length);
    Value last = index.min(index.add(first, index.constant(order.block)), end);
    int64_t atOnce = std::min(schedule.unroll, length);
    Value count = arith::MaxSIOp::create(b, loc, index.sub(last, first), index.constant(0));
    Value unrolled = index.add(first, index.mul(index.div(count, atOnce), atOnce));
    auto body = [&](int64_t rows) {
      return [this, rows](Value reduced, ValueRange carried) { return accumulate(reduced, rows, carried); };
    };
    FailureOr<Fragments> sums = forLoop(b, loc, first, unrolled, atOnce, identities(), body(atOnce));
    if (failed(sums) || (length % atOnce == 0 && order.block % atOnce == 0)) return sums;
    return forLoop(b, loc, unrolled, last, 1, *sums, body(1));
  }

  /// `rows` points from `reduced` on, in sequence; all are loaded before any is combined.
  FailureOr<Fragments> accumulate(Value reduced, int64_t rows, ValueRange carried) {
    SmallVector<Fragments> points;
    for (int64_t r = 0; r < rows; ++r) {
      Emitter emitter(b, loc, context.memories, anchors, pointAt(index.add(reduced, index.constant(r))));
      Fragments &point = points.emplace_back();
      for (size_t i : now) {
        graph::ReduceOp reduce = form.reductions[i];
        FailureOr<Value> x = emitter.emitFragment(reduce.getX(), layout::identity(b.getContext(), form.extents));
        if (failed(x)) return failure();
        point.push_back(*x);
      }
    }
    Fragments sums(carried);
    for (const Fragments &point : points) sums = join(sums, point);
    return sums;
  }

  //===- Spread over CTAs -----------------------------------------------------------------------------------------===//

  /// Two launches: what each CTA's blocks of a piece come to; then the tree over a piece's CTAs, and pieces in order.
  FailureOr<int64_t> buildSpread(Value cta) {
    if (!spreads(form))
      return emitError(loc)
             << "schedule knob `ctas`: CTAs share reductions of one pass whose outputs are all of columns";
    int64_t pieces = llvm::divideCeil(blocks, order.blocksOfPiece), vectors = columns.count * chunks;
    for (const Combine &combine : combines)
      addWorkspace(context, {pieces * ctas, columns.count * columns.length}, combine.element);
    Value part = index.rem(cta, pieces * ctas), number = index.div(part, ctas);
    setVector(index.div(cta, pieces * ctas));
    for (size_t i = 0; i < form.reductions.size(); ++i) now.push_back(i);
    FailureOr<Fragments> results = piece(index.add(index.mul(number, order.blocksOfPiece), index.rem(part, ctas)));
    if (failed(results)) return failure();
    auto storeParts = [&] {
      for (auto [value, memory] : llvm::zip(*results, context.workspaces))
        tile::StoreOp::create(b, loc, value, memory, placeOf(part), residue(), IntegerAttr(), aligned(columns.length));
      return success();
    };
    if (failed(byFirstWarp(storeParts))) return failure();
    nextLaunch(context, vectors * pieces * ctas);
    return joinColumns(context, columns, combines, pieces, ctas);
  }

  //===- Outputs --------------------------------------------------------------------------------------------------===//

  /// Warp w stores points w, w + warps, …, several at a time.
  LogicalResult storePoints() {
    bool any = llvm::any_of(form.outputs, [](auto &output) { return !output.perRow; });
    if (!any || length == 0) return success();
    auto store = [&](Value reduced, int64_t count) -> LogicalResult {
      OutputsOfPoints outputs(context);
      for (int64_t i = 0; i < count; ++i) {
        Value at = index.add(reduced, index.constant(i * warps));
        if (failed(outputs.emit({b, loc, context.memories, anchors, pointAt(at)}))) return failure();
      }
      return outputs.store();
    };
    int64_t step = warps * schedule.unroll, whole = length / step * step;
    if (failed(forLoop(b, loc, warp, index.constant(whole), step,
                       [&](Value reduced) { return store(reduced, schedule.unroll); })))
      return failure();
    if (whole == length) return success();
    return forLoop(b, loc, index.add(warp, index.constant(whole)), index.constant(length), warps,
                   [&](Value reduced) { return store(reduced, 1); });
  }

  /// A point of the full space. Skeleton dimensions: outer, chunk, reduced, lane.
  Point pointAt(Value reduced) {
    auto dim = [&](unsigned i) { return getAffineDimExpr(i, b.getContext()); };
    SmallVector<AffineExpr> iteration(form.extents.size());
    delinearize(dim(0), columns.outer, form.extents, iteration);
    delinearize(dim(1) * extent + dim(3), columns.inner, form.extents, iteration);
    delinearize(dim(2), form.reducedAxes, form.extents, iteration);
    return point({columns.count, chunks, length, extent}, {outer, chunk, reduced}, iteration);
  }
};

} // namespace

FailureOr<int64_t> sm80::buildAlongKept(SkeletonContext &context, const ColumnSchedule &schedule, BlockOrder order) {
  return AlongKept(context, schedule, order).run();
}

FailureOr<int64_t> sm80::buildColumn(SkeletonContext &context) {
  auto schedule = parseSchedule<ColumnSchedule>(context.loc, context.kernel.getScheduleAttr());
  if (failed(schedule)) return failure();
  return buildAlongKept(context, *schedule, kColumnOrder);
}
