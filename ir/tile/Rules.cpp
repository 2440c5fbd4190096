#include "ir/tile/Rules.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln::tile;

std::optional<int64_t> kiln::tile::constantOf(Value value) {
  APInt constant;
  if (!value || !matchPattern(value, m_ConstantInt(&constant)) || constant.getSignificantBits() > 64)
    return std::nullopt;
  return constant.getSExtValue();
}

//===- Where an op stands -----------------------------------------------------------------------------------------===//

SpecializeOp kiln::tile::producerAround(Operation *op) {
  auto roles = op->getParentOfType<SpecializeOp>();
  return roles && roles.getProducer().isAncestor(op->getParentRegion()) ? roles : SpecializeOp();
}

SpecializeOp kiln::tile::consumersAround(Operation *op) {
  auto roles = op->getParentOfType<SpecializeOp>();
  return roles && roles.getConsumer().isAncestor(op->getParentRegion()) ? roles : SpecializeOp();
}

int64_t kiln::tile::warpgroupsOf(KernelOp kernel) {
  constexpr int64_t kWarpgroup = 128;
  return llvm::divideCeilSigned(static_cast<int64_t>(kernel.getThreads().value_or(1)), kWarpgroup);
}

std::optional<unsigned> kiln::tile::argumentNumber(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !isa_and_nonnull<KernelOp>(argument.getOwner()->getParentOp())) return std::nullopt;
  return argument.getArgNumber();
}

AllocRingOp kiln::tile::allocOf(Value ring) { return ring.getDefiningOp<AllocRingOp>(); }

Operation *kiln::tile::sourceOf(Value tile) {
  while (auto part = tile.getDefiningOp<SubtileOp>()) tile = part.getSource();
  if (Operation *op = tile.getDefiningOp()) return isa<AllocOp, SlotOp, RingWaitOp>(op) ? op : nullptr;
  Operation *around = cast<BlockArgument>(tile).getOwner()->getParentOp();
  return isa_and_nonnull<FillOp>(around) ? around : nullptr;
}

//===- Products in flight -----------------------------------------------------------------------------------------===//

bool kiln::tile::isDoneWithin(Operation *product, Operation *around) {
  for (Operation *at = product; at != around; at = at->getParentOp())
    if (isDoneBetween(*at->getBlock(), at, nullptr)) return true;
  return false;
}

bool kiln::tile::isDoneBetween(Block &block, Operation *first, Operation *at) {
  Operation *from = first ? first->getNextNode() : &block.front();
  int64_t later = 0; // groups that are surely younger; those of nested blocks are not counted
  for (Operation *op = from; op && op != at; op = op->getNextNode()) {
    if (isa<WgmmaOp>(op)) ++later;
    auto wait = dyn_cast<CompletionOpInterface>(op);
    if (wait && wait.getCompletion() == Completion::WgmmaGroup && wait.getLeft() <= later) return true;
  }
  return false;
}
