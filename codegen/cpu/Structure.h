//===- Structure.h - the frame of a kernel: a function that runs a range of CTAs ----------------------------------===//
#ifndef KILN_CODEGEN_CPU_STRUCTURE_H
#define KILN_CODEGEN_CPU_STRUCTURE_H

#include "ir/tile/Tile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::codegen {

/// Replaces `kernel` by `llvm.func @name(slots, ctaBegin, ctaEnd, scratch)` whose body is a loop over CTA ids around
/// the kernel's body; inside it, arguments are casts of the pointers loaded from the slots.
mlir::LLVM::LLVMFuncOp outlineKernel(tile::KernelOp kernel);

} // namespace kiln::codegen

#endif
