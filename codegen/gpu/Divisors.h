//===- Divisors.h - what index values are known to be multiples of ------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_DIVISORS_H
#define KILN_CODEGEN_GPU_DIVISORS_H

#include "ir/tile/Tile.h"

namespace kiln::codegen::gpu {

/// The largest power of two, up to 16, that is known to divide an integer of the kernel, whatever it is launched with.
int64_t knownDivisor(mlir::Value value, tile::KernelOp kernel);

} // namespace kiln::codegen::gpu

#endif
