// Ids, splats, lanes, masks.
#include "codegen/gpu/Masks.h"
#include "codegen/gpu/Registers.h"
#include "codegen/lower/Vectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;

namespace {

template <Value Frame::*id> LogicalResult lowerId(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  to.rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, to.rewriter.getIndexType(), to.frame.*id);
  return success();
}

LogicalResult lowerSplat(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  Value scalar = operands[0][0];
  SmallVector<Type> types = unitTypesOf(op->getResult(0).getType());
  Value unit = isa<VectorType>(types[0]) ? splatOf(to.rewriter, to.loc, scalar, 2) : scalar;
  return to.replace(op, SmallVector<Value>(types.size(), unit));
}

/// The column of each register: the thread's first one, widened, and a constant.
LogicalResult lowerLanes(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  OpBuilder &b = to.rewriter;
  layout::Fragment fragment = *tile::distributionOf(op->getResult(0).getType());
  Value first = threadPlaceOf(fragment, to).column;
  Registers lanes(b, to.loc, fragment.registers());
  for (int64_t r = 0; r < lanes.size(); ++r) {
    Value lane = first;
    if (int64_t column = fragment.registerPlace(r).column) lane = LLVM::AddOp::create(b, to.loc, first, to.i32(column));
    lanes.set(r, LLVM::ZExtOp::create(b, to.loc, b.getI64Type(), lane));
  }
  return to.replace(op, lanes.units());
}

LogicalResult lowerLaneMask(tile::LaneMaskOp mask, ArrayRef<ValueRange>, Lowering &to) {
  OpBuilder &b = to.rewriter;
  layout::Fragment fragment = *tile::distributionOf(mask.getType());
  Value left = lanesLeft(mask, to);
  Registers lanes(b, to.loc, fragment.registers());
  for (int64_t r = 0; r < lanes.size(); ++r)
    lanes.set(
        r, LLVM::ICmpOp::create(b, to.loc, LLVM::ICmpPredicate::sgt, left, to.i32(fragment.registerPlace(r).column)));
  return to.replace(mask, lanes.units());
}

} // namespace

ArrayRef<Row> kiln::codegen::gpu::fragmentRows() {
  static const Row rows[] = {
      {"tile.cta_id", lowerId<&Frame::cta>},
      {"tile.warp_id", lowerId<&Frame::warp>},
      {"tile.splat", lowerSplat},
      {"tile.lanes", lowerLanes},
      {"tile.lane_mask", typed<lowerLaneMask>},
  };
  return rows;
}
