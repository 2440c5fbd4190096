#include "codegen/gpu/Shuffle.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;

/// A 32-bit value of the lane whose number differs in the bits of `mask`.
static Value shuffle32(Lowering &to, Value word, int64_t mask) {
  return NVVM::ShflOp::create(to.rewriter, to.loc, word.getType(), to.i32(-1), word, to.i32(mask), to.i32(31),
                              NVVM::ShflKind::bfly, UnitAttr());
}

Value kiln::codegen::gpu::shuffleXor(Lowering &to, Value value, int64_t mask) {
  OpBuilder &b = to.rewriter;
  Type type = value.getType(), i32 = b.getI32Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 32) return shuffle32(to, value, mask);
  Type integer = b.getIntegerType(bits);
  bool isInteger = integer == type;
  Value raw = isInteger ? value : LLVM::BitcastOp::create(b, to.loc, integer, value).getResult();
  if (bits < 32) {
    Value word = shuffle32(to, LLVM::ZExtOp::create(b, to.loc, i32, raw), mask);
    raw = LLVM::TruncOp::create(b, to.loc, integer, word);
  } else {
    Value low = shuffle32(to, LLVM::TruncOp::create(b, to.loc, i32, raw), mask);
    Value high = LLVM::LShrOp::create(b, to.loc, raw, to.i64(32));
    high = shuffle32(to, LLVM::TruncOp::create(b, to.loc, i32, high), mask);
    high = LLVM::ShlOp::create(b, to.loc, LLVM::ZExtOp::create(b, to.loc, integer, high), to.i64(32));
    raw = LLVM::OrOp::create(b, to.loc, high, LLVM::ZExtOp::create(b, to.loc, integer, low));
  }
  return isInteger ? raw : LLVM::BitcastOp::create(b, to.loc, type, raw).getResult();
}
