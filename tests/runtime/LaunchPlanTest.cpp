#include "runtime/LaunchPlan.h"
#include "tests/runtime/PlanKit.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace kiln {
namespace {

using namespace test;

/// The plan's only problem, or all of them.
std::string problems(const LaunchPlan &plan) {
  std::string all;
  for (const std::string &p : verify(plan)) all += (all.empty() ? "" : "; ") + p;
  return all;
}

/// The chain plan with one change.
template <typename F> std::string problemsAfter(F change) {
  LaunchPlan plan = chainPlan(100);
  change(plan);
  return problems(plan);
}

LaunchStep &launch(LaunchPlan &plan, size_t i) { return std::get<LaunchStep>(plan.steps[i]); }
BufferArg &bufferArg(LaunchPlan &plan, size_t step, size_t arg) {
  return std::get<BufferArg>(launch(plan, step).args[arg]);
}

TEST(LaunchPlan, ASoundPlanHasNoProblems) {
  EXPECT_EQ(problems(chainPlan(100)), "");
  EXPECT_EQ(problems(chainPlan(0)), "");
  LaunchPlan dynamic = chainPlan(Expr::extent("n"));
  dynamic.extents = {{"n", 0, 1 << 20}};
  EXPECT_EQ(problems(dynamic), "");
}

TEST(LaunchPlan, BuffersAndNames) {
  EXPECT_EQ(problemsAfter([](auto &p) { p.buffers[1].id = 7; }), "the buffer at index 1 has id 7");
  EXPECT_EQ(problemsAfter([](auto &p) { p.inputs = {99}; }), "the inputs list unknown id 99");
  EXPECT_EQ(problemsAfter([](auto &p) { p.outputs.clear(); }), "the outputs are not listed once each");
  EXPECT_EQ(problemsAfter([](auto &p) { p.buffers[0].bytes = 40; }),
            "buffer 0 `x` has 40 bytes but its shape needs 400; buffer 0 `x` is of kind input with 40 bytes, not 400");
  EXPECT_EQ(problemsAfter([](auto &p) { p.buffers[3].bytes = Expr(INT64_MAX) + 1; }),
            "the size of buffer 3 `a` has no value: an expression stays within 64 bits and divides by 1 or more "
            "(9223372036854775807 + 1); buffer 3 `a` has 0 bytes but its shape needs 400");
  EXPECT_NE(problemsAfter([](auto &p) { p.buffers[3].shape = {-1}; }).find("is negative: -1"), std::string::npos);
  EXPECT_NE(problemsAfter([](auto &p) { p.buffers[3].shape = {Expr::extent("m")}; }).find("has no value"),
            std::string::npos);
  EXPECT_EQ(problemsAfter([](auto &p) { p.buffers[1].strides = {Expr(2)}; }),
            "buffer 1 `w` has 400 bytes but its shape needs 796");
}

TEST(LaunchPlan, Arena) {
  EXPECT_EQ(problemsAfter([](auto &p) { p.buffers[4].offset = 256; }),
            "the arena has 1024 bytes but its temporaries need 656; buffer 3 `a` and buffer 4 `b` overlap in the arena "
            "while both live");
  EXPECT_EQ(problemsAfter([](auto &p) { p.buffers[4].offset = 513; }),
            "buffer 4 `b` starts at 513, no multiple of 256");
  EXPECT_EQ(problemsAfter([](auto &p) { p.buffers[4].offset = 768; }),
            "buffer 4 `b` at 768 + 400 is past the arena of 1024 bytes; the arena has 1024 bytes but its temporaries "
            "need 400");
  EXPECT_EQ(problemsAfter([](auto &p) { p.arenaBytes = 1280; }),
            "the arena has 1280 bytes but its temporaries need 912");
  EXPECT_EQ(problemsAfter([](auto &p) { p.buffers[3].lifetime = {0, 3}; }),
            "buffer 3 `a` and buffer 5 `c` overlap in the arena while both live");
}

TEST(LaunchPlan, StepsAgainstBuffers) {
  EXPECT_EQ(problemsAfter([](auto &p) { bufferArg(p, 1, 0).buffer = 42; }), "step 1 names unknown buffer id 42");
  EXPECT_EQ(problemsAfter([](auto &p) { p.buffers[3].lifetime = {0, 0}; }),
            "step 1 `scale` uses buffer 3 `a` outside its lifetime, steps 0 to 0");
  EXPECT_EQ(problemsAfter([](auto &p) { bufferArg(p, 0, 2).access = Access::Read; }),
            "step 0 `add` reads buffer 3 `a` before any step writes it; step 1 `scale` reads buffer 3 `a` before any "
            "step writes it");
  EXPECT_EQ(problemsAfter([](auto &p) { bufferArg(p, 0, 1).access = Access::ReadWrite; }),
            "step 0 `add` writes buffer 1 `w`, of kind parameter");
  EXPECT_EQ(problemsAfter([](auto &p) { bufferArg(p, 2, 1).access = Access::ReadWrite; }),
            "step 2 `add` writes buffer 0 `x`, of kind input, not donated");
  EXPECT_EQ(problemsAfter([](auto &p) { bufferArg(p, 2, 1).offset = 401; }), "step 2 `add` points behind buffer 0 `x`");
  EXPECT_EQ(problemsAfter([](auto &p) { p.steps.pop_back(); }), "buffer 2 `y` is an output that no step writes");
  EXPECT_EQ(problemsAfter([](auto &p) { std::swap(launch(p, 1).args[0], launch(p, 1).args[2]); }),
            "step 1 `scale` passes its arguments out of the ABI's order");
  EXPECT_EQ(problemsAfter([](auto &p) { p.steps[0] = CopyStep{{0, 4}, {3, 0}, 400}; }),
            "step 0 touches bytes 4 + 400 of buffer 0 `x`, which has 400");
  EXPECT_EQ(problemsAfter([](auto &p) {
              p.steps[1] = CopyStep{{3, 0}, {3, 100}, 101}, p.steps.resize(2),
              p.steps.push_back(MemsetStep{{2, 0}, 400, 0});
            }),
            "step 1 copies between ranges that overlap");
  EXPECT_EQ(problemsAfter([](auto &p) { p.steps[0] = MemsetStep{{3, 0}, 404, 0}; }),
            "step 0 touches bytes 0 + 404 of buffer 3 `a`, which has 400");
  EXPECT_EQ(problemsAfter([](auto &p) { launch(p, 0).grid[1] = -1; }), "the grid of step 0 `add` is negative: -1");
}

TEST(LaunchPlan, Aliases) {
  auto alias = [](LaunchPlan &p, size_t id, BufferId of, int64_t offset) {
    p.buffers[id].aliasOf = of;
    p.buffers[id].offset = offset;
  };
  EXPECT_EQ(problemsAfter([&](auto &p) { alias(p, 2, 0, 0); }),
            "buffer 2 `y` is of kind output and cannot be an alias of buffer 0 `x`, of kind input, not donated; step 3 "
            "`scale` writes buffer 2 `y`, of kind input, not donated");
  EXPECT_EQ(problemsAfter([&](auto &p) { alias(p, 2, 0, 0), p.buffers[0].donated = true; }), "");
  EXPECT_EQ(problemsAfter([&](auto &p) { alias(p, 5, 3, 4), p.buffers[3].lifetime = {0, 3}; }),
            "buffer 5 `c` reaches to byte 404 of buffer 3 `a`, which has 400");
  EXPECT_EQ(problemsAfter([&](auto &p) { p.buffers[3].donated = true; }), "buffer 3 `a` is donated but no input");
  EXPECT_NE(problemsAfter([&](auto &p) { alias(p, 5, 4, 0), alias(p, 4, 3, 0); }).find("an alias itself"),
            std::string::npos);
}

// A brute-force check of all pairs decides what the sweep must say.
TEST(LaunchPlan, TheSweepFindsAnOverlapExactlyWhenThereIsOne) {
  std::mt19937 random(5);
  int withOverlap = 0;
  for (int round = 0; round < 300; ++round) {
    LaunchPlan plan;
    int64_t peak = 0;
    for (int i = 0; i < 6; ++i) {
      int64_t n = random() % 200, offset = int64_t(random() % 12) * 256;
      auto first = int32_t(random() % 8);
      addTemporary(plan, "t", n, offset, {first, first + int32_t(random() % 3)});
      if (n) peak = std::max(peak, offset + n * 4);
    }
    plan.arenaBytes = peak;
    bool misplaced = false, overlap = false;
    for (auto &a : plan.buffers) {
      misplaced |= a.offset.constant() > peak;
      for (auto &b : plan.buffers)
        overlap |= a.id < b.id && a.bytes.constant() && b.bytes.constant() &&
                   a.lifetime.firstStep <= b.lifetime.lastStep && b.lifetime.firstStep <= a.lifetime.lastStep &&
                   a.offset.constant() < b.offset.constant() + b.bytes.constant() &&
                   b.offset.constant() < a.offset.constant() + a.bytes.constant();
    }
    if (misplaced) continue;
    withOverlap += overlap;
    EXPECT_EQ(problems(plan).find("overlap") != std::string::npos, overlap);
  }
  EXPECT_GT(withOverlap, 20);
}

TEST(LaunchPlan, JsonNamesTheSchemaAndKeepsExpressions) {
  LaunchPlan plan = chainPlan(Expr::extent("n"));
  plan.extents = {{"n", 1, 8}};
  plan.buffers[0].name = "bad \xff utf-8";
  auto j = nlohmann::json::parse(toJson(plan));
  EXPECT_EQ(j["schema"], kLaunchPlanSchema);
  EXPECT_EQ(j["steps"].size(), 4u);
  EXPECT_EQ(j["steps"][0]["grid"][0], "ceildiv(n, 64)");
  EXPECT_EQ(j["steps"][1]["args"][3]["bits"], 0x40000000);
  EXPECT_EQ(j["buffers"][4]["lifetime"], nlohmann::json({1, 2}));
  EXPECT_EQ(nlohmann::json::parse(toJson(chainPlan(100)))["arena_bytes"], 1024);
}

} // namespace
} // namespace kiln
