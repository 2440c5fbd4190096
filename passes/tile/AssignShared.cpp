// tile-assign-shared: gives every shared tile its place in the CTA's memory.
#include "ir/Violation.h"
#include "ir/layout/Arena.h"
#include "ir/tile/Rules.h"
#include "passes/kernel/KernelChecks.h"
#include "passes/tile/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

namespace kiln::tile {
#define GEN_PASS_DEF_TILEASSIGNSHARED
#include "passes/tile/Passes.h.inc"

using namespace mlir;

namespace {

/// Bytes past which nothing is placed: what is counted is bounded, so that it can be added up.
constexpr int64_t kCountless = int64_t(1) << 31;

/// A shared tile, or a ring of them.
struct Tile {
  Operation *alloc;
  int64_t bytes, alignment;
};

SmallVector<Tile> tilesOf(KernelOp kernel) {
  SmallVector<Tile> tiles;
  kernel.walk([&](Operation *op) {
    if (auto one = dyn_cast<AllocOp>(op))
      tiles.push_back({op, std::min(bytesOf(one), kCountless), alignmentOf(one.getTile().getType())});
    else if (auto ring = dyn_cast<AllocRingOp>(op))
      tiles.push_back({op, std::min(bytesOf(ring), kCountless), alignmentOf(ring.getRing().getType())});
  });
  return tiles;
}

//===- One thread of execution ------------------------------------------------------------------------------------===//

constexpr int64_t kLineBytes = 256;
/// The most bytes of shared tiles a CTA may have: each worker has a workspace of that size.
constexpr int64_t kMost = int64_t(1) << 30;

/// Tiles one after another; all live as long as the CTA.
FailureOr<int64_t> placeInTurn(KernelOp kernel, ArrayRef<Tile> tiles) {
  Builder b(kernel.getContext());
  int64_t offset = 0;
  for (const Tile &tile : tiles) {
    tile.alloc->setAttr("offset", b.getI64IntegerAttr(offset));
    offset = std::min<int64_t>(llvm::alignTo(offset + tile.bytes, kLineBytes), kCountless);
  }
  if (offset <= kMost) return offset;
  InFlightDiagnostic diag = kernel.emitError() << "the workspace of one thread is too large for these shapes";
  diag.attachNote() << "expected: at most " << kMost << " bytes";
  diag.attachNote() << "found: " << (offset == kCountless ? "at least " : "") << offset;
  diag.attachNote() << "try: a smaller reduced extent, or a reduction in two steps";
  return failure();
}

//===- A CTA of many threads --------------------------------------------------------------------------------------===//

/// When tiles are in use, counted in barriers at the kernel's top level: what is last used before a barrier may share
/// memory with what is first used behind it.
class Epochs {
public:
  explicit Epochs(KernelOp kernel) : top(&kernel.getBody().front()) {
    for (Operation &op : *top) {
      before[&op] = count;
      if (isBarrier(&op)) ++count;
      after[&op] = count;
    }
  }

  /// First and last epoch of a tile's uses.
  std::pair<int32_t, int32_t> of(Operation *alloc) const {
    int32_t first = count, last = 0;
    if (auto ring = dyn_cast<AllocRingOp>(alloc); ring && ring.getReaders()) {
      first = 0; // its barriers are made at the kernel's start
      if (ring.getMulticast()) last = count;
    }
    SmallVector<Value> names{alloc->getResult(0)};
    for (size_t i = 0; i < names.size(); ++i)
      for (Operation *user : names[i].getUsers()) {
        auto [from, to] = ofUse(user);
        first = std::min(first, from);
        last = std::max(last, to);
        if (isa<SlotOp, SubtileOp, RingWaitOp>(user)) llvm::append_range(names, user->getResults());
      }
    return {std::min(first, last), last};
  }

private:
  Block *top;
  llvm::DenseMap<Operation *, int32_t> before, after;
  int32_t count = 0;

  /// The epochs in which a use may touch the tile.
  std::pair<int32_t, int32_t> ofUse(Operation *user) const {
    Operation *at = top->findAncestorOpInBlock(*user);
    Completion completion = Completion::Now;
    for (const MemoryAccess &access : accessesOf(user)) completion = access.completion;
    if (completion == Completion::AsyncGroup || completion == Completion::StoreGroup)
      return {before.at(at), endsAt(at, [&](Operation &op) { return waitsForAll(&op, completion); })};
    if (completion == Completion::WgmmaGroup && !isDoneWithin(user, at))
      return {before.at(at), endsAt(at, [&](Operation &op) { return isDoneBetween(*top, at, op.getNextNode()); })};
    // Other CTAs reach the tile from the cluster's barrier before to the next, wherever this one is between them.
    if (isa<RemoteOp>(user)) return {beginsAt(at), endsAt(at, [](Operation &op) { return isa<ClusterBarrierOp>(op); })};
    // A tile that an op yields or takes into a region goes by other names from here; a fill gives it none that outlive
    // it.
    bool renamed = (user->getNumRegions() && !isa<FillOp>(user)) || user->hasTrait<OpTrait::IsTerminator>();
    if (renamed) return {0, count};
    return {before.at(at), after.at(at)};
  }

  /// The epoch of the first op behind `at` that ends what `at` began; the last of all if there is none.
  int32_t endsAt(Operation *at, llvm::function_ref<bool(Operation &)> ends) const {
    for (Operation *op = at->getNextNode(); op; op = op->getNextNode())
      if (ends(*op)) return before.at(op);
    return count;
  }
  /// The epoch that the cluster's barrier before `at` begins; the first of all if there is none.
  int32_t beginsAt(Operation *at) const {
    for (Operation *op = at; op; op = op->getPrevNode())
      if (isa<ClusterBarrierOp>(op)) return after.at(op);
    return 0;
  }
};

/// What a CTA's memory goes to: ": 4 x 49152 + 64, 2 x 2 x 8192". Stages, of each consumer, barriers behind a plus.
std::string spellParts(ArrayRef<Tile> tiles) {
  constexpr size_t kMostSpelt = 6;
  if (tiles.size() > kMostSpelt) return fmt::format(" for {} tiles", tiles.size());
  std::string text;
  for (const Tile &tile : tiles) {
    int64_t copies = copiesOf(tile.alloc);
    text += fmt::format("{}{}", text.empty() ? ": " : ", ", copies > 1 ? fmt::format("{} x ", copies) : "");
    auto ring = dyn_cast<AllocRingOp>(tile.alloc);
    if (!ring) {
      text += std::to_string(bytesOf(cast<AllocOp>(tile.alloc).getTile().getType()));
      continue;
    }
    RingType type = ring.getRing().getType();
    text += fmt::format("{} x {}", type.getStages(), slotBytes(type));
    if (ring.getReaders()) text += fmt::format(" + {}", kSlotBarriers * type.getStages());
  }
  return text;
}

FailureOr<int64_t> placeByEpochs(KernelOp kernel, ArrayRef<Tile> tiles, const GpuTarget &target) {
  Epochs epochs(kernel);
  std::vector<ArenaRequest> requests;
  for (const Tile &tile : tiles) {
    auto [first, last] = epochs.of(tile.alloc);
    requests.push_back({tile.bytes, first, last, tile.alignment});
  }
  int64_t bytes = packArena(requests);
  Builder b(kernel.getContext());
  for (auto [tile, request] : llvm::zip(tiles, requests))
    tile.alloc->setAttr("offset", b.getI64IntegerAttr(request.offset));
  if (bytes <= target.sharedBytes) return bytes;
  return ir::violate(kernel.getLoc(), "tile.kernel",
                     {"", "the shared tiles of a CTA must fit its memory",
                      fmt::format("at most {} bytes on {}", target.sharedBytes, target.name),
                      fmt::format("{}{}{}", bytes >= kCountless ? "at least " : "", bytes, spellParts(tiles)),
                      "a schedule with smaller tiles or fewer stages"});
}

struct TileAssignShared : impl::TileAssignSharedBase<TileAssignShared> {
  using TileAssignSharedBase::TileAssignSharedBase;
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<Target> row = tiling::targetNamed(kernel, target);
    if (failed(row)) return signalPassFailure();
    SmallVector<Tile> all = tilesOf(kernel);
    FailureOr<int64_t> bytes = row->gpu() ? placeByEpochs(kernel, all, *row->gpu()) : placeInTurn(kernel, all);
    if (failed(bytes)) return signalPassFailure();
    kernel.setSharedBytesAttr(Builder(&getContext()).getI64IntegerAttr(*bytes));
    tiles += all.size();
  }
};

} // namespace
} // namespace kiln::tile
