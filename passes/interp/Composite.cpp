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
  OracleTensor storage;
  const OracleTensor &wide = widened(*x[0], storage);
  if (axis == rank - 1) {
    softmaxRows(wide, wide.shape[axis], ReduceOrder::Row, results[0]);
    roundElements(results[0]);
    return success();
  }
  // Swapping two dimensions is its own inverse.
  SmallVector<int64_t> swap = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(swap[axis], swap[rank - 1]);
  OracleTensor moved = permuted(wide, swap), result(moved.shape, results[0].dtype);
  softmaxRows(moved, moved.shape.back(), ReduceOrder::Column, result);
  roundElements(result);
  results[0] = permuted(result, swap);
  results[0].zeroSigns = false;
  return success();
}

LogicalResult layerNorm(Operation *op, Operands x, MutableArrayRef<OracleTensor> results) {
  results[0].zeroSigns = false;
  OracleTensor storage[3];
  layerNormRows(widened(*x[0], storage[0]), widened(*x[1], storage[1]), widened(*x[2], storage[2]),
                cast<graph::LayerNormOp>(op).getEps().convertToDouble(), results[0]);
  roundElements(results[0]);
  return success();
}

const InterpRow kRows[] = {
    {"graph.softmax", softmax, "of max, subtraction, exp, sum, its inverse and a product in f32, one after the other"},
    {"graph.layer_norm", layerNorm,
     "of mean, subtraction, square, mean, sum with eps, rsqrt, two products and a sum in f32, one after the other"},
};

} // namespace

ArrayRef<InterpRow> compositeRows() { return kRows; }

} // namespace kiln::interp
