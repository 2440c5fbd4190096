//===- Matmul.h - how long a matmul takes on a gpu ----------------------------------------------------------------===//
//
// Pure functions over the facts of ir/target/Gpu.h. They rank schedules and price copies; they are right within tens of
// percents, not more.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_COST_MATMUL_H
#define KILN_PASSES_COST_MATMUL_H

#include "ir/target/Gpu.h"

#include <array>

namespace kiln::cost {

/// What is computed: batches of rows × columns, each a sum over k.
struct MatmulWork {
  int64_t batches = 1, rows = 0, columns = 0, k = 0;
  int64_t operandBytes = 2; ///< of an element
  int64_t resultBytes = 2;  ///< stored for each element of the result
};

/// How.
struct MatmulTiling {
  int64_t rows, columns, depth;   ///< of a CTA's tile, and of a block along k
  int64_t warpsM, warpsN;         ///< warps along rows and columns
  int64_t sharedBytes, registers; ///< of a CTA; of a thread
  double flopsPerClock;           ///< of an SM
  /// Bytes of one access of each operand that goes through registers; 0 where it is copied asynchronously.
  std::array<int64_t, 2> accessBytes = {0, 0};
};

/// Seconds of one launch: launch + tiles of the busiest SM × (blocks × the slowest of MMA, shared memory and L2 + what
/// is not overlapped), but no less than the memory's traffic takes.
double matmulSeconds(const MatmulWork &work, const MatmulTiling &tiling, const GpuTarget &target);

/// Seconds of a kernel that reads and writes `bytes` of memory in all.
double copySeconds(int64_t bytes, const GpuTarget &target);

/// Seconds from one kernel's end to the next one's first work.
inline constexpr double kLaunchSeconds = 2e-6;

} // namespace kiln::cost

#endif
