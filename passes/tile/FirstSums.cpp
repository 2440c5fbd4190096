// What sums start with: a product that adds to `tile.wgmma_none` adds to whatever registers hold.
#include "ir/tile/Rules.h"
#include "passes/tile/Forms.h"
#include "passes/tile/ProgramRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln::tile {

using namespace mlir;

/// The loop that carries a block argument, and as which of what it carries; null where none does.
static std::pair<scf::ForOp, unsigned> carrierOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || argument.getArgNumber() < loop.getNumInductionVars()) return {};
  return {loop, argument.getArgNumber() - loop.getNumInductionVars()};
}

/// The value that `value` is in the first turns of the loops that carry it, behind waits that leave it pending; the
/// outermost of those loops, null if there is none.
static std::pair<Value, scf::ForOp> firstOf(Value value) {
  scf::ForOp outermost;
  while (true) {
    auto [loop, number] = carrierOf(value);
    auto wait = value.getDefiningOp<WgmmaWaitOp>();
    if (loop) {
      outermost = loop;
      value = loop.getInits()[number];
    } else if (wait) {
      value = wait.getPending();
    } else {
      return {value, outermost};
    }
  }
}

/// Whether loops are all that stands between an op and one around it.
static bool isInLoopsOf(Operation *op, Operation *around) {
  for (Operation *at = op->getParentOp(); at != around; at = at->getParentOp())
    if (!at || !isa<scf::ForOp>(at)) return false;
  return true;
}

static LogicalResult checkFirst(WgmmaOp product) {
  if (!isa<PendingType>(product.getAcc().getType())) return success();
  auto [first, outermost] = firstOf(product.getAcc());
  if (!first.getDefiningOp<WgmmaNoneOp>()) return success();
  Value condition = product.getAccumulate();
  // Where the op itself sees that there is nothing, it adds to nothing.
  if (!condition && product.getAcc().getDefiningOp<WgmmaNoneOp>()) return success();
  if (outermost && !isInLoopsOf(product, outermost)) return success();
  Forms forms;
  SmallVector<scf::ForOp> loops;
  for (Operation *at = product->getParentOp(); outermost && at != outermost->getParentOp(); at = at->getParentOp())
    loops.push_back(cast<scf::ForOp>(at));
  for (scf::ForOp loop : llvm::reverse(loops)) forms.set(loop.getInductionVar(), forms.of(loop.getLowerBound()));
  if (condition && !forms.isTrue(condition).value_or(false)) return success();
  return violate(
      product, {"", "the first product on a tile.wgmma_none does not add to it",
                outermost ? "a condition that is false in the loop's first turn" : "a condition that is false, or none",
                condition ? "one that is true" : "no condition",
                "`if %more`, where %more is that the loop's variable is not its lower bound"});
}

namespace {
/// Values in flight that no product made, whichever way the program goes.
class Nothing {
public:
  bool is(Value value) {
    if (!seen.insert(value).second) return true; // by itself it makes nothing of it
    if (value.getDefiningOp<WgmmaNoneOp>()) return true;
    if (auto wait = value.getDefiningOp<WgmmaWaitOp>()) return is(wait.getPending());
    if (auto [loop, number] = carrierOf(value); loop)
      return is(loop.getInits()[number]) && is(loop.getYieldedValues()[number]);
    auto loop = value.getDefiningOp<scf::ForOp>();
    if (!loop) return false;
    unsigned number = cast<OpResult>(value).getResultNumber();
    return is(loop.getInits()[number]) && is(loop.getYieldedValues()[number]);
  }

private:
  llvm::DenseSet<Value> seen;
};
} // namespace

static LogicalResult checkWaited(WgmmaWaitOp wait) {
  if (!isFragment(wait.getType()) || !Nothing().is(wait.getPending())) return success();
  return violate(wait,
                 {"", "what is waited for is the sums of a product", "the result of a tile.wgmma, carried to here",
                  "a tile.wgmma_none that met none", "an scf.yield of what the product gave"});
}

LogicalResult checkFirstSums(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk([](Operation *op) {
    LogicalResult checked = success();
    if (auto product = dyn_cast<WgmmaOp>(op)) checked = checkFirst(product);
    if (auto wait = dyn_cast<WgmmaWaitOp>(op)) checked = checkWaited(wait);
    return failed(checked) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace kiln::tile
