// Ops that work element by element: one function for all of them, which clones the op onto each unit.
#include "codegen/cpu/Rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

/// op(fragments, scalars) becomes one op per unit; a scalar operand (select's condition, say) is given to each.
LogicalResult lowerElementwise(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  SmallVector<Unit> units = to.units(op->getResult(0).getType());
  SmallVector<Value> results;
  for (auto [index, unit] : llvm::enumerate(units)) {
    OperationState state(op->getLoc(), op->getName());
    for (ValueRange operand : operands) {
      if (operand.size() != 1 && operand.size() != units.size())
        return op->emitOpError("operands must have the result's shape");
      state.operands.push_back(operand.size() == 1 ? operand[0] : operand[index]);
    }
    state.types.push_back(unit.type);
    state.propertiesAttr = op->getPropertiesAsAttribute();
    state.attributes.append(op->getDiscardableAttrs().begin(), op->getDiscardableAttrs().end());
    results.push_back(to.rewriter.create(state)->getResult(0));
  }
  to.rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{results});
  return success();
}

/// The elements of one unit of a dense fragment, as a constant of the unit's type.
TypedAttr unitConstant(DenseElementsAttr dense, const Unit &unit) {
  auto vector = dyn_cast<VectorType>(unit.type);
  auto values = dense.getValues<Attribute>();
  if (!vector) return cast<TypedAttr>(values[dense.isSplat() ? 0 : unit.row]);
  if (dense.isSplat()) return DenseElementsAttr::get(vector, dense.getSplatValue<Attribute>());
  auto first = values.begin() + unit.row * dense.getType().getShape().back() + unit.lane;
  return DenseElementsAttr::get(vector, SmallVector<Attribute>(first, first + vector.getNumElements()));
}

LogicalResult lowerConstant(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  auto dense = dyn_cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
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
      {"arith.addf", lowerElementwise},
      {"arith.subf", lowerElementwise},
      {"arith.mulf", lowerElementwise},
      {"arith.divf", lowerElementwise},
      {"arith.negf", lowerElementwise},
      {"arith.maximumf", lowerElementwise},
      {"arith.minimumf", lowerElementwise},
      {"arith.cmpf", lowerElementwise},
      {"math.fma", lowerElementwise},
      {"math.sqrt", lowerElementwise},
      {"math.absf", lowerElementwise},
      {"math.floor", lowerElementwise},
      {"math.ceil", lowerElementwise},
      {"math.trunc", lowerElementwise},
      {"math.roundeven", lowerElementwise},
      {"math.copysign", lowerElementwise},
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
      {"arith.extf", lowerElementwise},
      {"arith.truncf", lowerElementwise},
      {"arith.extsi", lowerElementwise},
      {"arith.extui", lowerElementwise},
      {"arith.trunci", lowerElementwise},
      {"arith.sitofp", lowerElementwise},
      {"arith.uitofp", lowerElementwise},
      {"arith.fptosi", lowerElementwise},
      {"arith.fptoui", lowerElementwise},
      {"arith.bitcast", lowerElementwise},
      {"arith.index_cast", lowerElementwise},
      {"arith.index_castui", lowerElementwise},
  };
  return rows;
}
