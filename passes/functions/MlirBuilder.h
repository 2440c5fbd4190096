// The builder that emits: an expansion over it becomes arith and math operations on values of one type.
#pragma once

#include "passes/functions/Builder.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace kiln::functions {

/// Emits at the insertion point of `builder`, on f32 scalars or vectors or ranked tensors of f32; integers and truth
/// values have the same shape and, for tensors, the same encoding. See ArithmeticBuilder for the operations. No
/// operation carries fast-math flags. Constants are emitted where they are asked for; CSE merges them. The approximate
/// functions are `tile.approx` where the target has that, else the accurate functions of f32.
class MlirBuilder {
public:
  using F = mlir::Value;
  using I = mlir::Value;
  using L = mlir::Value;
  using C = mlir::Value;

  /// `type` is f32, or a vector or tensor of it: what the function computes in.
  MlirBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, bool hasApprox);

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
  F exp2Approx(F x);
  F rcpApprox(F x);
  F rsqrtApprox(F x);
  template <size_t rows, size_t columns> std::array<F, columns> lookup(const Table<rows, columns> &table, I index) {
    std::array<F, columns> row;
    lookup(table[0].data(), rows, row, index);
    return row;
  }

private:
  /// `attribute` as a constant of `type`, splat if that is shaped.
  mlir::Value constant(mlir::Type type, mlir::TypedAttr attribute);

  /// The row of a row-major table; its columns are `row`'s elements.
  void lookup(const float *table, size_t rows, llvm::MutableArrayRef<F> row, I index);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  bool hasApprox;
  mlir::Type f32, i32, i64;
};
static_assert(ArithmeticBuilder<MlirBuilder>);

} // namespace kiln::functions
