// Ops of the DSL that move elements.
#include "compiler/dsl/Operands.h"
#include "compiler/kiln/Ops.h"
#include "ir/graph/Graph.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::dsl;

/// Fills in the one extent of -1.
static Shape resolve(const OpScope &scope, Value x, Shape shape) {
  auto unknown = llvm::find(shape, -1);
  if (unknown == shape.end()) return shape;
  int64_t count = cast<RankedTensorType>(x.getType()).getNumElements(), known = 1;
  bool overflow = false;
  for (int64_t &extent : shape)
    if (&extent != &*unknown) overflow |= extent < 0 || __builtin_mul_overflow(known, extent, &known);
  if (overflow || known == 0 || count % known != 0)
    fail(scope.call(), "one extent may be -1, and the others must divide the element count",
         fmt::format("a divisor of {} elements", count), shapeString(shape));
  *unknown = count / known;
  return shape;
}

static void checkExtents(const OpScope &scope, const Shape &shape) {
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    fail(scope.call(), "extents must not be negative", "0 or more", shapeString(shape));
}

Tensor kiln::reshape(const Operand &x, Shape shape) {
  OpScope scope("reshape", {&x});
  Shape resolved = resolve(scope, scope.value(x), std::move(shape));
  checkExtents(scope, resolved);
  return scope.tensor(scope.reshape(scope.value(x), resolved));
}

Tensor kiln::broadcastTo(const Operand &x, Shape shape) {
  OpScope scope("broadcastTo", {&x});
  checkExtents(scope, shape);
  return scope.tensor(scope.broadcast(scope.value(x), shape));
}

static Tensor permuted(OpScope &scope, Value x, ArrayRef<int64_t> order) {
  return scope.tensor(scope.build("graph.transpose", x, scope.attr("perm", scope.b().getDenseI64ArrayAttr(order))));
}

Tensor kiln::permute(const Operand &x, std::vector<int64_t> order) {
  OpScope scope("permute", {&x});
  int64_t rank = shapeOf(scope.value(x)).size();
  for (int64_t &axis : order) axis = normalizeAxis(axis, rank);
  return permuted(scope, scope.value(x), order);
}

Tensor kiln::transpose(const Operand &x, int64_t axis0, int64_t axis1) {
  OpScope scope("transpose", {&x});
  int64_t rank = shapeOf(scope.value(x)).size();
  int64_t first = normalizeAxis(axis0, rank), second = normalizeAxis(axis1, rank);
  for (int64_t axis : {first, second})
    if (axis < 0 || axis >= rank)
      fail(scope.call(), "the axes must be within the rank", fmt::format("axes of rank {}", rank),
           fmt::format("axes {} and {}", axis0, axis1));
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(order[first], order[second]);
  return permuted(scope, scope.value(x), order);
}

/// A slice whose negative positions count from the end of their dimension.
static Tensor sliced(OpScope &scope, Value x, std::vector<int64_t> starts, std::vector<int64_t> limits,
                     ArrayRef<int64_t> steps) {
  for (auto [i, extent] : llvm::enumerate(shapeOf(x)))
    for (auto *positions : {&starts, &limits}) {
      if (i >= positions->size()) continue;
      int64_t &position = (*positions)[i];
      if (position == kEnd)
        position = extent;
      else if (position < 0 && position + extent >= 0)
        position += extent;
    }
  OpBuilder &b = scope.b();
  return scope.tensor(scope.build("graph.slice", x,
                                  {scope.attr("starts", b.getDenseI64ArrayAttr(starts)),
                                   scope.attr("limits", b.getDenseI64ArrayAttr(limits)),
                                   scope.attr("steps", b.getDenseI64ArrayAttr(steps))}));
}

Tensor kiln::slice(const Operand &x, std::vector<int64_t> starts, std::vector<int64_t> limits,
                   std::vector<int64_t> steps) {
  OpScope scope("slice", {&x});
  if (steps.empty()) steps.assign(shapeOf(scope.value(x)).size(), 1);
  return sliced(scope, scope.value(x), std::move(starts), std::move(limits), steps);
}

Tensor kiln::sliceAxis(const Operand &x, int64_t axis, int64_t start, int64_t limit, int64_t step) {
  OpScope scope("sliceAxis", {&x});
  ArrayRef<int64_t> shape = shapeOf(scope.value(x));
  int64_t rank = shape.size(), dim = normalizeAxis(axis, rank);
  if (dim < 0 || dim >= rank)
    fail(scope.call(), "the axis must be within the rank", fmt::format("an axis of rank {}", rank),
         fmt::format("axis {}", axis));
  std::vector<int64_t> starts(rank, 0), limits(shape), steps(rank, 1);
  starts[dim] = start;
  limits[dim] = limit;
  steps[dim] = step;
  return sliced(scope, scope.value(x), std::move(starts), std::move(limits), steps);
}

Tensor kiln::concat(const std::vector<Tensor> &xs, int64_t axis, Where where) {
  OpScope scope("concat", xs, where);
  SmallVector<Value> values;
  for (const Tensor &x : xs) values.push_back(Access::value(scope.call(), x));
  int64_t dim = normalizeAxis(axis, shapeOf(values.front()).size());
  return scope.tensor(scope.build("graph.concat", values, scope.attr("axis", scope.b().getI64IntegerAttr(dim))));
}

Tensor kiln::gather(const Operand &x, const Operand &indices, int64_t axis) {
  OpScope scope("gather", {&x, &indices});
  int64_t dim = normalizeAxis(axis, shapeOf(scope.value(x)).size());
  return scope.tensor(scope.build("graph.gather", {scope.value(x), scope.value(indices)},
                                  scope.attr("axis", scope.b().getI64IntegerAttr(dim))));
}
