//===- Arena.h - one block of memory for all temporaries ----------------------------------------------------------===//
//
// Places buffers of known size and lifetime in one arena, so that those that live at the same time do not overlap.
// Plain C++: the planner asks, and so may anything that wants to know a peak.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_LAYOUT_ARENA_H
#define KILN_IR_LAYOUT_ARENA_H

#include "kiln/HostTensor.h"

#include <cstdint>
#include <vector>

namespace kiln {

/// A buffer to place: it is live in steps firstStep … lastStep, both included.
struct ArenaRequest {
  int64_t bytes = 0;
  int32_t firstStep = 0, lastStep = 0;
  int64_t alignment = static_cast<int64_t>(kBufferAlignment); ///< of its offset; a power of two
  int64_t offset = 0;                                         ///< the answer
};

/// No arena is larger: what a process can address.
inline constexpr int64_t kMostArenaBytes = int64_t(1) << 47;

/// Places every request, the largest first, each in the smallest gap that holds it; returns the bytes of the arena.
/// Stops where they are more than kMostArenaBytes, of requests none of which is larger. Time is quadratic in the number
/// of requests, at a few nanoseconds per pair.
int64_t packArena(std::vector<ArenaRequest> &requests);

/// The most bytes live at once (each rounded up to the alignment): no arena can be smaller.
int64_t peakBytes(const std::vector<ArenaRequest> &requests);

} // namespace kiln

#endif
