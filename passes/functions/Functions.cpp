#include "passes/functions/Functions.h"

#include "ir/graph/Graph.h"
#include "passes/functions/Activations.h"
#include "passes/functions/Hyperbolic.h"
#include "passes/functions/MlirBuilder.h"
#include "passes/functions/Pow.h"
#include "passes/functions/Trig.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace kiln::functions {

template <Value (*function)(MlirBuilder &, Value)>
static Value unary(OpBuilder &builder, Location loc, Operation *, ValueRange operands) {
  MlirBuilder b(builder, loc, operands[0].getType());
  return function(b, operands[0]);
}

template <Value (*function)(MlirBuilder &, Value, Value)>
static Value binary(OpBuilder &builder, Location loc, Operation *, ValueRange operands) {
  MlirBuilder b(builder, loc, operands[0].getType());
  return function(b, operands[0], operands[1]);
}

static Value emitGelu(OpBuilder &builder, Location loc, Operation *op, ValueRange operands) {
  MlirBuilder b(builder, loc, operands[0].getType());
  bool tanhForm = cast<graph::GeluOp>(op).getForm() == graph::GeluForm::tanh;
  return tanhForm ? geluTanh(b, operands[0]) : gelu(b, operands[0]);
}

llvm::ArrayRef<FunctionRow> functionRows() {
  using B = MlirBuilder;
  static const TypeID f32 = TypeID::get<Float32Type>();
  static const FunctionRow rows[] = {
      {"math.exp", f32, 2, unary<exp<B>>},
      {"math.exp2", f32, 2, unary<exp2<B>>},
      {"math.expm1", f32, 2, unary<expm1<B>>},
      {"math.log", f32, 2, unary<log<B>>},
      {"math.log2", f32, 2, unary<log2<B>>},
      {"math.log1p", f32, 2, unary<log1p<B>>},
      {"math.tanh", f32, 2, unary<tanh<B>>},
      {"math.sinh", f32, 2, unary<sinh<B>>},
      {"math.cosh", f32, 2, unary<cosh<B>>},
      {"math.erf", f32, 2, unary<erf<B>>},
      {"math.erfc", f32, 2, unary<erfc<B>>},
      {"math.sin", f32, 2, unary<sin<B>>},
      {"math.cos", f32, 2, unary<cos<B>>},
      {"math.tan", f32, 2, unary<tan<B>>},
      {"math.asin", f32, 2, unary<asin<B>>},
      {"math.acos", f32, 2, unary<acos<B>>},
      {"math.atan", f32, 2, unary<atan<B>>},
      {"math.rsqrt", f32, 2, unary<rsqrt<B>>},
      {"math.powf", f32, 4, binary<pow<B>>},
      {"graph.sigmoid", f32, 2, unary<sigmoid<B>>},
      {"graph.softplus", f32, 2, unary<softplus<B>>},
      {"graph.gelu", f32, 4, emitGelu},
  };
  return rows;
}

const FunctionRow *findFunction(llvm::StringRef opName, Type elementType) {
  for (const FunctionRow &row : functionRows())
    if (row.op == opName && row.elementType == elementType.getTypeID()) return &row;
  return nullptr;
}

} // namespace kiln::functions
