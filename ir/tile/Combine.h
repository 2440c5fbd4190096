//===- Combine.h - how two values of a reduction combine ----------------------------------------------------------===//
#ifndef KILN_IR_TILE_COMBINE_H
#define KILN_IR_TILE_COMBINE_H

#include "ir/tile/Tile.h"

#include "mlir/IR/Builders.h"

namespace kiln::tile {

/// x ∘ y, of scalars, fragments or vectors. bool counts as the numbers 0 and 1, unsigned.
mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc, CombineKind kind, mlir::Value x, mlir::Value y);

} // namespace kiln::tile

#endif
