// tile-verify-registers: what is live fits the registers that there are.
#include "ir/tile/Rules.h"
#include "passes/tile/RegisterNeed.h"
#include "passes/tile/VerifyRule.h"

#include <fmt/format.h>

namespace kiln::tile {

using namespace mlir;

namespace {
constexpr int64_t kRegisterFile = 65536, kMostOfThread = 255;
} // namespace

/// Registers that a launch gives each thread at most.
static int64_t launchedOf(KernelOp kernel) {
  auto threads = std::max<int64_t>(static_cast<int64_t>(kernel.getThreads().value_or(1)), 1);
  return std::min(kRegisterFile / threads / 8 * 8, kMostOfThread);
}

/// One region's need against what it has. The estimate's error is that of large programs; `fragmentsAlone` counts only
/// what is sure.
static LogicalResult checkNeed(Operation *op, Region &region, const char *who, int64_t registers, bool fragmentsAlone) {
  RegisterNeed need = registerNeed(region);
  if ((fragmentsAlone ? need.fragments : need.total()) <= registers) return success();
  (void)violate(op,
                {"", fmt::format("{} needs no more registers than it has", who), fmt::format("at most {}", registers),
                 fmt::format("{}: {} in fragments, {} in scalars", need.total(), need.fragments, need.scalars),
                 "smaller tiles, or fewer fragments at a time"});
  mlir::emitRemark(need.where->getLoc()) << "the most registers are in use here";
  return failure();
}

/// An assembler holds each MMA atom to the launch's registers, whatever a role has later.
static LogicalResult checkAtoms(KernelOp kernel) {
  constexpr int64_t kAddresses = 8;
  int64_t launched = launchedOf(kernel);
  return checkEach(kernel, [&](Operation *op) {
    auto product = dyn_cast<WgmmaOp>(op);
    if (!product) return success();
    auto fragment = cast<PendingType>(product.getType()).getFragment();
    int64_t atoms = fragment.getDimSize(0) / 64, sums = registersOf(product.getResult()) / std::max<int64_t>(atoms, 1);
    if (sums + kAddresses <= launched) return success();
    return violate(product, {"", "an atom's sums fit the registers that the launch gives a thread",
                             fmt::format("at most {} of {}", launched - kAddresses, launched), std::to_string(sums),
                             "a narrower product, or fewer threads"});
  });
}

static LogicalResult checkRegisters(KernelOp kernel) {
  if (failed(checkAtoms(kernel))) return failure();
  for (auto roles : kernel.getBody().getOps<SpecializeOp>()) {
    // One thread's scalars are uniform: no producer needs more than the fewest registers that a role may have.
    return checkNeed(roles, roles.getConsumer(), "a consumer", static_cast<int64_t>(roles.getConsumerRegisters()),
                     /*fragmentsAlone=*/false);
  }
  return checkNeed(kernel, kernel.getBody(), "a thread", launchedOf(kernel), /*fragmentsAlone=*/true);
}

#define GEN_PASS_DEF_TILEVERIFYREGISTERS
#include "passes/tile/Passes.h.inc"
namespace {
struct TileVerifyRegisters : Rule<impl::TileVerifyRegistersBase<TileVerifyRegisters>, checkRegisters> {};
} // namespace

} // namespace kiln::tile
