//===- DTypes.h - Kiln's dtypes as element types of the IR ------------------------------------------------------===//
//
// The one place that goes between kiln::DType, which plans, files and tensors speak, and MLIR's element types.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_GRAPH_DTYPES_H
#define KILN_IR_GRAPH_DTYPES_H

#include "kiln/DType.h"

#include <optional>

namespace mlir {
class MLIRContext;
class RankedTensorType;
class Type;
} // namespace mlir

namespace kiln::graph {

/// The dtype of an element type, or of a tensor's; none for a type that Kiln does not store (`ui32`, `index`, …). Makes
/// no type, so that it needs no lock on a context that has none.
std::optional<DType> dtypeOf(mlir::Type type);

/// The element type of a dtype; null for those the IR has no type for (tf32).
mlir::Type elementType(DType dtype, mlir::MLIRContext *context);

/// Bytes that a dense tensor takes in memory; nothing for a dtype that Kiln does not store, extents that are not known,
/// or more bytes than an int64 holds.
std::optional<int64_t> bytesOf(mlir::RankedTensorType type);

} // namespace kiln::graph

#endif
