// Elementwise ops whose upstream spelling is undefined for some inputs, or that are one other op.
#include "passes/graph/Decompose.h"

#include "ir/graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::graph {
namespace {

Values relu(ImplicitLocOpBuilder &b, Operation *op) {
  Value x = op->getOperand(0);
  // maximumf orders -0 below +0, so that relu(-0) is +0, and lets NaN win.
  return arith::MaximumFOp::create(b, x, splat(b, x.getType(), 0.0));
}

Value equals(ImplicitLocOpBuilder &b, Value x, const APInt &value) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, splat(b, x.getType(), value));
}

/// A divisor for which division is defined: `y`, or 1 where y is 0 or the quotient would overflow (INT_MIN / -1, whose
/// wrapped quotient and remainder are those of a division by 1).
Value safeDivisor(ImplicitLocOpBuilder &b, Value x, Value y, Value isZero) {
  unsigned width = getElementTypeOrSelf(x).getIntOrFloatBitWidth();
  Value overflows =
      arith::AndIOp::create(b, equals(b, x, APInt::getSignedMinValue(width)), equals(b, y, APInt::getAllOnes(width)));
  Value undefined = arith::OrIOp::create(b, isZero, overflows);
  return arith::SelectOp::create(b, undefined, splat(b, y.getType(), APInt(width, 1)), y);
}

Values divi(ImplicitLocOpBuilder &b, Operation *op) {
  Value x = op->getOperand(0), y = op->getOperand(1);
  APInt zero(getElementTypeOrSelf(x).getIntOrFloatBitWidth(), 0);
  Value isZero = equals(b, y, zero);
  Value quotient = arith::DivSIOp::create(b, x, safeDivisor(b, x, y, isZero));
  return arith::SelectOp::create(b, isZero, splat(b, x.getType(), zero), quotient);
}

Values remi(ImplicitLocOpBuilder &b, Operation *op) {
  Value x = op->getOperand(0), y = op->getOperand(1);
  Value isZero = equals(b, y, APInt(getElementTypeOrSelf(x).getIntOrFloatBitWidth(), 0));
  Value remainder = arith::RemSIOp::create(b, x, safeDivisor(b, x, y, isZero));
  return arith::SelectOp::create(b, isZero, x, remainder);
}

const DecomposeRow kRows[] = {
    {"graph.relu", relu},
    {"graph.divi", divi},
    {"graph.remi", remi},
};
} // namespace

ArrayRef<DecomposeRow> elementwiseDecomposeRows() { return kRows; }

} // namespace kiln::graph
