#include "passes/cost/Matmul.h"

#include <gtest/gtest.h>

namespace kiln::cost {
namespace {

const GpuTarget &h200() { return *findGpuTarget("sm_90a"); }

MatmulTiling tiling(const GpuTarget &target, int64_t rows = 128, int64_t columns = 256) {
  return {rows, columns, 64, rows / 64, columns / 64, 4 * (rows + columns) * 128, 240, target.mmaFlops};
}

TEST(MatmulCost, GrowsWithTheWork) {
  double before = 0;
  for (int64_t n : {512, 1024, 2048, 4096, 8192}) {
    double seconds = matmulSeconds({1, n, n, n}, tiling(h200()), h200());
    EXPECT_GT(seconds, before);
    before = seconds;
  }
  // 132 tiles fill the SMs of an H200 once; one more costs another turn.
  MatmulWork full{1, 128 * 132, 256, 4096}, more{1, 128 * 133, 256, 4096};
  EXPECT_GT(matmulSeconds(more, tiling(h200()), h200()), 1.8 * matmulSeconds(full, tiling(h200()), h200()));
}

TEST(MatmulCost, IsNoFasterThanTheHardware) {
  for (const GpuTarget &target : gpuTargets()) {
    double seconds = matmulSeconds({1, 8192, 8192, 8192}, tiling(target), target);
    EXPECT_GE(seconds, 2.0 * 8192 * 8192 * 8192 / (target.mmaFlops * target.sms * target.clock)) << target.name;
    // One column: all that counts is that the matrix is read.
    EXPECT_GE(matmulSeconds({1, 65536, 1, 8192}, tiling(target, 128, 64), target),
              65536.0 * 8192 * 2 / target.bandwidth)
        << target.name;
  }
}

TEST(MatmulCost, ChargesNarrowAccessesPerTile) {
  MatmulTiling aligned = tiling(h200()), narrow = aligned;
  narrow.accessBytes = {2, 2};
  MatmulWork square{1, 1793, 1793, 1793}, thin{1, 65536, 64, 1025};
  double copy = copySeconds(2 * 2 * 1793 * (1793 + 1856), h200());
  EXPECT_GT(matmulSeconds(square, narrow, h200()), matmulSeconds(square, aligned, h200()) + copy);
  MatmulTiling thinAligned = tiling(h200(), 128, 64), thinNarrow = thinAligned;
  thinNarrow.accessBytes = {2, 0};
  EXPECT_LT(matmulSeconds(thin, thinNarrow, h200()),
            matmulSeconds(thin, thinAligned, h200()) + copySeconds(2 * 65536 * (1025 + 1088), h200()));
}

TEST(CopyCost, IsLaunchAndTraffic) {
  EXPECT_DOUBLE_EQ(copySeconds(0, h200()), kLaunchSeconds);
  EXPECT_GT(copySeconds(int64_t(1) << 30, h200()), (int64_t(1) << 30) / h200().bandwidth);
}

} // namespace
} // namespace kiln::cost
