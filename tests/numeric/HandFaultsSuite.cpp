// What is wrong with programs by hand, the interpreter sees: each fault here is planted in a program that is right,
// behind the verifiers, which would refuse most of them.
#include "tests/numeric/HandReferences.h"
#include "tests/numeric/ProgramEdits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

namespace {

template <typename Op> bool eraseFirst(ModuleOp module) {
  all<Op>(module).front()->erase();
  return true;
}
template <typename Op> bool eraseLast(ModuleOp module) {
  all<Op>(module).back()->erase();
  return true;
}

//===- Rings ------------------------------------------------------------------------------------------------------===//

bool releaseBeforeTheWait(ModuleOp module) {
  all<tile::RingReleaseOp>(module).front()->moveBefore(all<tile::WgmmaWaitOp>(module).front());
  return true;
}
/// What is still in flight, where the program releases what was before it.
bool releaseThisStep(ModuleOp module) {
  tile::RingReleaseOp release = all<tile::RingReleaseOp>(module).front();
  release.getIterationMutable().assign(all<tile::RingWaitOp>(module).front().getIteration());
  release.getConditionMutable().clear();
  eraseLast<tile::RingReleaseOp>(module);
  return true;
}
bool readWithoutWaiting(ModuleOp module) {
  for (tile::RingWaitOp wait : all<tile::RingWaitOp>(module)) {
    OpBuilder b(wait);
    auto slot = tile::SlotOp::create(b, wait.getLoc(), wait.getResultTypes(), wait.getRing(), wait.getIteration());
    wait->replaceAllUsesWith(slot->getResults());
    wait->erase();
  }
  return true;
}
template <int64_t readers> bool countReaders(ModuleOp module) {
  for (tile::AllocRingOp ring : all<tile::AllocRingOp>(module))
    if (ring.getReaders()) ring.setReaders(readers);
  return true;
}
bool releaseToOneCta(ModuleOp module) {
  for (tile::AllocRingOp ring : all<tile::AllocRingOp>(module)) ring.setMulticast(false);
  return true;
}
/// The producer's loop over steps.
template <int64_t more> bool fillMore(ModuleOp module) {
  auto loop = all<tile::FillOp>(module).front()->getParentOfType<scf::ForOp>();
  OpBuilder b(loop);
  Value number = arith::ConstantIndexOp::create(b, loop.getLoc(), static_cast<uint64_t>(more));
  loop.getUpperBoundMutable().assign(arith::AddIOp::create(b, loop.getLoc(), loop.getUpperBound(), number));
  return true;
}

/// Every store a tile of rows too early.
bool storeInFront(ModuleOp module) {
  for (tile::TmaStoreOp store : all<tile::TmaStoreOp>(module)) {
    OpBuilder b(store);
    OpOperand &row = *store.getCoordinatesMutable().begin();
    Value rows = arith::ConstantIndexOp::create(b, store.getLoc(), store.getSource().getType().getShape()[0]);
    row.set(arith::SubIOp::create(b, store.getLoc(), row.get(), rows));
  }
  return true;
}

//===- Products ---------------------------------------------------------------------------------------------------===//

bool leaveInFlight(ModuleOp module) {
  for (tile::WgmmaWaitOp wait : all<tile::WgmmaWaitOp>(module)) wait.setInFlight(1);
  return true;
}
bool addToNothing(ModuleOp module) {
  all<tile::WgmmaOp>(module).front().getAccumulateMutable().clear();
  return true;
}

//===- Copies by threads ------------------------------------------------------------------------------------------===//

bool waitForAGroupLess(ModuleOp module) {
  for (tile::AsyncWaitOp wait : all<tile::AsyncWaitOp>(module)) wait.setPending(wait.getPending() + 1);
  return true;
}

struct PlantedFault {
  const char *name, *program;
  Bindings extents;
  TileEdit edit;
  const char *expected; ///< in the fault
};

Bindings mnk(int64_t m, int64_t n, int64_t k) { return {{"M", m}, {"N", n}, {"K", k}}; }

const std::vector<PlantedFault> &faults() {
  static const Bindings four = mnk(131, 264, 456), cache = {{"B", 1}, {"Hq", 4}, {"Hkv", 2}, {"S", 200}, {"D", 128}};
  static const Bindings keys = {{"B", 1}, {"H", 1}, {"S", 600}, {"D", 128}};
  static const std::vector<PlantedFault> list = {
      {"release before the product is done", "steps/attention_1_plain", keys, releaseBeforeTheWait,
       "written by a copy that starts without a barrier, or a wait, after the read by a product"},
      {"release of the step in flight", "matmul_cooperative", four, releaseThisStep, "after the read by a product"},
      {"release by fewer than read", "matmul_cooperative", four, countReaders<1>, "is released where its slot is at"},
      {"release by more than read", "matmul_pingpong", four, countReaders<2>, "nobody can go on"},
      {"release to one CTA of a multicast", "multicast", four, releaseToOneCta,
       "written by a copy that starts without"},
      {"no release", "matmul_pingpong", four, eraseAll<tile::RingReleaseOp>, "waits for the release of iteration"},
      {"no wait for copies", "matmul_cooperative", four, readWithoutWaiting, "after the write by a copy to slot"},
      {"a fill too few", "matmul_cooperative", mnk(1, 8, 200), fillMore<-1>, "waits for the copies of iteration 3"},
      {"a fill too many", "matmul_cooperative", mnk(1, 8, 200), fillMore<1>, "may still be used by a copy to slot"},
      {"no wait for a product", "steps/matmul_1_plain", four, leaveInFlight,
       "sums of product 1 are read when 0 are done"},
      {"a sum that starts with anything", "matmul_cooperative", four, addToNothing, "holds nothing yet"},
      {"no turn is passed", "matmul_pingpong", four, eraseAll<tile::PassTurnOp>, "waits for consumer 1's turn"},
      {"no turn is taken", "matmul_pingpong", four, eraseAll<tile::TakeTurnOp>, "is let through by the end of phase"},
      {"no wait before a tile is written again", "matmul_pingpong", four, eraseAll<tile::TmaStoreWaitOp>,
       "after the read by a store in bulk"},
      {"no wait at the end", "steps/matmul_1_plain", four, eraseAll<tile::TmaStoreWaitOp>,
       "may still be used by a store in bulk"},
      {"a store in front of its tensor", "matmul_pingpong", four, storeInFront, "in front of its tensor"},
      {"no barrier between warps", "matmul_odd", four, eraseAll<tile::BarrierOp>, "without a barrier"},
      {"no wait for copies by threads", "matmul_sm80", four, eraseAll<tile::AsyncWaitOp>,
       "after the write by a copy by warp"},
      {"a wait for a group less", "matmul_sm80", four, waitForAGroupLess, "after the write by a copy by warp"},
      {"no barrier behind copies by threads", "matmul_sm80", four, eraseAll<tile::BarrierOp>, "without a barrier"},
      {"no fence before a product", "written_by_threads", {}, eraseAll<tile::ProxyFenceOp>, "without a fence since"},
      {"no barrier before a product", "written_by_threads", {}, eraseAll<tile::BarrierOp>, "without a barrier"},
      {"no barrier before another CTA reads", "decode", cache, eraseFirst<tile::ClusterBarrierOp>, "CTA"},
      {"no barrier before the CTA ends", "decode", cache, eraseLast<tile::ClusterBarrierOp>, "CTA"},
  };
  return list;
}

TEST(HandFaults, AreSeen) {
  auto context = makeContext();
  for (const PlantedFault &fault : faults()) {
    SCOPED_TRACE(fault.name);
    std::string text = readProgram(fault.program);
    try {
      HandProgram program(*context, text, targetOfProgram(fault.program), fault.edit);
      std::vector<HostTensor> inputs = program.makeInputs(fault.extents, 3);
      int seen = 0;
      std::string found;
      for (uint64_t seed = 0; seed < 3; ++seed) {
        HandRun run = program.run(inputs, {.extents = fault.extents, .seed = seed});
        seen += run.reason.find(fault.expected) != std::string::npos;
        found += "\n" + run.reason;
        EXPECT_EQ(run.outcome, HandRun::Outcome::Fault);
      }
      EXPECT_GT(seen, 0) << "found:" << found;
    } catch (const std::exception &error) {
      ADD_FAILURE() << error.what();
    }
  }
}

/// A launch that would be refused, and a program that goes on for ever, are told from faults.
TEST(HandFaults, AreNoRefusalsAndNoLoops) {
  auto context = makeContext();
  HandProgram softmax(*context, readProgram("softmax"), "sm_90a");
  const Bindings odd = {{"R", 2}, {"N", 1001}}, rows = {{"R", 2}, {"N", 8}};
  EXPECT_EQ(softmax.run(softmax.makeInputs(odd, 3), {.extents = odd}).outcome, HandRun::Outcome::Refused);
  EXPECT_EQ(softmax.run(softmax.makeInputs(rows, 3), {.extents = rows}).outcome, HandRun::Outcome::Ended);
  HandRun run = softmax.run(softmax.makeInputs(rows, 3), {.extents = rows, .mostOps = 20});
  EXPECT_EQ(run.outcome, HandRun::Outcome::Endless) << run.reason;
}

/// The program's rings with one slot less, behind the verifiers, which would refuse that; ring number `only` alone if
/// that is given.
TileEdit aSlotLess(std::optional<size_t> only = std::nullopt) {
  return [only](ModuleOp module) {
    for (auto [i, alloc] : llvm::enumerate(all<tile::AllocRingOp>(module))) {
      if (only && i != *only) continue;
      tile::RingType ring = alloc.getRing().getType();
      alloc.getRing().setType(tile::RingType::get(ring.getContext(), ring.getStages() - 1, ring.getTiles()));
    }
    return true;
  };
}

/// Of twelve launches, how many end in a fault that says `expected`.
int faultsThatSay(const std::string &expected, const std::string &name, const TileEdit &edit, const Bindings &extents) {
  auto context = makeContext();
  HandProgram program(*context, readProgram(name), targetOfProgram(name), edit);
  std::vector<HostTensor> inputs = program.makeInputs(extents, 3);
  int seen = 0;
  for (uint64_t seed = 0; seed < 12; ++seed)
    seen += program.run(inputs, {.extents = extents, .seed = seed}).reason.find(expected) != std::string::npos;
  return seen;
}

/// A slot that consumers have in turn, fourteen for three of them: one may be a phase ahead of what it reads, and a
/// barrier cannot tell.
TEST(HandFaults, APhaseThatIsTakenForAnotherIsSeen) {
  EXPECT_GT(faultsThatSay("is let through by the end of phase", "softmax", aSlotLess(), {{"R", 70}, {"N", 256}}), 0);
}

/// Copies that run as far ahead in a ring of a slot less write what is still being read.
TEST(HandFaults, ASlotTooFewIsSeen) {
  for (size_t ring : {0, 1})
    EXPECT_GT(faultsThatSay("written by a copy", "matmul_sm80", aSlotLess(ring), mnk(131, 264, 456)), 0) << ring;
}

} // namespace
