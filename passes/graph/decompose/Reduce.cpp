// Composites over rows, the mean, and combinations of nothing.
#include "ir/DTypes.h"
#include "passes/graph/Decompose.h"

#include "ir/graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numeric>

using namespace mlir;

namespace kiln::graph {
namespace {

int64_t elementsAlong(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  return std::accumulate(axes.begin(), axes.end(), int64_t(1), [&](int64_t n, int64_t d) { return n * shape[d]; });
}

bool isEmpty(Value v) { return cast<RankedTensorType>(v.getType()).getNumElements() == 0; }

/// A row-space value repeated along `axis` of `type`.
Value broadcastBack(ImplicitLocOpBuilder &b, Value row, RankedTensorType type, int64_t axis) {
  SmallVector<int64_t> dims;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != axis) dims.push_back(d);
  return BroadcastOp::create(b, type, row, dims);
}

Value reduceAlong(ImplicitLocOpBuilder &b, ReduceKind kind, Value x, int64_t axis) {
  return ReduceOp::create(b, kind, x, ArrayRef<int64_t>{axis});
}

/// The combination of no elements.
Value identity(ImplicitLocOpBuilder &b, ReduceKind kind, RankedTensorType type) {
  int one = kind == ReduceKind::prod;
  if (type.getElementType().isInteger()) return splat(b, type, APInt(type.getElementTypeBitWidth(), one));
  return splat(b, type, double(one));
}

/// sum(x) / n in f32, n rounded to f32; over no elements 0/0, which is NaN. x is f32 or integer.
Value mean(ImplicitLocOpBuilder &b, Value x, ArrayRef<int64_t> axes, RankedTensorType type, int64_t n) {
  if (getElementTypeOrSelf(x).isInteger())
    x = arith::SIToFPOp::create(b, cast<RankedTensorType>(x.getType()).clone(b.getF32Type()), x);
  if (axes.empty()) return x;
  Value sum = n == 0 ? identity(b, ReduceKind::sum, type) : ReduceOp::create(b, ReduceKind::sum, x, axes);
  return arith::DivFOp::create(b, sum, splat(b, type, double(n)));
}

/// 16-bit floats are combined in f32 and rounded once.
Values reduce(ImplicitLocOpBuilder &b, Operation *operation) {
  auto op = cast<ReduceOp>(operation);
  auto type = cast<RankedTensorType>(op.getType());
  int64_t n = elementsAlong(shapeOf(op.getX()), op.getAxes());
  bool half = ir::isWidened(type);
  if (op.getAxes().empty() && (half || op.getKind() != ReduceKind::mean)) return op.getX();
  RankedTensorType wide = half ? type.clone(b.getF32Type()) : type;
  if (op.getKind() == ReduceKind::mean)
    return rounded(b, mean(b, widened(b, op.getX()), op.getAxes(), wide, n), type.getElementType());
  if (n == 0) return identity(b, op.getKind(), type);
  if (!half) return op;
  return rounded(b, ReduceOp::create(b, op.getKind(), widened(b, op.getX()), op.getAxes()), type.getElementType());
}

/// Operands of 16 bits stay, their products are summed in f32 and rounded once.
Values matmul(ImplicitLocOpBuilder &b, Operation *operation) {
  auto op = cast<MatmulOp>(operation);
  auto type = cast<RankedTensorType>(op.getType());
  if (isEmpty(op.getA())) return splat(b, type, 0.0); // K = 0: sums of nothing
  if (!ir::isWidened(type)) return op;
  auto wide =
      MatmulOp::create(b, type.clone(b.getF32Type()), op.getA(), op.getB(), op.getTransposeA(), op.getTransposeB());
  return rounded(b, wide, type.getElementType());
}

/// exp(x - max) / sum(exp(x - max)), in two passes, in f32.
Values softmax(ImplicitLocOpBuilder &b, Operation *operation) {
  auto op = cast<SoftmaxOp>(operation);
  Value x = widened(b, op.getX());
  auto type = cast<RankedTensorType>(x.getType());
  int64_t axis = op.getAxis();
  Value largest = broadcastBack(b, reduceAlong(b, ReduceKind::max, x, axis), type, axis);
  Value shifted = arith::SubFOp::create(b, x, largest);
  Value exponential = math::ExpOp::create(b, shifted);
  // One division per row, not per element: the sum is at least 1, so its inverse is a number.
  Value sum = reduceAlong(b, ReduceKind::sum, exponential, axis);
  Value inverse = arith::DivFOp::create(b, splat(b, sum.getType(), 1.0), sum);
  Value quotient = arith::MulFOp::create(b, exponential, broadcastBack(b, inverse, type, axis));
  return rounded(b, quotient, getElementTypeOrSelf(op.getType()));
}

/// ((x - mean) · rsqrt(var + eps)) · scale + bias, mean and variance in two passes, in f32.
Values layerNorm(ImplicitLocOpBuilder &b, Operation *operation) {
  auto op = cast<LayerNormOp>(operation);
  Value x = widened(b, op.getX());
  auto type = cast<RankedTensorType>(x.getType());
  int64_t axis = type.getRank() - 1;
  auto meanAlong = [&](Value v) -> Value {
    Value sum = reduceAlong(b, ReduceKind::sum, v, axis);
    return arith::DivFOp::create(b, sum, splat(b, sum.getType(), double(type.getDimSize(axis))));
  };
  Value centred = arith::SubFOp::create(b, x, broadcastBack(b, meanAlong(x), type, axis));
  Value variance = meanAlong(arith::MulFOp::create(b, centred, centred));
  Value shifted = arith::AddFOp::create(b, variance, splat(b, variance.getType(), op.getEps().convertToDouble()));
  Value scaleRow = math::RsqrtOp::create(b, shifted);
  Value normal = arith::MulFOp::create(b, centred, broadcastBack(b, scaleRow, type, axis));
  auto alongLast = [&](Value v) -> Value {
    return BroadcastOp::create(b, type, widened(b, v), ArrayRef<int64_t>{axis});
  };
  Value scaled = arith::MulFOp::create(b, normal, alongLast(op.getScale()));
  Value moved = arith::AddFOp::create(b, scaled, alongLast(op.getBias()));
  return rounded(b, moved, getElementTypeOrSelf(op.getType()));
}

const DecomposeRow kRows[] = {
    {"graph.reduce", reduce},
    {"graph.matmul", matmul},
    {"graph.softmax", softmax},
    {"graph.layer_norm", layerNorm},
};
} // namespace

ArrayRef<DecomposeRow> reduceDecomposeRows() { return kRows; }

} // namespace kiln::graph
