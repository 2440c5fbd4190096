//===- ByteFloats.h - floats of 8 bits ----------------------------------------------------------------------------===//
//
// Nothing computes with f8E4M3FN and f8E5M2 but the tensor cores: threads keep them as bytes, move them, and convert
// them, two at a time. To 8 bits a conversion rounds once, to nearest even, and saturates: what is larger than the
// largest finite value, infinities too, becomes that, of its sign; NaN stays NaN. From 8 bits it is exact.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_BYTEFLOATS_H
#define KILN_CODEGEN_GPU_BYTEFLOATS_H

#include "codegen/gpu/Rows.h"

namespace kiln::codegen::gpu {

/// Whether elements of a type, or itself, are floats of 8 bits.
bool isByteFloat(mlir::Type type);
/// What a thread keeps an element as: a float of 8 bits as i8, any other as itself.
mlir::Type keptAs(mlir::Type element);

/// arith.truncf to floats of 8 bits, from 16 and 32 bits; fails on f64, which would round twice.
llvm::LogicalResult lowerToByteFloats(mlir::Operation *op, llvm::ArrayRef<mlir::ValueRange> operands, Lowering &to);
/// arith.extf from them.
llvm::LogicalResult lowerFromByteFloats(mlir::Operation *op, llvm::ArrayRef<mlir::ValueRange> operands, Lowering &to);

/// Bytes of a `#tile.wgmma` fragment as the words of `#tile.wgmma_a`: the threads of a quad exchange halves of words.
llvm::LogicalResult exchangeInQuads(mlir::Operation *op, mlir::ValueRange x, Lowering &to);

} // namespace kiln::codegen::gpu

#endif
