//===- Skeleton.h - from a kernel region to a tile program --------------------------------------------------------===//
//
// A skeleton builds the frame of a tile program for one kernel family on one target: grid, loops, shared tiles,
// mainloop. What the region computes it asks an Emitter for.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SKELETON_H
#define KILN_PASSES_TILING_SKELETON_H

#include "passes/kernel/Family.h"
#include "passes/tiling/Emitter.h"

namespace kiln::tiling {

/// What a skeleton builds from, and into.
struct SkeletonContext {
  graph::KernelOp kernel;
  graph::KernelForm form;
  Target target;
  tile::KernelOp program;   ///< being built
  mlir::OpBuilder &builder; ///< at the start of the tile program's body
  mlir::Location loc;
  Memories memories;                 ///< of the region's arguments
  llvm::SmallVector<Memory> outputs; ///< where each output of the form is stored
  llvm::SmallVector<mlir::Value> workspaces = {}; ///< what launches leave for later ones
  int launch = 0;                                 ///< which of the kernel's this program is
};

/// Ends the program that is being built, of `grid` CTAs, and begins the one that the kernel launches next: the context's
/// program, builder and memories are then those of that one.
void nextLaunch(SkeletonContext &context, int64_t grid);
/// Memory that one launch writes for the next; returns its number in the context's workspaces, whose values are those of
/// the program being built.
size_t addWorkspace(SkeletonContext &context, llvm::ArrayRef<int64_t> shape, mlir::Type element);

/// The families that a folder has.
struct FamilyTable {
  int capability; ///< of the oldest gpu that runs them; 0 of the cpu's
  llvm::ArrayRef<Family> rows;
};

} // namespace kiln::tiling

#endif
