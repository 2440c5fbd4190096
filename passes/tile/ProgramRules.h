//===- ProgramRules.h - what tile-verify holds whole programs to --------------------------------------------------===//
//
// One function for each kind of rule. Each reports the first op that breaks one, and refuses no program that is right:
// what it cannot decide it lets pass.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILE_PROGRAMRULES_H
#define KILN_PASSES_TILE_PROGRAMRULES_H

#include "ir/tile/Tile.h"

namespace kiln::tile {

/// No index is divided by 0.
llvm::LogicalResult checkDivisions(KernelOp kernel);
/// The first `tile.wgmma` on a `tile.wgmma_none` does not accumulate, and what is waited for has met a `tile.wgmma`.
llvm::LogicalResult checkFirstSums(KernelOp kernel);
/// What is read and written lies in its shared tile, at offsets that its op takes; ranks are those of the cluster.
llvm::LogicalResult checkPlaces(KernelOp kernel);
/// `aligned` follows from what a launch checks.
llvm::LogicalResult checkAlignments(KernelOp kernel);
/// Shared tiles that are read have been written, by copies that were waited for.
llvm::LogicalResult checkContents(KernelOp kernel);

} // namespace kiln::tile

#endif
