#include "passes/functions/MlirBuilder.h"

#include "ir/tile/Tile.h"
#include "passes/functions/Pow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

#include <bit>

using namespace mlir;

namespace kiln::functions {

/// `type` with another element type; shape and encoding stay.
static Type withElement(Type type, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(type)) return shaped.clone(element);
  return element;
}

MlirBuilder::MlirBuilder(OpBuilder &builder, Location loc, Type type, bool hasApprox)
    : builder(builder), loc(loc), hasApprox(hasApprox), f32(type), i32(withElement(type, builder.getI32Type())),
      i64(withElement(type, builder.getI64Type())) {}

Value MlirBuilder::constant(Type type, TypedAttr attribute) {
  if (auto shaped = dyn_cast<ShapedType>(type)) attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value MlirBuilder::f(float value) { return constant(f32, builder.getF32FloatAttr(value)); }
Value MlirBuilder::i(uint32_t value) { return constant(i32, builder.getI32IntegerAttr(std::bit_cast<int32_t>(value))); }

Value MlirBuilder::add(Value x, Value y) { return arith::AddFOp::create(builder, loc, x, y); }
Value MlirBuilder::sub(Value x, Value y) { return arith::SubFOp::create(builder, loc, x, y); }
Value MlirBuilder::mul(Value x, Value y) { return arith::MulFOp::create(builder, loc, x, y); }
Value MlirBuilder::div(Value x, Value y) { return arith::DivFOp::create(builder, loc, x, y); }
Value MlirBuilder::fma(Value x, Value y, Value z) { return math::FmaOp::create(builder, loc, x, y, z); }
Value MlirBuilder::neg(Value x) { return arith::NegFOp::create(builder, loc, x); }
Value MlirBuilder::abs(Value x) { return math::AbsFOp::create(builder, loc, x); }
Value MlirBuilder::sqrt(Value x) { return math::SqrtOp::create(builder, loc, x); }
Value MlirBuilder::max(Value x, Value y) { return arith::MaximumFOp::create(builder, loc, x, y); }
Value MlirBuilder::min(Value x, Value y) { return arith::MinimumFOp::create(builder, loc, x, y); }

Value MlirBuilder::lt(Value x, Value y) { return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, x, y); }
Value MlirBuilder::eq(Value x, Value y) { return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, x, y); }
Value MlirBuilder::select(Value c, Value x, Value y) { return arith::SelectOp::create(builder, loc, c, x, y); }
Value MlirBuilder::iselect(Value c, Value x, Value y) { return arith::SelectOp::create(builder, loc, c, x, y); }
Value MlirBuilder::both(Value x, Value y) { return arith::AndIOp::create(builder, loc, x, y); }

Value MlirBuilder::iadd(Value x, Value y) { return arith::AddIOp::create(builder, loc, x, y); }
Value MlirBuilder::isub(Value x, Value y) { return arith::SubIOp::create(builder, loc, x, y); }
Value MlirBuilder::imul(Value x, Value y) { return arith::MulIOp::create(builder, loc, x, y); }
Value MlirBuilder::iand(Value x, Value y) { return arith::AndIOp::create(builder, loc, x, y); }
Value MlirBuilder::ior(Value x, Value y) { return arith::OrIOp::create(builder, loc, x, y); }
Value MlirBuilder::ixor(Value x, Value y) { return arith::XOrIOp::create(builder, loc, x, y); }
Value MlirBuilder::shl(Value x, Value n) { return arith::ShLIOp::create(builder, loc, x, n); }
Value MlirBuilder::shrl(Value x, Value n) { return arith::ShRUIOp::create(builder, loc, x, n); }
Value MlirBuilder::shra(Value x, Value n) { return arith::ShRSIOp::create(builder, loc, x, n); }
Value MlirBuilder::ult(Value x, Value y) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, x, y);
}
Value MlirBuilder::ieq(Value x, Value y) { return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, x, y); }

Value MlirBuilder::bits(Value x) { return arith::BitcastOp::create(builder, loc, i32, x); }
Value MlirBuilder::fromBits(Value x) { return arith::BitcastOp::create(builder, loc, f32, x); }
Value MlirBuilder::toFloat(Value x) { return arith::SIToFPOp::create(builder, loc, f32, x); }
Value MlirBuilder::toInt(Value x) { return arith::FPToSIOp::create(builder, loc, i32, x); }
Value MlirBuilder::widen(Value x) { return arith::ExtUIOp::create(builder, loc, i64, x); }
Value MlirBuilder::low(Value x) { return arith::TruncIOp::create(builder, loc, i32, x); }
Value MlirBuilder::ladd(Value x, Value y) { return arith::AddIOp::create(builder, loc, x, y); }
Value MlirBuilder::lmul(Value x, Value y) { return arith::MulIOp::create(builder, loc, x, y); }
Value MlirBuilder::lshl(Value x, int n) {
  return arith::ShLIOp::create(builder, loc, x, constant(i64, builder.getI64IntegerAttr(n)));
}
Value MlirBuilder::lshr(Value x, int n) {
  return arith::ShRUIOp::create(builder, loc, x, constant(i64, builder.getI64IntegerAttr(n)));
}

Value MlirBuilder::exp2Approx(Value x) {
  return hasApprox ? Value(tile::ApproxOp::create(builder, loc, tile::ApproxKind::exp2, x)) : exp2(*this, x);
}
Value MlirBuilder::rcpApprox(Value x) {
  return hasApprox ? Value(tile::ApproxOp::create(builder, loc, tile::ApproxKind::rcp, x)) : div(f(1.0f), x);
}
Value MlirBuilder::rsqrtApprox(Value x) {
  return hasApprox ? Value(tile::ApproxOp::create(builder, loc, tile::ApproxKind::rsqrt, x)) : rsqrt(*this, x);
}

void MlirBuilder::lookup(const float *table, size_t rows, MutableArrayRef<Value> row, Value index) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(rows), static_cast<int64_t>(row.size())}, builder.getF32Type());
  auto elements = DenseElementsAttr::get(type, ArrayRef<float>(table, rows * row.size()));
  SmallVector<Type> columns(row.size(), f32);
  llvm::copy(tile::LookupOp::create(builder, loc, columns, elements, index).getColumns(), row.begin());
}

} // namespace kiln::functions
