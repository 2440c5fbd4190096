// tile-verify-proxies: who sees what threads wrote to shared tiles, and when it is written again.
#include "ir/tile/Rules.h"
#include "passes/tile/VerifyRule.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace kiln::tile {

using namespace mlir;

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
  return checkEach(kernel, [&](Operation *op) {
    for (const MemoryAccess &access : accessesOf(op)) {
      Operation *memory =
          !access.writes && isa<SharedType>(access.memory.getType()) ? memoryOf(access.memory) : nullptr;
      if (!memory) continue;
      if (access.completion == Completion::WgmmaGroup && failed(checkProduct(op, memory, writes))) return failure();
      if (access.completion == Completion::StoreGroup && failed(checkStore(op, access.memory, memory, writes)))
        return failure();
    }
    return success();
  });
}

#define GEN_PASS_DEF_TILEVERIFYPROXIES
#include "passes/tile/Passes.h.inc"
namespace {
struct TileVerifyProxies : Rule<impl::TileVerifyProxiesBase<TileVerifyProxies>, checkProxies> {};
} // namespace

} // namespace kiln::tile
