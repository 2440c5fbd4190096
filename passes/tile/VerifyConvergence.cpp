// tile-verify-convergence: what threads run together is reached by all of them.
#include "ir/tile/Rules.h"
#include "ir/tile/analysis/Uniformity.h"
#include "passes/tile/VerifyRule.h"

namespace kiln::tile {

using namespace mlir;

static LogicalResult checkConvergence(KernelOp kernel) {
  constexpr int64_t kWarp = 32;
  if (static_cast<int64_t>(kernel.getThreads().value_or(0)) <= kWarp) return success();
  Uniformity uniformity(kernel);
  return checkEach(kernel, [&](Operation *op) {
    if (!isCollective(op)) return success();
    Operation *parted = uniformity.partedBy(op);
    bool operand = llvm::any_of(op->getOperands(), [&](Value v) { return uniformity.isVarying(v); });
    if (!parted && !operand) return success();
    return violate(op, {"", "all threads that meet here come, and ask for the same",
                        "a condition, bounds and operands that are the same in all warps",
                        parted ? fmt::format("an {} decided by what differs from warp to warp",
                                             parted->getName().getStringRef().str())
                               : "an operand that differs from warp to warp",
                        "tile.specialize, whose roles are whole warpgroups"});
  });
}

#define GEN_PASS_DEF_TILEVERIFYCONVERGENCE
#include "passes/tile/Passes.h.inc"
namespace {
struct TileVerifyConvergence : Rule<impl::TileVerifyConvergenceBase<TileVerifyConvergence>, checkConvergence> {};
} // namespace

} // namespace kiln::tile
