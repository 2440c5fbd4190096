// Ops that work element by element: cloned onto each unit, 16-bit floats through f32.
#include "codegen/lower/Elementwise.h"
#include "codegen/cpu/Halves.h"
#include "codegen/cpu/Rows.h"
#include "ir/DTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

/// The shared engine, on the result's units.
LogicalResult perUnit(Operation *op, ArrayRef<ValueRange> operands, Lowering &to, UnitFn build) {
  SmallVector<Type> types;
  for (const Unit &unit : to.units(op->getResult(0).getType())) types.push_back(unit.type);
  return codegen::perUnit(op, operands, types, to.rewriter, build);
}

LogicalResult lowerElementwise(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  return perUnit(op, operands, to, [&](ArrayRef<Value> x, Type type) { return cloneOnto(op, x, type, to.rewriter); });
}

//===- 16-bit floats ----------------------------------------------------------------------------------------------===//

SmallVector<Value> widened(ArrayRef<Value> stored, Type element, Lowering &to) {
  return llvm::map_to_vector(stored, [&](Value x) { return widen(to.rewriter, to.loc, x, element); });
}

/// f32 has more than twice the bits of a 16-bit float and two, so that sums, products, quotients and roots may be
/// rounded to it first; the other ops here give what is exact, or a bool.
LogicalResult lowerFloat(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (!ir::isWidened(element)) return lowerElementwise(op, operands, to);
  bool halfResult = ir::isWidened(op->getResult(0).getType());
  return perUnit(op, operands, to, [&](ArrayRef<Value> x, Type type) -> Value {
    SmallVector<Value> wide = widened(x, element, to);
    Value result = cloneOnto(op, wide, halfResult ? wide[0].getType() : type, to.rewriter);
    return halfResult ? narrow(to.rewriter, to.loc, result, element) : result;
  });
}

LogicalResult lowerFma(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (!ir::isWidened(element)) return lowerElementwise(op, operands, to);
  return perUnit(op, operands, to, [&](ArrayRef<Value> x, Type) {
    SmallVector<Value> wide = widened(x, element, to);
    return fusedMultiplyAdd(to.rewriter, to.loc, wide[0], wide[1], wide[2], element);
  });
}

/// The sign bit alone changes, of a NaN too.
template <typename IntegerOp, int16_t mask>
LogicalResult lowerSign(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  if (!ir::isWidened(op->getOperand(0).getType())) return lowerElementwise(op, operands, to);
  return perUnit(op, operands, to, [&](ArrayRef<Value> x, Type type) -> Value {
    TypedAttr bits = to.rewriter.getI16IntegerAttr(mask);
    if (auto vector = dyn_cast<VectorType>(type)) bits = DenseElementsAttr::get(vector, Attribute(bits));
    return IntegerOp::create(to.rewriter, to.loc, x[0], arith::ConstantOp::create(to.rewriter, to.loc, bits));
  });
}

LogicalResult lowerExtF(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (!ir::isWidened(element)) return lowerElementwise(op, operands, to);
  return perUnit(op, operands, to, [&](ArrayRef<Value> x, Type type) -> Value {
    Value wide = widen(to.rewriter, to.loc, x[0], element);
    return wide.getType() == type ? wide : arith::ExtFOp::create(to.rewriter, to.loc, type, wide);
  });
}

LogicalResult lowerTruncF(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (!ir::isWidened(element)) return lowerElementwise(op, operands, to);
  if (!getElementTypeOrSelf(op->getOperand(0).getType()).isF32())
    return op->emitOpError("rounds f32 alone to 16 bits on the cpu target");
  return perUnit(op, operands, to, [&](ArrayRef<Value> x, Type) { return narrow(to.rewriter, to.loc, x[0], element); });
}

/// Casts between integers and floats: from and to 16-bit floats a program says where they round.
LogicalResult lowerIntegerCast(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  if (ir::isWidened(op->getOperand(0).getType()) || ir::isWidened(op->getResult(0).getType()))
    return op->emitOpError("goes through f32 on the cpu target");
  return lowerElementwise(op, operands, to);
}

LogicalResult lowerBitcast(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  if (!ir::isWidened(op->getOperand(0).getType()) && !ir::isWidened(op->getResult(0).getType()))
    return lowerElementwise(op, operands, to);
  return perUnit(op, operands, to, [](ArrayRef<Value> x, Type) { return x[0]; }); // both are held as i16
}

//===- Constants --------------------------------------------------------------------------------------------------===//

/// The elements of one unit of a dense fragment, as a constant of the unit's type.
TypedAttr unitConstant(DenseElementsAttr dense, const Unit &unit) {
  auto vector = dyn_cast<VectorType>(unit.type);
  auto values = dense.getValues<Attribute>();
  if (!vector) return cast<TypedAttr>(storedAttr(values[dense.isSplat() ? 0 : unit.row]));
  if (dense.isSplat()) return DenseElementsAttr::get(vector, storedAttr(dense.getSplatValue<Attribute>()));
  auto first = values.begin() + unit.row * dense.getType().getShape().back() + unit.lane;
  SmallVector<Attribute> lanes(first, first + vector.getNumElements());
  return DenseElementsAttr::get(vector, llvm::map_to_vector(lanes, storedAttr));
}

LogicalResult lowerConstant(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  TypedAttr value = cast<arith::ConstantOp>(op).getValue();
  if (!tile::isFragment(value.getType())) { // a scalar of a type that is held as another
    to.rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, cast<TypedAttr>(storedAttr(value)));
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense) return op->emitOpError("a fragment's constant must be dense");
  SmallVector<Value> results;
  for (const Unit &unit : to.units(op->getResult(0).getType())) {
    bool again = dense.isSplat() && !results.empty() && results[0].getType() == unit.type;
    results.push_back(again ? results[0] : arith::ConstantOp::create(to.rewriter, to.loc, unitConstant(dense, unit)));
  }
  to.rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{results});
  return success();
}

} // namespace

// What stands here must have an instruction, or an exact expansion, for vectors: functions that would become calls of
// a maths library are expanded before, and are errors here.
ArrayRef<Row> kiln::codegen::elementwiseRows() {
  static const Row rows[] = {
      {"arith.constant", lowerConstant},
      // Floats.
      {"arith.addf", lowerFloat},
      {"arith.subf", lowerFloat},
      {"arith.mulf", lowerFloat},
      {"arith.divf", lowerFloat},
      {"arith.negf", lowerSign<arith::XOrIOp, INT16_MIN>},
      {"arith.maximumf", lowerFloat},
      {"arith.minimumf", lowerFloat},
      {"arith.cmpf", lowerFloat},
      {"math.fma", lowerFma},
      {"math.sqrt", lowerFloat},
      {"math.absf", lowerSign<arith::AndIOp, INT16_MAX>},
      {"math.floor", lowerFloat},
      {"math.ceil", lowerFloat},
      {"math.trunc", lowerFloat},
      {"math.roundeven", lowerFloat},
      {"math.copysign", lowerFloat},
      // Integers.
      {"arith.addi", lowerElementwise},
      {"arith.subi", lowerElementwise},
      {"arith.muli", lowerElementwise},
      {"arith.divsi", lowerElementwise},
      {"arith.divui", lowerElementwise},
      {"arith.remsi", lowerElementwise},
      {"arith.remui", lowerElementwise},
      {"arith.andi", lowerElementwise},
      {"arith.ori", lowerElementwise},
      {"arith.xori", lowerElementwise},
      {"arith.shli", lowerElementwise},
      {"arith.shrsi", lowerElementwise},
      {"arith.shrui", lowerElementwise},
      {"arith.maxsi", lowerElementwise},
      {"arith.minsi", lowerElementwise},
      {"arith.maxui", lowerElementwise},
      {"arith.minui", lowerElementwise},
      {"arith.cmpi", lowerElementwise},
      {"arith.select", lowerElementwise},
      // Casts.
      {"arith.extf", lowerExtF},
      {"arith.truncf", lowerTruncF},
      {"arith.extsi", lowerElementwise},
      {"arith.extui", lowerElementwise},
      {"arith.trunci", lowerElementwise},
      {"arith.sitofp", lowerIntegerCast},
      {"arith.uitofp", lowerIntegerCast},
      {"arith.fptosi", lowerIntegerCast},
      {"arith.fptoui", lowerIntegerCast},
      {"arith.bitcast", lowerBitcast},
      {"arith.index_cast", lowerElementwise},
      {"arith.index_castui", lowerElementwise},
  };
  return rows;
}
