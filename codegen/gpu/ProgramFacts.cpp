// Facts about roles and rings, gathered before ops are lowered one by one.
#include "codegen/gpu/Frame.h"
#include "ir/tile/analysis/Alignment.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;

constexpr int64_t kRegistersOfSm = 65536;

/// Whether a ring's barriers are made again before anything may wait at one.
static bool isFollowedByRing(tile::AllocRingOp ring) {
  for (Operation *op = ring->getNextNode(); op; op = op->getNextNode()) {
    if (auto next = dyn_cast<tile::AllocRingOp>(op); next && next.getReaders()) return true;
    if (!isPure(op) && !isa<tile::AllocOp, tile::AllocRingOp, tile::AllocTurnsOp>(op)) return false;
  }
  return false;
}

/// Whether an op, or one in it, writes anything but global memory.
static bool writesShared(Operation *op) {
  auto result = op->walk([](MemoryEffectOpInterface inner) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    inner.getEffects(effects);
    bool writes = llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
      bool global = effect.getValue() && isa<tile::GlobalType>(effect.getValue().getType());
      return isa<MemoryEffects::Write>(effect.getEffect()) && !global;
    });
    return writes ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether shared memory is as it was at a barrier of the cluster before: threads only say that they have read it.
static bool isRelaxed(tile::ClusterBarrierOp barrier) {
  for (Operation *op = barrier->getPrevNode(); op; op = op->getPrevNode()) {
    if (isa<tile::ClusterBarrierOp>(op)) return true;
    if (writesShared(op)) return false;
  }
  return false;
}

/// Whether all chunks of 16 bytes of an asynchronous copy are there or are not.
static bool hasWholeChunks(tile::AsyncCopyOp copy, tile::Alignment &alignment) {
  int64_t chunk = 16 / tile::bytesOf(copy.getTarget().getType().getElementType());
  return alignment.divisorOf(copy.getColumns(), copy).known % std::max<int64_t>(chunk, 1) == 0;
}

/// CTAs of an SM that the roles' registers leave room for.
static int64_t ctasOfSm(tile::SpecializeOp roles, int64_t threads) {
  auto consumers = static_cast<int64_t>(roles.getConsumers());
  int64_t all = static_cast<int64_t>(roles.getProducerRegisters()) +
                consumers * static_cast<int64_t>(roles.getConsumerRegisters());
  return std::max<int64_t>(kRegistersOfSm / (threads * (all / (1 + consumers) / 8 * 8)), 1);
}

ProgramFacts::ProgramFacts(tile::KernelOp kernel)
    : perWarp(findPerWarpStores(kernel)), waiting(findWaitingFolds(kernel)) {
  tile::Alignment alignment(kernel);
  int64_t nextBarrier = 1; // 0 is the CTA's, then come the warpgroups'
  kernel.walk([&](Operation *op) {
    if (auto roles = dyn_cast<tile::SpecializeOp>(op)) {
      roles.getProducer().walk([&](Operation *inner) { this->roles[inner] = Role::Producer; });
      roles.getConsumer().walk([&](Operation *inner) { this->roles[inner] = Role::Consumer; });
      auto threads = static_cast<int64_t>(*kernel.getThreads());
      ctasPerSm = ctasOfSm(roles, threads);
      registersAtLaunch = std::min<int64_t>(kRegistersOfSm / (threads * ctasPerSm) / 8 * 8, 256);
      nextBarrier = 2 + static_cast<int64_t>(roles.getConsumers());
    }
    warpgroups |= isa<tile::SpecializeOp, tile::WgmmaOp>(op);
    for (const tile::MemoryAccess &access : tile::accessesOf(op))
      storesInBulk |= access.completion == tile::Completion::StoreGroup;
    if (auto ring = dyn_cast<tile::AllocRingOp>(op); ring && ring.getReaders() && !isFollowedByRing(ring))
      readyBehind.insert(op);
    if (auto barrier = dyn_cast<tile::ClusterBarrierOp>(op); barrier && isRelaxed(barrier)) relaxed.insert(op);
    if (auto copy = dyn_cast<tile::AsyncCopyOp>(op); copy && hasWholeChunks(copy, alignment)) wholeChunks.insert(op);
  });
  kernel.walk([&](tile::AllocTurnsOp turns) {
    this->turns[turns] = nextBarrier;
    nextBarrier += static_cast<int64_t>(turns.getTurns().getType().getGroups());
  });
}
