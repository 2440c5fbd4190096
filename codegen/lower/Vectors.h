//===- Vectors.h - small builders of vector code shared by the rows -----------------------------------------------===//
#ifndef KILN_CODEGEN_LOWER_VECTORS_H
#define KILN_CODEGEN_LOWER_VECTORS_H

#include "mlir/IR/Builders.h"

namespace kiln::codegen {

/// `scalar` in each of `lanes` lanes.
mlir::Value splatOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value scalar, int64_t lanes);
/// Lane `lane` of a vector.
mlir::Value laneOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value vector, int64_t lane);
/// Lanes first, first + step, … of the concatenation of two vectors of one type, `count` of them.
mlir::Value pick(mlir::OpBuilder &b, mlir::Location loc, mlir::Value first, mlir::Value second, int64_t start,
                 int64_t step, int64_t count);
/// A vector's lanes.
int64_t lanesOf(mlir::Value vector);
/// The vector of these scalars.
mlir::Value vectorOf(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange scalars);
/// The vector of integers whose lane l holds first + l.
mlir::Value laneNumbers(mlir::OpBuilder &b, mlir::Location loc, mlir::VectorType type, int64_t first);
/// All zero, of a scalar or vector type.
mlir::Value zeroOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type);

} // namespace kiln::codegen

#endif
