// Rows of constants, indices and moves.
#include "passes/interp/Rows.h"
#include "passes/interp/numeric/ElementOps.h"
#include "passes/interp/numeric/Move.h"

#include "ir/graph/Graph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::interp {
namespace {

LogicalResult constant(Operation *op, Operands, MutableArrayRef<OracleTensor> results) {
  auto elements = dyn_cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  if (!elements) return op->emitError() << "the interpreter reads `dense` constants only";
  OracleTensor &result = results[0];
  if (!result.isFloat()) {
    int64_t i = 0;
    for (APInt value : elements.getValues<APInt>())
      result.integers[i++] = result.dtype == DType::Bool ? value.getZExtValue() : value.getSExtValue();
    return success();
  }
  int64_t i = 0;
  for (const APFloat &value : elements.getValues<APFloat>()) result.values[i++] = value.convertToDouble();
  return success();
}

LogicalResult iota(Operation *op, Operands, MutableArrayRef<OracleTensor> results) {
  OracleTensor &result = results[0];
  int64_t axis = cast<graph::IotaOp>(op).getAxis(), stride = stridesOf(result.shape)[axis];
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t index = i / stride % result.shape[axis];
    if (result.isFloat())
      result.values[i] = fromInteger({index, false}, formatOf(result.dtype)).v;
    else
      result.integers[i] = wrap(result.dtype, index);
  }
  return success();
}

LogicalResult broadcast(Operation *op, Operands x, MutableArrayRef<OracleTensor> results) {
  std::vector<int64_t> strides(results[0].shape.size(), 0), source = stridesOf(x[0]->shape);
  for (auto [d, to] : llvm::enumerate(cast<graph::BroadcastOp>(op).getDims()))
    if (x[0]->shape[d] != 1) strides[to] = source[d];
  copyStrided(*x[0], 0, strides, results[0]);
  return success();
}

LogicalResult reshape(Operation *, Operands x, MutableArrayRef<OracleTensor> results) {
  copyRun(*x[0], 0, x[0]->size(), results[0], 0);
  return success();
}

LogicalResult transpose(Operation *op, Operands x, MutableArrayRef<OracleTensor> results) {
  results[0] = permuted(*x[0], cast<graph::TransposeOp>(op).getPerm());
  return success();
}

LogicalResult slice(graph::SliceOp slice, Operands x, MutableArrayRef<OracleTensor> results) {
  std::vector<int64_t> strides = stridesOf(x[0]->shape);
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    offset += slice.getStarts()[d] * strides[d];
    strides[d] *= slice.getSteps()[d];
  }
  copyStrided(*x[0], offset, strides, results[0]);
  return success();
}

/// The extents before an axis, and after it, multiplied.
std::pair<int64_t, int64_t> around(ArrayRef<int64_t> shape, int64_t axis) {
  int64_t before = 1, after = 1;
  for (int64_t extent : shape.take_front(axis)) before *= extent;
  for (int64_t extent : shape.drop_front(axis + 1)) after *= extent;
  return {before, after};
}

LogicalResult concat(Operation *op, Operands xs, MutableArrayRef<OracleTensor> results) {
  OracleTensor &result = results[0];
  int64_t axis = cast<graph::ConcatOp>(op).getAxis(), start = 0;
  auto [before, after] = around(result.shape, axis);
  for (const OracleTensor *x : xs) {
    int64_t run = x->shape[axis] * after;
    for (int64_t o = 0; o < before; ++o) copyRun(*x, o * run, run, result, o * result.shape[axis] * after + start);
    start += run;
  }
  return success();
}

LogicalResult gather(Operation *op, Operands x, MutableArrayRef<OracleTensor> results) {
  const OracleTensor &from = *x[0], &indices = *x[1];
  int64_t axis = cast<graph::GatherOp>(op).getAxis(), extent = from.shape[axis];
  auto [before, after] = around(from.shape, axis);
  if (results[0].size() == 0) return success();
  for (int64_t o = 0; o < before; ++o)
    for (int64_t i = 0; i < indices.size(); ++i) {
      Integer index = indices.integerAt(i);
      int64_t to = (o * indices.size() + i) * after;
      if (index.either)
        setUnknown(results[0], to, after);
      else
        copyRun(from, (o * extent + std::clamp<int64_t>(index.v, 0, extent - 1)) * after, after, results[0], to);
    }
  return success();
}

constexpr StringRef kNone = "none";

const InterpRow kRows[] = {
    {"arith.constant", constant, kNone},   {"graph.iota", iota, "none: the index, rounded once"},
    {"graph.broadcast", broadcast, kNone}, {"graph.reshape", reshape, kNone},
    {"graph.transpose", transpose, kNone}, {"graph.slice", ir::typed<slice>, kNone},
    {"graph.concat", concat, kNone},       {"graph.gather", gather, "none; unknown where the index is open"},
};

} // namespace

ArrayRef<InterpRow> shapeRows() { return kRows; }

} // namespace kiln::interp
