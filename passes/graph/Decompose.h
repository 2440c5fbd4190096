//===- Decompose.h - how composite and guarded ops are spelled in decomposed ones ---------------------------------===//
//
// The rows of graph-decompose: op name -> function, one file per family in passes/graph/decompose. The engine
// (Decompose.cpp) knows no op. A row is the one formula of its op in the numerics contract.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_GRAPH_DECOMPOSE_H
#define KILN_PASSES_GRAPH_DECOMPOSE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kiln::graph {

/// What takes the place of an op's results, one value each; of an op of one result, a value.
struct Values : llvm::SmallVector<mlir::Value, 1> {
  using SmallVector::SmallVector;
  template <typename T>
  requires std::convertible_to<T, mlir::Value> Values(T value) : SmallVector({mlir::Value(value)}) {}
};

/// One row: builds the values of an op of this name, in ops that need no further decomposition. Returns the op's own
/// results where it stays as it is.
struct DecomposeRow {
  llvm::StringRef op;
  Values (*build)(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);
};

/// Replaces the ops of a block, and of regions in it, by their rows' values; returns how many.
unsigned decomposeOps(mlir::Block &block, llvm::ArrayRef<DecomposeRow> rows);

/// Every row, of all families.
llvm::ArrayRef<DecomposeRow> decomposeRows();

/// The families.
llvm::ArrayRef<DecomposeRow> elementwiseDecomposeRows();
llvm::ArrayRef<DecomposeRow> castDecomposeRows();
llvm::ArrayRef<DecomposeRow> reduceDecomposeRows();
llvm::ArrayRef<DecomposeRow> movementDecomposeRows();

/// A tensor as f32: itself unless its elements are 16-bit floats.
mlir::Value widened(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
/// An f32 tensor rounded to `element`: itself unless that is a 16-bit float.
mlir::Value rounded(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Type element);

/// A constant tensor of `type` that holds `value` (rounded to the element type) everywhere.
mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::Type type, double value);
/// A constant integer tensor of `type` that holds `value` everywhere.
mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::Type type, const llvm::APInt &value);

} // namespace kiln::graph

#endif
