#include "passes/cost/Matmul.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::cost;

namespace {

int64_t divideCeil(int64_t a, int64_t b) { return (a + b - 1) / b; }

constexpr double kSharedBytesPerClock = 128; ///< of an SM
constexpr double kFillClocks = 1500;         ///< until the first block is there
/// A warp's step along k cannot be quicker: a read of shared memory and one MMA behind the other.
constexpr double kStepClocks = 70;
constexpr double kBarrierClocks = 60;
/// Issue slots of a narrow access: address, load, packing, store.
constexpr double kClocksPerAccess = 4;
constexpr int64_t kRegistersOfSm = 65536, kStep = 16;

/// CTAs that are resident on an SM at once.
int64_t residentCtas(const MatmulTiling &t, const GpuTarget &target) {
  int64_t threads = t.warpsM * t.warpsN * 32;
  int64_t most = std::min({target.sharedBytesOfSm / (t.sharedBytes + 1024), kRegistersOfSm / (t.registers * threads),
                           target.threadsOfSm / threads});
  return std::max<int64_t>(most, 1);
}

/// Clocks of a block along k of one tile that has its SM alone.
double blockClocks(const MatmulWork &work, const MatmulTiling &t, const GpuTarget &target) {
  double bytes = double(t.depth) * work.operandBytes; // of a row or column
  double products = 2.0 * t.rows * t.columns * t.depth / t.flopsPerClock;
  double read = (t.rows * t.warpsN + t.columns * t.warpsM) * bytes, written = (t.rows + t.columns) * bytes;
  double feed = written / (target.l2Bandwidth / target.sms / target.clock);
  double accesses = 0;
  for (auto [extent, width] : {std::pair{t.rows, t.accessBytes[0]}, {t.columns, t.accessBytes[1]}})
    if (width) accesses += extent * bytes / width / 32 * kClocksPerAccess;
  return std::max({products, (read + written) / kSharedBytesPerClock, feed}) + accesses;
}

} // namespace

double kiln::cost::copySeconds(int64_t bytes, const GpuTarget &target) {
  constexpr double kOfPeak = 0.85;
  return kLaunchSeconds + bytes / (kOfPeak * target.bandwidth);
}

double kiln::cost::matmulSeconds(const MatmulWork &work, const MatmulTiling &t, const GpuTarget &target) {
  int64_t tiles = work.batches * divideCeil(work.rows, t.rows) * divideCeil(work.columns, t.columns);
  int64_t ofSm = divideCeil(tiles, target.sms); // of the busiest
  int64_t resident = std::min(residentCtas(t, target), std::max<int64_t>(ofSm, 1));
  double latency = kBarrierClocks + kStepClocks * divideCeil(t.depth, kStep);
  double block = std::max(blockClocks(work, t, target), latency / resident);
  double epilogue = t.rows * t.columns * (8 / kSharedBytesPerClock + work.resultBytes / 32.0);
  // What CTAs that share an SM wait for overlaps with another's products.
  double clocks = ofSm * block * divideCeil(work.k, t.depth) + (kFillClocks + epilogue) * divideCeil(ofSm, resident);
  double traffic = double(work.batches) * ((work.rows + work.columns) * work.k * work.operandBytes +
                                           work.rows * work.columns * work.resultBytes);
  return kLaunchSeconds + std::max(clocks / target.clock, traffic / target.bandwidth);
}
