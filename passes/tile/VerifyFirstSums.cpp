// What sums start with: a product that adds to `tile.wgmma_none` adds to whatever registers hold.
#include "ir/tile/Rules.h"
#include "ir/tile/analysis/IndexPolynomial.h"
#include "passes/tile/VerifyRule.h"

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

/// The loops around an op up to `outermost`, that one first; nullopt if something else stands between.
static std::optional<SmallVector<scf::ForOp>> loopsAround(Operation *op, scf::ForOp outermost) {
  SmallVector<scf::ForOp> loops;
  while (outermost && (loops.empty() || loops.back() != outermost)) {
    op = op->getParentOp();
    auto loop = dyn_cast_or_null<scf::ForOp>(op);
    if (!loop) return std::nullopt;
    loops.push_back(loop);
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}

/// Whether a loop may have no turns in the first turn of `outermost`, which is what `forms` know, and some in another.
static bool mayComeLater(scf::ForOp loop, scf::ForOp outermost, const IndexPolynomials &forms) {
  if (loop == outermost) return false;
  auto isSame = [&](Value bound) { return outermost.isDefinedOutsideOfLoop(bound); };
  if (isSame(loop.getLowerBound()) && isSame(loop.getUpperBound())) return false;
  std::optional<IndexPolynomial> turns = forms.of(loop.getUpperBound()).plus(forms.of(loop.getLowerBound()), -1);
  return !turns || turns->asConstant().value_or(0) <= 0;
}

static LogicalResult checkFirst(WgmmaOp product) {
  if (!isa<PendingType>(product.getAcc().getType())) return success();
  auto [first, outermost] = firstOf(product.getAcc());
  if (!first.getDefiningOp<WgmmaNoneOp>()) return success();
  Value condition = product.getAccumulate();
  // Where the op itself sees that there is nothing, it adds to nothing.
  if (!condition && product.getAcc().getDefiningOp<WgmmaNoneOp>()) return success();
  auto loops = loopsAround(product, outermost);
  if (!loops) return success();
  IndexPolynomials forms;
  for (scf::ForOp loop : *loops) {
    if (mayComeLater(loop, outermost, forms)) return success();
    forms.set(loop.getInductionVar(), forms.of(loop.getLowerBound()));
  }
  if (condition && !forms.isTrue(condition).value_or(false)) return success();
  return violate(
      product, {"", "the first product on a tile.wgmma_none does not add to it",
                outermost ? "a condition that is false in the loop's first turn" : "a condition that is false, or none",
                condition ? "one that is true" : "no condition",
                "`if %more`, where %more is that the loop's variable is not its lower bound"});
}

/// Whether no product made a value in flight, whichever way the program goes.
static bool isNothing(Value pending) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> sources{pending};
  while (!sources.empty()) {
    Value value = sources.pop_back_val();
    if (!seen.insert(value).second || value.getDefiningOp<WgmmaNoneOp>()) continue;
    if (auto wait = value.getDefiningOp<WgmmaWaitOp>()) {
      sources.push_back(wait.getPending());
      continue;
    }
    auto [loop, number] = carrierOf(value);
    if (!loop && (loop = value.getDefiningOp<scf::ForOp>())) number = cast<OpResult>(value).getResultNumber();
    if (!loop) return false;
    sources.append({loop.getInits()[number], loop.getYieldedValues()[number]});
  }
  return true;
}

static LogicalResult checkWaited(WgmmaWaitOp wait) {
  if (!isFragment(wait.getType()) || !isNothing(wait.getPending())) return success();
  return violate(wait,
                 {"", "what is waited for is the sums of a product", "the result of a tile.wgmma, carried to here",
                  "a tile.wgmma_none that met none", "an scf.yield of what the product gave"});
}

static LogicalResult checkFirstSums(KernelOp kernel) {
  return checkEach(kernel, [](Operation *op) {
    if (auto product = dyn_cast<WgmmaOp>(op)) return checkFirst(product);
    auto wait = dyn_cast<WgmmaWaitOp>(op);
    return wait ? checkWaited(wait) : success();
  });
}

#define GEN_PASS_DEF_TILEVERIFYFIRSTSUMS
#include "passes/tile/Passes.h.inc"
namespace {
struct TileVerifyFirstSums : Rule<impl::TileVerifyFirstSumsBase<TileVerifyFirstSums>, checkFirstSums> {};
} // namespace

} // namespace kiln::tile
