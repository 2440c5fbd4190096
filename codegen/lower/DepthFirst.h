//===- DepthFirst.h - the order of pure ops ----------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_LOWER_DEPTHFIRST_H
#define KILN_CODEGEN_LOWER_DEPTHFIRST_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::codegen {

/// Puts each op without memory effects right before the first op that needs it, operands first; what touches memory
/// keeps its order, and pure ops that nothing needs are erased. A fragment's units, lowered one op at a time over all
/// of them, become one chain after another, so that the temporaries of one chain, not of all, are alive at once.
///
/// Numbers (floats and vectors) that stand before an op that waits, by `waits`, and are needed behind it stay before
/// it: what a program computes beside something else that runs.
void orderDepthFirst(mlir::LLVM::LLVMFuncOp function, bool (*waits)(mlir::Operation *) = nullptr);

} // namespace kiln::codegen

#endif
