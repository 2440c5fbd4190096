// tile-unroll: unrolls loops that say so, so that what they index in registers is known.
#include "ir/Violation.h"
#include "ir/tile/Tile.h"
#include "passes/tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <fmt/format.h>

namespace kiln::tile {
#define GEN_PASS_DEF_TILEUNROLL
#include "passes/tile/Passes.h.inc"

using namespace mlir;

namespace {

/// Ops that a loop may become: past that, code is longer than it is fast.
constexpr int64_t kMostOps = 1 << 16;

/// Constants are told from values that only follow from them once those are folded.
LogicalResult fold(KernelOp kernel) {
  return applyPatternsGreedily(
      kernel, FrozenRewritePatternSet(),
      GreedyRewriteConfig().enableFolding().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled));
}

LogicalResult unroll(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  int64_t ops = 0;
  loop.getBody()->walk([&](Operation *) { ++ops; });
  auto rule = [&](const std::string &found) {
    return ir::violate(loop.getLoc(), "scf.for",
                       {"", fmt::format("a loop with `{}` runs a number of times that is known", kUnroll.str()),
                        fmt::format("constant bounds and step, at most {} times", kMostOps / ops), found});
  };
  if (!trips) return rule("a bound or step that is no constant");
  if (trips->ugt(static_cast<uint64_t>(kMostOps / ops))) return rule(fmt::format("{} times", trips->getLimitedValue()));
  loop->removeAttr(kUnroll);
  if (trips->isZero()) {
    loop->replaceAllUsesWith(loop.getInits());
    loop.erase();
    return success();
  }
  return loopUnrollFull(loop);
}

struct TileUnroll : impl::TileUnrollBase<TileUnroll> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    // The outer loop first: what an inner one runs to may be known then.
    auto next = [&] {
      scf::ForOp found;
      kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
        if (loop->hasAttr(kUnroll)) found = loop;
        return found ? WalkResult::interrupt() : WalkResult::advance();
      });
      return found;
    };
    bool changed = false;
    while (next()) {
      if (failed(fold(kernel))) return signalPassFailure();
      scf::ForOp loop = next();
      if (!loop) break;
      ++loops;
      changed = true;
      if (failed(unroll(loop))) return signalPassFailure();
    }
    if (changed && failed(fold(kernel))) return signalPassFailure();
  }
};

} // namespace
} // namespace kiln::tile
