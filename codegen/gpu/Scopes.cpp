// Facts about tile programs that one op alone does not show: what differs from warp to warp, which folds must wait.
#include "codegen/gpu/Frame.h"
#include "ir/tile/analysis/Uniformity.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;

DenseSet<Operation *> kiln::codegen::gpu::findPerWarpStores(tile::KernelOp kernel) {
  DenseSet<Operation *> stores;
  if (kernel.getThreads().value_or(32) == 32) return stores;
  tile::Uniformity uniformity(kernel);
  kernel.walk([&](tile::StoreOp store) {
    if (tile::isFragment(store.getValue().getType())) return;
    bool varies = llvm::any_of(store->getOperands(), [&](Value v) { return uniformity.isVarying(v); });
    if (varies || uniformity.partedBy(store)) stores.insert(store);
  });
  return stores;
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
      if (tile::isBarrier(op)) return false;
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
