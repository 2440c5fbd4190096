//===- IndexMap.h - index arithmetic that knows extents ----------------------------------------------------------===//
//
// An index map takes a point of an iteration space to the index of an element. Maps are MLIR affine maps; what upstream
// lacks, and this file adds, is simplification that knows how far each dimension runs: reshapes composed with reshapes
// fold away, and what is contiguous in memory is seen to be. Plain index arithmetic: no ops, no layouts of hardware.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_LAYOUT_INDEXMAP_H
#define KILN_IR_LAYOUT_INDEXMAP_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace kiln::layout {

/// How far each dimension runs: dimension i takes 0 … extents[i] - 1.
using Extents = llvm::ArrayRef<int64_t>;

/// The values an expression takes, both ends included.
struct Bounds {
  int64_t low, high;
};

/// Bounds of `expr` over the extents; none where it holds a symbol or an extent is 0.
std::optional<Bounds> boundsOf(mlir::AffineExpr expr, Extents extents);

/// An equal expression, simpler where the extents allow: sums flattened, divisions and remainders that do nothing
/// dropped, a division and its remainder joined again.
mlir::AffineExpr simplify(mlir::AffineExpr expr, Extents extents);
mlir::AffineMap simplify(mlir::AffineMap map, Extents extents);

/// outer ∘ inner, simplified; the extents are those of inner's dimensions.
mlir::AffineMap compose(mlir::AffineMap outer, mlir::AffineMap inner, Extents extents);

/// Nodes of the largest expression that is worth carrying on. Views that do not compose (a transpose, then a reshape,
/// again and again) triple a map at every step.
inline constexpr int64_t kMaxExpressionNodes = 48;

/// A map whose larger results `name` has replaced by something small, such as a symbol.
mlir::AffineMap nameLargeResults(mlir::AffineMap map, llvm::function_ref<mlir::AffineExpr(mlir::AffineExpr)> name);

/// Elements between neighbours along each dimension of a dense row-major tensor.
llvm::SmallVector<int64_t> rowMajorStrides(Extents shape);

/// The product of the extents.
int64_t elementCount(Extents shape);

/// The product of the extents of some dimensions.
int64_t elementCount(Extents extents, llvm::ArrayRef<int64_t> dims);

/// Every point to itself, simplified: dimensions of extent 1 are 0.
mlir::AffineMap identity(mlir::MLIRContext *context, Extents extents);

/// Indices in a tensor of shape `to` -> indices of the same element (in row-major order) in shape `from`.
mlir::AffineMap reshapeMap(mlir::MLIRContext *context, Extents from, Extents to);

/// Σ strides[i] · map[i], simplified.
mlir::AffineExpr linearOffset(mlir::AffineMap map, llvm::ArrayRef<int64_t> strides, Extents extents);

/// How an expression depends on one dimension: `rest` + coefficient · dim, rest free of it; none where it is not so.
struct Linear {
  int64_t coefficient;
  mlir::AffineExpr rest;
};
std::optional<Linear> linearIn(mlir::AffineExpr expr, unsigned dim, Extents extents);

} // namespace kiln::layout

#endif
