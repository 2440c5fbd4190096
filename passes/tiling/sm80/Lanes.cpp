#include "passes/tiling/sm80/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

Value sm80::Groups::begin(SkeletonContext &context) const {
  OpBuilder &b = context.builder;
  IndexBuilder index{b, context.loc};
  context.program.setThreads(threads * perCta);
  Value cta = tile::CtaIdOp::create(b, context.loc, b.getIndexType());
  if (perCta == 1) return cta;
  return index.add(index.mul(cta, perCta), tile::WarpIdOp::create(b, context.loc, b.getIndexType()));
}

Value sm80::Groups::mask(SkeletonContext &context, Value count, int64_t extent, int64_t vec, int64_t aligned) const {
  OpBuilder &b = context.builder;
  aligned = std::gcd(vec, aligned);
  return tile::LaneMaskOp::create(b, context.loc, fragment(b.getI1Type(), extent, vec), count,
                                  aligned > 1 ? b.getI64IntegerAttr(aligned) : IntegerAttr());
}

Rows sm80::pointwiseRows(ArrayRef<Access> accesses, const graph::KernelForm &form, bool across) {
  SmallVector<int64_t> dims = sequence(0, form.extents.size());
  if (!across) dims = coalescedOrder(accesses, form.extents, dims);
  size_t suffix = across || dims.empty() ? dims.size() : contiguousSuffix(accesses, form.extents, dims);
  return splitRows(form.extents, dims, suffix);
}

Rows sm80::columnsOf(ArrayRef<Access> accesses, const graph::KernelForm &form) {
  SmallVector<int64_t> kept = coalescedOrder(accesses, form.extents, form.keptAxes());
  return splitRows(form.extents, kept, kept.empty() ? 0 : contiguousSuffix(accesses, form.extents, kept));
}

sm80::KeptLanes::KeptLanes(SkeletonContext &context, Rows columns, int64_t vec, int64_t shifted)
    : context(context), columns(std::move(columns)), vec(vec), shifted(shifted), extent(32 * vec),
      chunks(llvm::divideCeil(this->columns.length, extent)) {}

void sm80::KeptLanes::setVector(Value vector) {
  IndexBuilder index{context.builder, context.loc};
  outer = index.div(vector, chunks);
  chunk = index.rem(vector, chunks);
}

Value sm80::KeptLanes::residue() {
  if (columns.length % extent == 0) return {};
  IndexBuilder index{context.builder, context.loc};
  Value count = index.sub(index.constant(columns.length), index.mul(chunk, extent));
  return Groups{32, 1}.mask(context, count, extent, vec, columns.length);
}

Point sm80::KeptLanes::point(ArrayRef<int64_t> extents, ArrayRef<Value> coords, ArrayRef<AffineExpr> iteration) {
  MLIRContext *mlirContext = context.builder.getContext();
  Point point;
  point.extents.assign(extents.begin(), extents.end());
  point.coords.assign(coords.begin(), coords.end());
  point.iteration = AffineMap::get(extents.size(), 0, iteration, mlirContext);
  point.lanes = extent;
  point.layout = tile::BlockedAttr::get(mlirContext, vec, 32);
  point.shifted = shifted;
  point.residue = residue();
  return point;
}

Point sm80::KeptLanes::keptPoint() {
  SmallVector<int64_t> kept = context.form.keptAxes(), extents;
  for (int64_t d : kept) extents.push_back(context.form.extents[d]);
  auto places = [&](ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims, [&](int64_t d) -> int64_t { return llvm::find(kept, d) - kept.begin(); });
  };
  auto dim = [&](unsigned i) { return getAffineDimExpr(i, context.builder.getContext()); };
  SmallVector<AffineExpr> iteration(kept.size());
  delinearize(dim(0), places(columns.outer), extents, iteration);
  delinearize(dim(1) * extent + dim(2), places(columns.inner), extents, iteration);
  return point({columns.count, chunks, extent}, {outer, chunk}, iteration);
}

Value sm80::KeptLanes::placeOf(Value row) {
  IndexBuilder index{context.builder, context.loc};
  Value column = index.add(index.mul(outer, columns.length), index.mul(chunk, extent));
  return index.add(index.mul(row, columns.count * columns.length), column);
}

IntegerAttr sm80::KeptLanes::aligned(int64_t length) {
  return vec > 1 && length % vec == 0 ? context.builder.getI64IntegerAttr(vec) : IntegerAttr();
}

LogicalResult sm80::ifElse(SkeletonContext &context, Value condition, llvm::function_ref<LogicalResult()> then,
                           llvm::function_ref<LogicalResult()> otherwise) {
  OpBuilder &b = context.builder;
  auto branch = scf::IfOp::create(b, context.loc, condition, /*withElseRegion=*/!!otherwise);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  if (failed(then())) return failure();
  if (!otherwise) return success();
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  return otherwise();
}

Value sm80::less(SkeletonContext &context, Value l, Value r) {
  return arith::CmpIOp::create(context.builder, context.loc, arith::CmpIPredicate::slt, l, r);
}
