//===- LevelSpec.h - what must hold before and after cpu-lower ----------------------------------------------------===//
//
// The code generator ends the process on an op it cannot select, so nothing reaches it that these tables do not name.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_CPU_LEVELSPEC_H
#define KILN_CODEGEN_CPU_LEVELSPEC_H

#include "ir/tile/Tile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::codegen {

/// Every op has a row and asks for no fast maths, every type is one that the target computes with, every shared tile
/// has an offset. Diagnostics name the op.
llvm::LogicalResult verifyTileLevel(tile::KernelOp kernel);

/// Only ops that the host's backend selects for every type, and no inline assembly.
llvm::LogicalResult verifyThreadLevel(mlir::LLVM::LLVMFuncOp function);

} // namespace kiln::codegen

#endif
