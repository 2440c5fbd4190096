#include "codegen/lower/DepthFirst.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace {

/// Puts the ops of one block in order, front to back.
class BlockOrder {
public:
  explicit BlockOrder(Block &block) : block(block) {
    for (Operation &op : block)
      if (isMemoryEffectFree(&op) && !op.hasTrait<OpTrait::IsTerminator>()) waiting.insert(&op);
  }

  void run() {
    SmallVector<Operation *> fixed, leaving, unused;
    for (Operation &op : block) {
      if (!waiting.contains(&op))
        fixed.push_back(&op);
      else if (op.isUsedOutsideOfBlock(&block))
        leaving.push_back(&op);
    }
    for (Operation *op : fixed) {
      if (op == fixed.back()) // the terminator
        for (Operation *value : leaving)
          if (waiting.erase(value)) place(value, op);
      place(op, op);
    }
    for (Operation &op : block)
      if (waiting.contains(&op)) unused.push_back(&op);
    for (Operation *op : llvm::reverse(unused)) op->erase();
  }

private:
  /// Moves `root`, and before it what it needs and is still waiting, right before `where`. An explicit stack: chains
  /// are as long as kernels.
  void place(Operation *root, Operation *where) {
    SmallVector<std::pair<Operation *, unsigned>> stack = {{root, 0}};
    while (!stack.empty()) {
      auto &[op, next] = stack.back();
      if (next < op->getNumOperands()) {
        Operation *producer = op->getOperand(next++).getDefiningOp();
        if (producer && waiting.erase(producer)) stack.push_back({producer, 0});
        continue;
      }
      if (op != where) op->moveBefore(where);
      stack.pop_back();
    }
  }

  Block &block;
  DenseSet<Operation *> waiting; ///< pure and not yet placed
};

} // namespace

void kiln::codegen::orderDepthFirst(LLVM::LLVMFuncOp function) {
  for (Block &block : function.getBody()) BlockOrder(block).run();
}
