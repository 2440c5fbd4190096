//===- RegisterNeed.h - how many registers a role of a tile program needs -----------------------------------------===//
//
// Fragments live in registers, so that a tile program says how many a thread holds at every point. What a schedule or a
// person gives a role is held to that before anything is generated: past it, an assembler spills.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILE_REGISTERNEED_H
#define KILN_PASSES_TILE_REGISTERNEED_H

#include "ir/tile/Tile.h"

namespace kiln::tile {

/// Registers of 32 bits of one thread, where the most are in use.
struct RegisterNeed {
  int64_t fragments = 0;            ///< that live fragments take
  int64_t scalars = 0;              ///< that live scalars take: indices, addresses, conditions
  mlir::Operation *where = nullptr; ///< the op at which that is; null in a region without ops

  /// Of a thread in all, with what code keeps beside the program's own values: close to the fewest registers with which
  /// an assembler does not spill.
  int64_t total() const;
};

/// Registers that a thread needs for a value: a fragment's elements, two of 16 bits in one; an accumulator in flight is
/// its fragment. 0 for what is computed where it is used: coordinates, masks, splats of scalars.
int64_t registersOf(mlir::Value value);

/// The most that a region, such as a role of `tile.specialize` or a kernel's body, needs at one point. Values from
/// around it count where they are in use. Loops hold what they carry and what they use again; elementwise ops work in
/// place.
RegisterNeed registerNeed(mlir::Region &region);

} // namespace kiln::tile

#endif
