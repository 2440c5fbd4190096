// Facts about tile programs that one op alone does not show: what differs from warp to warp, which folds must wait.
#include "codegen/gpu/Frame.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;

//===- What differs from warp to warp -----------------------------------------------------------------------------===//

namespace {

class WarpScope {
public:
  explicit WarpScope(tile::KernelOp kernel) : kernel(kernel) {}

  DenseSet<Operation *> run() {
    while (visitAll()) {
    }
    DenseSet<Operation *> stores;
    kernel.walk([&](tile::StoreOp store) {
      if (!tile::isFragment(store.getValue().getType()) && isVarying(store)) stores.insert(store);
    });
    return stores;
  }

private:
  tile::KernelOp kernel;
  DenseSet<Value> varying;

  /// An operand, or what decides whether the op runs, differs.
  bool isVarying(Operation *op) {
    for (; op != kernel; op = op->getParentOp())
      if (llvm::any_of(op->getOperands(), [&](Value v) { return varying.contains(v); })) return true;
    return false;
  }

  static bool isSource(Operation *op) {
    auto ofWarp = [](Type type) {
      auto distribution = tile::distributionOf(type);
      return distribution && distribution->threads() == 32;
    };
    return isa<tile::WarpIdOp>(op) || (isa<tile::FoldOp>(op) && ofWarp(op->getOperand(0).getType()));
  }

  bool mark(ValueRange values) {
    bool changed = false;
    for (Value value : values) changed |= varying.insert(value).second;
    return changed;
  }

  /// One step; true if anything was added. Values that a region yields, or takes from around it, are its op's.
  bool visitAll() {
    bool changed = false;
    kernel.walk([&](Operation *op) {
      if (op == kernel || !(isSource(op) || isVarying(op))) return;
      changed |= mark(op->getResults());
      for (Region &region : op->getRegions())
        for (Block &block : region) changed |= mark(block.getArguments());
      if (op->hasTrait<OpTrait::IsTerminator>() && op->getParentOp() != kernel) {
        changed |= mark(op->getParentOp()->getResults());
        for (Region &region : op->getParentOp()->getRegions())
          for (Block &block : region) changed |= mark(block.getArguments());
      }
    });
    return changed;
  }
};

} // namespace

DenseSet<Operation *> kiln::codegen::gpu::findPerWarpStores(tile::KernelOp kernel) {
  if (kernel.getThreads().value_or(32) == 32) return {};
  return WarpScope(kernel).run();
}

//===- Which folds must wait --------------------------------------------------------------------------------------===//

static bool uses(Operation *op, Value value) {
  WalkResult found = op->walk([&](Operation *inner) {
    return llvm::is_contained(inner->getOperands(), value) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

static bool mayStillBeRead(tile::FoldOp fold, tile::KernelOp kernel) {
  for (Operation *at = fold; at != kernel; at = at->getParentOp()) {
    for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode()) {
      if (uses(op, fold.getScratch())) return true;
      auto other = dyn_cast<tile::FoldOp>(op);
      if (isa<tile::BarrierOp>(op) || (other && other.getScratch())) return false;
    }
    if (!isa<scf::IfOp, tile::KernelOp>(at->getParentOp())) return true;
  }
  return false;
}

DenseSet<Operation *> kiln::codegen::gpu::findWaitingFolds(tile::KernelOp kernel) {
  DenseSet<Operation *> waiting;
  kernel.walk([&](tile::FoldOp fold) {
    if (fold.getScratch() && mayStillBeRead(fold, kernel)) waiting.insert(fold);
  });
  return waiting;
}
