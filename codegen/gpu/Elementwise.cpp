// Ops that work element by element: cloned onto each pair of registers.
#include "codegen/lower/Elementwise.h"
#include "codegen/gpu/ByteFloats.h"
#include "codegen/gpu/Registers.h"
#include "codegen/gpu/Rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;

namespace {

LogicalResult lowerElementwise(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  return perUnit(op, operands, unitTypesOf(op->getResult(0).getType()), to.rewriter,
                 [&](ArrayRef<Value> x, Type type) { return cloneOnto(op, x, type, to.rewriter); });
}

/// Two bf16 are the upper halves of two f32: one instruction for each.
Value extendPair(Value pair, Lowering &to) {
  OpBuilder &b = to.rewriter;
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value word = LLVM::BitcastOp::create(b, to.loc, i32, pair);
  Value halves[] = {LLVM::ShlOp::create(b, to.loc, word, to.i32(16)),
                    LLVM::AndOp::create(b, to.loc, word, to.i32(static_cast<int32_t>(0xffff0000)))};
  Value result = LLVM::PoisonOp::create(b, to.loc, VectorType::get({2}, f32));
  for (auto [k, half] : llvm::enumerate(halves)) {
    Value element = LLVM::BitcastOp::create(b, to.loc, f32, half);
    result = LLVM::InsertElementOp::create(b, to.loc, result, element, to.i32(static_cast<int32_t>(k)));
  }
  return result;
}

LogicalResult lowerTruncate(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  if (isByteFloat(op->getResult(0).getType())) return lowerToByteFloats(op, operands, to);
  return lowerElementwise(op, operands, to);
}

LogicalResult lowerExtend(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  if (isByteFloat(op->getOperand(0).getType())) return lowerFromByteFloats(op, operands, to);
  return perUnit(op, operands, unitTypesOf(op->getResult(0).getType()), to.rewriter, [&](ArrayRef<Value> x, Type type) {
    auto pair = dyn_cast<VectorType>(x[0].getType());
    bool isPairOfBF16 = pair && pair.getNumElements() == 2 && pair.getElementType().isBF16();
    return isPairOfBF16 ? extendPair(x[0], to) : cloneOnto(op, x, type, to.rewriter);
  });
}

/// The same value everywhere: which element a register holds depends on the thread.
LogicalResult lowerConstant(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  auto dense = dyn_cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  if (!dense || !dense.isSplat()) return op->emitOpError("a fragment's constant must have one value");
  SmallVector<Type> types = unitTypesOf(op->getResult(0).getType());
  auto value = dense.getSplatValue<TypedAttr>();
  auto vector = dyn_cast<VectorType>(types[0]);
  Value unit = arith::ConstantOp::create(to.rewriter, to.loc,
                                         vector ? TypedAttr(DenseElementsAttr::get(vector, Attribute(value))) : value);
  return to.replace(op, SmallVector<Value>(types.size(), unit));
}

} // namespace

// What stands here must have an instruction, or an exact expansion: functions that would become calls of a maths
// library are expanded before, and are errors here.
ArrayRef<Row> kiln::codegen::gpu::elementwiseRows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all = {
        {"arith.constant", lowerConstant}, {"arith.extf", lowerExtend}, {"arith.truncf", lowerTruncate}};
    for (StringRef op :
         {// Floats.
          "arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.negf", "arith.maximumf", "arith.minimumf",
          "arith.cmpf", "math.fma", "math.sqrt", "math.absf", "math.floor", "math.ceil", "math.trunc", "math.roundeven",
          "math.copysign",
          // Integers.
          "arith.addi", "arith.subi", "arith.muli", "arith.divsi", "arith.divui", "arith.ceildivui", "arith.remsi",
          "arith.remui", "arith.andi", "arith.ori", "arith.xori", "arith.shli", "arith.shrsi", "arith.shrui",
          "arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui", "arith.cmpi", "arith.select",
          // Casts.
          "arith.extsi", "arith.extui", "arith.trunci", "arith.sitofp", "arith.uitofp", "arith.fptosi", "arith.fptoui",
          "arith.bitcast", "arith.index_cast", "arith.index_castui"})
      all.push_back({op, lowerElementwise});
    return all;
  }();
  return rows;
}
