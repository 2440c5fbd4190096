#include "ir/target/Target.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(GpuTargets, AreOrderedFromOldToNew) {
  auto rows = gpuTargets();
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_LT(rows[i - 1].capability, rows[i].capability);
}

TEST(GpuTargets, RunOnTheirOwnAndNewerDevices) {
  EXPECT_EQ(gpuTargetFor(75), nullptr);
  EXPECT_EQ(gpuTargetFor(80)->name, "sm_80");
  EXPECT_EQ(gpuTargetFor(87)->name, "sm_86");
  EXPECT_EQ(gpuTargetFor(90)->name, "sm_90a");
  EXPECT_EQ(gpuTargetFor(103)->name, "sm_89"); // sm_100a's code runs on 10.0 alone
}

TEST(Targets, AreFoundByNameWhateverTheirKind) {
  ASSERT_TRUE(findTarget("sm_80"));
  EXPECT_EQ(findTarget("sm_80")->gpu(), findGpuTarget("sm_80"));
  EXPECT_EQ(findTarget("sm_80")->cpu(), nullptr);
  EXPECT_EQ(findTarget("avx2")->cpu(), findCpuTarget("avx2"));
  EXPECT_FALSE(findTarget("sm_79"));
  EXPECT_EQ(targetNames().size(), cpuTargets().size() + gpuTargets().size());
}

} // namespace
} // namespace kiln
