// The concatenated table of lowerings and the types they agree on.
#include "codegen/gpu/Rows.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;

const codegen::RowTableOf<Lowering> &kiln::codegen::gpu::gpuRows() {
  static const auto table = codegen::concatenate<Lowering>(
      {memoryRows(), fragmentRows(), foldRows(), matrixRows(), functionRows(), elementwiseRows()});
  return table;
}

SmallVector<Type> kiln::codegen::gpu::unitTypesOf(Type type) {
  auto fragment = tile::distributionOf(type);
  if (!fragment) return {type};
  Type element = cast<RankedTensorType>(type).getElementType();
  int64_t registers = fragment->registers();
  if (registers % 2 != 0) return SmallVector<Type>(registers, element);
  return SmallVector<Type>(registers / 2, VectorType::get({2}, element));
}

Value Lowering::i32(int64_t value) const {
  return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(),
                                  rewriter.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value Lowering::i64(int64_t value) const {
  return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(), rewriter.getI64IntegerAttr(value));
}

/// What an index was widened from, where it was.
static Value narrowSource(Value index) {
  Operation *op = index.getDefiningOp();
  bool widened = isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(op);
  return widened && op->getOperand(0).getType().isInteger(32) ? op->getOperand(0) : Value();
}

Value Lowering::low32(Value value) const {
  if (value.getType().isInteger(32)) return value;
  if (Value source = narrowSource(value)) return source;
  if (value.getType().isIndex()) return arith::IndexCastOp::create(rewriter, loc, rewriter.getI32Type(), value);
  return arith::TruncIOp::create(rewriter, loc, rewriter.getI32Type(), value);
}

LogicalResult Lowering::replace(Operation *op, ArrayRef<Value> units) const {
  rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{units});
  return success();
}

TileTypes::TileTypes() {
  addConversion([](Type type) { return type; });
  addConversion(
      [](tile::GlobalType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext(), ptx::Global); });
  addConversion(
      [](tile::SharedType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext(), ptx::Shared); });
  addConversion([](tile::RingType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext(), ptx::Shared); });
  addConversion([](RankedTensorType type, SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
    if (!tile::isFragment(type)) return std::nullopt;
    llvm::append_range(types, unitTypesOf(type));
    return success();
  });
}
