// Result types and constraints of reductions, matmul and the composites. The labels (C1), … are those of Reduce.td.
#include "ir/DTypes.h"
#include "ir/graph/Graph.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln::graph;

static RankedTensorType tensorOf(Value v) { return cast<RankedTensorType>(v.getType()); }

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto from = tensorOf(adaptor.getX());
  ArrayRef<int64_t> axes = adaptor.getAxes();
  bool ascending = llvm::is_sorted(axes) && std::adjacent_find(axes.begin(), axes.end()) == axes.end();
  if (!ascending || (!axes.empty() && (axes.front() < 0 || axes.back() >= from.getRank())))
    return violate(loc, "graph.reduce",
                   {"C1", "axes must be distinct, ascending and within the rank",
                    from.getRank() ? fmt::format("axes of 0..{}", from.getRank() - 1) : "no axes", str(axes)});
  SmallVector<int64_t> shape;
  int64_t combined = 1;
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (llvm::is_contained(axes, d))
      combined *= from.getDimSize(d);
    else
      shape.push_back(from.getDimSize(d));
  ReduceKind kind = adaptor.getKind();
  bool extremum = kind == ReduceKind::max || kind == ReduceKind::min;
  if (extremum && combined == 0)
    return violate(loc, "graph.reduce",
                   {"C2", fmt::format("{} of nothing has no value", stringifyReduceKind(kind).str()),
                    "at least 1 element along the axes", fmt::format("0 ({})", str(from))});
  Type element = from.getElementType();
  if (element.isInteger(1) && !extremum)
    return violate(loc, "graph.reduce",
                   {"C3", "bool has no arithmetic", "max (any) or min (all)", stringifyReduceKind(kind).str(),
                    "cast to i32 first"});
  if (kind == ReduceKind::mean && element.isInteger()) element = Float32Type::get(context);
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto a = tensorOf(adaptor.getA()), b = tensorOf(adaptor.getB());
  int64_t rank = a.getRank();
  if (rank < 2 || b.getRank() != rank)
    return violate(loc, "graph.matmul",
                   {"C1", "both operands must have the same rank, at least 2",
                    fmt::format("rank {} for b", std::max<int64_t>(rank, 2)), fmt::format("a {}, b {}", str(a), str(b)),
                    "broadcast or reshape an operand"});
  if (a.getShape().drop_back(2) != b.getShape().drop_back(2))
    return violate(loc, "graph.matmul",
                   {"C2", "batch extents must agree", str(a.getShape().drop_back(2)),
                    fmt::format("{} (a {}, b {})", str(b.getShape().drop_back(2)), str(a), str(b)),
                    "broadcast an operand"});
  bool ta = adaptor.getTransposeA(), tb = adaptor.getTransposeB();
  int64_t m = a.getDimSize(ta ? rank - 1 : rank - 2), ka = a.getDimSize(ta ? rank - 2 : rank - 1);
  int64_t kb = b.getDimSize(tb ? rank - 1 : rank - 2), n = b.getDimSize(tb ? rank - 2 : rank - 1);
  if (ka != kb)
    return violate(loc, "graph.matmul",
                   {"C3", "the contracted extents must agree", fmt::format("K = {} from a {}", ka, str(a)),
                    fmt::format("K = {} from b {}", kb, str(b)),
                    n == ka ? (tb ? "drop transpose_b" : "transpose_b") : ""});
  if (a.getElementType() != b.getElementType())
    return violate(
        loc, "graph.matmul",
        {"C4", "element types must agree", str(a.getElementType()), str(b.getElementType()), "cast one operand"});
  SmallVector<int64_t> shape(a.getShape().drop_back(2));
  shape.append({m, n});
  types.push_back(RankedTensorType::get(shape, a.getElementType()));
  return success();
}

/// The inferred type, or the one that its elements accumulate in.
bool MatmulOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  if (inferred.size() != 1 || actual.size() != 1) return false;
  auto rounded = dyn_cast<RankedTensorType>(inferred[0]);
  if (!rounded || inferred[0] == actual[0]) return rounded != nullptr;
  return rounded.clone(ir::accumulatorOf(rounded)) == actual[0];
}

LogicalResult SoftmaxOp::verify() {
  auto type = tensorOf(getX());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= type.getRank())
    return violate(getLoc(), "graph.softmax",
                   {"C1", "the axis must be within the rank", fmt::format("0 <= axis < {}", type.getRank()),
                    fmt::format("axis {}", axis)});
  return success();
}

LogicalResult LayerNormOp::verify() {
  auto x = tensorOf(getX());
  if (x.getRank() < 1)
    return violate(getLoc(), "graph.layer_norm",
                   {"C1", "there must be a dimension to normalise", "rank 1 or more", "rank 0"});
  auto vector = RankedTensorType::get({x.getShape().back()}, x.getElementType());
  for (Value v : {getScale(), getBias()})
    if (v.getType() != vector)
      return violate(
          getLoc(), "graph.layer_norm",
          {"C2", "scale and bias must be vectors as long as x's last dimension", str(vector), str(v.getType())});
  double eps = getEps().convertToDouble();
  if (!std::isfinite(eps) || eps < 0)
    return violate(getLoc(), "graph.layer_norm",
                   {"C3", "eps must be finite and not negative", "eps >= 0", fmt::format("{}", eps)});
  if (getType() != x)
    return violate(getLoc(), "graph.layer_norm", {"C4", "the result must have x's type", str(x), str(getType())});
  return success();
}
