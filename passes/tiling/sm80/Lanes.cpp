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
