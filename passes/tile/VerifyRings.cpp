// tile-verify-rings: who waits at rings and in orders goes on.
#include "ir/tile/Rules.h"
#include "passes/tile/RingReplay.h"
#include "passes/tile/VerifyRule.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace kiln::tile {

using namespace mlir;

constexpr int64_t kCountless = INT32_MAX;

/// How often a CTA runs an op at most; countless where a loop around it does not say.
static int64_t timesOf(Operation *op) {
  int64_t times = 1;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!trips || trips->ugt(kCountless)) return kCountless;
    times = std::min(times * static_cast<int64_t>(trips->getZExtValue()), kCountless);
  }
  return times;
}

/// Whether some op takes that step of a pipeline.
static bool has(Operation *pipeline, PipelineStep step) {
  return llvm::any_of(pipeline->getUsers(), [&](Operation *user) { return stepOf(user) == step; });
}

static LogicalResult checkRingUsers(AllocRingOp ring) {
  if (!ring.getReaders()) return success();
  bool fills = has(ring, PipelineStep::Fill), waits = has(ring, PipelineStep::Wait),
       releases = has(ring, PipelineStep::Release);
  // Slots that are filled once need no release.
  int64_t fillings = 0;
  for (Operation *user : ring.getRing().getUsers())
    if (stepOf(user) == PipelineStep::Fill) fillings = std::min(fillings + timesOf(user), kCountless);
  bool once = fills && waits && fillings <= ring.getRing().getType().getStages();
  if (once || (fills == waits && waits == releases)) return success();
  std::string found;
  for (auto [is, what] : {std::pair{fills, "tile.fill"}, {waits, "tile.ring_wait"}, {releases, "tile.ring_release"}})
    if (is) found += (found.empty() ? "" : ", ") + std::string(what);
  return violate(ring, {"", "who fills a ring waits for who releases it, and the other way round",
                        "tile.fill, tile.ring_wait and tile.ring_release", "only " + found});
}

static LogicalResult checkTurns(AllocTurnsOp turns) {
  bool takes = has(turns, PipelineStep::OrderWait), passes = has(turns, PipelineStep::OrderArrive);
  if (takes == passes) return success();
  return violate(turns, {"", "a turn that is taken is passed on", "tile.take_turn and tile.pass_turn",
                         takes ? "only tile.take_turn" : "only tile.pass_turn"});
}

static LogicalResult checkUsers(Operation *op) {
  if (auto ring = dyn_cast<AllocRingOp>(op)) return checkRingUsers(ring);
  auto turns = dyn_cast<AllocTurnsOp>(op);
  return turns ? checkTurns(turns) : success();
}

static LogicalResult checkRings(KernelOp kernel) {
  return failed(checkEach(kernel, checkUsers)) ? failure() : replayLaunches(kernel);
}

#define GEN_PASS_DEF_TILEVERIFYRINGS
#include "passes/tile/Passes.h.inc"
namespace {
struct TileVerifyRings : Rule<impl::TileVerifyRingsBase<TileVerifyRings>, checkRings> {};
} // namespace

} // namespace kiln::tile
