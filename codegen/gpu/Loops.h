//===- Loops.h - what loops of kernels for warpgroups need not repeat ---------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_LOOPS_H
#define KILN_CODEGEN_GPU_LOOPS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::codegen::gpu {

/// Moves what does not change out of the loops of a function whose ops are lowered but for scf, and carries remainders
/// and quotients of counted numbers from turn to turn: a ring of 5 stages then costs a comparison, not a division.
void improveLoops(mlir::LLVM::LLVMFuncOp function);

} // namespace kiln::codegen::gpu

#endif
