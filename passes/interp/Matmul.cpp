// The row of matrix products.
#include "passes/interp/numeric/Matmul.h"
#include "passes/interp/Rows.h"
#include "passes/interp/numeric/Rounding.h"

#include "ir/graph/Graph.h"

using namespace mlir;

namespace kiln::interp {
namespace {

LogicalResult matmulRow(graph::MatmulOp product, Operands x, MutableArrayRef<OracleTensor> results) {
  ArrayRef<int64_t> a = x[0]->shape, y = results[0].shape;
  MatmulShape shape{1, y[y.size() - 2], y.back(), 0, product.getTransposeA(), product.getTransposeB()};
  shape.k = shape.transposeA ? a[a.size() - 2] : a.back();
  auto element = cast<FloatType>(getElementTypeOrSelf(product.getA().getType()));
  if (element.getWidth() == 16)
    shape.smallest = APFloat::getSmallestNormalized(element.getFloatSemantics()).convertToDouble();
  for (int64_t extent : y.drop_back(2)) shape.batch *= extent;
  results[0].zeroSigns = false;
  OracleTensor left, right;
  matmul(shape, widened(*x[0], left), widened(*x[1], right), results[0]);
  roundElements(results[0]);
  return success();
}

const InterpRow kRows[] = {
    {"graph.matmul", ir::typed<matmulRow>,
     "min(K, 8 sqrt(K)) half units of sum |a||b| in f32, each operand's bound included"},
};

} // namespace

ArrayRef<InterpRow> matmulRows() { return kRows; }

} // namespace kiln::interp
