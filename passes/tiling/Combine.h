//===- Combine.h - the arithmetic of reductions -------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_COMBINE_H
#define KILN_PASSES_TILING_COMBINE_H

#include "ir/graph/Graph.h"
#include "ir/tile/Tile.h"

#include "mlir/IR/Builders.h"

namespace kiln::tiling {

/// How one reduction kind combines values of one element type.
struct Combine {
  tile::CombineKind kind;
  mlir::Type element;
  /// The order of the combination changes bits: float sums and products.
  bool ordered;
  /// Leaves every value as it is, bit for bit: -0 for a float sum (x + -0 = x, also for x = -0).
  mlir::TypedAttr identity;
  /// What combining nothing gives: +0, 1; null for max and min.
  mlir::TypedAttr empty;

  /// `ordered` reductions with f32, i32, i64; bool only max and min (or, and), which act on i1 as unsigned.
  static mlir::FailureOr<Combine> get(graph::ReduceOp reduce);
  /// The same combination of values of another type.
  Combine on(mlir::Type other) const;
  /// Combines two scalars or two fragments.
  mlir::Value apply(mlir::OpBuilder &b, mlir::Location loc, mlir::Value l, mlir::Value r) const;
  /// The identity as a scalar, or as a cpu fragment of so many lanes.
  mlir::Value identityValue(mlir::OpBuilder &b, mlir::Location loc, int64_t lanes) const;
  /// The identity as a fragment of that type.
  mlir::Value identityFragment(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type) const;
  /// All lanes of a fragment into one, in a halving tree; `scratch` where several warps hold it.
  mlir::Value fold(mlir::OpBuilder &b, mlir::Location loc, mlir::Value fragment, mlir::Value scratch = {}) const;
};

} // namespace kiln::tiling

#endif
