// tile-verify: rules of whole tile programs.
#include "ir/tile/Rules.h"
#include "ir/tile/analysis/Uniformity.h"
#include "passes/tile/Passes.h"
#include "passes/tile/ProgramRules.h"
#include "passes/tile/RegisterNeed.h"
#include "passes/tile/RingReplay.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include <fmt/format.h>

namespace kiln::tile {
#define GEN_PASS_DEF_TILEVERIFY
#include "passes/tile/Passes.h.inc"

using namespace mlir;

//===- Who comes --------------------------------------------------------------------------------------------------===//

static LogicalResult checkMeetings(KernelOp kernel) {
  constexpr int64_t kWarp = 32;
  if (static_cast<int64_t>(kernel.getThreads().value_or(0)) <= kWarp) return success();
  Uniformity uniformity(kernel);
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    if (!isCollective(op)) return WalkResult::advance();
    Operation *parted = uniformity.partedBy(op);
    bool operand = llvm::any_of(op->getOperands(), [&](Value v) { return uniformity.isVarying(v); });
    if (!parted && !operand) return WalkResult::advance();
    (void)violate(op, {"", "all threads that meet here come, and ask for the same",
                       "a condition, bounds and operands that are the same in all warps",
                       parted ? fmt::format("an {} decided by what differs from warp to warp",
                                            parted->getName().getStringRef().str())
                              : "an operand that differs from warp to warp",
                       "tile.specialize, whose roles are whole warpgroups"});
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===- Who waits for whom -----------------------------------------------------------------------------------------===//

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

static LogicalResult checkRing(AllocRingOp ring) {
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

static LogicalResult checkWaits(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk([](Operation *op) {
    LogicalResult checked = success();
    if (auto ring = dyn_cast<AllocRingOp>(op)) checked = checkRing(ring);
    if (auto turns = dyn_cast<AllocTurnsOp>(op)) checked = checkTurns(turns);
    return failed(checked) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===- Who sees what ----------------------------------------------------------------------------------------------===//

/// What makes the memory of a tile: its alloc, or the ring that it is a slot of; null where that is not known.
static Operation *memoryOf(Value tile) {
  Operation *source = sourceOf(tile);
  if (auto slot = dyn_cast_or_null<SlotOp>(source)) return slot.getRing().getDefiningOp();
  return isa_and_nonnull<AllocOp>(source) ? source : nullptr;
}

/// The ops that run between one and a later one, in the innermost block around both; where the second comes first,
/// those up to it in the next turn of the loop. None where they never follow each other.
static std::optional<SmallVector<Operation *>> opsBetween(Operation *first, Operation *second) {
  for (Operation *around = second->getParentOp(); around; around = around->getParentOp()) {
    if (!around->isProperAncestor(first)) continue;
    Operation *to = second;
    while (to->getParentOp() != around) to = to->getParentOp();
    Block *block = to->getBlock();
    Operation *from = block->findAncestorOpInBlock(*first);
    if (!from) return std::nullopt; // of different regions: one of them runs
    if (!from->isBeforeInBlock(to) && !isa<LoopLikeOpInterface>(around)) return std::nullopt;
    SmallVector<Operation *> ops;
    for (Operation *op = from->getNextNode(); op != to; op = op ? op->getNextNode() : &block->front())
      if (op) ops.push_back(op);
    return ops;
  }
  return std::nullopt;
}

/// Whether a fence, then a meeting of the threads, stand between a write and a read.
static bool isSeen(Operation *write, Operation *read) {
  auto ops = opsBetween(write, read);
  if (!ops) return true;
  bool fenced = false;
  for (Operation *op : *ops) {
    fenced |= isa<ProxyFenceOp>(op);
    if (fenced && isBarrier(op)) return true;
  }
  return false;
}

/// Whether two names of slots of a ring are known to be of different slots.
static bool areDifferentSlots(Value a, Value b) {
  auto one = dyn_cast_or_null<SlotOp>(sourceOf(a)), other = dyn_cast_or_null<SlotOp>(sourceOf(b));
  if (!one || !other) return false;
  std::optional<int64_t> i = constantOf(one.getIteration()), j = constantOf(other.getIteration());
  return i && j && (*i - *j) % one.getRing().getType().getStages() != 0;
}

/// Whether a store by tensor map has read its tile when it is written again: a wait in between leaves no more stores in
/// flight than there are other slots.
static bool isRead(Operation *store, Operation *write, Operation *memory) {
  auto ops = opsBetween(store, write);
  auto ring = dyn_cast<AllocRingOp>(memory);
  int64_t slots = ring ? ring.getRing().getType().getStages() : 1;
  return !ops || llvm::any_of(*ops, [&](Operation *op) {
    auto wait = dyn_cast<CompletionOpInterface>(op);
    return wait && wait.getCompletion() == Completion::StoreGroup && wait.getLeft() < slots;
  });
}

/// Ops that threads write shared tiles with, by the tiles' memory.
using Writes = llvm::DenseMap<Operation *, SmallVector<Operation *>>;

/// Of a read by a tensor core: what threads wrote is behind a fence.
static LogicalResult checkProduct(Operation *product, Operation *memory, const Writes &writes) {
  for (Operation *write : writes.lookup(memory))
    if (!isSeen(write, product))
      return violate(product, {.rule = "a tensor core sees what threads wrote behind a fence and a barrier",
                               .expected = "tile.proxy_fence, then tile.barrier",
                               .found = "a tile written without them",
                               .beside = {{write->getLoc(), "written here"}}});
  return success();
}

static LogicalResult checkStore(Operation *store, Value tile, Operation *memory, const Writes &writes) {
  for (Operation *write : writes.lookup(memory))
    if (!areDifferentSlots(tile, writtenByThreads(write)) && !isRead(store, write, memory))
      return violate(write, {.rule = "a tile is written when the store before has read it",
                             .expected = "a tile.tma_store_wait between, with fewer pending than there are slots",
                             .found = "none",
                             .beside = {{store->getLoc(), "read here"}}});
  return success();
}

static LogicalResult checkProxies(KernelOp kernel) {
  Writes writes;
  kernel.getBody().walk([&](Operation *op) {
    Value tile = writtenByThreads(op);
    if (!tile || !isa<SharedType>(tile.getType())) return;
    if (Operation *memory = memoryOf(tile)) writes[memory].push_back(op);
  });
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    for (const MemoryAccess &access : accessesOf(op)) {
      Operation *memory =
          !access.writes && isa<SharedType>(access.memory.getType()) ? memoryOf(access.memory) : nullptr;
      if (!memory) continue;
      if (access.completion == Completion::WgmmaGroup && failed(checkProduct(op, memory, writes)))
        return WalkResult::interrupt();
      if (access.completion == Completion::StoreGroup && failed(checkStore(op, access.memory, memory, writes)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===- Registers --------------------------------------------------------------------------------------------------===//

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
  WalkResult result = kernel.getBody().walk([&](WgmmaOp product) {
    auto fragment = cast<PendingType>(product.getType()).getFragment();
    int64_t atoms = fragment.getDimSize(0) / 64, sums = registersOf(product.getResult()) / std::max<int64_t>(atoms, 1);
    if (sums + kAddresses <= launched) return WalkResult::advance();
    (void)violate(product, {"", "an atom's sums fit the registers that the launch gives a thread",
                            fmt::format("at most {} of {}", launched - kAddresses, launched), std::to_string(sums),
                            "a narrower product, or fewer threads"});
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
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

namespace {
struct TileVerify : impl::TileVerifyBase<TileVerify> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel.getThreads()) return;
    if (failed(checkDivisions(kernel)) || failed(checkMeetings(kernel)) || failed(checkWaits(kernel)) ||
        failed(checkRings(kernel)) || failed(checkProxies(kernel)) || failed(checkFirstSums(kernel)) ||
        failed(checkPlaces(kernel)) || failed(checkAlignments(kernel)) || failed(checkRegisters(kernel)) ||
        failed(checkContents(kernel)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace kiln::tile
