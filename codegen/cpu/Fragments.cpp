// Ops of the tile dialect on fragments: splats, lanes, masks, folds, mma.
#include "codegen/cpu/Halves.h"
#include "codegen/cpu/Rows.h"
#include "codegen/lower/Vectors.h"
#include "ir/DTypes.h"
#include "ir/tile/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

LogicalResult lowerSplat(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  Value scalar = operands[0][0];
  SmallVector<Value> results;
  for (const Unit &unit : to.units(op->getResult(0).getType())) {
    auto vector = dyn_cast<VectorType>(unit.type);
    if (!vector)
      results.push_back(scalar);
    else if (!results.empty() && results[0].getType() == vector)
      results.push_back(results[0]);
    else
      results.push_back(splatOf(to.rewriter, to.loc, scalar, vector.getNumElements()));
  }
  to.rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{results});
  return success();
}

LogicalResult lowerLanes(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  SmallVector<Value> results;
  for (const Unit &unit : to.units(op->getResult(0).getType()))
    results.push_back(laneNumbers(to.rewriter, to.loc, cast<VectorType>(unit.type), unit.lane));
  to.rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{results});
  return success();
}

/// lane < count. The count is clamped to the lanes first, so that 32 bits, the width of most users' lanes, hold it.
LogicalResult lowerLaneMask(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  OpBuilder &b = to.rewriter;
  auto fragment = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!fragment || fragment.getRank() != 1 || isa<tile::SimdColumnAttr>(fragment.getEncoding()))
    return op->emitOpError("a lane mask must be a `#tile.simd` fragment of rank 1");
  Value zero = arith::ConstantIndexOp::create(b, to.loc, 0);
  Value all = arith::ConstantIndexOp::create(b, to.loc, fragment.getDimSize(0));
  Value count = arith::MaxSIOp::create(b, to.loc, operands[0][0], zero);
  count = arith::MinSIOp::create(b, to.loc, count, all);
  count = arith::IndexCastOp::create(b, to.loc, b.getI32Type(), count);
  SmallVector<Value> results;
  for (const Unit &unit : to.units(fragment)) {
    auto type = cast<VectorType>(cast<VectorType>(unit.type).clone(b.getI32Type()));
    Value counts = splatOf(b, to.loc, count, type.getNumElements());
    Value numbers = laneNumbers(b, to.loc, type, unit.lane);
    results.push_back(arith::CmpIOp::create(b, to.loc, arith::CmpIPredicate::slt, numbers, counts));
  }
  to.rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{results});
  return success();
}

//===- Folds ------------------------------------------------------------------------------------------------------===//

/// Sums and products are made of f32: a program widens and rounds where it says so.
LogicalResult refuseHalves(Operation *op) {
  if (!ir::isWidened(op->getOperand(0).getType())) return success();
  return op->emitOpError("has no 16-bit arithmetic on the cpu target: extend to f32 first");
}

/// Every second lane of the concatenated parts, even or odd, in parts of the same width, or one of half the width.
SmallVector<Value> everySecond(Lowering &to, ArrayRef<Value> parts, int64_t odd) {
  int64_t width = lanesOf(parts[0]);
  if (parts.size() == 1) return {pick(to.rewriter, to.loc, parts[0], parts[0], odd, 2, width / 2)};
  SmallVector<Value> half;
  for (size_t i = 0; i < parts.size(); i += 2)
    half.push_back(pick(to.rewriter, to.loc, parts[i], parts[i + 1], odd, 2, width));
  return half;
}

/// x[8l + j] over l, for j = 0 … 7, each in as many units as the accumulator has. Three rounds of even and odd lanes,
/// which are permutes of two registers: a shuffle of stride 8 over a wide vector the backend takes apart lane by lane.
SmallVector<SmallVector<Value>> unitColumns(Lowering &to, ValueRange x) {
  SmallVector<SmallVector<Value>> groups = {SmallVector<Value>(x)};
  for (int round = 0; round < 3; ++round) { // group g holds the lanes whose low `round` bits are g
    SmallVector<SmallVector<Value>> next(2 * groups.size());
    for (auto [g, parts] : llvm::enumerate(groups))
      for (int64_t odd : {0, 1}) next[g + odd * groups.size()] = everySecond(to, parts, odd);
    groups = std::move(next);
  }
  return groups;
}

/// The same, lane by lane, for extents that are no power of two.
SmallVector<SmallVector<Value>> unitColumnsByLane(Lowering &to, ValueRange x, ValueRange like) {
  OpBuilder &b = to.rewriter;
  SmallVector<SmallVector<Value>> columns(8);
  for (auto [j, column] : llvm::enumerate(columns)) {
    int64_t from = static_cast<int64_t>(j);
    for (Value unit : like) {
      SmallVector<Value> lanes;
      for (int64_t l = 0; l < lanesOf(unit); ++l, from += 8)
        lanes.push_back(laneOf(b, to.loc, x[from / to.unitLanes], from % to.unitLanes));
      column.push_back(vectorOf(b, to.loc, lanes));
    }
  }
  return columns;
}

LogicalResult lowerFoldUnits(tile::FoldUnitsOp fold, ArrayRef<ValueRange> operands, Lowering &to) {
  if (failed(refuseHalves(fold))) return failure();
  ValueRange x = operands[0];
  SmallVector<Value> acc(operands[1]);
  int64_t lanes = cast<RankedTensorType>(fold.getX().getType()).getDimSize(0);
  for (SmallVector<Value> &column :
       llvm::isPowerOf2_64(lanes) ? unitColumns(to, x) : unitColumnsByLane(to, x, operands[1]))
    for (auto [sum, part] : llvm::zip_equal(acc, column))
      sum = tile::combine(to.rewriter, to.loc, fold.getKind(), sum, part);
  to.rewriter.replaceOpWithMultiple(fold, SmallVector<ValueRange>{acc});
  return success();
}

LogicalResult lowerFold(tile::FoldOp fold, ArrayRef<ValueRange> operands, Lowering &to) {
  if (failed(refuseHalves(fold))) return failure();
  OpBuilder &b = to.rewriter;
  SmallVector<Value> units(operands[0]);
  auto join = [&](Value lo, Value hi) { return tile::combine(b, to.loc, fold.getKind(), lo, hi); };
  for (size_t half = units.size() / 2; half > 0; half /= 2)
    for (size_t u = 0; u < half; ++u) units[u] = join(units[u], units[u + half]);
  Value x = units[0];
  int64_t lanes = lanesOf(x);
  for (; lanes > 2; lanes /= 2)
    x = join(pick(b, to.loc, x, x, 0, 1, lanes / 2), pick(b, to.loc, x, x, lanes / 2, 1, lanes / 2));
  Value result = laneOf(b, to.loc, x, 0);
  if (lanes == 2) result = join(result, laneOf(b, to.loc, x, 1));
  to.rewriter.replaceOp(fold, result);
  return success();
}

//===- The MMA atom -----------------------------------------------------------------------------------------------===//

/// An outer product: row m of the accumulator gains a[m]·b, one fma per element.
LogicalResult lowerMma(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  if (failed(refuseHalves(op))) return failure();
  ValueRange column = operands[0], row = operands[1], acc = operands[2];
  SmallVector<Value> results;
  for (auto [m, a] : llvm::enumerate(column)) {
    Value broadcast;
    for (auto [n, b] : llvm::enumerate(row)) {
      if (!broadcast || broadcast.getType() != b.getType()) broadcast = splatOf(to.rewriter, to.loc, a, lanesOf(b));
      results.push_back(math::FmaOp::create(to.rewriter, to.loc, broadcast, b, acc[m * row.size() + n]));
    }
  }
  to.rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{results});
  return success();
}

} // namespace

ArrayRef<Row> kiln::codegen::fragmentRows() {
  static const Row rows[] = {
      {"tile.splat", lowerSplat},        {"tile.lanes", lowerLanes},
      {"tile.lane_mask", lowerLaneMask}, {"tile.fold_units", typed<lowerFoldUnits>},
      {"tile.fold", typed<lowerFold>},   {"tile.mma", lowerMma},
  };
  return rows;
}
