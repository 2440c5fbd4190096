#include "ir/target/Target.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(GpuTargets, AreOrderedFromOldToNew) {
  auto rows = gpuTargets();
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LE(rows[i - 1].capability, rows[i].capability);
    if (rows[i - 1].capability == rows[i].capability) EXPECT_TRUE(!rows[i - 1].exactOnly && rows[i].exactOnly);
  }
}

TEST(GpuTargets, RunOnTheirOwnAndNewerDevices) {
  EXPECT_EQ(gpuTargetFor(75), nullptr);
  EXPECT_EQ(gpuTargetFor(80)->name, "sm_80");
  EXPECT_EQ(gpuTargetFor(87)->name, "sm_86");
  EXPECT_EQ(gpuTargetFor(90)->name, "sm_90a");
  EXPECT_EQ(gpuTargetFor(103)->name, "sm_100"); // sm_100a's code may run on 10.0 alone
  EXPECT_EQ(gpuTargetFor(121)->name, "sm_120");
}

TEST(GpuTargets, OfExactCapabilitiesHaveAPlainOneWithTheSameFacts) {
  for (const GpuTarget &row : gpuTargets()) {
    const GpuTarget &plain = plainGpuTarget(row);
    EXPECT_EQ(plain.name, "sm_" + std::to_string(row.capability));
    EXPECT_EQ(row.name, plain.name + (row.exactOnly ? "a" : ""));
    EXPECT_FALSE(plain.exactOnly);
    EXPECT_LE(plain.ptxVersion, row.ptxVersion);
    EXPECT_EQ(std::tuple(plain.sharedBytes, plain.sharedBytesOfSm, plain.threadsOfSm, plain.sms, plain.bandwidth),
              std::tuple(row.sharedBytes, row.sharedBytesOfSm, row.threadsOfSm, row.sms, row.bandwidth));
    EXPECT_EQ(std::tuple(plain.clock, plain.l2Bandwidth, plain.mmaFlops, plain.fmaFlops),
              std::tuple(row.clock, row.l2Bandwidth, row.mmaFlops, row.fmaFlops));
  }
}

TEST(Targets, AnUnknownNameIsAnsweredWithTheNearestRow) {
  for (const char *old : {"sm_50", "sm_70", "sm_72", "sm_75", "sm_75a", "sm_0"})
    EXPECT_EQ(nearestTarget(old), "the nearest is `sm_80`, the oldest that code is made for") << old;
  for (auto [name, nearest] : {std::pair{"sm_87", "sm_86"},
                               {"sm_101a", "sm_100"},
                               {"sm_103", "sm_100"},
                               {"sm_100f", "sm_100"},
                               {"sm_121", "sm_120"},
                               {"sm_121a", "sm_120"},
                               {"sm_999", "sm_120"},
                               {"sm90", "sm_90"},
                               {"SM_90a", "sm_90a"},
                               {"avx-512", "avx512"},
                               {"compute_80", "sm_80"}})
    EXPECT_EQ(nearestTarget(name), "the nearest is `" + std::string(nearest) + "`") << name;
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
