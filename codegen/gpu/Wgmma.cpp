// Warpgroup products. A sum in flight is a thread's elements as single registers (16-bit ones two by two), which pass
// through products, fences and waits alone; where it has been waited for, it is a fragment.
#include "codegen/gpu/Arithmetic.h"
#include "codegen/gpu/Descriptor.h"
#include "codegen/gpu/Registers.h"
#include "codegen/lower/Vectors.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;
using ptx::WgmmaElement;

namespace {

constexpr int64_t kBlockRows = 64; ///< rows of one instruction

//===- Sums in flight ---------------------------------------------------------------------------------------------===//

WgmmaElement elementOf(Type type, bool isUnsigned) {
  if (type.isBF16()) return WgmmaElement::bf16;
  if (type.isF16()) return WgmmaElement::f16;
  if (type.isF32()) return WgmmaElement::tf32;
  if (isa<Float8E4M3FNType>(type)) return WgmmaElement::e4m3;
  if (isa<Float8E5M2Type>(type)) return WgmmaElement::e5m2;
  return isUnsigned ? WgmmaElement::u8 : WgmmaElement::s8;
}

WgmmaElement sumElementOf(Type type) {
  return type.isF16() ? WgmmaElement::f16 : type.isF32() ? WgmmaElement::f32 : WgmmaElement::s32;
}

/// The words of a left operand in registers: of one, two or four elements.
SmallVector<Value> wordsOf(RankedTensorType fragment, ValueRange units, Lowering &to) {
  OpBuilder &b = to.rewriter;
  Arithmetic a{to};
  Type word = b.getI32Type();
  int64_t bytes = tile::bytesOf(fragment.getElementType());
  if (bytes == 4) {
    Registers registers(b, to.loc, units);
    SmallVector<Value> words;
    for (int64_t r = 0; r < registers.size(); ++r) {
      Value element = registers.get(r);
      words.push_back(element.getType() == word ? element
                                                : LLVM::BitcastOp::create(b, to.loc, word, element).getResult());
    }
    return words;
  }
  Type type = bytes == 2 ? word : b.getI16Type();
  SmallVector<Value> pairs(
      llvm::map_range(units, [&](Value unit) -> Value { return LLVM::BitcastOp::create(b, to.loc, type, unit); }));
  if (bytes == 2) return pairs;
  SmallVector<Value> words;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    Value low = LLVM::ZExtOp::create(b, to.loc, word, pairs[i]),
          high = LLVM::ZExtOp::create(b, to.loc, word, pairs[i + 1]);
    words.push_back(a.bor(low, a.shl(high, 16)));
  }
  return words;
}

/// A fragment's units as the registers of a product.
SmallVector<Value> registersOf(RankedTensorType fragment, ValueRange units, Lowering &to) {
  OpBuilder &b = to.rewriter;
  if (fragment.getElementType().getIntOrFloatBitWidth() == 16)
    return SmallVector<Value>(llvm::map_range(
        units, [&](Value unit) -> Value { return LLVM::BitcastOp::create(b, to.loc, b.getI32Type(), unit); }));
  Registers registers(b, to.loc, units);
  SmallVector<Value> result;
  for (int64_t r = 0; r < registers.size(); ++r) result.push_back(registers.get(r));
  return result;
}

/// The other way.
SmallVector<Value> unitsOf(RankedTensorType fragment, ValueRange registers, Lowering &to) {
  OpBuilder &b = to.rewriter;
  Type element = fragment.getElementType();
  if (element.getIntOrFloatBitWidth() == 16)
    return SmallVector<Value>(llvm::map_range(registers, [&](Value word) -> Value {
      return LLVM::BitcastOp::create(b, to.loc, VectorType::get({2}, element), word);
    }));
  Registers result(b, to.loc, static_cast<int64_t>(registers.size()));
  for (auto [r, value] : llvm::enumerate(registers)) result.set(static_cast<int64_t>(r), value);
  return result.units();
}

LogicalResult lowerNone(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  SmallVector<Value> registers;
  for (Type type : pendingTypesOf(cast<tile::PendingType>(op->getResult(0).getType())))
    registers.push_back(LLVM::UndefOp::create(to.rewriter, to.loc, type));
  return to.replace(op, registers);
}

//===- Products ---------------------------------------------------------------------------------------------------===//

/// One `tile.wgmma`: fence, atoms, commit.
class Product {
public:
  Product(tile::WgmmaOp op, ArrayRef<ValueRange> operands, Lowering &to)
      : op(op), operands(operands), to(to), result(op.getResult().getType().getFragment()),
        left(dyn_cast<RankedTensorType>(op.getA().getType())) {}

  LogicalResult run() {
    auto pending = isa<tile::PendingType>(op.getAcc().getType());
    sums = pending ? SmallVector<Value>(operands[2]) : registersOf(result, operands[2], to);
    if (left) a = wordsOf(left, operands[0], to);
    fence(pending);
    multiply();
    NVVM::WgmmaGroupSyncAlignedOp::create(to.rewriter, to.loc);
    return to.replace(op, sums);
  }

private:
  tile::WgmmaOp op;
  ArrayRef<ValueRange> operands;
  Lowering &to;
  RankedTensorType result, left; ///< left: null where a is in shared memory
  SmallVector<Value> sums, a;

  /// Registers that were computed are written before the fence.
  void fence(bool pending) {
    SmallVector<Value> written;
    if (!pending) written = sums;
    llvm::append_range(written, a);
    SmallVector<Type> types(ValueRange(written).getTypes());
    auto passed = ptx::WgmmaFenceOp::create(to.rewriter, to.loc, types, written).getResults();
    size_t count = pending ? 0 : sums.size();
    llvm::copy(passed.take_front(count), sums.begin());
    llvm::copy(passed.drop_front(count), a.begin());
  }

  /// Whether the first step adds to what the accumulator holds; null if it does.
  Value firstPredicate() {
    if (op.getAccumulate()) return operands[3][0];
    if (!op.getAcc().getDefiningOp<tile::WgmmaNoneOp>()) return {};
    return LLVM::ConstantOp::create(to.rewriter, to.loc, to.rewriter.getI1Type(), to.rewriter.getBoolAttr(false));
  }

  /// k outermost: sums of different rows do not wait for one another.
  void multiply() {
    Type aElement = left ? left.getElementType() : cast<tile::SharedType>(op.getA().getType()).getElementType();
    tile::SharedType bType = op.getB().getType();
    int64_t step = layout::kAtomDepthBytes / tile::bytesOf(aElement), blocks = result.getShape()[0] / kBlockRows;
    int64_t steps = bType.getShape()[op.getTransposeB() ? 1 : 0] / step;
    size_t perBlock = sums.size() / blocks;
    std::optional<OperandDescriptor> leftTile;
    if (!left)
      leftTile.emplace(to, cast<tile::SharedType>(op.getA().getType()), operands[0][0],
                       op.getTransposeA() ? layout::Major::MN : layout::Major::K);
    OperandDescriptor right(to, bType, operands[1][0], op.getTransposeB() ? layout::Major::K : layout::Major::MN);
    Value accumulate = firstPredicate();
    for (int64_t k = 0; k < steps; ++k)
      for (int64_t m = 0; m < blocks; ++m) {
        MutableArrayRef<Value> block = MutableArrayRef<Value>(sums).slice(m * perBlock, perBlock);
        ArrayRef<Value> words = left ? ArrayRef<Value>(a).slice((m * steps + k) * 4, 4) : ArrayRef<Value>();
        auto made = ptx::WgmmaOp::create(
            to.rewriter, to.loc, SmallVector<Type>(ValueRange(block).getTypes()), sumElementOf(result.getElementType()),
            block, k == 0 ? accumulate : Value(), elementOf(aElement, op.getUnsignedA()),
            left ? Value() : leftTile->at(m * kBlockRows, k * step), words, op.getTransposeA(),
            elementOf(bType.getElementType(), op.getUnsignedB()), right.at(0, k * step), !op.getTransposeB());
        llvm::copy(made.getResults(), block.begin());
      }
  }
};

LogicalResult lowerWgmma(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  return Product(cast<tile::WgmmaOp>(op), operands, to).run();
}

LogicalResult lowerWgmmaWait(tile::WgmmaWaitOp wait, ArrayRef<ValueRange> operands, Lowering &to) {
  SmallVector<Type> types(operands[0].getTypes());
  auto waited = ptx::WgmmaWaitOp::create(to.rewriter, to.loc, types, wait.getInFlight(), operands[0]);
  if (isa<tile::PendingType>(wait.getResult().getType()))
    return to.replace(wait, SmallVector<Value>(waited.getResults()));
  return to.replace(wait, unitsOf(wait.getPending().getType().getFragment(), waited.getResults(), to));
}

} // namespace

SmallVector<Type> kiln::codegen::gpu::pendingTypesOf(tile::PendingType type) {
  Type element = type.getFragment().getElementType();
  int64_t registers = tile::distributionOf(type.getFragment())->registers();
  if (element.getIntOrFloatBitWidth() != 16) return SmallVector<Type>(registers, element);
  return SmallVector<Type>(registers / 2, IntegerType::get(type.getContext(), 32));
}

ArrayRef<Row> kiln::codegen::gpu::wgmmaRows() {
  static const Row rows[] = {
      {"tile.wgmma_none", lowerNone, GpuFeature::Wgmma},
      {"tile.wgmma", lowerWgmma, GpuFeature::Wgmma},
      {"tile.wgmma_wait", typed<lowerWgmmaWait>, GpuFeature::Wgmma},
  };
  return rows;
}
