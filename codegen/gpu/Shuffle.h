//===- Shuffle.h - values of other threads of a warp --------------------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_SHUFFLE_H
#define KILN_CODEGEN_GPU_SHUFFLE_H

#include "codegen/gpu/Rows.h"

namespace kiln::codegen::gpu {

/// The value, any scalar, of the lane whose number differs in the bits of `mask`.
mlir::Value shuffleXor(Lowering &to, mlir::Value value, int64_t mask);

} // namespace kiln::codegen::gpu

#endif
