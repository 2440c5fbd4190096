// Rows of composites, which are computed as what they decompose to.
#include "passes/interp/numeric/Composite.h"
#include "passes/interp/Rows.h"
#include "passes/interp/numeric/Move.h"

#include "ir/graph/Graph.h"

using namespace mlir;

namespace kiln::interp {
namespace {

LogicalResult softmax(Operation *op, Operands x, MutableArrayRef<OracleTensor> results) {
  int64_t axis = cast<graph::SoftmaxOp>(op).getAxis(), rank = static_cast<int64_t>(x[0]->shape.size());
  results[0].zeroSigns = false;
  if (axis == rank - 1) {
    softmaxRows(*x[0], x[0]->shape[axis], ReduceOrder::Row, results[0]);
    return success();
  }
  // Swapping two dimensions is its own inverse.
  SmallVector<int64_t> swap = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(swap[axis], swap[rank - 1]);
  OracleTensor moved = permuted(*x[0], swap), result(moved.shape, moved.dtype);
  softmaxRows(moved, moved.shape.back(), ReduceOrder::Column, result);
  results[0] = permuted(result, swap);
  results[0].zeroSigns = false;
  return success();
}

LogicalResult layerNorm(Operation *op, Operands x, MutableArrayRef<OracleTensor> results) {
  results[0].zeroSigns = false;
  layerNormRows(*x[0], *x[1], *x[2], cast<graph::LayerNormOp>(op).getEps().convertToDouble(), results[0]);
  return success();
}

const InterpRow kRows[] = {
    {"graph.softmax", softmax, "of max, subtraction, exp, sum and division, one after the other"},
    {"graph.layer_norm", layerNorm,
     "of mean, subtraction, square, mean, sum with eps, rsqrt, two products and a sum, one after the other"},
};

} // namespace

ArrayRef<InterpRow> compositeRows() { return kRows; }

} // namespace kiln::interp
