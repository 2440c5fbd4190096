//===- Uniformity.h - which values differ between the warps of a warpgroup ----------------------------------------===//
//
// Ops that threads meet for must be reached by all of them. What could part them is a value that differs from warp to
// warp: this finds those values, so that a program can be refused before it hangs or, worse, is serialised.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_TILE_ANALYSIS_UNIFORMITY_H
#define KILN_IR_TILE_ANALYSIS_UNIFORMITY_H

#include "ir/tile/Tile.h"

#include "llvm/ADT/DenseSet.h"

namespace kiln::tile {

/// Values of a kernel that may differ between warps: `tile.warp_id`, what is folded within a warp, and what is computed
/// of them or decided by them.
class Uniformity {
public:
  explicit Uniformity(KernelOp kernel);

  bool isVarying(mlir::Value value) const { return varying.contains(value); }
  /// The op around `op` that some warps may pass by, or run another number of times; null if there is none.
  mlir::Operation *partedBy(mlir::Operation *op) const;

private:
  KernelOp kernel;
  llvm::DenseSet<mlir::Value> varying;

  bool mark(mlir::ValueRange values);
  bool visit(mlir::Operation *op);
  /// Whether an operand of the op, or of what decides its regions, varies.
  bool decidesByVarying(mlir::Operation *op) const;
};

} // namespace kiln::tile

#endif
