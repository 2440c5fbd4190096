//===- Rules.h - what the verifiers of the tile dialect share
//------------------------------------------------------===//
//
// How a broken rule of an op is reported and types are spelled, where an op stands, and which warpgroup products are
// done when: for the .cpp files of this folder and the passes that hold whole programs to rules.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_TILE_RULES_H
#define KILN_IR_TILE_RULES_H

#include "ir/Violation.h"
#include "ir/tile/Tile.h"

namespace kiln::tile {

using ir::spell;
using ir::violate;
/// The value of a constant of integers or indices; nullopt for any other value.
std::optional<int64_t> constantOf(mlir::Value value);

/// The `tile.specialize` whose producer holds `op`, at any depth; null where there is none.
SpecializeOp producerAround(mlir::Operation *op);
/// The `tile.specialize` whose consumers hold `op`, at any depth; null where there is none.
SpecializeOp consumersAround(mlir::Operation *op);
/// Warpgroups of a kernel's CTA. One that is not whole counts: its first thread speaks for it.
int64_t warpgroupsOf(KernelOp kernel);
/// Which argument of the kernel around it a value is; nullopt for any other value.
std::optional<unsigned> argumentNumber(mlir::Value value);

/// The op that made a ring; null where it goes by another name.
AllocRingOp allocOf(mlir::Value ring);
/// The op that a shared tile is a part of: `tile.alloc`, `tile.slot`, `tile.ring_wait` or `tile.fill` (by its block);
/// null where the tile goes by another name.
mlir::Operation *sourceOf(mlir::Value tile);

/// Whether every product that `first`, an op of the block, starts, or, where it is null, that was started before the
/// block, is done at its op `at` (null: at its end): a `tile.wgmma_wait` between the two leaves only later ones in
/// flight.
bool isDoneBetween(mlir::Block &block, mlir::Operation *first, mlir::Operation *at);
/// Whether what `product` starts, at any depth, is done where `around`, an op around it or itself, ends: it is waited
/// for in the blocks between the two.
bool isDoneWithin(mlir::Operation *product, mlir::Operation *around);

} // namespace kiln::tile

#endif
