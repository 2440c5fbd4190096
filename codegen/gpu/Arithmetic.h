//===- Arithmetic.h - arithmetic of 32-bit numbers before an op ---------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_ARITHMETIC_H
#define KILN_CODEGEN_GPU_ARITHMETIC_H

#include "codegen/gpu/Rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace kiln::codegen::gpu {

/// Builds i32 arithmetic, unsigned where it matters. What changes nothing is not built.
struct Arithmetic {
  Lowering &to;

  using Value = mlir::Value;
  Value c(int64_t value) const { return to.i32(value); }
  Value add(Value x, Value y) const {
    return isZero(x) ? y : isZero(y) ? x : mlir::LLVM::AddOp::create(to.rewriter, to.loc, x, y).getResult();
  }
  Value add(Value x, int64_t y) const { return y == 0 ? x : add(x, c(y)); }
  Value sub(Value x, Value y) const { return mlir::LLVM::SubOp::create(to.rewriter, to.loc, x, y); }
  Value mul(Value x, Value y) const { return mlir::LLVM::MulOp::create(to.rewriter, to.loc, x, y); }
  Value mul(Value x, int64_t by) const { return by == 1 ? x : isZero(x) ? x : mul(x, c(by)); }
  Value div(Value x, Value y) const { return mlir::LLVM::UDivOp::create(to.rewriter, to.loc, x, y); }
  Value div(Value x, int64_t by) const { return by == 1 ? x : div(x, c(by)); }
  Value rem(Value x, Value y) const { return mlir::LLVM::URemOp::create(to.rewriter, to.loc, x, y); }
  Value rem(Value x, int64_t by) const { return by == 1 ? c(0) : rem(x, c(by)); }
  Value min(Value x, Value y) const { return mlir::LLVM::SMinOp::create(to.rewriter, to.loc, x, y); }
  Value max(Value x, Value y) const { return mlir::LLVM::SMaxOp::create(to.rewriter, to.loc, x, y); }
  Value band(Value x, Value y) const { return mlir::LLVM::AndOp::create(to.rewriter, to.loc, x, y); }
  Value band(Value x, int64_t mask) const { return band(x, c(mask)); }
  Value bor(Value x, Value y) const { return mlir::LLVM::OrOp::create(to.rewriter, to.loc, x, y); }
  Value bxor(Value x, Value y) const { return mlir::LLVM::XOrOp::create(to.rewriter, to.loc, x, y); }
  Value bxor(Value x, int64_t y) const { return y == 0 ? x : bxor(x, c(y)); }
  Value shr(Value x, int64_t by) const { return mlir::LLVM::LShrOp::create(to.rewriter, to.loc, x, c(by)); }
  Value shl(Value x, int64_t by) const { return mlir::LLVM::ShlOp::create(to.rewriter, to.loc, x, c(by)); }
  Value less(Value x, Value y) const { return compare(mlir::LLVM::ICmpPredicate::slt, x, y); }
  Value below(Value x, int64_t y) const { return compare(mlir::LLVM::ICmpPredicate::ult, x, c(y)); }
  Value equal(Value x, int64_t y) const { return compare(mlir::LLVM::ICmpPredicate::eq, x, c(y)); }
  Value select(Value condition, Value x, Value y) const {
    return mlir::LLVM::SelectOp::create(to.rewriter, to.loc, condition, x, y);
  }
  /// Of two conditions; one that is null is true.
  Value both(Value x, Value y) const { return !x ? y : !y ? x : band(x, y); }
  /// The bits of a pointer to shared memory.
  Value addressOf(Value pointer) const {
    return mlir::LLVM::PtrToIntOp::create(to.rewriter, to.loc, to.rewriter.getI32Type(), pointer);
  }
  /// A pointer and bytes past it: a constant, an i32 or an i64.
  Value past(Value pointer, int64_t bytes) const {
    if (bytes == 0) return pointer;
    if (!llvm::isInt<mlir::LLVM::kGEPConstantBitWidth>(bytes)) return past(pointer, to.i64(bytes));
    return mlir::LLVM::GEPOp::create(to.rewriter, to.loc, pointer.getType(), to.rewriter.getI8Type(), pointer,
                                     llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<int32_t>(bytes)});
  }
  Value past(Value pointer, Value bytes) const {
    return mlir::LLVM::GEPOp::create(to.rewriter, to.loc, pointer.getType(), to.rewriter.getI8Type(), pointer,
                                     mlir::ValueRange{bytes});
  }
  /// An index that is not negative.
  Value index(Value x) const {
    return mlir::arith::IndexCastUIOp::create(to.rewriter, to.loc, to.rewriter.getIndexType(), x);
  }

private:
  static bool isZero(Value x) { return mlir::matchPattern(x, mlir::m_Zero()); }
  Value compare(mlir::LLVM::ICmpPredicate how, Value x, Value y) const {
    return mlir::LLVM::ICmpOp::create(to.rewriter, to.loc, how, x, y);
  }
};

} // namespace kiln::codegen::gpu

#endif
