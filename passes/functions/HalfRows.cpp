// The functions of f16 and bf16: extended to f32, computed there, rounded once. Those that graphs name have expansions
// of their own, as short as 16 bits allow; the others are the functions of f32, whose error is far below a 16-bit
// place.
#include "passes/functions/Rows.h"

#include "ir/graph/Graph.h"
#include "passes/functions/Activations.h"
#include "passes/functions/HalfTrig.h"
#include "passes/functions/MlirBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace kiln::functions {
namespace {

using B = MlirBuilder;

Type withF32(Type type) {
  Type f32 = Float32Type::get(type.getContext());
  if (auto shaped = dyn_cast<ShapedType>(type)) return shaped.clone(f32);
  return f32;
}

Value extended(OpBuilder &builder, Location loc, Value x) {
  return arith::ExtFOp::create(builder, loc, withF32(x.getType()), x);
}

template <Value (*function)(B &, Value)>
Value unary(OpBuilder &builder, Location loc, Operation *, ValueRange operands, Facilities facilities) {
  Type type = operands[0].getType();
  B b(builder, loc, withF32(type), facilities.approx);
  return arith::TruncFOp::create(builder, loc, type, function(b, extended(builder, loc, operands[0])));
}

template <Value (*function)(B &, Value, Value)>
Value binary(OpBuilder &builder, Location loc, Operation *, ValueRange operands, Facilities facilities) {
  Type type = operands[0].getType();
  B b(builder, loc, withF32(type), facilities.approx);
  Value x = extended(builder, loc, operands[0]), y = extended(builder, loc, operands[1]);
  return arith::TruncFOp::create(builder, loc, type, function(b, x, y));
}

template <class Half>
Value emitGelu(OpBuilder &builder, Location loc, Operation *op, ValueRange operands, Facilities facilities) {
  bool tanhForm = cast<graph::GeluOp>(op).getForm() == graph::GeluForm::tanh;
  auto *emit = tanhForm ? unary<half::geluTanh<Half, B>> : unary<half::gelu<Half, B>>;
  return emit(builder, loc, op, operands, facilities);
}

/// Bounds are half a place, which the last rounding takes, and what the value before it may be off.
template <class Half> llvm::SmallVector<FunctionRow> rowsOf(TypeID type) {
  constexpr double ours = 0.505, cosine = 0.507, wide = 0.501;
  return {
      {"math.exp", type, ours, true, unary<half::exp<Half, B>>},
      {"math.log", type, ours, false, unary<half::log<Half, B>>},
      {"math.rsqrt", type, ours, true, unary<half::rsqrt<Half, B>>},
      {"math.tanh", type, ours, true, unary<half::tanh<Half, B>>},
      {"math.erf", type, ours, false, unary<half::erf<Half, B>>},
      {"math.sin", type, ours, false, unary<half::sin<Half, B>>},
      {"math.cos", type, cosine, false, unary<half::cos<Half, B>>},
      {"graph.sigmoid", type, ours, true, unary<half::sigmoid<Half, B>>},
      {"graph.gelu", type, ours, true, emitGelu<Half>},
      {"math.exp2", type, wide, false, unary<exp2<B>>},
      {"math.expm1", type, wide, false, unary<expm1<B>>},
      {"math.log2", type, wide, false, unary<log2<B>>},
      {"math.log1p", type, wide, false, unary<log1p<B>>},
      {"math.sinh", type, wide, false, unary<sinh<B>>},
      {"math.cosh", type, wide, false, unary<cosh<B>>},
      {"math.erfc", type, wide, false, unary<erfc<B>>},
      {"math.tan", type, wide, false, unary<tan<B>>},
      {"math.asin", type, wide, false, unary<asin<B>>},
      {"math.acos", type, wide, false, unary<acos<B>>},
      {"math.atan", type, wide, false, unary<atan<B>>},
      {"math.powf", type, wide, false, binary<pow<B>>},
      {"graph.softplus", type, wide, false, unary<softplus<B>>},
  };
}

} // namespace

llvm::ArrayRef<FunctionRow> bfloat16Rows() {
  static const auto rows = rowsOf<half::BF16>(TypeID::get<BFloat16Type>());
  return rows;
}

llvm::ArrayRef<FunctionRow> float16Rows() {
  static const auto rows = rowsOf<half::F16>(TypeID::get<Float16Type>());
  return rows;
}

} // namespace kiln::functions
