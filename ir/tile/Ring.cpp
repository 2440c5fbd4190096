// Constraints of the ops in Ring.td.
#include "ir/tile/Rules.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::tile;

static std::string number(uint64_t value) { return std::to_string(static_cast<int64_t>(value)); }

//===- tile.alloc_ring --------------------------------------------------------------------------------------------===//

/// Warpgroups that may read a ring: a kernel's consumers, or all that it has.
static int64_t readersOf(KernelOp kernel) {
  for (auto roles : kernel.getBody().getOps<SpecializeOp>()) return static_cast<int64_t>(roles.getConsumers());
  return warpgroupsOf(kernel);
}

LogicalResult AllocRingOp::verify() {
  auto readers = static_cast<int64_t>(getReaders().value_or(1));
  if (readers < 1 || readers > 8)
    return violate(*this, {"C1", "a slot is read by a few warpgroups", "1 to 8", std::to_string(readers)});
  auto kernel = (*this)->getParentOfType<KernelOp>();
  auto cluster = static_cast<int64_t>(kernel ? kernel.getCluster().value_or(1) : 1);
  if (getMulticast() && (!getReaders() || cluster < 2))
    return violate(*this, {"C2", "slots are filled by other CTAs where there are any, behind barriers",
                           "`readers`, and a cluster of more than one CTA",
                           fmt::format("{}a cluster of {}", getReaders() ? "" : "no `readers`, ", cluster)});
  if (!getReaders() || !kernel) return success();
  if ((*this)->getParentOp() != kernel)
    return violate(*this, {"C3", "barriers are made before roles part", "in the kernel's own block", "in another"});
  if (int64_t most = readersOf(kernel); readers > most)
    return violate(*this, {"C4", "as many release a slot as its barrier counts",
                           fmt::format("at most {} readers, the warpgroups that there are", most), number(readers)});
  return success();
}

//===- Tiles of a slot --------------------------------------------------------------------------------------------===//

/// What names a slot's tiles: they are the ring's.
static LogicalResult checkTiles(Operation *op, const char *constraint, RingType ring, TypeRange found) {
  SmallVector<Type> expected(ring.getTiles());
  if (TypeRange(expected) == found) return success();
  return violate(op, {constraint, "a slot is the ring's tiles", spell(expected), spell(found)});
}

/// (C1) of ops that wait for barriers or signal them.
static LogicalResult checkBarriers(Operation *op, Value ring) {
  AllocRingOp alloc = allocOf(ring);
  if (alloc && alloc.getReaders()) return success();
  return violate(op, {"C1", "the ring must have barriers", "a tile.alloc_ring with `readers`",
                      alloc ? "one without" : "a ring by another name"});
}

LogicalResult SlotOp::verify() { return checkTiles(*this, "C1", getRing().getType(), getTiles().getTypes()); }

LogicalResult RingWaitOp::verify() {
  if (failed(checkBarriers(*this, getRing()))) return failure();
  return checkTiles(*this, "C2", getRing().getType(), getTiles().getTypes());
}

//===- tile.fill --------------------------------------------------------------------------------------------------===//

LogicalResult FillOp::verify() {
  if (failed(checkBarriers(*this, getRing()))) return failure();
  SmallVector<Type> expected(getRing().getType().getTiles());
  expected.push_back(MBarrierType::get(getContext()));
  Block &block = getBody().front();
  if (TypeRange(expected) != block.getArgumentTypes())
    return violate(*this, {"C2", "the block takes the slot's tiles and its barrier", spell(expected),
                           spell(block.getArgumentTypes())});
  if (consumersAround(*this))
    return violate(*this, {"C5", "one thread of the CTA fills", "the `producer`, or a kernel without roles",
                           "a fill in `consumers`"});
  return success();
}

namespace {
/// A copy in a fill: where it goes, and to how many CTAs at least and at most.
struct Piece {
  Value target;
  Value barrier;
  int64_t least = 1, most = 1;
};
} // namespace

/// CTAs that a multicast mask names: all that there may be where it is not known.
static Piece pieceOf(Operation *op, int64_t cluster) {
  if (auto bulk = dyn_cast<BulkLoadOp>(op)) return {bulk.getTarget(), bulk.getBarrier()};
  auto load = cast<TmaLoadOp>(op);
  Piece piece{load.getTarget(), load.getBarrier()};
  if (!load.getMulticast()) return piece;
  piece.most = cluster;
  if (std::optional<int64_t> mask = constantOf(load.getMulticast()))
    piece.least = piece.most = llvm::popcount(static_cast<uint64_t>(*mask & 0xFFFF));
  return piece;
}

/// (C3) for one tile of a slot: the pieces that are copied to it are as many bytes as it has.
static LogicalResult checkBytes(FillOp fill, Value tile, ArrayRef<Piece> pieces) {
  constexpr int64_t kCountless = int64_t(1) << 40; // no shared memory is so large: bytes may be added up
  int64_t least = 0, most = 0, whole = std::min(bytesOf(cast<SharedType>(tile.getType())), kCountless);
  for (const Piece &piece : pieces) {
    Value target = piece.target;
    while (auto part = target.getDefiningOp<SubtileOp>()) target = part.getSource();
    if (target != tile) continue;
    int64_t bytes = std::min(bytesOf(cast<SharedType>(piece.target.getType())), kCountless);
    least += bytes * piece.least;
    most += bytes * piece.most;
  }
  if (least <= whole && whole <= most) return success();
  unsigned place = cast<BlockArgument>(tile).getArgNumber();
  return violate(fill, {"C3", fmt::format("the copies fill tile {} of the slot, each byte once", place),
                        fmt::format("{} bytes", whole),
                        least == most ? fmt::format("{} bytes", least) : fmt::format("{} to {} bytes", least, most)});
}

LogicalResult FillOp::verifyRegions() {
  Block &block = getBody().front();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  auto cluster = static_cast<int64_t>(kernel ? kernel.getCluster().value_or(1) : 1);
  Value full = block.getArguments().back();
  SmallVector<Piece> pieces;
  for (Operation &op : block) {
    bool copies = llvm::any_of(accessesOf(&op), [](auto &access) { return access.completion == Completion::MBarrier; });
    if (copies) pieces.push_back(pieceOf(&op, cluster));
    if (copies && pieces.back().barrier != full)
      return violate(*this, {"C4", "copies signal the slot's own barrier", "the block's last argument", "another"});
    if (!copies && !(isPure(&op) && op.getNumRegions() == 0))
      return violate(*this, {"C4", "a fill does nothing but copy", "tile.tma_load, tile.bulk_load and pure ops",
                             op.getName().getStringRef().str()});
  }
  for (Value tile : block.getArguments().drop_back())
    if (failed(checkBytes(*this, tile, pieces))) return failure();
  return success();
}

//===- tile.ring_release ------------------------------------------------------------------------------------------===//

namespace {
/// A read of a ring's slots, and which slot it is where that is known.
struct Read {
  Operation *op;
  RingWaitOp slot; ///< null where a tile.slot, or what a loop carries, was read
};
} // namespace

/// What a loop calls a value that is given to it, or to its next turn: the argument of its body and its result; empty
/// where the use is none of a loop's.
static SmallVector<Value> carriedAs(OpOperand &use) {
  Operation *user = use.getOwner();
  auto among = [&](LoopLikeOpInterface loop, MutableArrayRef<OpOperand> given) -> SmallVector<Value> {
    std::optional<ResultRange> results = loop.getLoopResults();
    if (!results) return {};
    for (auto [operand, argument, result] : llvm::zip(given, loop.getRegionIterArgs(), *results))
      if (&operand == &use) return {argument, result};
    return {};
  };
  if (auto loop = dyn_cast<LoopLikeOpInterface>(user)) return among(loop, loop.getInitsMutable());
  auto around = dyn_cast_or_null<LoopLikeOpInterface>(user->getParentOp());
  std::optional<MutableArrayRef<OpOperand>> yielded = around ? around.getYieldedValuesMutable() : std::nullopt;
  return yielded ? among(around, *yielded) : SmallVector<Value>();
}

/// Everything that reads tiles of a ring: products, or, with `loads`, loads by threads.
static SmallVector<Read> readsOf(Value ring, bool loads) {
  SmallVector<Read> reads;
  SmallVector<std::pair<Value, RingWaitOp>> names;
  for (Operation *user : ring.getUsers())
    if (isa<SlotOp, RingWaitOp>(user))
      for (Value tile : user->getResults()) names.push_back({tile, dyn_cast<RingWaitOp>(user)});
  llvm::DenseSet<Value> seen;
  while (!names.empty()) {
    auto [tile, slot] = names.pop_back_val();
    if (!seen.insert(tile).second) continue;
    for (OpOperand &use : tile.getUses()) {
      Operation *user = use.getOwner();
      for (Value name : carriedAs(use)) names.push_back({name, RingWaitOp()});
      Completion completion = loads ? Completion::Now : Completion::WgmmaGroup;
      auto isRead = [&](const MemoryAccess &access) { return !access.writes && access.completion == completion; };
      if (llvm::any_of(accessesOf(user), isRead)) reads.push_back({user, slot});
      if (auto part = dyn_cast<SubtileOp>(user)) names.push_back({part.getResult(), slot});
    }
  }
  return reads;
}

/// The innermost loop that runs both ops again; null if there is none.
static Operation *loopAround(Operation *a, Operation *b) {
  for (Operation *loop = a->getParentOp(); loop; loop = loop->getParentOp())
    if (isa<LoopLikeOpInterface>(loop) && loop->isProperAncestor(b)) return loop;
  return nullptr;
}

/// Whether what `read` started is done at `release`, in the same execution of the blocks around both.
static bool isDoneAfter(Operation *read, Operation *release) {
  for (Operation *at = release; at; at = at->getParentOp()) {
    Block *block = at->getBlock();
    Operation *from = block ? block->findAncestorOpInBlock(*read) : nullptr;
    if (from) return !from->isBeforeInBlock(at) || isDoneWithin(read, from) || isDoneBetween(*block, from, at);
    if (!block || isa<KernelOp>(at)) return false;
    if (isDoneBetween(*block, nullptr, at)) return true;
  }
  return false;
}

/// Whether what `read` started in the loop's execution before is done at `release`.
static bool isDoneInTurn(Operation *read, Operation *release, Operation *loop) {
  for (Operation *at = release; at != loop; at = at->getParentOp())
    if (isDoneBetween(*at->getBlock(), nullptr, at)) return true;
  return isDoneWithin(read, loop);
}

/// The read is of the slot that is released, as far as values say.
static bool isOf(Read read, RingReleaseOp release) {
  if (!read.slot) return true;
  Value a = read.slot.getIteration(), b = release.getIteration();
  return a == b || (constantOf(a) && constantOf(a) == constantOf(b));
}

/// (C2): products that read the slot are done.
static LogicalResult checkProducts(RingReleaseOp release) {
  for (Read read : readsOf(release.getRing(), /*loads=*/false)) {
    Operation *loop = loopAround(read.op, release);
    bool before = isDoneAfter(read.op, release);
    // What this release frees was read in this turn of the loop, or in an earlier one.
    bool done = isOf(read, release) || !loop ? before : isDoneInTurn(read.op, release, loop);
    if (done) continue;
    return violate(release, {"C2", "what tile.wgmma reads of the slot must have been waited for",
                             "a tile.wgmma_wait before, with fewer in flight than were started since", "none",
                             "tile.wgmma_wait with `in_flight` 0, or the release of an earlier iteration"});
  }
  return success();
}

/// (C3): threads that read the slot have met.
static LogicalResult checkLoads(RingReleaseOp release) {
  for (Read read : readsOf(release.getRing(), /*loads=*/true)) {
    if (!isOf(read, release)) continue;
    Operation *from = release->getBlock()->findAncestorOpInBlock(*read.op);
    if (!from || !from->isBeforeInBlock(release)) continue;
    Operation *op = from->getNextNode();
    while (op != release && !isBarrier(op)) op = op->getNextNode();
    if (op == release)
      return violate(release, {"C3", "the warpgroup's threads must have read the slot",
                               "a tile.barrier behind the loads", "none"});
  }
  return success();
}

LogicalResult RingReleaseOp::verify() {
  if (failed(checkBarriers(*this, getRing())) || failed(checkProducts(*this))) return failure();
  return checkLoads(*this);
}
