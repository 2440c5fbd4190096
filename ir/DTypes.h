//===- DTypes.h - Kiln's dtypes as element types of the IR ------------------------------------------------------===//
//
// The one place that goes between kiln::DType, which plans, files and tensors speak, and MLIR's element types, and that
// says of each how it is stored, summed and multiplied.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_DTYPES_H
#define KILN_IR_DTYPES_H

#include "kiln/DType.h"

#include <optional>

namespace mlir {
class MLIRContext;
class RankedTensorType;
class Type;
} // namespace mlir

namespace kiln::ir {

/// The dtype of an element type, or of a tensor's; none for a type that Kiln does not store (`ui32`, `index`, …). Makes
/// no type, so that it needs no lock on a context that has none.
std::optional<DType> dtypeOf(mlir::Type type);

/// The element type of a dtype; null for those the IR has no type for (tf32).
mlir::Type elementType(DType dtype, mlir::MLIRContext *context);

/// No tensor may take more bytes: what a process can address.
inline constexpr int64_t kMaxTensorBytes = int64_t(1) << 47;
inline constexpr const char *kMemoryRule = "a tensor must fit in memory", *kMemoryLimit = "at most 2^47 bytes";
/// Whether a tensor type of known extents, those that are 0 taken for 1, takes at most kMaxTensorBytes: then no product
/// of its extents overflows, nor does a stride.
bool fitsMemory(mlir::RankedTensorType type);

/// Bytes that a dense tensor takes in memory; nothing for a dtype that Kiln does not store, extents that are not known,
/// or more than kMaxTensorBytes.
std::optional<int64_t> bytesOf(mlir::RankedTensorType type);

/// What holds an element in memory: an integer of as many bytes for a bool (0 or 1), and for a float of 16 bits or
/// fewer, which not every backend computes with; else the type itself.
mlir::Type storageOf(mlir::Type element);

/// What elements, or products of two of them, are summed in, and what functions of them are computed in: f32 for
/// narrower floats, i32 for narrower integers, else the type itself.
DType accumulatorOf(DType dtype);
/// The same of an element type, or of a tensor's.
mlir::Type accumulatorOf(mlir::Type type);
/// Whether the elements of a type, or itself, are floats that accumulate in a wider one.
bool isWidened(mlir::Type type);

/// A tensor core's instruction that multiplies two elements of one type: m x n sums, of k products each. A
/// warpgroup's, m64nNk, has the same k, and the same bits.
struct MmaAtom {
  int64_t m = 16, n = 8, k;
};
/// The atom of a dtype, or of elements of a type; none where products are added by one fma for each k, f32's and f64's.
std::optional<MmaAtom> atomOf(DType dtype);
std::optional<MmaAtom> atomOf(mlir::Type element);

} // namespace kiln::ir

#endif
