// graph-decompose: composites and guarded ops become the ops that fusion and emission know. Rows in decompose/.
#include "passes/graph/Decompose.h"
#include "ir/DTypes.h"

#include "ir/graph/AcceptedOps.h"
#include "passes/graph/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace kiln::graph {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/graph/Passes.h.inc"

Value splat(ImplicitLocOpBuilder &b, Type type, double value) {
  auto tensor = cast<RankedTensorType>(type);
  Attribute element = b.getFloatAttr(tensor.getElementType(), value);
  return arith::ConstantOp::create(b, DenseElementsAttr::get(tensor, element));
}

Value splat(ImplicitLocOpBuilder &b, Type type, const APInt &value) {
  return arith::ConstantOp::create(b, DenseElementsAttr::get(cast<RankedTensorType>(type), value));
}

Value widened(ImplicitLocOpBuilder &b, Value x) {
  if (!ir::isWidened(x.getType())) return x;
  return arith::ExtFOp::create(b, cast<RankedTensorType>(x.getType()).clone(b.getF32Type()), x);
}

Value rounded(ImplicitLocOpBuilder &b, Value x, Type element) {
  if (!ir::isWidened(element)) return x;
  return arith::TruncFOp::create(b, cast<RankedTensorType>(x.getType()).clone(element), x);
}

ArrayRef<DecomposeRow> decomposeRows() {
  static const SmallVector<DecomposeRow> rows = [] {
    SmallVector<DecomposeRow> all(elementwiseDecomposeRows());
    llvm::append_range(all, castDecomposeRows());
    llvm::append_range(all, reduceDecomposeRows());
    llvm::append_range(all, movementDecomposeRows());
    return all;
  }();
  return rows;
}

namespace {
using Rows = llvm::StringMap<DecomposeRow>;

/// The empty tensor of an op's result type: nothing needs to compute it, whatever the op.
Value emptyTensor(ImplicitLocOpBuilder &b, RankedTensorType type) {
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef<Attribute>{}));
}

/// The value that replaces an op's result; the result itself where the op stays.
Value decomposed(Operation *op, const Rows &rows) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (type && type.getNumElements() == 0 && !isa<arith::ConstantOp>(op)) return emptyTensor(b, type);
  auto row = rows.find(op->getName().getStringRef());
  return row == rows.end() ? op->getResult(0) : row->second.build(b, op);
}

struct Decompose : impl::DecomposeBase<Decompose> {
  using DecomposeBase::DecomposeBase;

  void runOnOperation() override {
    Rows rows;
    for (const DecomposeRow &row : decomposeRows()) rows[row.op] = row;
    for (Block &block : getOperation().getBody()) decomposeBlock(block, rows);
  }

  void decomposeBlock(Block &block, const Rows &rows) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      for (Region &region : op.getRegions()) // a reference
        for (Block &inner : region) decomposeBlock(inner, rows);
      if (op.getNumResults() != 1 || op.getNumRegions() != 0) continue;
      Value value = decomposed(&op, rows);
      if (value == op.getResult(0)) continue;
      op.getResult(0).replaceAllUsesWith(value);
      op.erase();
      ++numDecomposed;
    }
  }
};
} // namespace
} // namespace kiln::graph
