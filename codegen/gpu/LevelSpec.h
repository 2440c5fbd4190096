//===- LevelSpec.h - what must hold before and after gpu-lower ----------------------------------------------------===//
//
// The code generator ends the process on an op it cannot select, so nothing reaches it that these tables do not name.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_LEVELSPEC_H
#define KILN_CODEGEN_GPU_LEVELSPEC_H

#include "ir/target/Gpu.h"
#include "ir/tile/Tile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::codegen::gpu {

/// Every op has a row and asks for no fast maths, every type is one that the target computes with, fragments fit a
/// thread's registers, shared tiles have their places and fit the target's shared memory. Diagnostics name the op.
llvm::LogicalResult verifyTileLevel(tile::KernelOp kernel, const GpuTarget &target);

/// Only ops of llvm and nvvm that the backend selects for every type, and of ptx; no inline assembly, no intrinsic by
/// name.
llvm::LogicalResult verifyThreadLevel(mlir::LLVM::LLVMFuncOp function);

} // namespace kiln::codegen::gpu

#endif
