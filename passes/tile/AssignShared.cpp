// tile-assign-shared: gives every shared tile its place in the CTA's memory.
#include "ir/Violation.h"
#include "ir/tile/Tile.h"
#include "passes/plan/Arena.h"
#include "passes/tile/Passes.h"
#include "passes/tiling/KernelChecks.h"

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
  explicit Epochs(KernelOp kernel) {
    for (Operation &op : kernel.getBody().front()) {
      auto fold = dyn_cast<FoldOp>(op);
      before[&op] = count;
      if (isa<BarrierOp>(op) || (fold && fold.getScratch())) ++count;
      after[&op] = count;
      if (auto wait = dyn_cast<AsyncWaitOp>(op); wait && wait.getPending() == 0) waits.push_back(&op);
    }
  }

  /// First and last epoch of a tile's uses.
  std::pair<int32_t, int32_t> of(Operation *alloc) const {
    // Barriers in shared memory are in use as long as the CTA.
    if (auto ring = dyn_cast<AllocRingOp>(alloc); ring && ring.getReaders()) return {0, count};
    Block *top = &alloc->getParentOfType<KernelOp>().getBody().front();
    int32_t first = count, last = 0;
    SmallVector<Value> names{alloc->getResult(0)};
    for (size_t i = 0; i < names.size(); ++i)
      for (Operation *user : names[i].getUsers()) {
        Operation *at = top->findAncestorOpInBlock(*user);
        first = std::min(first, before.at(at));
        last = std::max(last, isa<AsyncCopyOp, AsyncLoadOp>(user) ? landed(at) : after.at(at));
        if (isa<SlotOp, SubtileOp>(user))
          llvm::append_range(names, user->getResults());
        else if (isOpen(user))
          first = 0, last = count;
      }
    return {std::min(first, last), last};
  }

private:
  /// Whether barriers do not say when the use is over: a tile goes by other names from here, other CTAs reach it, or
  /// hardware reads it until something else is waited for.
  static bool isOpen(Operation *user) {
    return user->getNumRegions() || user->hasTrait<OpTrait::IsTerminator>() ||
           isa<RemoteOp, WgmmaOp, TmaStoreOp, BulkStoreOp>(user);
  }

  llvm::DenseMap<Operation *, int32_t> before, after;
  SmallVector<Operation *> waits; ///< for all copies
  int32_t count = 0;

  /// The last epoch in which copies that `op` starts may still write.
  int32_t landed(Operation *op) const {
    for (Operation *wait : waits)
      if (op->isBeforeInBlock(wait)) return after.at(wait);
    return count;
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
