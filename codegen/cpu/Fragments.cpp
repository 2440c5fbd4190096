// Ops of the tile dialect on fragments: splats, lanes, masks, folds, mma.
#include "codegen/cpu/Rows.h"
#include "codegen/cpu/Vectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

LogicalResult lowerSplat(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  SmallVector<Type> units = to.unitTypes(op->getResult(0).getType());
  auto vector = dyn_cast<VectorType>(units[0]);
  Value unit = vector ? splatOf(to.rewriter, to.loc, operands[0][0], vector.getNumElements()) : operands[0][0];
  SmallVector<Value> results(units.size(), unit);
  to.rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{results});
  return success();
}

LogicalResult lowerLanes(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  auto type = cast<VectorType>(to.unitTypes(op->getResult(0).getType())[0]);
  to.rewriter.replaceOp(op, laneNumbers(to.rewriter, to.loc, type.getElementType(), type.getNumElements()));
  return success();
}

/// lane < count. The count is clamped to the lanes first, so that 32 bits, the width of most users' lanes, hold it.
LogicalResult lowerLaneMask(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  OpBuilder &b = to.rewriter;
  auto type = dyn_cast<VectorType>(to.unitTypes(op->getResult(0).getType())[0]);
  auto fragment = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || fragment.getRank() != 1) return op->emitOpError("a lane mask must be a `#tile.simd` fragment of rank 1");
  int64_t lanes = type.getNumElements();
  Value zero = arith::ConstantIndexOp::create(b, to.loc, 0), all = arith::ConstantIndexOp::create(b, to.loc, lanes);
  Value count = arith::MaxSIOp::create(b, to.loc, operands[0][0], zero);
  count = arith::MinSIOp::create(b, to.loc, count, all);
  count = splatOf(b, to.loc, arith::IndexCastOp::create(b, to.loc, b.getI32Type(), count), lanes);
  Value numbers = laneNumbers(b, to.loc, b.getI32Type(), lanes);
  to.rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::slt, numbers, count);
  return success();
}

//===- Folds ------------------------------------------------------------------------------------------------------===//

template <typename OpTy> Value combineWith(OpBuilder &b, Location loc, Value x, Value y) {
  return OpTy::create(b, loc, x, y);
}

struct CombineRow {
  Value (*floats)(OpBuilder &, Location, Value, Value);
  Value (*integers)(OpBuilder &, Location, Value, Value);
  Value (*bools)(OpBuilder &, Location, Value, Value); ///< 0 and 1 as unsigned numbers
};

/// By tile::CombineKind.
const CombineRow kCombine[] = {
    {combineWith<arith::AddFOp>, combineWith<arith::AddIOp>, combineWith<arith::XOrIOp>},
    {combineWith<arith::MulFOp>, combineWith<arith::MulIOp>, combineWith<arith::AndIOp>},
    {combineWith<arith::MaximumFOp>, combineWith<arith::MaxSIOp>, combineWith<arith::OrIOp>},
    {combineWith<arith::MinimumFOp>, combineWith<arith::MinSIOp>, combineWith<arith::AndIOp>},
};

Value combine(OpBuilder &b, Location loc, tile::CombineKind kind, Value x, Value y) {
  const CombineRow &row = kCombine[static_cast<size_t>(kind)];
  Type element = getElementTypeOrSelf(x.getType());
  return (isa<FloatType>(element) ? row.floats : element.isInteger(1) ? row.bools : row.integers)(b, loc, x, y);
}

/// Every second lane of the concatenated parts, even or odd, in parts of the same width, or one of half the width.
SmallVector<Value> everySecond(OpBuilder &b, Location loc, ArrayRef<Value> parts, int64_t odd) {
  int64_t width = cast<VectorType>(parts[0].getType()).getNumElements();
  if (parts.size() == 1) return {pick(b, loc, parts[0], parts[0], odd, 2, width / 2)};
  SmallVector<Value> half;
  for (size_t i = 0; i < parts.size(); i += 2) half.push_back(pick(b, loc, parts[i], parts[i + 1], odd, 2, width));
  return half;
}

/// x[8l + j] over l, for j = 0 … 7. Three rounds of even and odd lanes on native registers, which are two-register
/// permutes: a single shuffle of stride 8 over a wide vector is taken apart lane by lane by the backend.
SmallVector<Value> unitColumns(Lowering &to, Value x) {
  OpBuilder &b = to.rewriter;
  auto type = cast<VectorType>(x.getType());
  int64_t lanes = type.getNumElements();
  SmallVector<Value> columns;
  if (!llvm::isPowerOf2_64(lanes)) {
    for (int64_t j = 0; j < 8; ++j) columns.push_back(pick(b, to.loc, x, x, j, 8, lanes / 8));
    return columns;
  }
  int64_t width = std::min<int64_t>(lanes, to.target.lanes(static_cast<int>(tile::bytesOf(type.getElementType()))));
  SmallVector<SmallVector<Value>> groups(1);
  for (int64_t first = 0; first < lanes; first += width)
    groups[0].push_back(lanes == width ? x : pick(b, to.loc, x, x, first, 1, width));
  for (int round = 0; round < 3; ++round) { // group g holds the lanes whose low `round` bits are g
    SmallVector<SmallVector<Value>> next(2 * groups.size());
    for (auto [g, parts] : llvm::enumerate(groups))
      for (int64_t odd : {0, 1}) next[g + odd * groups.size()] = everySecond(b, to.loc, parts, odd);
    groups = std::move(next);
  }
  for (SmallVector<Value> &parts : groups) columns.push_back(concat(b, to.loc, parts));
  return columns;
}

LogicalResult lowerFoldUnits(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  auto fold = cast<tile::FoldUnitsOp>(op);
  Value acc = operands[1][0];
  for (Value column : unitColumns(to, operands[0][0])) acc = combine(to.rewriter, to.loc, fold.getKind(), acc, column);
  to.rewriter.replaceOp(op, acc);
  return success();
}

LogicalResult lowerFold(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  auto fold = cast<tile::FoldOp>(op);
  OpBuilder &b = to.rewriter;
  Value x = operands[0][0];
  int64_t lanes = cast<VectorType>(x.getType()).getNumElements();
  for (; lanes > 2; lanes /= 2) {
    Value lo = pick(b, to.loc, x, x, 0, 1, lanes / 2), hi = pick(b, to.loc, x, x, lanes / 2, 1, lanes / 2);
    x = combine(b, to.loc, fold.getKind(), lo, hi);
  }
  Value result = laneOf(b, to.loc, x, 0);
  if (lanes == 2) result = combine(b, to.loc, fold.getKind(), result, laneOf(b, to.loc, x, 1));
  to.rewriter.replaceOp(op, result);
  return success();
}

//===- The MMA atom -----------------------------------------------------------------------------------------------===//

/// An outer product: row m of the accumulator gains a[m]·b, one fma per element.
LogicalResult lowerMma(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  Value row = operands[1][0];
  int64_t lanes = cast<VectorType>(row.getType()).getNumElements();
  SmallVector<Value> results;
  for (auto [a, acc] : llvm::zip_equal(operands[0], operands[2])) {
    Value column = splatOf(to.rewriter, to.loc, a, lanes);
    results.push_back(math::FmaOp::create(to.rewriter, to.loc, column, row, acc));
  }
  to.rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{results});
  return success();
}

} // namespace

ArrayRef<Row> kiln::codegen::fragmentRows() {
  static const Row rows[] = {
      {"tile.splat", lowerSplat},          {"tile.lanes", lowerLanes}, {"tile.lane_mask", lowerLaneMask},
      {"tile.fold_units", lowerFoldUnits}, {"tile.fold", lowerFold},   {"tile.mma", lowerMma},
  };
  return rows;
}
