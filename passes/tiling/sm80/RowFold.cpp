#include "passes/tiling/sm80/RowFold.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

FailureOr<RowFold> RowFold::create(SkeletonContext &context, const Groups &groups, graph::ReduceOp reduce,
                                   int64_t extent) {
  FailureOr<Combine> combine = Combine::get(reduce);
  if (failed(combine)) return failure();
  RowFold fold;
  fold.reduce = reduce;
  fold.combine = *combine;
  fold.lanes = groups.fragment(fold.folding().element, extent / kUnit, 1);
  if (groups.threads > 32) fold.scratch = allocShared(context, {extent / kUnit}, fold.lanes.getElementType());
  return fold;
}

Combine RowFold::folding() const {
  return combine.element.isInteger(1) ? combine.on(IntegerType::get(combine.element.getContext(), 32)) : combine;
}

Value RowFold::none(SkeletonContext &context) const {
  return folding().identityFragment(context.builder, context.loc, lanes);
}

Value RowFold::accumulate(SkeletonContext &context, Value x, Value mask, Value acc) const {
  OpBuilder &b = context.builder;
  auto type = cast<RankedTensorType>(cast<RankedTensorType>(x.getType()).clone(lanes.getElementType()));
  if (combine.element != lanes.getElementType()) x = arith::ExtUIOp::create(b, context.loc, type, x);
  if (mask) x = arith::SelectOp::create(b, context.loc, mask, x, folding().identityFragment(b, context.loc, type));
  return tile::FoldUnitsOp::create(b, context.loc, lanes, combine.kind, x, acc);
}

Value RowFold::meet(SkeletonContext &context, Value acc) const {
  OpBuilder &b = context.builder;
  Value result = folding().fold(b, context.loc, acc, scratch);
  if (combine.element == lanes.getElementType()) return result;
  Value zero = arith::ConstantIntOp::create(b, context.loc, lanes.getElementType(), 0);
  return arith::CmpIOp::create(b, context.loc, arith::CmpIPredicate::ne, result, zero);
}

Value RowFold::join(SkeletonContext &context, Value total, Value piece) const {
  return combine.apply(context.builder, context.loc, total, piece);
}

Value RowFold::nothing(SkeletonContext &context) const {
  return combine.identityValue(context.builder, context.loc, 0);
}

FailureOr<Value> RowFold::ofEmpty(SkeletonContext &context) const {
  if (!combine.empty) return graph::ReduceOp(reduce).emitError("nothing to combine");
  return arith::ConstantOp::create(context.builder, context.loc, combine.empty).getResult();
}
