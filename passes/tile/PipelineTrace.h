//===- PipelineTrace.h - what each role asks of rings and turns, in one launch
//----------------------------------------===//
//
// Who waits for whom is decided by index arithmetic, loops and conditions alone. Where those are computed of nothing
// but what a launch says, a CTA's roles can be gone through without a device: this lists, role by role and in order,
// every fill, wait, release and turn, with its iteration.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILE_PIPELINETRACE_H
#define KILN_PASSES_TILE_PIPELINETRACE_H

#include "ir/tile/Tile.h"
#include "runtime/Expr.h"

namespace kiln::tile {

/// A launch to go through.
struct SampleLaunch {
  Bindings extents; ///< of each name
  int64_t sms;      ///< what `sms` is in a grid's expression
};

/// How the extents of a sample differ: not, each is twice the one that arguments name before it, or after it.
enum class SampleExtents { Same, Growing, Shrinking };
/// A launch whose least extent is `extent`, a multiple of what tiles are; each as near to it as its range has it.
SampleLaunch sampleLaunch(KernelOp kernel, int64_t extent, int64_t sms, SampleExtents extents = SampleExtents::Same);

/// An op that runs: `tile.fill`, `tile.ring_wait` or `tile.ring_release` of an iteration, `tile.take_turn`,
/// `tile.pass_turn`; or an scf.for that never ends, the last step of its trace.
struct PipelineEvent {
  mlir::Operation *op;
  int64_t number = 0; ///< the iteration; of a loop how many turns it has, or its step where that is not positive

  bool operator==(const PipelineEvent &) const = default;
};

/// The steps of those who run together.
struct PipelineTrace {
  std::string name;       ///< "the producer", "consumer 1"; "the CTA" for what all do before roles part
  int64_t consumer = -1;  ///< its number; -1 for others
  int64_t warpgroups = 1; ///< that run it: each releases
  std::vector<PipelineEvent> steps = {};
  bool isWhole = true; ///< false where what follows was not known, or more than is worth going through
};

/// CTAs of a launch; nullopt where its grid is none.
std::optional<int64_t> gridOf(KernelOp kernel, const SampleLaunch &launch);

/// What the roles of CTA `cta` do: first what all do before they part, then the producer and the consumers, where there
/// are any.
std::vector<PipelineTrace> tracePipelines(KernelOp kernel, const SampleLaunch &launch, int64_t cta);

} // namespace kiln::tile

#endif
