#include "codegen/lower/DepthFirst.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace {

/// Puts the ops of one block in order, front to back.
class BlockOrder {
public:
  BlockOrder(Block &block, bool (*waits)(Operation *)) : block(block) {
    SmallVector<Operation *> numbers; // pure, since the last op that waits
    for (Operation &op : block) {
      written[&op] = written.size();
      if (isMemoryEffectFree(&op) && !op.hasTrait<OpTrait::IsTerminator>()) {
        waiting.insert(&op);
        if (waits && isNumber(&op)) numbers.push_back(&op);
      } else if (waits && waits(&op)) {
        before[&op] = std::exchange(numbers, {});
      }
    }
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
      for (Operation *value : before.lookup(op))
        if (isNeededBehind(value, op) && waiting.erase(value)) place(value, op);
      place(op, op);
    }
    for (Operation &op : block)
      if (waiting.contains(&op)) unused.push_back(&op);
    for (Operation *op : llvm::reverse(unused)) op->erase();
  }

private:
  static bool isNumber(Operation *op) {
    return op->getNumResults() == 1 && isa<FloatType, VectorType>(op->getResult(0).getType());
  }

  /// Whether, as written, something behind `wait` uses the value.
  bool isNeededBehind(Operation *value, Operation *wait) {
    return llvm::any_of(value->getUsers(), [&](Operation *user) {
      auto at = written.find(user);
      return at == written.end() || at->second > written.lookup(wait);
    });
  }

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
  DenseSet<Operation *> waiting;                          ///< pure and not yet placed
  DenseMap<Operation *, size_t> written;                  ///< places in the block, as it was
  DenseMap<Operation *, SmallVector<Operation *>> before; ///< numbers between two ops that wait, by the second
};

} // namespace

void kiln::codegen::orderDepthFirst(LLVM::LLVMFuncOp function, bool (*waits)(Operation *)) {
  for (Block &block : function.getBody()) BlockOrder(block, waits).run();
}
