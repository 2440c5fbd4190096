//===- Loops.h - what loops need not repeat -----------------------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_LOOPS_H
#define KILN_CODEGEN_GPU_LOOPS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace kiln::codegen::gpu {

/// Moves what does not change out of the loops of a function whose ops are lowered but for scf, and carries from turn
/// to turn: remainders and quotients of counted numbers, so that a ring of 5 stages costs a comparison, not a division;
/// and where asynchronous copies read.
void improveLoops(mlir::LLVM::LLVMFuncOp function);

/// Carries the pointers from which a loop's asynchronous copies read, where they grow by as much each turn. Returns the
/// loop, which is another one then.
mlir::scf::ForOp carrySources(mlir::scf::ForOp loop, mlir::IRRewriter &b);

} // namespace kiln::codegen::gpu

#endif
