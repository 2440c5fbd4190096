// The cpu skeleton of pointwise kernels: rows of contiguous elements, vectors along them.
//
//   for row in this CTA's rows:
//     for chunk in this CTA's chunks of the row:
//       every output at chunk·lanes + (0 … lanes-1) of the row
//     the same for what is left of the row
#include "passes/tiling/Loops.h"
#include "passes/tiling/cpu/Families.h"

#include "ir/layout/IndexMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::cpu;

namespace {

Rows rowsOf(SkeletonContext &context, int64_t lanes) {
  ArrayRef<int64_t> extents = context.form.extents;
  SmallVector<int64_t> dims = sequence(0, extents.size());
  size_t suffix =
      dims.empty() ? 0 : contiguousSuffix(accessesOf(context.form, context.memories, context.outputs), extents, dims);
  // Rows far shorter than a vector waste its lanes: run across them all and gather.
  if (suffix < dims.size() && layout::elementCount(extents, ArrayRef<int64_t>(dims).take_back(suffix)) * 4 < lanes)
    suffix = dims.size();
  return splitRows(extents, dims, suffix);
}

/// Bodies past so many ops are not worth having twice for the elements after the last whole vector.
constexpr int64_t kMaxPeeledOps = 64;

class PointwiseBuilder {
public:
  PointwiseBuilder(SkeletonContext &context, PointwiseSchedule schedule)
      : context(context), b(context.builder), index{context.builder, context.loc}, schedule(schedule),
        rows(rowsOf(context, schedule.lanes)) {}

  FailureOr<int64_t> run() {
    if (rows.count == 0 || rows.length == 0) return 0;
    int64_t lanes = schedule.lanes;
    Block &body = context.kernel.getBody().front();
    bool whole = rows.length % lanes == 0;
    bool peeled = !whole && std::distance(body.begin(), body.end()) <= kMaxPeeledOps;
    chunks = peeled ? rows.length / lanes : llvm::divideCeil(rows.length, lanes);

    // Long rows are cut among CTAs, short ones share one.
    int64_t chunksPerCta = std::clamp<int64_t>(schedule.tile / lanes, 1, std::max<int64_t>(chunks, 1));
    int64_t pieces = std::max<int64_t>(1, llvm::divideCeil(chunks, chunksPerCta));
    int64_t rowsPerCta = pieces > 1 ? 1 : std::clamp<int64_t>(schedule.tile / rows.length, 1, rows.count);
    Value cta = tile::CtaIdOp::create(b, context.loc, b.getIndexType()), piece = index.rem(cta, pieces);
    Value firstRow = index.mul(index.div(cta, pieces), rowsPerCta);
    Value lastRow = index.min(index.add(firstRow, index.constant(rowsPerCta)), index.constant(rows.count));
    Value firstChunk = index.mul(piece, chunksPerCta);
    Value lastChunk = index.min(index.add(firstChunk, index.constant(chunksPerCta)), index.constant(chunks));

    auto chunkBody = [&](Value row, Value chunk) { return build(chunkAt(row, chunk, /*masked=*/!whole && !peeled)); };
    LogicalResult built = forLoop(b, context.loc, firstRow, lastRow, 1, [&](Value row) -> LogicalResult {
      if (chunks > 0 &&
          failed(forLoop(b, context.loc, firstChunk, lastChunk, 1, [&](Value chunk) { return chunkBody(row, chunk); })))
        return failure();
      if (!peeled) return success();
      if (pieces == 1) return build(restAt(row));
      // The last of the row's CTAs takes what is left.
      Value last = arith::CmpIOp::create(b, context.loc, arith::CmpIPredicate::eq, piece, index.constant(pieces - 1));
      auto branch = scf::IfOp::create(b, context.loc, last, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&branch.getThenRegion().front());
      return build(restAt(row));
    });
    if (failed(built)) return failure();
    return pieces * llvm::divideCeil(rows.count, rowsPerCta);
  }

private:
  SkeletonContext &context;
  OpBuilder &b;
  IndexBuilder index;
  PointwiseSchedule schedule;
  Rows rows;
  int64_t chunks = 0;

  LogicalResult build(Point point) {
    const Emitter::Anchors noAnchors;
    Emitter emitter(b, context.loc, context.memories, noAnchors, std::move(point));
    return storeOutputs(context, emitter, /*perRow=*/false);
  }

  Value mask(Value count, int64_t lanes) {
    return tile::LaneMaskOp::create(b, context.loc, tile::simd(b.getI1Type(), lanes), count);
  }
  /// The row from dimension 0, elements along it from `along`.
  AffineMap iteration(unsigned dims, AffineExpr along) {
    SmallVector<AffineExpr> results(context.form.extents.size());
    delinearize(getAffineDimExpr(0, b.getContext()), rows.outer, context.form.extents, results);
    delinearize(along, rows.inner, context.form.extents, results);
    return AffineMap::get(dims, 0, results, b.getContext());
  }

  /// Skeleton dimensions: row, chunk, lane.
  Point chunkAt(Value row, Value chunk, bool masked) {
    MLIRContext *mlirContext = b.getContext();
    Point point{{rows.count, chunks, schedule.lanes},
                {row, chunk},
                iteration(3, getAffineDimExpr(1, mlirContext) * schedule.lanes + getAffineDimExpr(2, mlirContext)),
                schedule.lanes};
    if (masked)
      point.residue = mask(index.sub(index.constant(rows.length), index.mul(chunk, schedule.lanes)), schedule.lanes);
    return point;
  }

  /// What the whole vectors leave of a row, in as few lanes as hold it. Skeleton dimensions: row, lane.
  Point restAt(Value row) {
    int64_t rest = rows.length - chunks * schedule.lanes, lanes = llvm::bit_ceil<uint64_t>(rest);
    Point point{
        {rows.count, lanes}, {row}, iteration(2, getAffineDimExpr(1, b.getContext()) + chunks * schedule.lanes), lanes};
    if (rest != lanes) point.residue = mask(index.constant(rest), lanes);
    return point;
  }
};

} // namespace

FailureOr<int64_t> cpu::buildPointwise(SkeletonContext &context) {
  auto schedule = parseSchedule<PointwiseSchedule>(context.loc, context.kernel.getScheduleAttr());
  if (failed(schedule)) return failure();
  return PointwiseBuilder(context, *schedule).run();
}
