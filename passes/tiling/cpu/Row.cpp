// The cpu skeleton of row kernels: one row after another, vectors along the reduced space.
//
//   for row in this CTA's rows:
//     for each stage: for chunk in row, and its rest: accumulate every reduction of the stage; then combine
//     for chunk in row, and its rest: every output that has an element per point
//     every output that has an element per row
//
// Values that are dear to compute and needed in a later pass over the row are kept in a shared tile; the rest is
// computed again from memory that is still in cache.
#include "passes/tiling/Combine.h"
#include "passes/tiling/Loops.h"
#include "passes/tiling/RowReduction.h"
#include "passes/tiling/Stash.h"
#include "passes/tiling/cpu/Families.h"

#include "ir/layout/IndexMap.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::cpu;

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
    chunks = length / schedule.lanes;
    rest = length % schedule.lanes;
    if (rest) restLanes = std::max<int64_t>(8, llvm::bit_ceil<uint64_t>(rest));

    stash = planStash(form, maxStashBytes());
    for (Value value : stash.values) stashTiles.push_back(allocStash(value));
    for (graph::ReduceOp reduce : form.reductions) {
      FailureOr<RowReduction> reduction = RowReduction::create(context, reduce, schedule.lanes, length);
      if (failed(reduction)) return failure();
      reductions.push_back(*reduction);
    }

    int64_t rowsPerCta = std::clamp<int64_t>(schedule.tile / std::max<int64_t>(length, 1), 1, rows);
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
  int64_t rows = 1, length = 1;
  int64_t chunks = 0;              ///< whole fragments of a row
  int64_t rest = 0, restLanes = 0; ///< elements after them, and the lanes of their fragment
  Stash stash;
  SmallVector<Memory> stashTiles;
  SmallVector<RowReduction> reductions;

  /// Half the second-level cache: the other half streams the operands.
  int64_t maxStashBytes() const { return context.target.cpu()->l2Bytes / 2; }

  Memory allocStash(Value value) {
    const graph::KernelForm &form = context.form;
    Memory memory{allocShared(context, {chunks * schedule.lanes + restLanes}, getElementTypeOrSelf(value.getType()))};
    memory.strides.assign(form.extents.size(), 0);
    int64_t stride = 1;
    for (int64_t d : llvm::reverse(form.reducedAxes)) {
      memory.strides[d] = stride;
      stride *= form.extents[d];
    }
    return memory;
  }

  /// Chunk `chunk` of a row. Skeleton dimensions: row, chunk, lane.
  Point at(Value row, Value chunk) {
    MLIRContext *mlirContext = b.getContext();
    return {{rows, chunks, schedule.lanes},
            {row, chunk},
            iteration(3, getAffineDimExpr(1, mlirContext) * schedule.lanes + getAffineDimExpr(2, mlirContext)),
            schedule.lanes};
  }
  /// The rest of a row. Skeleton dimensions: row, lane.
  Point atRest(Value row) {
    Point point{{rows, restLanes},
                {row},
                iteration(2, getAffineDimExpr(1, b.getContext()) + chunks * schedule.lanes),
                restLanes};
    if (rest != restLanes)
      point.residue =
          tile::LaneMaskOp::create(b, context.loc, tile::simd(b.getI1Type(), restLanes), index.constant(rest));
    return point;
  }
  /// The row from dimension 0, the reduced space from `reduced`.
  AffineMap iteration(unsigned dims, AffineExpr reduced) {
    const graph::KernelForm &form = context.form;
    SmallVector<AffineExpr> results(form.extents.size());
    delinearize(getAffineDimExpr(0, b.getContext()), form.keptAxes(), form.extents, results);
    delinearize(reduced, form.reducedAxes, form.extents, results);
    return AffineMap::get(dims, 0, results, b.getContext());
  }
  AffineMap identity() { return layout::identity(b.getContext(), context.form.extents); }

  LogicalResult buildRow(Value row) {
    Memories memories = context.memories;
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
  LogicalResult buildStage(Value row, unsigned stage, ArrayRef<RowReduction *> now, const Memories &memories,
                           Emitter::Anchors &anchors) {
    SmallVector<Value> init;
    for (RowReduction *reduction : now) {
      if (failed(reduction->begin(context))) return failure();
      llvm::append_range(init, reduction->initial(context));
    }
    auto inputsAt = [&](Emitter &emitter) -> FailureOr<SmallVector<Value>> {
      SmallVector<Value> inputs;
      for (RowReduction *reduction : now) {
        FailureOr<Value> x = emitter.emitFragment(reduction->reduce.getX(), identity());
        if (failed(x)) return failure();
        inputs.push_back(*x);
      }
      if (failed(keep(emitter, stage))) return failure();
      return inputs;
    };
    auto body = [&](Value chunk, ValueRange carried) -> FailureOr<SmallVector<Value>> {
      Emitter emitter(b, context.loc, memories, anchors, at(row, chunk));
      FailureOr<SmallVector<Value>> inputs = inputsAt(emitter);
      if (failed(inputs)) return failure();
      SmallVector<Value> next;
      for (auto [reduction, x] : llvm::zip(now, *inputs)) {
        Value carriedHere = reduction->carries() ? carried[next.size()] : Value();
        if (Value accumulated = reduction->accumulate(context, x, chunk, carriedHere)) next.push_back(accumulated);
      }
      return next;
    };
    FailureOr<SmallVector<Value>> totals = init;
    if (chunks > 0) totals = forLoop(b, context.loc, index.constant(0), index.constant(chunks), 1, init, body);
    if (failed(totals)) return failure();
    if (rest > 0) {
      Emitter emitter(b, context.loc, memories, anchors, atRest(row));
      FailureOr<SmallVector<Value>> inputs = inputsAt(emitter);
      if (failed(inputs)) return failure();
      for (auto [reduction, x] : llvm::zip(now, *inputs)) reduction->accumulateRest(context, x, emitter.residue());
    }
    size_t used = 0;
    for (RowReduction *reduction : now) {
      Value carried = reduction->carries() ? (*totals)[used++] : Value();
      FailureOr<Value> result = reduction->finish(context, carried);
      if (failed(result)) return failure();
      anchors[reduction->reduce.getResult()] = *result;
    }
    return success();
  }

  /// Stores what this stage computes and later passes want, at the emitter's point.
  LogicalResult keep(Emitter &emitter, unsigned stage) {
    for (auto [i, value] : llvm::enumerate(stash.values)) {
      if (stash.stages[i] != stage) continue;
      FailureOr<Value> kept = emitter.emit(value, identity());
      if (failed(kept) || failed(emitter.store(*kept, stashTiles[i], identity()))) return failure();
    }
    return success();
  }

  LogicalResult storePoints(Value row, const Memories &memories, const Emitter::Anchors &anchors) {
    bool any = llvm::any_of(context.form.outputs, [](auto &output) { return !output.perRow; });
    if (!any || length == 0) return success();
    if (chunks > 0 && failed(forLoop(b, context.loc, index.constant(0), index.constant(chunks), 1, [&](Value chunk) {
          Emitter emitter(b, context.loc, memories, anchors, at(row, chunk));
          return storeOutputs(context, emitter, /*perRow=*/false);
        })))
      return failure();
    if (rest == 0) return success();
    Emitter emitter(b, context.loc, memories, anchors, atRest(row));
    return storeOutputs(context, emitter, /*perRow=*/false);
  }

  LogicalResult storeRows(Value row, const Emitter::Anchors &anchors) {
    // The kept space, one point per row, no lanes. Kept tiles hold points of the full space, so they do not serve here.
    SmallVector<int64_t> kept;
    for (int64_t d : context.form.keptAxes()) kept.push_back(context.form.extents[d]);
    SmallVector<AffineExpr> iteration(kept.size());
    delinearize(getAffineDimExpr(0, b.getContext()), sequence(0, kept.size()), kept, iteration);
    Point here{{rows}, {row}, AffineMap::get(1, 0, iteration, b.getContext())};
    Emitter emitter(b, context.loc, context.memories, anchors, here);
    return storeOutputs(context, emitter, /*perRow=*/true);
  }
};

} // namespace

FailureOr<int64_t> cpu::buildRow(SkeletonContext &context) {
  auto schedule = parseSchedule<RowSchedule>(context.loc, context.kernel.getScheduleAttr());
  if (failed(schedule)) return failure();
  return RowBuilder(context, *schedule).run();
}
