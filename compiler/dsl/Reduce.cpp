// Reductions, composites and matmul of the DSL.
#include "compiler/dsl/Operands.h"
#include "compiler/kiln/Ops.h"
#include "ir/graph/Graph.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::dsl;
using graph::ReduceKind;

static Tensor reduce(StringRef name, ReduceKind kind, const Operand &x, const Axes &axes, bool keepDims) {
  OpScope scope(name, {&x});
  Value v = scope.value(x);
  Shape shape(shapeOf(v));
  int64_t rank = static_cast<int64_t>(shape.size());
  SmallVector<int64_t> which;
  if (axes.isAll)
    which = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  else
    for (int64_t axis : axes.axes) which.push_back(normalizeAxis(axis, rank));
  llvm::sort(which);
  Value result = scope.build("graph.reduce", v,
                             {scope.attr("kind", graph::ReduceKindAttr::get(scope.b().getContext(), kind)),
                              scope.attr("axes", scope.b().getDenseI64ArrayAttr(which))});
  if (!keepDims) return scope.tensor(result);
  for (int64_t axis : which) shape[axis] = 1;
  return scope.tensor(scope.reshape(result, shape));
}

#define KILN_REDUCE(NAME)                                                                                              \
  Tensor kiln::NAME(const Operand &x, const Axes &axes, bool keepDims) {                                               \
    return reduce(#NAME, ReduceKind::NAME, x, axes, keepDims);                                                         \
  }
KILN_REDUCE(sum)
KILN_REDUCE(mean)
KILN_REDUCE(max)
KILN_REDUCE(min)
KILN_REDUCE(prod)
#undef KILN_REDUCE

Tensor kiln::softmax(const Operand &x, int64_t axis) {
  OpScope scope("softmax", {&x});
  Value v = scope.value(x);
  int64_t dim = normalizeAxis(axis, shapeOf(v).size());
  return scope.tensor(
      scope.build("graph.softmax", v, scope.attr("axis", scope.b().getI64IntegerAttr(dim)), v.getType()));
}

Tensor kiln::layerNorm(const Operand &x, const Operand &scale, const Operand &bias, double eps) {
  OpScope scope("layerNorm", {&x, &scale, &bias});
  Value v = scope.value(x);
  return scope.tensor(scope.build("graph.layer_norm", {v, scope.value(scale), scope.value(bias)},
                                  scope.attr("eps", scope.b().getF64FloatAttr(eps)), v.getType()));
}

namespace {
/// One matmul in the making: its operands as they are brought to one rank.
struct Matmul {
  OpScope &scope;
  Value a, b;
  MatmulOptions options;

  Value build() {
    SmallVector<NamedAttribute> attributes;
    if (options.transposeA) attributes.push_back(scope.attr("transpose_a", scope.b().getUnitAttr()));
    if (options.transposeB) attributes.push_back(scope.attr("transpose_b", scope.b().getUnitAttr()));
    return scope.build("graph.matmul", {a, b}, attributes);
  }

  /// A batch of rows times one matrix is one product of all rows: no copy of the matrix is made.
  bool flattens() const {
    ArrayRef<int64_t> left = shapeOf(a), right = shapeOf(b);
    return left.size() > 2 && right.size() == 2 && !options.transposeA &&
           left.back() == right[options.transposeB ? 1 : 0];
  }

  Value flattened() {
    Shape batch(shapeOf(a).drop_back());
    int64_t k = shapeOf(a).back(), rows = 1;
    for (int64_t extent : batch) rows *= extent;
    a = scope.reshape(a, {rows, k});
    Value product = build();
    batch.push_back(shapeOf(product).back());
    return scope.reshape(product, batch);
  }

  /// Gives both operands the batch dimensions they broadcast to.
  void broadcastBatches() {
    ArrayRef<int64_t> left = shapeOf(a), right = shapeOf(b);
    if (left.size() < 2 || right.size() < 2) return; // matmul's own rule refuses these
    auto batch = broadcastShapes(left.drop_back(2), right.drop_back(2));
    if (!batch)
      fail(scope.call(), "batch extents must broadcast: aligned at the last, they are equal or 1",
           fmt::format("a batch that goes with {} of a", shapeString(left.drop_back(2))),
           fmt::format("{} of b (a {}, b {})", shapeString(right.drop_back(2)), graph::str(a.getType()),
                       graph::str(b.getType())));
    for (Value *operand : {&a, &b}) {
      Shape shape = *batch;
      llvm::append_range(shape, shapeOf(*operand).take_back(2));
      *operand = scope.broadcast(*operand, shape);
    }
  }
};
} // namespace

Tensor kiln::matmul(const Operand &a, const Operand &b, MatmulOptions options) {
  OpScope scope("matmul", {&a, &b});
  Matmul product{scope, scope.value(a), scope.value(b), options};
  if (product.flattens()) return scope.tensor(product.flattened());
  product.broadcastBatches();
  return scope.tensor(product.build());
}
