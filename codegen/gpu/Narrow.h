//===- Narrow.h - 32-bit index arithmetic where ranges prove it ---------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_NARROW_H
#define KILN_CODEGEN_GPU_NARROW_H

#include "ir/tile/Tile.h"

namespace kiln::codegen::gpu {

/// Rewrites index and i64 arithmetic of a kernel, on scalars and fragments, and loops over indices, to 32 bits where an
/// analysis of ranges shows that no value changes: a gpu has no 64-bit integer unit.
llvm::LogicalResult narrowIndices(tile::KernelOp kernel);

/// Computes in 32 bits what nothing but iterations of rings is made of, modulo 2^32: a ring's ops ask for no more.
void narrowIterations(tile::KernelOp kernel);

} // namespace kiln::codegen::gpu

#endif
