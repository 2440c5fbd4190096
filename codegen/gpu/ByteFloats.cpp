#include "codegen/gpu/ByteFloats.h"
#include "codegen/gpu/Arithmetic.h"
#include "codegen/gpu/Registers.h"
#include "codegen/lower/Vectors.h"
#include "ir/DTypes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;

bool kiln::codegen::gpu::isByteFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
}

Type kiln::codegen::gpu::keptAs(Type element) { return isByteFloat(element) ? ir::storageOf(element) : element; }

//===- Conversions ------------------------------------------------------------------------------------------------===//

LogicalResult kiln::codegen::gpu::lowerToByteFloats(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  OpBuilder &b = to.rewriter;
  Type from = getElementTypeOrSelf(op->getOperand(0).getType()), f32 = b.getF32Type(), i8 = b.getI8Type();
  if (from.isF64()) return op->emitOpError("from f64 would round twice: to f32, then to 8 bits");
  Registers x(b, to.loc, operands[0]), result(b, to.loc, x.size());
  auto single = [&](int64_t r) -> Value {
    return from.isF32() ? x.get(r) : arith::ExtFOp::create(b, to.loc, f32, x.get(r)).getResult();
  };
  for (int64_t r = 0; r < x.size(); r += 2) {
    bool isPair = r + 1 < x.size();
    Value low = single(r), high = isPair ? single(r + 1) : zeroOf(b, to.loc, f32);
    Value bytes = NVVM::ConvertF32x2ToF8x2Op::create(b, to.loc, VectorType::get({2}, i8), high, low,
                                                     NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
                                                     /*relu=*/false, getElementTypeOrSelf(op->getResult(0).getType()));
    if (isPair && result.inPairs()) {
      result.setPair(r, bytes);
      continue;
    }
    for (int64_t i = r; i < std::min(r + 2, x.size()); ++i) result.set(i, laneOf(b, to.loc, bytes, i - r));
  }
  return to.replace(op, result.units());
}

LogicalResult kiln::codegen::gpu::lowerFromByteFloats(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  OpBuilder &b = to.rewriter;
  Type kind = getElementTypeOrSelf(op->getOperand(0).getType()),
       wide = getElementTypeOrSelf(op->getResult(0).getType());
  auto pairOf = [&](Type element) { return VectorType::get({2}, element); };
  Registers x(b, to.loc, operands[0]), result(b, to.loc, x.size());
  for (int64_t r = 0; r < x.size(); r += 2) {
    bool isPair = x.inPairs();
    Value bytes = isPair ? x.pair(r) : vectorOf(b, to.loc, {x.get(r), r + 1 < x.size() ? x.get(r + 1) : x.get(r)});
    Value values = NVVM::ConvertF8x2ToF16x2Op::create(b, to.loc, pairOf(b.getF16Type()), bytes, /*relu=*/false, kind);
    // Every float of 8 bits is one of 16, of either kind.
    if (wide.isBF16()) values = arith::ExtFOp::create(b, to.loc, pairOf(b.getF32Type()), values);
    if (wide.isBF16()) values = arith::TruncFOp::create(b, to.loc, pairOf(wide), values);
    if (!wide.isF16() && !wide.isBF16()) values = arith::ExtFOp::create(b, to.loc, pairOf(wide), values);
    if (isPair) {
      result.setPair(r, values);
      continue;
    }
    for (int64_t i = r; i < std::min(r + 2, x.size()); ++i) result.set(i, laneOf(b, to.loc, values, i - r));
  }
  return to.replace(op, result.units());
}

//===- Quads ------------------------------------------------------------------------------------------------------===//

/// In 16 columns of an accumulator thread q of a quad has columns 2q and 2q + 1 of either half; as an operand it has
/// columns 4q to 4q + 3: those of threads 2q and 2q + 1, modulo 4, of the half that q / 2 names. A word holds the
/// thread's columns of both halves; two come from elsewhere, and a half of each is kept.
LogicalResult kiln::codegen::gpu::exchangeInQuads(Operation *op, ValueRange x, Lowering &to) {
  constexpr int64_t kWord = 4, kHalf = 8; ///< elements of a word; columns of half of what a quad exchanges
  OpBuilder &b = to.rewriter;
  Arithmetic a{to};
  layout::Fragment from = *tile::distributionOf(op->getOperand(0).getType());
  layout::Fragment into = *tile::distributionOf(op->getResult(0).getType());
  Registers source(b, to.loc, x), result(b, to.loc, into.registers());
  DenseMap<std::pair<int64_t, int64_t>, int64_t> registers; // of thread 0, by place
  for (int64_t r = 0; r < source.size(); ++r) {
    layout::Place place = from.registerPlace(r);
    registers[{place.row, place.column}] = r;
  }
  Type half = b.getI16Type(), word = b.getI32Type(), pair = VectorType::get({2}, b.getI8Type());
  Value inQuad = a.band(to.frame.lane, 3);
  Value first = a.bor(a.band(to.frame.lane, 28), a.band(a.shl(inQuad, 1), 3)), second = a.bor(first, a.c(1));
  Value by = a.shl(a.shr(inQuad, 1), 4); // bits to the half that is kept
  auto wide = [&](int64_t r) -> Value {
    return LLVM::ZExtOp::create(b, to.loc, word, LLVM::BitcastOp::create(b, to.loc, half, source.pair(r)));
  };
  auto keptOf = [&](Value mine, Value lane) -> Value {
    Value theirs =
        NVVM::ShflOp::create(b, to.loc, word, to.i32(-1), mine, lane, to.i32(31), NVVM::ShflKind::idx, UnitAttr());
    return LLVM::LShrOp::create(b, to.loc, theirs, by);
  };
  for (int64_t r = 0; r < result.size(); r += kWord) {
    layout::Place place = into.registerPlace(r);
    Value mine = a.bor(wide(registers.at({place.row, place.column})),
                       a.shl(wide(registers.at({place.row, place.column + kHalf})), 16));
    Value halves[] = {keptOf(mine, first), keptOf(mine, second)};
    for (auto [i, bits] : llvm::enumerate(halves)) {
      Value bytes = LLVM::BitcastOp::create(b, to.loc, pair, LLVM::TruncOp::create(b, to.loc, half, bits));
      result.setPair(r + 2 * static_cast<int64_t>(i), bytes);
    }
  }
  return to.replace(op, result.units());
}
