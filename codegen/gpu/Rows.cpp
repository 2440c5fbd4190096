// The concatenated table of lowerings and the types they agree on.
#include "codegen/gpu/Rows.h"
#include "codegen/gpu/ByteFloats.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;

/// All families.
static ArrayRef<ArrayRef<Row>> families() {
  static const ArrayRef<Row> all[] = {memoryRows(), fragmentRows(), foldRows(),       matrixRows(),
                                      ringRows(),   bulkRows(),     wgmmaRows(),      roleRows(),
                                      partRows(),   functionRows(), elementwiseRows()};
  return all;
}

const codegen::RowTableOf<Lowering> &kiln::codegen::gpu::gpuRows() {
  static const auto table = codegen::concatenate<Lowering>(families());
  return table;
}

GpuFeature kiln::codegen::gpu::featureOf(Operation *op) {
  static const auto table = [] {
    llvm::StringMap<GpuFeature> features;
    for (ArrayRef<Row> family : families())
      for (const Row &row : family) features[row.op] = row.needs;
    return features;
  }();
  if (isa<arith::TruncFOp, arith::ExtFOp>(op) &&
      (isByteFloat(op->getOperand(0).getType()) || isByteFloat(op->getResult(0).getType())))
    return GpuFeature::ByteFloats;
  return table.lookup(op->getName().getStringRef());
}

SmallVector<Type> kiln::codegen::gpu::unitTypesOf(Type type) {
  auto fragment = tile::distributionOf(type);
  if (!fragment) return {type};
  Type element = keptAs(cast<RankedTensorType>(type).getElementType());
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
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) return i32(constant.getSExtValue());
  if (Value source = narrowSource(value)) return source;
  if (value.getType().isIndex()) return arith::IndexCastOp::create(rewriter, loc, rewriter.getI32Type(), value);
  return arith::TruncIOp::create(rewriter, loc, rewriter.getI32Type(), value);
}

Value Lowering::one() const {
  if (role == Role::Producer) return {};
  return LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, thread(), i32(0));
}

void Lowering::meet() const {
  if (role == Role::Cta && frame.threads == 32) {
    NVVM::SyncWarpOp::create(rewriter, loc, i32(-1));
  } else if (role == Role::Cta) {
    NVVM::Barrier0Op::create(rewriter, loc);
  } else { // barrier 0 is the CTA's
    Value id = LLVM::AddOp::create(rewriter, loc, frame.warpgroup, i32(1));
    NVVM::BarrierOp::create(rewriter, loc, TypeRange(), id, i32(kWarpgroup), NVVM::BarrierReductionAttr(), Value());
  }
}

void Lowering::meetAll(bool relaxed) const {
  if (frame.cluster == 1) {
    NVVM::Barrier0Op::create(rewriter, loc);
    return;
  }
  if (relaxed)
    NVVM::ClusterArriveRelaxedOp::create(rewriter, loc, UnitAttr());
  else
    NVVM::ClusterArriveOp::create(rewriter, loc, UnitAttr());
  NVVM::ClusterWaitOp::create(rewriter, loc, UnitAttr());
}

LogicalResult Lowering::replace(Operation *op, ArrayRef<Value> units) const {
  rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{units});
  return success();
}

TileTypes::TileTypes() {
  auto pointer = [](Type type, unsigned space) -> Type { return LLVM::LLVMPointerType::get(type.getContext(), space); };
  addConversion([](Type type) { return type; });
  addConversion([=](tile::GlobalType type) { return pointer(type, ptx::Global); });
  addConversion([=](tile::SharedType type) { return pointer(type, ptx::Shared); });
  addConversion([=](tile::RemoteType type) { return pointer(type, ptx::SharedCluster); });
  addConversion([=](tile::RingType type) { return pointer(type, ptx::Shared); });
  addConversion([=](tile::MBarrierType type) { return pointer(type, ptx::Shared); });
  addConversion([](tile::TurnsType type) -> Type { return IntegerType::get(type.getContext(), 32); });
  addConversion([](tile::PendingType type, SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
    llvm::append_range(types, pendingTypesOf(type));
    return success();
  });
  addConversion([](RankedTensorType type, SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
    if (!tile::isFragment(type)) return std::nullopt;
    llvm::append_range(types, unitTypesOf(type));
    return success();
  });
}
