// The gpu skeleton of pointwise kernels: rows of contiguous elements, a fragment of a row (or of each of a few short
// rows) per group of threads, no loop, as many groups as there are fragments.
//
//   if every lane exists: every output of the group's rows, all loads before all stores
//   else:                 the same under the mask of the lanes that do, row by row
//
// Nothing else branches, and no branch depends on loaded data. A thread has 16 elements of every operand in flight as
// accesses of 16 bytes: with all threads of an SM resident 64 KB of a 16-bit operand, where 32 hide the latency.
// Lanes run along the dimension that most bytes are contiguous in; what is transposed against it is turned in shared
// memory (Turned.cpp) where both sides are long, else gathered.
#include "passes/tiling/sm80/Lanes.h"
#include "passes/tiling/sm80/Schedule.h"
#include "passes/tiling/sm80/Turned.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

namespace {

/// Bodies past so many ops are not worth having twice: all lanes run under the mask.
constexpr int64_t kMaxTwice = 64;

class PointwiseBuilder {
public:
  PointwiseBuilder(SkeletonContext &context, PointwiseSchedule schedule)
      : context(context), b(context.builder), index{context.builder, context.loc},
        schedule(schedule), groups{schedule.threads, schedule.groups},
        extent(schedule.threads * schedule.vec * schedule.runs) {}

  FailureOr<int64_t> run() {
    rows = pointwiseRows(accessesOf(context.form, context.memories, context.outputs), context.form, schedule.across);
    chunks = llvm::divideCeil(rows.length, extent);
    Value group = groups.begin(context);
    if (rows.count == 0 || rows.length == 0) return 0;
    Block &body = context.kernel.getBody().front();
    twice = std::distance(body.begin(), body.end()) <= kMaxTwice;
    LogicalResult built = chunks == 1 ? buildRows(group) : buildChunk(group);
    if (failed(built)) return failure();
    int64_t units = chunks == 1 ? llvm::divideCeil(rows.count, schedule.rows) : rows.count * chunks;
    return llvm::divideCeil(units, groups.perCta);
  }

private:
  SkeletonContext &context;
  OpBuilder &b;
  IndexBuilder index;
  PointwiseSchedule schedule;
  Groups groups;
  int64_t extent; ///< of a fragment
  Rows rows;
  int64_t chunks = 0; ///< fragments of a row
  bool twice = true;

  /// Whole rows, each in one fragment.
  LogicalResult buildRows(Value group) {
    Value mask;
    if (rows.length != extent)
      mask = groups.mask(context, index.constant(rows.length), extent, schedule.vec, rows.length);
    Value first = index.mul(group, schedule.rows), end = index.add(first, index.constant(schedule.rows));
    auto all = [&] {
      SmallVector<Point> points;
      for (int64_t i = 0; i < schedule.rows; ++i)
        points.push_back(pointAt(index.add(first, index.constant(i)), index.constant(0), mask));
      return build(points);
    };
    if (rows.count % (schedule.rows * groups.perCta) == 0) return all();
    auto oneByOne = [&] {
      Value last = index.min(end, index.constant(rows.count));
      return forLoop(b, context.loc, first, last, 1,
                     [&](Value row) { return build(pointAt(row, index.constant(0), mask)); });
    };
    if (schedule.rows == 1) return ifElse(context, less(context, first, index.constant(rows.count)), all);
    if (!twice) return oneByOne();
    return ifElse(context, less(context, index.constant(rows.count), end), oneByOne, all);
  }

  /// One fragment of a row that has several.
  LogicalResult buildChunk(Value group) {
    bool oneRow = rows.count == 1;
    Value row = oneRow ? index.constant(0) : index.div(group, chunks),
          chunk = oneRow ? group : index.rem(group, chunks);
    auto masked = [&] {
      Value count = index.sub(index.constant(rows.length), index.mul(chunk, extent));
      return build(pointAt(row, chunk, groups.mask(context, count, extent, schedule.vec, rows.length)));
    };
    auto whole = [&] { return build(pointAt(row, chunk, Value())); };
    auto here = [&]() -> LogicalResult {
      if (rows.length % extent == 0) return whole();
      if (!twice) return masked();
      return ifElse(context, less(context, chunk, index.constant(chunks - 1)), whole, masked);
    };
    if (rows.count * chunks % groups.perCta == 0) return here();
    return ifElse(context, less(context, group, index.constant(rows.count * chunks)), here);
  }

  LogicalResult build(ArrayRef<Point> points) {
    const Emitter::Anchors noAnchors;
    OutputsOfPoints outputs(context);
    for (const Point &point : points)
      if (failed(outputs.emit({b, context.loc, context.memories, noAnchors, point}))) return failure();
    return outputs.store();
  }

  /// Skeleton dimensions: row, chunk, lane.
  Point pointAt(Value row, Value chunk, Value mask) {
    MLIRContext *mlirContext = b.getContext();
    SmallVector<AffineExpr> iteration(context.form.extents.size());
    AffineExpr along = getAffineDimExpr(1, mlirContext) * extent + getAffineDimExpr(2, mlirContext);
    delinearize(getAffineDimExpr(0, mlirContext), rows.outer, context.form.extents, iteration);
    delinearize(along, rows.inner, context.form.extents, iteration);
    Point point{{rows.count, chunks, extent},
                {row, chunk},
                AffineMap::get(3, 0, iteration, mlirContext),
                extent,
                tile::BlockedAttr::get(mlirContext, schedule.vec, schedule.threads)};
    point.shifted = schedule.shifted;
    point.residue = mask;
    return point;
  }
};

} // namespace

FailureOr<int64_t> sm80::buildPointwise(SkeletonContext &context) {
  auto schedule = parseSchedule<PointwiseSchedule>(context.loc, context.kernel.getScheduleAttr());
  if (failed(schedule)) return failure();
  if (schedule->turned)
    if (auto turn = planTurn(accessesOf(context.form, context.memories, context.outputs), context.form))
      return buildTurned(context, *schedule, *turn);
  return PointwiseBuilder(context, *schedule).run();
}
