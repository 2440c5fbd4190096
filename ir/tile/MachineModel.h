//===- MachineModel.h - what ops of tile programs do to threads and memory ----------------------------------------===//
//
// The words in which the interfaces of Interfaces.td answer.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_TILE_MACHINEMODEL_H
#define KILN_IR_TILE_MACHINEMODEL_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln::tile {

/// Threads that run an op together.
enum class Collective {
  Thread, ///< one, for all others
  Warp,   ///< each warp by itself
  Group,  ///< the warpgroup in a role, else the CTA
  Cluster ///< all CTAs of a cluster
};

/// By which way an access reaches memory: the other sees it behind a fence.
enum class Proxy { Generic, Async };

/// When an access is complete.
enum class Completion {
  Now,        ///< when its op is
  AsyncGroup, ///< behind a tile.async_wait, for the thread that started it
  MBarrier,   ///< when the ring's slot is waited for
  StoreGroup, ///< behind a tile.tma_store_wait
  WgmmaGroup  ///< behind a tile.wgmma_wait
};

/// One access of an op.
struct MemoryAccess {
  mlir::Value memory; ///< a tile or a tensor
  bool writes;
  bool whole; ///< all of the tile; else a part, or some elements
  Proxy proxy = Proxy::Generic;
  Completion completion = Completion::Now;
};

/// Steps of pipelines.
enum class PipelineStep { Fill, Wait, Release, OrderWait, OrderArrive };

} // namespace kiln::tile

#include "ir/tile/Interfaces.h.inc"

namespace kiln::tile {

/// Whether more than one warp runs it together: all come, or none.
bool isCollective(mlir::Operation *op);
/// Whether all of the group's threads, at least, have arrived behind it.
bool isBarrier(mlir::Operation *op);
/// What an op accesses; nothing where it is no memory op.
llvm::SmallVector<MemoryAccess, 2> accessesOf(mlir::Operation *op);
/// The memory, shared or global, that threads themselves write with an op; null if it is no such op.
mlir::Value writtenByThreads(mlir::Operation *op);
/// Whether it waits until all that completes so is done.
bool waitsForAll(mlir::Operation *op, Completion completion);
/// The step of a pipeline that an op is; nullopt if it is none.
std::optional<PipelineStep> stepOf(mlir::Operation *op);

} // namespace kiln::tile

#endif
