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

/// The values that replace an op's results; the results themselves where the op stays.
Values decomposed(Operation *op, const Rows &rows) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto isEmpty = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getNumElements() == 0;
  };
  Values values(op->getResults());
  if (llvm::all_of(op->getResultTypes(), isEmpty) && !isa<arith::ConstantOp>(op)) { // nothing needs to compute them
    for (Value &value : values)
      value = arith::ConstantOp::create(
          b, DenseElementsAttr::get(cast<RankedTensorType>(value.getType()), ArrayRef<Attribute>{}));
    return values;
  }
  auto row = rows.find(op->getName().getStringRef());
  return row == rows.end() ? values : row->second.build(b, op);
}

unsigned decomposeBlock(Block &block, const Rows &rows) {
  unsigned count = 0;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions()) // a reference
      for (Block &inner : region) count += decomposeBlock(inner, rows);
    if (op.getNumResults() == 0 || op.getNumRegions() != 0) continue;
    Values values = decomposed(&op, rows);
    if (llvm::equal(values, op.getResults())) continue;
    op.replaceAllUsesWith(ValueRange(values));
    op.erase();
    ++count;
  }
  return count;
}

struct Decompose : impl::DecomposeBase<Decompose> {
  using DecomposeBase::DecomposeBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) numDecomposed += decomposeOps(block, decomposeRows());
  }
};
} // namespace

unsigned decomposeOps(Block &block, ArrayRef<DecomposeRow> given) {
  Rows rows;
  for (const DecomposeRow &row : given) rows[row.op] = row;
  return decomposeBlock(block, rows);
}
} // namespace kiln::graph
