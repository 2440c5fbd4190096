//===- Combine.h - how two values of a reduction combine ----------------------------------------------------------===//
#ifndef KILN_CODEGEN_LOWER_COMBINE_H
#define KILN_CODEGEN_LOWER_COMBINE_H

#include "ir/tile/Tile.h"

#include "mlir/IR/Builders.h"

namespace kiln::codegen {

/// x ∘ y, of scalars or vectors. bool counts as the numbers 0 and 1, unsigned.
mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc, tile::CombineKind kind, mlir::Value x, mlir::Value y);

} // namespace kiln::codegen

#endif
