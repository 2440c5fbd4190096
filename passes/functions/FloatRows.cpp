// The functions of f32.
#include "passes/functions/Rows.h"

#include "ir/graph/Graph.h"
#include "passes/functions/Activations.h"
#include "passes/functions/Hyperbolic.h"
#include "passes/functions/MlirBuilder.h"
#include "passes/functions/Pow.h"
#include "passes/functions/Trig.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace kiln::functions {
namespace {

template <Value (*function)(MlirBuilder &, Value)>
Value unary(OpBuilder &builder, Location loc, Operation *, ValueRange operands, Facilities facilities) {
  MlirBuilder b(builder, loc, operands[0].getType(), facilities.approx);
  return function(b, operands[0]);
}

template <Value (*function)(MlirBuilder &, Value, Value)>
Value binary(OpBuilder &builder, Location loc, Operation *, ValueRange operands, Facilities facilities) {
  MlirBuilder b(builder, loc, operands[0].getType(), facilities.approx);
  return function(b, operands[0], operands[1]);
}

Value emitGelu(OpBuilder &builder, Location loc, Operation *op, ValueRange operands, Facilities facilities) {
  MlirBuilder b(builder, loc, operands[0].getType(), facilities.approx);
  bool tanhForm = cast<graph::GeluOp>(op).getForm() == graph::GeluForm::tanh;
  return tanhForm ? geluTanh(b, operands[0]) : gelu(b, operands[0]);
}

} // namespace

llvm::ArrayRef<FunctionRow> floatRows() {
  using B = MlirBuilder;
  static const TypeID f32 = TypeID::get<Float32Type>();
  static const FunctionRow rows[] = {
      {"math.exp", f32, 2, false, unary<exp<B>>},
      {"math.exp2", f32, 2, false, unary<exp2<B>>},
      {"math.expm1", f32, 2, false, unary<expm1<B>>},
      {"math.log", f32, 2, false, unary<log<B>>},
      {"math.log2", f32, 2, false, unary<log2<B>>},
      {"math.log1p", f32, 2, false, unary<log1p<B>>},
      {"math.tanh", f32, 2, false, unary<tanh<B>>},
      {"math.sinh", f32, 2, false, unary<sinh<B>>},
      {"math.cosh", f32, 2, false, unary<cosh<B>>},
      {"math.erf", f32, 2, false, unary<erf<B>>},
      {"math.erfc", f32, 2, false, unary<erfc<B>>},
      {"math.sin", f32, 2, false, unary<sin<B>>},
      {"math.cos", f32, 2, false, unary<cos<B>>},
      {"math.tan", f32, 2, false, unary<tan<B>>},
      {"math.asin", f32, 2, false, unary<asin<B>>},
      {"math.acos", f32, 2, false, unary<acos<B>>},
      {"math.atan", f32, 2, false, unary<atan<B>>},
      {"math.rsqrt", f32, 2, false, unary<rsqrt<B>>},
      {"math.powf", f32, 4, false, binary<pow<B>>},
      {"graph.sigmoid", f32, 2, false, unary<sigmoid<B>>},
      {"graph.softplus", f32, 2, false, unary<softplus<B>>},
      {"graph.gelu", f32, 4, false, emitGelu},
  };
  return rows;
}

} // namespace kiln::functions
