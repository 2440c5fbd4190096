//===- Halves.h - f16 and bf16 as the cpu computes with them ------------------------------------------------------===//
//
// A 16-bit float is an i16 in registers and in memory, so that the backend never meets its type: what instructions
// processors have for it differ, and some flush subnormals. Arithmetic widens to f32, which is exact, and rounds back
// by integer arithmetic: the same bits on every target. The largest NaN stays a NaN, and all NaNs are quiet.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_CPU_HALVES_H
#define KILN_CODEGEN_CPU_HALVES_H

#include "mlir/IR/Builders.h"

namespace kiln::codegen {

/// What holds an element in registers: i16 for a 16-bit float, else the type itself.
mlir::Type heldAs(mlir::Type element);
/// An element of a constant as it is held: the bits of a 16-bit float, else the attribute itself.
mlir::Attribute storedAttr(mlir::Attribute element);

/// The f32 value of `stored` (i16 or a vector of it), which holds elements of type `element`.
mlir::Value widen(mlir::OpBuilder &b, mlir::Location loc, mlir::Value stored, mlir::Type element);
/// `wide` (f32 or a vector of it) rounded to nearest even, held as i16.
mlir::Value narrow(mlir::OpBuilder &b, mlir::Location loc, mlir::Value wide, mlir::Type element);
/// x·y + z rounded once to `element`. x, y and z are f32 values of that type.
mlir::Value fusedMultiplyAdd(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y, mlir::Value z,
                             mlir::Type element);

} // namespace kiln::codegen

#endif
