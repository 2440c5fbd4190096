// The builder that emits: an expansion over it becomes arith and math operations on values of one type.
#pragma once

#include "passes/functions/Builder.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace kiln::functions {

/// Emits at the insertion point of `builder`, on f32 scalars or vectors or ranked tensors of f32; integers and truth
/// values have the same shape and, for tensors, the same encoding. See ArithmeticBuilder for the operations. No
/// operation carries fast-math flags. Constants are emitted where they are asked for; CSE merges them.
class MlirBuilder {
public:
  using F = mlir::Value;
  using I = mlir::Value;
  using L = mlir::Value;
  using C = mlir::Value;

  /// `type` is the type of the function's operands and result.
  MlirBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

  F f(float value);
  I i(uint32_t value);
  F add(F x, F y);
  F sub(F x, F y);
  F mul(F x, F y);
  F div(F x, F y);
  F fma(F x, F y, F z);
  F neg(F x);
  F abs(F x);
  F sqrt(F x);
  F max(F x, F y);
  F min(F x, F y);
  C lt(F x, F y);
  C eq(F x, F y);
  F select(C c, F x, F y);
  I iselect(C c, I x, I y);
  C both(C x, C y);
  I iadd(I x, I y);
  I isub(I x, I y);
  I imul(I x, I y);
  I iand(I x, I y);
  I ior(I x, I y);
  I ixor(I x, I y);
  I shl(I x, I n);
  I shrl(I x, I n);
  I shra(I x, I n);
  C ult(I x, I y);
  C ieq(I x, I y);
  I bits(F x);
  F fromBits(I x);
  F toFloat(I x);
  I toInt(F x);
  L widen(I x);
  I low(L x);
  L ladd(L x, L y);
  L lmul(L x, L y);
  L lshl(L x, int n);
  L lshr(L x, int n);

private:
  /// `attribute` as a constant of `type`, splat if that is shaped.
  mlir::Value constant(mlir::Type type, mlir::TypedAttr attribute);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type f32, i32, i64;
};
static_assert(ArithmeticBuilder<MlirBuilder>);

} // namespace kiln::functions
