#include "compiler/dsl/Operands.h"

#include "ir/graph/Graph.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::dsl;

ArrayRef<int64_t> kiln::dsl::shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

int64_t kiln::dsl::normalizeAxis(int64_t axis, int64_t rank) {
  return axis < 0 && axis + rank >= 0 ? axis + rank : axis;
}

std::optional<Shape> kiln::dsl::broadcastShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size()) std::swap(a, b);
  Shape shape(a);
  size_t lead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &extent = shape[lead + i];
    if (extent == 1) extent = b[i];
    if (b[i] != 1 && b[i] != extent) return std::nullopt;
  }
  return shape;
}

OpScope::OpScope(StringRef name, std::initializer_list<const Operand *> operands)
    : where{name, (*operands.begin())->where} {
  for (const Operand *operand : operands) {
    auto *tensor = std::get_if<Tensor>(&operand->content);
    if (!tensor) continue;
    const auto &owner = Access::graphOf(where, *tensor);
    if (graph && graph != owner)
      fail(where, "operands must come from one graph", "tensors of one kiln::Graph", "of two");
    graph = owner;
  }
  if (!graph) fail(where, "one operand must be a tensor", "a kiln::Tensor", "C++ scalars only");
  rollback.emplace(*graph);
}

OpScope::OpScope(StringRef name, ArrayRef<Tensor> operands, Where line) : where{name, line} {
  if (operands.empty()) fail(where, "there must be something to join", "at least 1 tensor", "none");
  for (const Tensor &tensor : operands) {
    const auto &owner = Access::graphOf(where, tensor);
    if (graph && graph != owner)
      fail(where, "operands must come from one graph", "tensors of one kiln::Graph", "of two");
    graph = owner;
  }
  rollback.emplace(*graph);
}

Value OpScope::value(const Operand &operand) const {
  auto *tensor = std::get_if<Tensor>(&operand.content);
  if (!tensor) fail(where, "the operand must be a tensor", "a kiln::Tensor", "a C++ scalar", "Graph::full makes one");
  return Access::value(where, *tensor);
}

namespace {
/// Turns a C++ scalar into an element; throws through `call` where it does not fit.
struct ScalarFit {
  const Call &call;
  Type element;

  [[noreturn]] void refuse(const std::string &found) const {
    fail(call, "a scalar takes the tensor's dtype and must fit it", std::string(name(dtypeOf(element))), found,
         "cast the tensor, or write another scalar");
  }
  Attribute operator()(const Tensor &) const { return {}; }
  Attribute operator()(bool value) const {
    if (!element.isInteger(1)) refuse(value ? "true" : "false");
    return IntegerAttr::get(element, value);
  }
  Attribute operator()(int64_t value) const {
    if (auto type = dyn_cast<FloatType>(element)) return (*this)(static_cast<double>(value));
    if (element.isInteger(1) || !llvm::isIntN(element.getIntOrFloatBitWidth(), value)) refuse(std::to_string(value));
    return IntegerAttr::get(element, value);
  }
  Attribute operator()(double value) const {
    auto type = dyn_cast<FloatType>(element);
    if (!type) refuse(fmt::format("{}", value));
    llvm::APFloat exact(value);
    bool losesInfo = false;
    exact.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    if (std::isfinite(value) && !exact.isFinite()) refuse(fmt::format("{}", value));
    return FloatAttr::get(type, exact);
  }
};
} // namespace

Attribute kiln::dsl::scalarAttr(const Call &call, const Operand &value, RankedTensorType type) {
  Attribute element = std::visit(ScalarFit{call, type.getElementType()}, value.content);
  if (!element) fail(call, "the operand must be a C++ scalar", "a number or bool", "a tensor");
  return element;
}

Value OpScope::splat(const Operand &operand, RankedTensorType type) {
  return graph->constant(where, DenseElementsAttr::get(type, scalarAttr(where, operand, type)));
}

Value OpScope::broadcast(Value x, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = shapeOf(x);
  if (from == shape) return x;
  int64_t lead = static_cast<int64_t>(shape.size()) - static_cast<int64_t>(from.size());
  if (lead < 0)
    fail(where, "a broadcast adds dimensions, it drops none", fmt::format("rank {} or more", from.size()),
         fmt::format("{}", shapeString(shape)));
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(lead, shape.size()));
  return build("graph.broadcast", x, attr("dims", b().getDenseI64ArrayAttr(dims)),
               RankedTensorType::get(shape, getElementTypeOrSelf(x)));
}

Value OpScope::reshape(Value x, ArrayRef<int64_t> shape) {
  if (shapeOf(x) == shape) return x;
  return build("graph.reshape", x, {}, RankedTensorType::get(shape, getElementTypeOrSelf(x)));
}

SmallVector<Value> OpScope::unify(ArrayRef<const Operand *> operands) {
  Value first;
  std::optional<Shape> shape;
  for (const Operand *operand : operands) {
    if (!std::holds_alternative<Tensor>(operand->content)) continue;
    Value x = value(*operand);
    if (!first) {
      first = x;
      shape = Shape(shapeOf(x));
      continue;
    }
    Type want = getElementTypeOrSelf(first), have = getElementTypeOrSelf(x);
    if (want != have) {
      auto dtype = name(dtypeOf(want));
      fail(where, "operands must have one dtype", graph::str(first.getType()), graph::str(x.getType()),
           fmt::format("cast(operand, kiln::{})", dtype == "bool" ? "boolean" : dtype));
    }
    auto joined = broadcastShapes(*shape, shapeOf(x));
    if (!joined)
      fail(where, "shapes must broadcast: aligned at the last dimension, extents are equal or 1",
           fmt::format("a shape that goes with {}", shapeString(*shape)), graph::str(x.getType()),
           "reshape or broadcastTo one operand");
    shape = std::move(joined);
  }
  if (!first) fail(where, "one of these operands must be a tensor", "a kiln::Tensor", "C++ scalars only");
  auto type = RankedTensorType::get(*shape, getElementTypeOrSelf(first));
  SmallVector<Value> values;
  for (const Operand *operand : operands)
    values.push_back(std::holds_alternative<Tensor>(operand->content) ? broadcast(value(*operand), *shape)
                                                                      : splat(*operand, type));
  return values;
}
