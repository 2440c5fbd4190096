#include "codegen/lower/Vectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

Value kiln::codegen::splatOf(OpBuilder &b, Location loc, Value scalar, int64_t lanes) {
  auto type = VectorType::get({lanes}, scalar.getType());
  Value poison = LLVM::PoisonOp::create(b, loc, type);
  Value zero = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(0));
  Value one = LLVM::InsertElementOp::create(b, loc, type, poison, scalar, zero);
  return LLVM::ShuffleVectorOp::create(b, loc, one, poison, SmallVector<int32_t>(lanes, 0));
}

Value kiln::codegen::laneOf(OpBuilder &b, Location loc, Value vector, int64_t lane) {
  Value index = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(lane)));
  return LLVM::ExtractElementOp::create(b, loc, vector, index);
}

Value kiln::codegen::pick(OpBuilder &b, Location loc, Value first, Value second, int64_t start, int64_t step,
                          int64_t count) {
  SmallVector<int32_t> lanes;
  for (int64_t l = 0; l < count; ++l) lanes.push_back(static_cast<int32_t>(start + l * step));
  return LLVM::ShuffleVectorOp::create(b, loc, first, second, lanes);
}

int64_t kiln::codegen::lanesOf(Value vector) { return cast<VectorType>(vector.getType()).getNumElements(); }

Value kiln::codegen::vectorOf(OpBuilder &b, Location loc, ValueRange scalars) {
  auto type = VectorType::get({static_cast<int64_t>(scalars.size())}, scalars[0].getType());
  Value vector = LLVM::PoisonOp::create(b, loc, type);
  for (auto [lane, scalar] : llvm::enumerate(scalars)) {
    Value index = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(lane)));
    vector = LLVM::InsertElementOp::create(b, loc, vector, scalar, index);
  }
  return vector;
}

Value kiln::codegen::laneNumbers(OpBuilder &b, Location loc, VectorType type, int64_t first) {
  SmallVector<Attribute> numbers;
  for (int64_t l = 0; l < type.getNumElements(); ++l)
    numbers.push_back(b.getIntegerAttr(type.getElementType(), first + l));
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, numbers));
}

Value kiln::codegen::zeroOf(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
}
