// Casts that upstream leaves undefined for some inputs, or that would round twice, and indices as floats.
#include "ir/DTypes.h"
#include "passes/graph/Decompose.h"

#include "ir/graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::graph {
namespace {

Value integerSplat(ImplicitLocOpBuilder &b, Value like, int64_t value) {
  unsigned width = getElementTypeOrSelf(like).getIntOrFloatBitWidth();
  return splat(b, like.getType(),
               APInt(width, static_cast<uint64_t>(value), /*isSigned=*/true, /*implicitTrunc=*/true));
}

/// The bounds are powers of two, exact in f32; NaN fails each ordered comparison.
Values fpToSi(ImplicitLocOpBuilder &b, Operation *op) {
  Value x = widened(b, op->getOperand(0));
  Type to = op->getResult(0).getType();
  unsigned width = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  APInt lowest = APInt::getSignedMinValue(width), highest = APInt::getSignedMaxValue(width);
  double limit = -lowest.signedRoundToDouble();
  auto compare = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(b, predicate, x, splat(b, x.getType(), bound));
  };
  Value notBelow = compare(arith::CmpFPredicate::OGE, -limit), notAbove = compare(arith::CmpFPredicate::OLT, limit);
  Value below = compare(arith::CmpFPredicate::OLT, -limit), above = compare(arith::CmpFPredicate::OGE, limit);
  Value inside = arith::AndIOp::create(b, notBelow, notAbove);
  Value safe = arith::SelectOp::create(b, inside, x, splat(b, x.getType(), 0.0));
  Value result = arith::FPToSIOp::create(b, to, safe);
  result = arith::SelectOp::create(b, above, splat(b, to, highest), result);
  return arith::SelectOp::create(b, below, splat(b, to, lowest), result);
}

/// An integer of at most 24 significant bits that rounds to the same f16: from 2^17 on all are infinite.
Value shortenedForF16(ImplicitLocOpBuilder &b, Value x) {
  x = arith::MinSIOp::create(b, x, integerSplat(b, x, 1 << 17));
  return arith::MaxSIOp::create(b, x, integerSplat(b, x, -(1 << 17)));
}

/// An integer of at most 24 significant bits that rounds to the same bf16: what is dropped leaves a 1 in the last bit
/// kept (rounding to odd), far below the place where bf16's 8 bits round. From 2^t on 2^(t - 9) is dropped; the next
/// threshold takes over before 24 bits are passed.
Value shortenedForBF16(ImplicitLocOpBuilder &b, Value x) {
  int width = static_cast<int>(getElementTypeOrSelf(x).getIntOrFloatBitWidth());
  Value zero = integerSplat(b, x, 0);
  for (int t = 24; t < width; t += 15) {
    int64_t limit = int64_t(1) << t, unit = limit >> 9;
    // -2^t <= x < 2^t; at the widest threshold the sum may wrap, which an unsigned comparison takes as it should.
    Value shifted = arith::AddIOp::create(b, x, integerSplat(b, x, limit));
    Value small = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, shifted, integerSplat(b, x, 2 * limit));
    Value rest = arith::AndIOp::create(b, x, integerSplat(b, x, unit - 1));
    Value exact = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, zero);
    Value kept = arith::AndIOp::create(b, x, integerSplat(b, x, -unit));
    Value odd = arith::OrIOp::create(b, kept, integerSplat(b, x, unit));
    x = arith::SelectOp::create(b, small, x, arith::SelectOp::create(b, exact, kept, odd));
  }
  return x;
}

/// The float nearest to an integer, rounded once.
Value toFloat(ImplicitLocOpBuilder &b, Value x, RankedTensorType to) {
  if (!ir::isWidened(to)) return arith::SIToFPOp::create(b, to, x);
  Value shortened = to.getElementType().isF16() ? shortenedForF16(b, x) : shortenedForBF16(b, x);
  Value exact = arith::SIToFPOp::create(b, to.clone(b.getF32Type()), shortened);
  return rounded(b, exact, to.getElementType());
}

Values siToFp(ImplicitLocOpBuilder &b, Operation *op) {
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  return ir::isWidened(to) ? toFloat(b, op->getOperand(0), to) : op->getResult(0);
}

/// 0 and 1 are exact in every float type.
Values uiToFp(ImplicitLocOpBuilder &b, Operation *op) {
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  if (!ir::isWidened(to)) return op->getResult(0);
  Value exact = arith::UIToFPOp::create(b, to.clone(b.getF32Type()), op->getOperand(0));
  return rounded(b, exact, to.getElementType());
}

Values iota(ImplicitLocOpBuilder &b, Operation *op) {
  auto iota = cast<IotaOp>(op);
  auto to = cast<RankedTensorType>(iota.getType());
  if (!ir::isWidened(to)) return iota;
  Value index = IotaOp::create(b, to.clone(b.getI64Type()), iota.getAxis());
  return toFloat(b, index, to);
}

const DecomposeRow kRows[] = {
    {"arith.sitofp", siToFp},
    {"arith.uitofp", uiToFp},
    {"graph.fptosi", fpToSi},
    {"graph.iota", iota},
};
} // namespace

ArrayRef<DecomposeRow> castDecomposeRows() { return kRows; }

} // namespace kiln::graph
