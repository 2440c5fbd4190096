// The cpu skeleton of pointwise kernels: rows of contiguous elements, vectors along them.
//
//   for row in this CTA's rows:
//     for chunk in this CTA's chunks of the row:
//       every output at chunk·lanes + (0 … lanes-1) of the row
#include "passes/tiling/Loops.h"

#include "ir/layout/IndexMap.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

namespace {

/// The iteration space as rows × row length, with lanes along the row.
struct Rows {
  SmallVector<int64_t> outer, inner; ///< iteration dimensions, in order
  int64_t count = 1, length = 1;
};

Rows splitRows(SkeletonContext &context, int64_t lanes) {
  ArrayRef<int64_t> extents = context.form.extents;
  Rows rows;
  SmallVector<int64_t> dims = sequence(0, extents.size());
  size_t suffix = dims.empty() ? 0 : contiguousSuffix(context, dims);
  // Rows far shorter than a vector waste its lanes: run across them all and gather.
  if (suffix < dims.size() && layout::elementCount(extents, ArrayRef<int64_t>(dims).take_back(suffix)) * 4 < lanes)
    suffix = dims.size();
  rows.outer.assign(dims.begin(), dims.end() - suffix);
  rows.inner.assign(dims.end() - suffix, dims.end());
  rows.count = layout::elementCount(extents, rows.outer);
  rows.length = layout::elementCount(extents, rows.inner);
  return rows;
}

} // namespace

FailureOr<int64_t> kiln::tiling::buildPointwise(SkeletonContext &context) {
  FailureOr<PointwiseSchedule> schedule = pointwiseSchedule(context.loc, context.kernel.getScheduleAttr());
  if (failed(schedule)) return failure();
  OpBuilder &b = context.builder;
  IndexBuilder index{b, context.loc};
  int64_t lanes = schedule->lanes;
  Rows rows = splitRows(context, lanes);
  if (rows.count == 0 || rows.length == 0) return 0;

  // Skeleton dimensions: row, chunk, lane.
  MLIRContext *mlirContext = b.getContext();
  int64_t chunks = llvm::divideCeil(rows.length, lanes);
  AffineExpr row = getAffineDimExpr(0, mlirContext), chunk = getAffineDimExpr(1, mlirContext);
  AffineExpr lane = getAffineDimExpr(2, mlirContext);
  SmallVector<AffineExpr> iteration(context.form.extents.size());
  delinearize(row, rows.outer, context.form.extents, iteration);
  delinearize(chunk * lanes + lane, rows.inner, context.form.extents, iteration);
  Point point;
  point.extents = {rows.count, chunks, lanes};
  point.iteration = AffineMap::get(3, 0, iteration, mlirContext);
  point.lanes = lanes;

  // Long rows are cut among CTAs, short ones share one.
  int64_t chunksPerCta = std::min(chunks, std::max<int64_t>(1, schedule->tile / lanes));
  int64_t pieces = llvm::divideCeil(chunks, chunksPerCta);
  int64_t rowsPerCta = pieces > 1 ? 1 : std::clamp<int64_t>(schedule->tile / (chunks * lanes), 1, rows.count);
  Value cta = tile::CtaIdOp::create(b, context.loc, b.getIndexType());
  Value firstRow = index.mul(index.div(cta, pieces), rowsPerCta);
  Value lastRow = index.min(index.add(firstRow, index.constant(rowsPerCta)), index.constant(rows.count));
  Value firstChunk = index.mul(index.rem(cta, pieces), chunksPerCta);
  Value lastChunk = index.min(index.add(firstChunk, index.constant(chunksPerCta)), index.constant(chunks));

  const Emitter::Anchors noAnchors;
  LogicalResult built = forLoop(b, context.loc, firstRow, lastRow, 1, [&](Value r) {
    return forLoop(b, context.loc, firstChunk, lastChunk, 1, [&](Value c) -> LogicalResult {
      Point here = point;
      here.coords = {r, c};
      if (rows.length % lanes != 0) {
        Value rest = index.sub(index.constant(rows.length), index.mul(c, lanes));
        here.residue = tile::LaneMaskOp::create(b, context.loc, tile::simd(b.getI1Type(), lanes), rest);
      }
      Emitter emitter(b, context.loc, context.memories, noAnchors, here);
      return storeOutputs(context, emitter, /*perRow=*/false);
    });
  });
  if (failed(built)) return failure();
  return pieces * llvm::divideCeil(rows.count, rowsPerCta);
}
