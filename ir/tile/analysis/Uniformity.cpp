#include "ir/tile/analysis/Uniformity.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::tile {

using namespace mlir;

/// What differs from warp to warp by itself.
static bool isSource(Operation *op) {
  if (isa<WarpIdOp>(op)) return true;
  constexpr int64_t kWarp = 32;
  auto fold = dyn_cast<FoldOp>(op);
  auto distribution = fold ? distributionOf(fold.getX().getType()) : std::nullopt;
  return distribution && distribution->threads() == kWarp && threadsAround(op) > kWarp;
}

Uniformity::Uniformity(KernelOp kernel) : kernel(kernel) {
  for (bool changed = true; changed;) {
    changed = false;
    kernel.getBody().walk([&](Operation *op) { changed |= visit(op); });
  }
}

bool Uniformity::mark(ValueRange values) {
  bool changed = false;
  for (Value value : values) changed |= varying.insert(value).second;
  return changed;
}

bool Uniformity::decidesByVarying(Operation *op) const {
  auto any = [&](OperandRange values) { return llvm::any_of(values, [&](Value v) { return isVarying(v); }); };
  // What a loop carries decides nothing: its bounds do, or the condition that a `while` yields.
  if (auto loop = dyn_cast<scf::ForOp>(op)) return any(loop->getOperands().take_front(3));
  if (auto loop = dyn_cast<scf::WhileOp>(op)) return isVarying(loop.getConditionOp().getCondition());
  if (isa<SpecializeOp, FillOp>(op)) return false;
  return op->getNumRegions() > 0 && any(op->getOperands());
}

/// Values that a region yields, or takes from around it, are its op's.
bool Uniformity::visit(Operation *op) {
  bool changed = false;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    bool all = decidesByVarying(op);
    if (all) changed |= mark(loop.getInductionVar());
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
      if (all || isVarying(loop.getInits()[i]) || isVarying(loop.getYieldedValues()[i]))
        changed |= mark({Value(loop.getRegionIterArgs()[i]), Value(loop.getResult(i))});
    return changed;
  }
  bool varies = isSource(op) || llvm::any_of(op->getOperands(), [&](Value v) { return isVarying(v); });
  if (isa<SpecializeOp>(op) || !varies) return changed;
  changed |= mark(op->getResults());
  for (Region &region : op->getRegions())
    if (!isa<FillOp>(op))
      for (Block &block : region) changed |= mark(block.getArguments());
  // A terminator's operands are results, or the next turn's arguments, of the op around it.
  Operation *parent = op->getParentOp();
  if (!op->hasTrait<OpTrait::IsTerminator>() || isa<scf::ForOp, KernelOp>(parent)) return changed;
  changed |= mark(parent->getResults());
  for (Region &region : parent->getRegions())
    for (Block &block : region) changed |= mark(block.getArguments());
  return changed;
}

Operation *Uniformity::partedBy(Operation *op) const {
  for (Operation *at = op->getParentOp(); at && at != kernel; at = at->getParentOp())
    if (decidesByVarying(at)) return at;
  return nullptr;
}

} // namespace kiln::tile
