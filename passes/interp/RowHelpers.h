// Turns functions of elements into rows.
#pragma once

#include "passes/interp/Rows.h"
#include "passes/interp/numeric/Map.h"

namespace kiln::interp {

/// Row functions of one result that apply `F` element by element.
template <Element (*F)(Element)>
mlir::LogicalResult unaryRow(mlir::Operation *, Operands x, mlir::MutableArrayRef<OracleTensor> results) {
  map(F, *x[0], results[0]);
  return mlir::success();
}
template <Element (*F)(Element, Element)>
mlir::LogicalResult binaryRow(mlir::Operation *, Operands x, mlir::MutableArrayRef<OracleTensor> results) {
  map(F, *x[0], *x[1], results[0]);
  return mlir::success();
}
template <int64_t (*F)(int64_t)>
mlir::LogicalResult integerUnaryRow(mlir::Operation *, Operands x, mlir::MutableArrayRef<OracleTensor> results) {
  map(F, *x[0], results[0]);
  return mlir::success();
}
template <int64_t (*F)(int64_t, int64_t)>
mlir::LogicalResult integerBinaryRow(mlir::Operation *, Operands x, mlir::MutableArrayRef<OracleTensor> results) {
  map(F, *x[0], *x[1], results[0]);
  return mlir::success();
}

} // namespace kiln::interp
