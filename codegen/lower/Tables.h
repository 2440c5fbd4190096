//===- Tables.h - constant tables, the operands of tile.lookup ----------------------------------------------------===//
#ifndef KILN_CODEGEN_LOWER_TABLES_H
#define KILN_CODEGEN_LOWER_TABLES_H

#include "ir/tile/Tile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::codegen {

/// A table's symbol: a name that equal tables share, and that each lookup finds on its own.
std::string tableName(mlir::DenseElementsAttr table);

/// Declares, in its module, the constants that a kernel's lookups read, row after row, in an address space of LLVM.
/// Before kernels are lowered side by side.
void declareTables(tile::KernelOp kernel, unsigned addressSpace);

} // namespace kiln::codegen

#endif
