// What each op of a tile program does to threads, memory and pipelines: the only place where that is said.
#include "ir/tile/Rules.h"

using namespace mlir;
using namespace kiln::tile;

#include "ir/tile/Interfaces.cpp.inc"

//===- Threads ----------------------------------------------------------------------------------------------------===//

Collective BarrierOp::getCollective() { return Collective::Group; }
Collective ClusterBarrierOp::getCollective() { return Collective::Cluster; }
Collective AsyncCopyOp::getCollective() { return Collective::Group; }
Collective AsyncLoadOp::getCollective() { return Collective::Group; }
Collective AsyncCommitOp::getCollective() { return Collective::Warp; }
Collective AsyncWaitOp::getCollective() { return Collective::Warp; }
Collective WgmmaOp::getCollective() { return Collective::Group; }
Collective WgmmaWaitOp::getCollective() { return Collective::Group; }
Collective TmaStoreOp::getCollective() { return Collective::Group; }
Collective BulkStoreOp::getCollective() { return Collective::Group; }
Collective TmaStoreWaitOp::getCollective() { return Collective::Group; }
Collective FillOp::getCollective() { return producerAround(*this) ? Collective::Thread : Collective::Group; }
Collective RingWaitOp::getCollective() { return producerAround(*this) ? Collective::Thread : Collective::Group; }
Collective RingReleaseOp::getCollective() { return Collective::Group; }
Collective TakeTurnOp::getCollective() { return Collective::Group; }
Collective PassTurnOp::getCollective() { return Collective::Group; }
Collective FoldOp::getCollective() { return getScratch() ? Collective::Group : Collective::Warp; }

bool BarrierOp::isBarrier() { return true; }
bool ClusterBarrierOp::isBarrier() { return true; }
bool TmaStoreOp::isBarrier() { return true; }
bool BulkStoreOp::isBarrier() { return true; }
bool TmaStoreWaitOp::isBarrier() { return true; }
bool FoldOp::isBarrier() { return bool(getScratch()); }

bool kiln::tile::isCollective(Operation *op) {
  auto collective = dyn_cast<CollectiveOpInterface>(op);
  return collective && collective.getCollective() >= Collective::Group;
}

bool kiln::tile::isBarrier(Operation *op) {
  auto collective = dyn_cast<CollectiveOpInterface>(op);
  return collective && collective.isBarrier();
}

//===- Memory -----------------------------------------------------------------------------------------------------===//

namespace {
using Accesses = SmallVector<MemoryAccess, 2>;

/// A copy from `source` to all of the tile `target`.
Accesses copy(Value source, Value target, Proxy proxy, Completion completion) {
  return {{source, false, false, proxy, completion}, {target, true, true, proxy, completion}};
}
/// A store of a tile, or a part of it, by whoever the group's threads elect.
Accesses store(Value source, bool whole, Value target) {
  return {{source, false, whole, Proxy::Async, Completion::StoreGroup},
          {target, true, false, Proxy::Async, Completion::StoreGroup}};
}
} // namespace

Accesses LoadOp::getAccesses() { return {{getSource(), false, false}}; }
Accesses GatherOp::getAccesses() { return {{getSource(), false, false}}; }
Accesses LoadMatrixOp::getAccesses() { return {{getSource(), false, false}}; }
Accesses StoreOp::getAccesses() { return {{getTarget(), true, false}}; }
Accesses ScatterOp::getAccesses() { return {{getTarget(), true, false}}; }
Accesses StoreMatrixOp::getAccesses() { return {{getTarget(), true, false}}; }
Accesses AsyncCopyOp::getAccesses() { return copy(getSource(), getTarget(), Proxy::Generic, Completion::AsyncGroup); }
Accesses AsyncLoadOp::getAccesses() { return copy(getSource(), getTarget(), Proxy::Generic, Completion::AsyncGroup); }
Accesses TmaLoadOp::getAccesses() { return copy(getSource(), getTarget(), Proxy::Async, Completion::MBarrier); }
Accesses BulkLoadOp::getAccesses() { return copy(getSource(), getTarget(), Proxy::Async, Completion::MBarrier); }
Accesses TmaStoreOp::getAccesses() { return store(getSource(), /*whole=*/true, getTarget()); }
Accesses BulkStoreOp::getAccesses() { return store(getSource(), /*whole=*/false, getTarget()); }
Accesses WgmmaOp::getAccesses() {
  Accesses all;
  for (Value tile : {Value(getA()), Value(getB())})
    if (isa<SharedType>(tile.getType())) all.push_back({tile, false, true, Proxy::Async, Completion::WgmmaGroup});
  return all;
}

Accesses kiln::tile::accessesOf(Operation *op) {
  auto memory = dyn_cast<MemoryOpInterface>(op);
  return memory ? memory.getAccesses() : Accesses();
}

Value kiln::tile::writtenByThreads(Operation *op) {
  for (const MemoryAccess &access : accessesOf(op))
    if (access.writes && access.completion == Completion::Now) return access.memory;
  return {};
}

//===- Completion -------------------------------------------------------------------------------------------------===//

Completion AsyncWaitOp::getCompletion() { return Completion::AsyncGroup; }
Completion TmaStoreWaitOp::getCompletion() { return Completion::StoreGroup; }
Completion WgmmaWaitOp::getCompletion() { return Completion::WgmmaGroup; }
int64_t AsyncWaitOp::getLeft() { return static_cast<int64_t>(getPending()); }
int64_t TmaStoreWaitOp::getLeft() { return static_cast<int64_t>(getPending()); }
int64_t WgmmaWaitOp::getLeft() { return static_cast<int64_t>(getInFlight()); }

bool kiln::tile::waitsForAll(Operation *op, Completion completion) {
  auto wait = dyn_cast<CompletionOpInterface>(op);
  return wait && wait.getCompletion() == completion && wait.getLeft() == 0;
}

//===- Pipelines --------------------------------------------------------------------------------------------------===//

PipelineStep FillOp::getStep() { return PipelineStep::Fill; }
PipelineStep RingWaitOp::getStep() { return PipelineStep::Wait; }
PipelineStep RingReleaseOp::getStep() { return PipelineStep::Release; }
PipelineStep TakeTurnOp::getStep() { return PipelineStep::OrderWait; }
PipelineStep PassTurnOp::getStep() { return PipelineStep::OrderArrive; }

std::optional<PipelineStep> kiln::tile::stepOf(Operation *op) {
  auto step = dyn_cast<PipelineOpInterface>(op);
  return step ? std::optional(step.getStep()) : std::nullopt;
}
