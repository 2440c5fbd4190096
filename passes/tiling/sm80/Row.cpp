// The gpu skeleton of row kernels: a warp per row of up to 1024 elements, else a CTA. (Rows of a few elements have
// lanes across them, as columns do: Column.cpp.)
//
//   the row's fragments, loaded once into registers           or, where it is longer than they are:
//   for each stage: every reduction of the stage               for each stage: for chunk in row: accumulate; combine
//   every output that has an element per point                 for chunk in row: every output per point
//   every output that has an element per row
//
// Few rows of many pieces are spread: CTAs take pieces, and a second launch adds each row's in order.
//
// Softmax and layer norm of 1024 bf16: a warp holds a row as 4 accesses of 16 bytes a thread and reduces by shuffles,
// no barrier. Of 4096: 128 threads likewise, one barrier a reduction. At 48 and 80 registers 40 and 24 warps of an SM
// are resident, 80 and 48 KB in flight. CTAs are short and many, so that some always load.
#include "passes/tiling/sm80/Column.h"
#include "passes/tiling/sm80/RowFold.h"
#include "passes/tiling/sm80/Schedule.h"
#include "passes/tiling/sm80/Spread.h"

#include "ir/layout/IndexMap.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

namespace {

/// A fragment of a row in each thread's 255 registers, beside what is made of it.
constexpr int64_t kMostOfThread = 128;

class RowBuilder {
public:
  RowBuilder(SkeletonContext &context, RowSchedule schedule)
      : context(context), form(context.form), b(context.builder), index{context.builder, context.loc},
        schedule(schedule), groups{schedule.threads, schedule.groups} {}

  FailureOr<int64_t> run() {
    rows = layout::elementCount(form.extents, form.keptAxes());
    length = layout::elementCount(form.extents, form.reducedAxes);
    extent = std::clamp<int64_t>(llvm::bit_ceil<uint64_t>(std::max<int64_t>(length, 1)), kUnit * groups.threads,
                                 kUnit * kVirtualLanes);
    if (extent / groups.threads > kMostOfThread)
      return emitError(context.loc) << "schedule knob `threads`: a thread holds at most " << kMostOfThread
                                    << " elements of a row, found " << groups.threads << " threads for fragments of "
                                    << extent;
    Value group = groups.begin(context);
    if (rows == 0) return 0;
    for (graph::ReduceOp reduce : form.reductions) {
      FailureOr<RowFold> fold = RowFold::create(context, groups, reduce, extent);
      if (failed(fold)) return failure();
      folds.push_back(*fold);
    }
    if (schedule.ctas > 1) return buildSpread(group);
    int64_t rowsOfGroup = isKept() ? schedule.rows : 1;
    if (failed(buildGroup(group, rowsOfGroup))) return failure();
    return llvm::divideCeil(llvm::divideCeil(rows, rowsOfGroup), groups.perCta);
  }

private:
  SkeletonContext &context;
  const graph::KernelForm &form;
  OpBuilder &b;
  IndexBuilder index;
  RowSchedule schedule;
  Groups groups;
  int64_t rows = 1, length = 1;
  int64_t extent = 0; ///< of a fragment: a power of two
  SmallVector<RowFold> folds;

  /// What is known of one row.
  struct State {
    Value row;
    Emitter::Anchors anchors;
    SmallVector<Emitter, 0> emitters; ///< one per fragment, where they are kept
  };
  using States = SmallVector<std::unique_ptr<State>>; // emitters point at anchors

  bool isKept() const { return length > 0 && length <= kPiece && chunks() * extent / groups.threads <= schedule.kept; }
  int64_t chunks() const { return llvm::divideCeil(length, extent); }
  SmallVector<const RowFold *> foldsOf(unsigned stage) const {
    SmallVector<const RowFold *> now;
    for (auto [fold, at] : llvm::zip(folds, form.reductionStages))
      if (at == stage) now.push_back(&fold);
    return now;
  }

  /// The rows of one group: together, or what is left of them one by one.
  LogicalResult buildGroup(Value group, int64_t count) {
    Value first = index.mul(group, count), end = index.add(first, index.constant(count));
    auto together = [&] {
      SmallVector<Value> all;
      for (int64_t i = 0; i < count; ++i) all.push_back(index.add(first, index.constant(i)));
      return buildRows(all);
    };
    if (rows % (count * groups.perCta) == 0) return together();
    if (count == 1) return ifElse(context, less(context, first, index.constant(rows)), together);
    auto oneByOne = [&] {
      return forLoop(b, context.loc, first, index.constant(rows), 1, [&](Value row) { return buildRows(row); });
    };
    return ifElse(context, less(context, index.constant(rows), end), oneByOne, together);
  }

  LogicalResult buildRows(ArrayRef<Value> all) {
    States states;
    for (Value row : all) states.emplace_back(std::make_unique<State>())->row = row;
    State &only = *states.front();
    LogicalResult built = length == 0 ? buildEmpty(only) : isKept() ? buildKept(states) : buildStreamed(only);
    if (failed(built)) return failure();
    for (auto &state : states) {
      Emitter emitter(b, context.loc, context.memories, state->anchors, keptPointOf(context, state->row));
      if (failed(storeOutputs(context, emitter, /*perRow=*/true))) return failure();
    }
    return success();
  }

  LogicalResult buildEmpty(State &state) {
    for (const RowFold &fold : folds) {
      FailureOr<Value> result = fold.ofEmpty(context);
      if (failed(result)) return failure();
      state.anchors[graph::ReduceOp(fold.reduce).getResult()] = *result;
    }
    return success();
  }

  //===- In registers ---------------------------------------------------------------------------------------------===//

  /// One emitter per fragment remembers what it has loaded and computed, for all stages and the outputs.
  LogicalResult buildKept(States &states) {
    for (auto &state : states)
      for (int64_t chunk = 0; chunk < chunks(); ++chunk)
        state->emitters.emplace_back(b, context.loc, context.memories, state->anchors,
                                     pointAt(state->row, index.constant(chunk), chunk));
    for (unsigned stage = 0, stages = form.stageCount(); stage < stages; ++stage)
      for (const RowFold *fold : foldsOf(stage))
        if (failed(reduceKept(*fold, states))) return failure();
    OutputsOfPoints outputs(context);
    for (auto &state : states)
      for (Emitter &emitter : state->emitters)
        if (failed(outputs.emit(std::move(emitter)))) return failure();
    return outputs.store();
  }

  /// One reduction of every row: all that is loaded for it before any of it is combined.
  LogicalResult reduceKept(const RowFold &fold, States &states) {
    SmallVector<SmallVector<Value>> inputs;
    for (auto &state : states)
      for (SmallVector<Value> &here = inputs.emplace_back(); Emitter & emitter : state->emitters) {
        FailureOr<Value> x = inputAt(emitter, fold);
        if (failed(x)) return failure();
        here.push_back(*x);
      }
    for (auto [state, here] : llvm::zip(states, inputs)) {
      Value lanes = fold.none(context);
      for (auto [emitter, x] : llvm::zip(state->emitters, here))
        lanes = fold.accumulate(context, x, emitter.residue(), lanes);
      state->anchors[graph::ReduceOp(fold.reduce).getResult()] = fold.meet(context, lanes);
    }
    return success();
  }

  FailureOr<Value> inputAt(Emitter &emitter, const RowFold &fold) {
    graph::ReduceOp reduce = fold.reduce;
    return emitter.emitFragment(reduce.getX(), layout::identity(b.getContext(), form.extents));
  }

  //===- Read again in every pass ---------------------------------------------------------------------------------===//

  /// Folds what the reductions want at an emitter's fragment into their lanes.
  LogicalResult accumulate(Emitter &emitter, ArrayRef<const RowFold *> now, MutableArrayRef<Value> lanes) {
    for (auto [fold, acc] : llvm::zip(now, lanes)) {
      FailureOr<Value> x = inputAt(emitter, *fold);
      if (failed(x)) return failure();
      acc = fold->accumulate(context, *x, emitter.residue(), acc);
    }
    return success();
  }

  LogicalResult buildStreamed(State &state) {
    for (unsigned stage = 0, stages = form.stageCount(); stage < stages; ++stage) {
      SmallVector<const RowFold *> now = foldsOf(stage);
      FailureOr<SmallVector<Value>> totals = sumPieces(state, now);
      if (failed(totals)) return failure();
      for (auto [fold, total] : llvm::zip(now, *totals))
        state.anchors[graph::ReduceOp(fold->reduce).getResult()] = total;
    }
    if (llvm::all_of(form.outputs, [](auto &output) { return output.perRow; })) return success();
    auto storeAt = [&](Point point) {
      Emitter emitter(b, context.loc, context.memories, state.anchors, std::move(point));
      return storeOutputs(context, emitter, /*perRow=*/false);
    };
    int64_t whole = length / extent;
    if (failed(forLoop(b, context.loc, index.constant(0), index.constant(whole), 1,
                       [&](Value chunk) { return storeAt(pointAt(state.row, chunk, /*known=*/-1)); })))
      return failure();
    return whole == chunks() ? success() : storeAt(pointAt(state.row, index.constant(whole), whole));
  }

  /// The stage's reductions over the row: piece by piece, the last of which may be a part of one.
  FailureOr<SmallVector<Value>> sumPieces(State &state, ArrayRef<const RowFold *> now) {
    int64_t pieces = length / kPiece, chunksOfPiece = kPiece / extent;
    SmallVector<Value> totals;
    for (const RowFold *fold : now) totals.push_back(fold->nothing(context));
    auto join = [&](ValueRange before, ArrayRef<Value> piece) {
      SmallVector<Value> after;
      for (auto [fold, total, part] : llvm::zip(now, before, piece)) after.push_back(fold->join(context, total, part));
      return after;
    };
    auto body = [&](Value piece, ValueRange before) -> FailureOr<SmallVector<Value>> {
      Value first = index.mul(piece, chunksOfPiece);
      FailureOr<SmallVector<Value>> lanes =
          sumChunks(state, now, first, index.add(first, index.constant(chunksOfPiece)));
      if (failed(lanes)) return failure();
      // Some warps may still read what those of the last piece met in.
      if (now.front()->meetsInShared()) tile::BarrierOp::create(b, context.loc);
      return join(before, meet(now, *lanes));
    };
    FailureOr<SmallVector<Value>> joined = totals;
    if (pieces > 0) joined = forLoop(b, context.loc, index.constant(0), index.constant(pieces), 1, totals, body);
    if (failed(joined) || length % kPiece == 0) return joined;

    int64_t first = pieces * chunksOfPiece, whole = length / extent;
    FailureOr<SmallVector<Value>> lanes = sumChunks(state, now, index.constant(first), index.constant(whole));
    if (failed(lanes)) return failure();
    if (whole < chunks()) {
      Emitter emitter(b, context.loc, context.memories, state.anchors,
                      pointAt(state.row, index.constant(whole), whole));
      if (failed(accumulate(emitter, now, *lanes))) return failure();
    }
    if (pieces > 0 && now.front()->meetsInShared()) tile::BarrierOp::create(b, context.loc);
    SmallVector<Value> piece = meet(now, *lanes);
    return pieces > 0 ? join(*joined, piece) : piece;
  }

  /// Whole chunks first … last - 1, all of one piece, as lanes.
  FailureOr<SmallVector<Value>> sumChunks(State &state, ArrayRef<const RowFold *> now, Value first, Value last) {
    SmallVector<Value> lanes;
    for (const RowFold *fold : now) lanes.push_back(fold->none(context));
    return forLoop(
        b, context.loc, first, last, 1, lanes, [&](Value chunk, ValueRange carried) -> FailureOr<SmallVector<Value>> {
          SmallVector<Value> next(carried);
          Emitter emitter(b, context.loc, context.memories, state.anchors, pointAt(state.row, chunk, /*known=*/-1));
          if (failed(accumulate(emitter, now, next))) return failure();
          return next;
        });
  }

  SmallVector<Value> meet(ArrayRef<const RowFold *> now, ArrayRef<Value> lanes) {
    SmallVector<Value> scalars;
    for (auto [fold, acc] : llvm::zip(now, lanes)) scalars.push_back(fold->meet(context, acc));
    return scalars;
  }

  //===- Spread over CTAs -----------------------------------------------------------------------------------------===//

  /// Two launches: the pieces of each row, dealt to its CTAs; then each row's pieces in order, and its outputs.
  FailureOr<int64_t> buildSpread(Value cta) {
    int64_t pieces = llvm::divideCeil(length, kPiece), ctas = std::min(schedule.ctas, pieces);
    if (!spreads(form) || pieces < 2 || schedule.threads == 32)
      return emitError(context.loc)
             << "schedule knob `ctas`: CTAs of more than a warp share the pieces of a row of more "
                "than "
             << kPiece << " elements whose outputs are all of rows, found " << schedule.ctas;
    for (const RowFold &fold : folds) addWorkspace(context, {rows, pieces}, fold.combine.element);
    State state;
    state.row = index.div(cta, ctas);
    SmallVector<const RowFold *> now = foldsOf(0);
    auto one = [&](Value piece) -> LogicalResult {
      FailureOr<SmallVector<Value>> lanes = sumChunksOf(state, now, piece);
      if (failed(lanes)) return failure();
      Value at = index.add(index.mul(state.row, pieces), piece);
      for (auto [value, memory] : llvm::zip(meet(now, *lanes), context.workspaces))
        tile::StoreOp::create(b, context.loc, value, memory, at, Value(), IntegerAttr());
      // Some warps may still read what those of this piece met in.
      if (ctas < pieces) tile::BarrierOp::create(b, context.loc);
      return success();
    };
    Value first = index.rem(cta, ctas);
    LogicalResult built =
        ctas == pieces ? one(first) : forLoop(b, context.loc, first, index.constant(pieces), ctas, one);
    if (failed(built)) return failure();
    nextLaunch(context, rows * ctas);
    SmallVector<Combine> combines;
    for (const RowFold &fold : folds) combines.push_back(fold.combine);
    return joinRows(context, combines, rows, pieces);
  }

  /// The lanes of one piece, which may be the last.
  FailureOr<SmallVector<Value>> sumChunksOf(State &state, ArrayRef<const RowFold *> now, Value piece) {
    int64_t whole = length / extent;
    Value first = index.mul(piece, kPiece / extent), end = index.add(first, index.constant(kPiece / extent));
    Value last = length % kPiece ? index.min(end, index.constant(whole)) : end;
    FailureOr<SmallVector<Value>> lanes = sumChunks(state, now, first, last);
    if (failed(lanes) || whole == chunks()) return lanes;
    // Once, for the last piece.
    return forLoop(b, context.loc, last, index.min(end, index.constant(chunks())), 1, *lanes,
                   [&](Value, ValueRange carried) -> FailureOr<SmallVector<Value>> {
                     SmallVector<Value> next(carried);
                     Emitter emitter(b, context.loc, context.memories, state.anchors,
                                     pointAt(state.row, index.constant(whole), whole));
                     if (failed(accumulate(emitter, now, next))) return failure();
                     return next;
                   });
  }

  //===- Points ---------------------------------------------------------------------------------------------------===//

  /// A fragment of the row. Skeleton dimensions: row, chunk, lane. `known`: the chunk's number where it is a constant,
  /// -1 for one that is whole.
  Point pointAt(Value row, Value chunk, int64_t known) {
    MLIRContext *mlirContext = b.getContext();
    AffineExpr number = known < 0 ? getAffineDimExpr(1, mlirContext) : getAffineConstantExpr(known, mlirContext);
    SmallVector<AffineExpr> iteration(form.extents.size());
    delinearize(getAffineDimExpr(0, mlirContext), form.keptAxes(), form.extents, iteration);
    delinearize(number * extent + getAffineDimExpr(2, mlirContext), form.reducedAxes, form.extents, iteration);
    Point point;
    point.extents = {rows, chunks(), extent};
    point.coords = {row, chunk};
    point.iteration = AffineMap::get(3, 0, iteration, mlirContext);
    point.lanes = extent;
    point.layout = tile::BlockedAttr::get(mlirContext, kUnit, groups.threads);
    point.shifted = schedule.shifted;
    if (int64_t rest = length - known * extent; known >= 0 && rest < extent)
      point.residue = groups.mask(context, index.constant(rest), extent, kUnit, rest);
    return point;
  }
};

} // namespace

FailureOr<int64_t> sm80::buildRow(SkeletonContext &context) {
  auto schedule = parseSchedule<RowSchedule>(context.loc, context.kernel.getScheduleAttr());
  if (failed(schedule)) return failure();
  int64_t length = layout::elementCount(context.form.extents, context.form.reducedAxes);
  if (schedule->across && length <= kUnit * kVirtualLanes)
    return buildAlongKept(context, {.vec = 1, .warps = 1, .groups = schedule->groups, .unroll = kUnit}, kShortRowOrder);
  return RowBuilder(context, *schedule).run();
}
