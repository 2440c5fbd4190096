#include "codegen/lower/Elementwise.h"

using namespace mlir;

LogicalResult kiln::codegen::perUnit(Operation *op, ArrayRef<ValueRange> operands, ArrayRef<Type> types,
                                     ConversionPatternRewriter &rewriter, UnitFn build) {
  SmallVector<Value> results;
  for (auto [index, type] : llvm::enumerate(types)) {
    SmallVector<Value> values;
    for (ValueRange operand : operands) {
      if (operand.size() != 1 && operand.size() != types.size())
        return op->emitOpError("operands must have the result's shape");
      values.push_back(operand.size() == 1 ? operand[0] : operand[index]);
    }
    results.push_back(build(values, type));
  }
  rewriter.replaceOpWithMultiple(op, SmallVector<ValueRange>{results});
  return success();
}

Value kiln::codegen::cloneOnto(Operation *op, ArrayRef<Value> operands, Type type, OpBuilder &b) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.types.push_back(type);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.attributes.append(op->getDiscardableAttrs().begin(), op->getDiscardableAttrs().end());
  return b.create(state)->getResult(0);
}
