// Rows of reductions: the reduced dimensions are moved to the end, then each row is combined.
#include "passes/interp/numeric/Reduce.h"
#include "passes/interp/Rows.h"
#include "passes/interp/numeric/Move.h"

#include "ir/graph/Graph.h"

using namespace mlir;

namespace kiln::interp {
namespace {

Reduction reductionOf(graph::ReduceKind kind) {
  switch (kind) {
  case graph::ReduceKind::sum:
    return Reduction::Sum;
  case graph::ReduceKind::mean:
    return Reduction::Mean;
  case graph::ReduceKind::max:
    return Reduction::Max;
  case graph::ReduceKind::min:
    return Reduction::Min;
  case graph::ReduceKind::prod:
    return Reduction::Prod;
  }
  return Reduction::Sum;
}

LogicalResult reduce(graph::ReduceOp reduce, Operands x, MutableArrayRef<OracleTensor> results) {
  ArrayRef<int64_t> axes = reduce.getAxes();
  int64_t rank = static_cast<int64_t>(x[0]->shape.size()), n = 1;
  SmallVector<int64_t> perm;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(axes, d)) perm.push_back(d);
  for (int64_t axis : axes) {
    perm.push_back(axis);
    n *= x[0]->shape[axis];
  }
  Reduction kind = reductionOf(reduce.getKind());
  bool extremum = kind == Reduction::Max || kind == Reduction::Min;
  results[0].zeroSigns &= extremum;
  // No axes: every element is a row of its own, and a row's last axis is the last one there is.
  ReduceOrder order = axes.empty() || axes.back() == rank - 1 ? ReduceOrder::Row : ReduceOrder::Column;
  OracleTensor storage;
  const OracleTensor &wide = widened(*x[0], storage);
  if (llvm::is_sorted(perm))
    reduceRows(kind, order, wide, n, results[0]);
  else
    reduceRows(kind, order, permuted(wide, perm), n, results[0]);
  roundElements(results[0]);
  return success();
}

const InterpRow kRows[] = {
    {"graph.reduce", ir::typed<reduce>,
     "sum, mean: depth of the canonical order in half units of sum |x|, the mean half a unit more; prod: n - 1 half "
     "units; "
     "max, min and integers: none"},
};

} // namespace

ArrayRef<InterpRow> reduceRows() { return kRows; }

} // namespace kiln::interp
