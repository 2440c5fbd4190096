// What an element of an op costs, and what work weighs on a target.
#include "passes/cost/Ops.h"
#include "ir/graph/AcceptedOps.h"
#include "tests/passes/GraphKit.h"

#include <gtest/gtest.h>

namespace kiln::cost {
namespace {

TEST(OpCosts, HalvesHaveTheirOwn) {
  test::GraphKit kit;
  kit.parse(R"(
    func.func @main(%x: tensor<4xf32>, %h: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xbf16>) {
      %0 = math.exp %x : tensor<4xf32>
      %1 = math.exp %h : tensor<4xbf16>
      return %0, %1 : tensor<4xf32>, tensor<4xbf16>
    })");
  auto &ops = kit.function().getBody().front();
  OpCost wide = costOf(&ops.front()), half = costOf(ops.front().getNextNode());
  EXPECT_GT(wide.weight, half.weight);
  EXPECT_TRUE(wide.expensive && half.expensive);
  EXPECT_EQ(wide.flops, 1u);
  EXPECT_FALSE(hasOpCost("math.made_up"));
}

TEST(OpCosts, WorkIsWeighedByRates) {
  // 132 SMs of 128 lanes at 1.75 GHz against 4.8 TB/s; 16 lanes at 3 GHz against 12 GB/s and core.
  EXPECT_NEAR(bytesPerAddition(*findTarget("sm_90a")), 4.8e12 / (132 * 128 * 1.75e9), 1e-9);
  EXPECT_NEAR(bytesPerAddition(*findTarget("avx512")), 0.25, 1e-9);
  EXPECT_NEAR(bytesPerAddition(*findTarget("avx2")), 0.5, 1e-9);
}

} // namespace
} // namespace kiln::cost
