#include "passes/tiling/Combine.h"

#include "ir/tile/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using graph::ReduceKind;
using tile::CombineKind;

namespace {

TypedAttr integer(Type type, APInt value) { return IntegerAttr::get(type, value); }

TypedAttr identityOf(CombineKind kind, Type type) {
  if (auto f = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = f.getFloatSemantics();
    switch (kind) {
    case CombineKind::add:
      return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true));
    case CombineKind::mul:
      return FloatAttr::get(type, APFloat(semantics, 1));
    case CombineKind::max:
      return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
    case CombineKind::min:
      return FloatAttr::get(type, APFloat::getInf(semantics));
    }
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isBool = bits == 1;
  switch (kind) {
  case CombineKind::add:
    return integer(type, APInt::getZero(bits));
  case CombineKind::mul:
    return integer(type, APInt(bits, 1));
  case CombineKind::max:
    return integer(type, isBool ? APInt::getZero(1) : APInt::getSignedMinValue(bits));
  case CombineKind::min:
    return integer(type, isBool ? APInt::getAllOnes(1) : APInt::getSignedMaxValue(bits));
  }
  llvm_unreachable("every combination has an identity");
}

} // namespace

FailureOr<Combine> Combine::get(graph::ReduceOp reduce) {
  Combine c;
  c.element = getElementTypeOrSelf(reduce.getX().getType());
  switch (reduce.getKind()) {
  case ReduceKind::sum:
    c.kind = CombineKind::add;
    break;
  case ReduceKind::prod:
    c.kind = CombineKind::mul;
    break;
  case ReduceKind::max:
    c.kind = CombineKind::max;
    break;
  case ReduceKind::min:
    c.kind = CombineKind::min;
    break;
  case ReduceKind::mean:
    return reduce.emitError("a mean is a sum and a division by now: run graph-decompose first");
  }
  return c.on(c.element);
}

Combine Combine::on(Type other) const {
  Combine c{kind, other, false, identityOf(kind, other), {}};
  if (kind == CombineKind::max || kind == CombineKind::min) return c;
  auto type = dyn_cast<FloatType>(other);
  c.ordered = !!type;
  c.empty = c.identity;
  if (kind == CombineKind::add && type) c.empty = FloatAttr::get(type, APFloat::getZero(type.getFloatSemantics()));
  return c;
}

Value Combine::apply(OpBuilder &b, Location loc, Value l, Value r) const { return tile::combine(b, loc, kind, l, r); }

Value Combine::identityValue(OpBuilder &b, Location loc, int64_t lanes) const {
  if (lanes) return identityFragment(b, loc, tile::simd(element, lanes));
  return arith::ConstantOp::create(b, loc, identity);
}

Value Combine::identityFragment(OpBuilder &b, Location loc, RankedTensorType type) const {
  return tile::SplatOp::create(b, loc, type, arith::ConstantOp::create(b, loc, identity));
}

Value Combine::fold(OpBuilder &b, Location loc, Value fragment, Value scratch) const {
  if (!element.isInteger(1)) return tile::FoldOp::create(b, loc, element, kind, fragment, scratch);
  // bool: any and all, folded as 0 and 1.
  auto type = cast<RankedTensorType>(cast<RankedTensorType>(fragment.getType()).clone(b.getI32Type()));
  Value wide = arith::ExtUIOp::create(b, loc, type, fragment);
  Value folded = tile::FoldOp::create(b, loc, b.getI32Type(), kind, wide, scratch);
  Value zero = arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, folded, zero);
}
