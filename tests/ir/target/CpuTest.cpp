#include "ir/target/Cpu.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(CpuTargets, AreOrderedFromWideToTheOneEveryCpuRuns) {
  auto rows = cpuTargets();
  ASSERT_FALSE(rows.empty());
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_GT(rows[i - 1].vectorBits, rows[i].vectorBits);
  EXPECT_EQ(rows.back().name, "sse2");
}

TEST(CpuTargets, AreFoundByName) {
  ASSERT_TRUE(findCpuTarget("avx512"));
  EXPECT_EQ(findCpuTarget("avx512")->lanes(), 16);
  EXPECT_EQ(findCpuTarget("avx512")->lanes(8), 8);
  EXPECT_EQ(findCpuTarget("avx1024"), nullptr);
}

} // namespace
} // namespace kiln
