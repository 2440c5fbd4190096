//===- Streams.h - how long a kernel takes that streams rows through a gpu ----------------------------------------===//
//
// Pure functions over the facts of ir/target/Gpu.h, for kernels without a matmul: what memory, L2, L1 and the issue of
// instructions each take for the loads and stores along rows, of which the longest counts. They rank what may be done
// about rows that do not start at 16 bytes; they are right within tens of percents, not more.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_COST_STREAMS_H
#define KILN_PASSES_COST_STREAMS_H

#include "ir/target/Gpu.h"

namespace kiln::cost {

/// One load or store whose lanes run along rows.
struct Stream {
  double accessed = 0; ///< elements, each time it is
  double stored = 0;   ///< elements that lie in memory
  int64_t elementBytes = 2;
  int64_t aligned = 16; ///< bytes that are known to divide where a row starts, at most 16
  int64_t run = 8;      ///< consecutive elements of a thread
  bool isStore = false;
  bool shifted = false; ///< as `tile.load … shifted`; else accesses are as wide as `aligned` allows
};

/// What one stream asks of each part of a gpu.
struct StreamWork {
  double memoryBytes = 0; ///< to and from memory
  double l2Bytes = 0;     ///< to and from L2: whole sectors, a store's each time that a part of one is written
  double l1Lines = 0;     ///< 128 bytes that an SM's L1 moves in a clock
  double slots = 0;       ///< instructions of warps

  StreamWork &operator+=(const StreamWork &other);
};
StreamWork workOf(const Stream &stream);

/// Seconds of one launch that does `work` and nothing else.
double streamSeconds(const StreamWork &work, const GpuTarget &target);

} // namespace kiln::cost

#endif
