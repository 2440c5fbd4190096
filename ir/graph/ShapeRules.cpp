// Result types and constraints of the ops that move elements. The labels (C1), … are those of Shape.td.
#include "ir/graph/Graph.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::graph;

static RankedTensorType tensorOf(Value v) { return cast<RankedTensorType>(v.getType()); }

/// (C) `axis` is within the rank.
static LogicalResult checkAxis(std::optional<Location> loc, StringRef op, StringRef constraint, int64_t axis,
                               int64_t rank) {
  if (axis >= 0 && axis < rank) return success();
  return violate(loc, op,
                 {constraint, "the axis must be within the rank", fmt::format("0 <= axis < {}", rank),
                  fmt::format("axis {}", axis)});
}

LogicalResult BroadcastOp::verify() {
  auto from = tensorOf(getX()), to = getType();
  if (from.getElementType() != to.getElementType())
    return violate(getLoc(), "graph.broadcast",
                   {"C1", "element types must agree", str(from.getElementType()), str(to.getElementType()),
                    "cast the operand first"});
  ArrayRef<int64_t> dims = getDims();
  bool ascending = llvm::is_sorted(dims) && std::adjacent_find(dims.begin(), dims.end()) == dims.end();
  bool inRange = dims.empty() || (dims.front() >= 0 && dims.back() < to.getRank());
  if (static_cast<int64_t>(dims.size()) != from.getRank() || !ascending || !inRange)
    return violate(getLoc(), "graph.broadcast",
                   {"C2", "dims must place each operand dimension, in order",
                    fmt::format("{} ascending dims below {}", from.getRank(), to.getRank()), str(dims)});
  for (auto [i, dim] : llvm::enumerate(dims))
    if (from.getDimSize(i) != 1 && from.getDimSize(i) != to.getDimSize(dim))
      return violate(getLoc(), "graph.broadcast",
                     {"C3", fmt::format("extent of dimension {} must be 1 or the result's", i),
                      fmt::format("1 or {}", to.getDimSize(dim)), std::to_string(from.getDimSize(i))});
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = tensorOf(getX()), to = getType();
  if (from.getElementType() != to.getElementType())
    return violate(getLoc(), "graph.reshape",
                   {"C1", "element types must agree", str(from.getElementType()), str(to.getElementType()),
                    "cast the operand first"});
  if (from.getNumElements() != to.getNumElements())
    return violate(getLoc(), "graph.reshape",
                   {"C2", "element counts must agree", fmt::format("{} elements", from.getNumElements()),
                    fmt::format("{} ({})", to.getNumElements(), str(to))});
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto from = tensorOf(adaptor.getX());
  ArrayRef<int64_t> perm = adaptor.getPerm();
  llvm::SmallBitVector seen(from.getRank());
  bool valid = static_cast<int64_t>(perm.size()) == from.getRank();
  for (int64_t p : perm) {
    valid = valid && p >= 0 && p < from.getRank() && !seen.test(p);
    if (valid) seen.set(p);
  }
  if (!valid)
    return violate(loc, "graph.transpose",
                   {"C1", "perm must be a permutation of the operand's dimensions",
                    from.getRank() ? fmt::format("each of 0..{} once", from.getRank() - 1) : "[]", str(perm)});
  SmallVector<int64_t> shape;
  for (int64_t p : perm) shape.push_back(from.getDimSize(p));
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto from = tensorOf(adaptor.getX());
  ArrayRef<int64_t> starts = adaptor.getStarts(), limits = adaptor.getLimits(), steps = adaptor.getSteps();
  size_t rank = from.getRank();
  if (starts.size() != rank || limits.size() != rank || steps.size() != rank)
    return violate(loc, "graph.slice",
                   {"C1", "one start, limit and step per dimension", fmt::format("{} of each", rank),
                    fmt::format("{}, {} and {}", starts.size(), limits.size(), steps.size())});
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    if (starts[i] < 0 || starts[i] > limits[i] || limits[i] > from.getDimSize(i))
      return violate(loc, "graph.slice",
                     {"C2", fmt::format("the window of dimension {} must lie inside it", i),
                      fmt::format("0 <= start <= limit <= {}", from.getDimSize(i)),
                      fmt::format("start {}, limit {}", starts[i], limits[i])});
    if (steps[i] < 1)
      return violate(
          loc, "graph.slice",
          {"C3", fmt::format("the step of dimension {} must be positive", i), "at least 1", std::to_string(steps[i])});
    shape.push_back((limits[i] - starts[i]) / steps[i] + ((limits[i] - starts[i]) % steps[i] != 0));
  }
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (adaptor.getXs().empty())
    return violate(loc, "graph.concat", {"C1", "there must be something to join", "at least 1 operand", "none"});
  auto first = tensorOf(adaptor.getXs().front());
  int64_t axis = adaptor.getAxis();
  if (failed(checkAxis(loc, "graph.concat", "C2", axis, first.getRank()))) return failure();
  SmallVector<int64_t> shape(first.getShape());
  shape[axis] = 0;
  for (auto [i, x] : llvm::enumerate(adaptor.getXs())) {
    auto type = tensorOf(x);
    bool fits = type.getElementType() == first.getElementType() && type.getRank() == first.getRank();
    for (int64_t d = 0; fits && d < type.getRank(); ++d) fits = d == axis || type.getDimSize(d) == first.getDimSize(d);
    if (!fits)
      return violate(loc, "graph.concat",
                     {"C3", fmt::format("operand {} must match the first in all but dimension {}", i, axis), str(first),
                      str(type)});
    shape[axis] += type.getDimSize(axis);
  }
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto from = tensorOf(adaptor.getX()), indices = tensorOf(adaptor.getIndices());
  int64_t axis = adaptor.getAxis();
  if (failed(checkAxis(loc, "graph.gather", "C1", axis, from.getRank()))) return failure();
  SmallVector<int64_t> shape(from.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, from.getShape().drop_front(axis + 1));
  auto type = RankedTensorType::get(shape, from.getElementType());
  if (from.getDimSize(axis) == 0 && type.getNumElements() != 0)
    return violate(loc, "graph.gather",
                   {"C2", "there must be something to read along the axis", "an extent of at least 1",
                    fmt::format("0 ({})", str(from))});
  types.push_back(type);
  return success();
}

LogicalResult IotaOp::verify() {
  auto type = getType();
  if (failed(checkAxis(getLoc(), "graph.iota", "C1", getAxis(), type.getRank()))) return failure();
  if (type.getElementType().isInteger(1))
    return violate(getLoc(), "graph.iota", {"C2", "elements must hold an index", "an integer or float dtype", "bool"});
  return success();
}
