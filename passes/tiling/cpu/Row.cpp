// The cpu skeleton of row kernels: one row after another, vectors along the reduced space.
//
//   for row in this CTA's rows:
//     for each stage: for chunk in row: accumulate every reduction of the stage; then combine the accumulators
//     for chunk in row: every output that has an element per point
//     every output that has an element per row
//
// Values that are dear to compute and needed in a later pass over the row are kept in a shared tile; the rest is
// computed again from memory that is still in cache.
#include "passes/tiling/Combine.h"
#include "passes/tiling/Loops.h"
#include "passes/tiling/RowReduction.h"
#include "passes/tiling/Stash.h"

#include "ir/layout/IndexMap.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

namespace {

class RowBuilder {
public:
  RowBuilder(SkeletonContext &context, RowSchedule schedule)
      : context(context), b(context.builder), index{context.builder, context.loc}, schedule(schedule) {}

  FailureOr<int64_t> run() {
    const graph::KernelForm &form = context.form;
    SmallVector<int64_t> kept = form.keptAxes();
    rows = layout::elementCount(form.extents, kept);
    length = layout::elementCount(form.extents, form.reducedAxes);
    if (rows == 0) return 0;
    chunks = std::max<int64_t>(1, llvm::divideCeil(length, schedule.lanes));

    // Skeleton dimensions: row, chunk, lane.
    MLIRContext *mlirContext = b.getContext();
    AffineExpr row = getAffineDimExpr(0, mlirContext), chunk = getAffineDimExpr(1, mlirContext);
    AffineExpr lane = getAffineDimExpr(2, mlirContext);
    SmallVector<AffineExpr> iteration(form.extents.size());
    delinearize(row, kept, form.extents, iteration);
    delinearize(chunk * schedule.lanes + lane, form.reducedAxes, form.extents, iteration);
    point.extents = {rows, chunks, schedule.lanes};
    point.iteration = AffineMap::get(3, 0, iteration, mlirContext);
    point.lanes = schedule.lanes;

    stash = planStash(form, maxStashBytes());
    for (Value value : stash.values) stashTiles.push_back(allocStash(value));
    for (graph::ReduceOp reduce : form.reductions) {
      FailureOr<RowReduction> reduction = RowReduction::create(context, reduce, schedule.lanes, length);
      if (failed(reduction)) return failure();
      reductions.push_back(*reduction);
    }

    int64_t rowsPerCta = std::clamp<int64_t>(schedule.tile / (chunks * schedule.lanes), 1, rows);
    Value cta = tile::CtaIdOp::create(b, context.loc, b.getIndexType());
    Value first = index.mul(cta, rowsPerCta);
    Value last = index.min(index.add(first, index.constant(rowsPerCta)), index.constant(rows));
    if (failed(forLoop(b, context.loc, first, last, 1, [&](Value r) { return buildRow(r); }))) return failure();
    return llvm::divideCeil(rows, rowsPerCta);
  }

private:
  SkeletonContext &context;
  OpBuilder &b;
  IndexBuilder index;
  RowSchedule schedule;
  int64_t rows = 1, length = 1, chunks = 1;
  Point point;
  Stash stash;
  SmallVector<Memory> stashTiles;
  SmallVector<RowReduction> reductions;

  /// Half the second-level cache: the other half streams the operands.
  int64_t maxStashBytes() const { return context.target.l2Bytes / 2; }

  Memory allocStash(Value value) {
    const graph::KernelForm &form = context.form;
    Memory memory{allocShared(context, {chunks * schedule.lanes}, getElementTypeOrSelf(value.getType()))};
    memory.strides.assign(form.extents.size(), 0);
    int64_t stride = 1;
    for (int64_t d : llvm::reverse(form.reducedAxes)) {
      memory.strides[d] = stride;
      stride *= form.extents[d];
    }
    return memory;
  }

  Point at(Value row, Value chunk) {
    Point here = point;
    here.coords = {row, chunk};
    if (length % schedule.lanes != 0) {
      Value rest = index.sub(index.constant(length), index.mul(chunk, schedule.lanes));
      here.residue = tile::LaneMaskOp::create(b, context.loc, tile::simd(b.getI1Type(), schedule.lanes), rest);
    }
    return here;
  }
  AffineMap identity() { return layout::identity(b.getContext(), context.form.extents); }

  LogicalResult buildRow(Value row) {
    Emitter::Memories memories = context.memories;
    Emitter::Anchors anchors;
    for (unsigned stage = 0, stages = context.form.stageCount(); stage < stages; ++stage) {
      SmallVector<RowReduction *> now;
      for (auto [reduction, at] : llvm::zip(reductions, context.form.reductionStages))
        if (at == stage) now.push_back(&reduction);
      if (failed(buildStage(row, stage, now, memories, anchors))) return failure();
      for (auto [i, value] : llvm::enumerate(stash.values))
        if (stash.stages[i] == stage) memories[value] = stashTiles[i];
    }
    if (failed(storePoints(row, memories, anchors))) return failure();
    return storeRows(row, anchors);
  }

  /// One pass over the row: accumulates the stage's reductions and keeps what later passes want.
  LogicalResult buildStage(Value row, unsigned stage, ArrayRef<RowReduction *> now, const Emitter::Memories &memories,
                           Emitter::Anchors &anchors) {
    SmallVector<Value> init;
    for (RowReduction *reduction : now) {
      if (failed(reduction->begin(context))) return failure();
      llvm::append_range(init, reduction->initial(context));
    }
    auto body = [&](Value chunk, ValueRange carried) -> FailureOr<SmallVector<Value>> {
      Emitter emitter(b, context.loc, memories, anchors, at(row, chunk));
      SmallVector<Value> next;
      for (RowReduction *reduction : now) {
        FailureOr<Value> x = emitter.emitFragment(reduction->reduce.getX(), identity());
        if (failed(x)) return failure();
        Value carriedHere = reduction->carries() ? carried[next.size()] : Value();
        Value accumulated = reduction->accumulate(context, *x, emitter.residue(), chunk, carriedHere);
        if (accumulated) next.push_back(accumulated);
      }
      for (auto [i, value] : llvm::enumerate(stash.values)) {
        if (stash.stages[i] != stage) continue;
        FailureOr<Value> kept = emitter.emit(value, identity());
        if (failed(kept) || failed(emitter.store(*kept, stashTiles[i], identity()))) return failure();
      }
      return next;
    };
    SmallVector<Value> totals;
    if (length > 0) {
      FailureOr<SmallVector<Value>> looped =
          forLoop(b, context.loc, index.constant(0), index.constant(chunks), 1, init, body);
      if (failed(looped)) return failure();
      totals = *looped;
    } else {
      totals = init;
    }
    size_t used = 0;
    for (RowReduction *reduction : now) {
      Value carried = reduction->carries() ? totals[used++] : Value();
      FailureOr<Value> result = reduction->finish(context, carried);
      if (failed(result)) return failure();
      anchors[reduction->reduce.getResult()] = *result;
    }
    return success();
  }

  LogicalResult storePoints(Value row, const Emitter::Memories &memories, const Emitter::Anchors &anchors) {
    bool any = llvm::any_of(context.form.outputs, [](auto &output) { return !output.perRow; });
    if (!any || length == 0) return success();
    return forLoop(b, context.loc, index.constant(0), index.constant(chunks), 1, [&](Value chunk) -> LogicalResult {
      Emitter emitter(b, context.loc, memories, anchors, at(row, chunk));
      return storeOutputs(context, emitter, /*perRow=*/false);
    });
  }

  LogicalResult storeRows(Value row, const Emitter::Anchors &anchors) {
    // The kept space, one point per row, no lanes. Kept tiles hold points of the full space, so they do not serve here.
    SmallVector<int64_t> kept;
    for (int64_t d : context.form.keptAxes()) kept.push_back(context.form.extents[d]);
    SmallVector<AffineExpr> iteration(kept.size());
    delinearize(getAffineDimExpr(0, b.getContext()), sequence(0, kept.size()), kept, iteration);
    Point here;
    here.extents = {rows};
    here.coords = {row};
    here.iteration = AffineMap::get(1, 0, iteration, b.getContext());
    Emitter emitter(b, context.loc, context.memories, anchors, here);
    return storeOutputs(context, emitter, /*perRow=*/true);
  }
};

} // namespace

FailureOr<int64_t> kiln::tiling::buildRow(SkeletonContext &context) {
  FailureOr<RowSchedule> schedule = rowSchedule(context.loc, context.kernel.getScheduleAttr());
  if (failed(schedule)) return failure();
  return RowBuilder(context, *schedule).run();
}
