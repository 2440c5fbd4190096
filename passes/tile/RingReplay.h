//===- RingReplay.h - whether roles that wait for each other at rings go on ---------------------------------------===//
//
// A ring's iterations are filled, waited for and released by roles that know of each other by number alone. Whether the
// numbers fit is seen by going through a launch: what is wrong there is wrong, and told with the launch. What a launch
// does not tell is taken to be right.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILE_RINGREPLAY_H
#define KILN_PASSES_TILE_RINGREPLAY_H

#include "ir/Violation.h"
#include "passes/tile/PipelineTrace.h"

namespace kiln::tile {

/// An op that breaks a rule, and how.
struct Finding {
  mlir::Operation *op;
  ir::Violation violation;
};

/// What goes wrong when the roles of a CTA do what their traces (of `tracePipelines`) say, and those of other CTAs of
/// its cluster do the same; nullopt if nothing is known to:
/// - iterations are not negative, and a slot's are filled one after the other, each once,
/// - as many release an iteration as the ring has readers, before it is filled again,
/// - an iteration is waited for by who knows that the slot's one before has come: a barrier tells even from odd alone,
/// - a turn is passed to who has taken the one before,
/// - everybody goes on until the end, and what was filled was waited for,
/// - no loop is endless.
std::optional<Finding> replayRings(llvm::ArrayRef<PipelineTrace> traces);

/// Holds a kernel to that, in launches inside its `tile.ranges`: of short extents, of long ones, and of the shortest
/// that it declares. Fails where one goes wrong, and names it and a range that would leave it out. Of a program without
/// ranges it has to go wrong as well where extents differ from each other.
llvm::LogicalResult replayLaunches(KernelOp kernel);

} // namespace kiln::tile

#endif
