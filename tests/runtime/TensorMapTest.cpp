// The rules of tensor maps, each broken alone, and what a plan says of a launch that passes one.
#include "runtime/TensorMap.h"
#include "tests/runtime/PlanKit.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

using namespace test;

TensorMapRecipe sound() {
  return {
      .dtype = bf16, .extents = {512, 200}, .strides = {256, 1}, .box = {128, 64}, .swizzleBytes = 128, .l2Bytes = 256};
}

template <typename F> std::string formAfter(F change) {
  TensorMapRecipe r = sound();
  change(r);
  std::optional<TensorMapFault> fault = faultOfForm(r);
  return fault ? fault->toString() : "";
}

template <typename F> std::string tensorAfter(F change, uint64_t base = 1024) {
  TensorMapRecipe r = sound();
  change(r);
  std::optional<TensorMapFault> fault = faultOfTensor(r, base);
  return fault ? fault->toString() : "";
}

void expectIn(const std::string &part, const std::string &text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' has no '" << part << "'";
}

TEST(TensorMap, WhatTheHardwareTakesHasNoFault) {
  EXPECT_EQ(formAfter([](auto &) {}), "");
  EXPECT_EQ(tensorAfter([](auto &) {}), "");
  EXPECT_EQ(formAfter([](auto &r) { r.box = {256, 8}, r.swizzleBytes = 0, r.l2Bytes = 0; }), "");
  for (DType dtype : {f64, f32, tf32, f16, f8E4M3FN, f8E5M2, i64, i32, i8, boolean})
    EXPECT_EQ(formAfter([&](auto &r) { r.dtype = dtype, r.box = {1, 16}; }), "") << name(dtype);
  EXPECT_EQ(formAfter([](auto &r) { r.extents = {8, 7, 6, 5, 4}, r.strides = r.extents, r.box = {1, 1, 1, 1, 8}; }),
            "");
}

TEST(TensorMap, EachRuleOfTheFormSaysItsNumbers) {
  expectIn("found: i4", formAfter([](auto &r) { r.dtype = i4; }));
  expectIn("1 to 5 dimensions", formAfter([](auto &r) { r.extents.clear(), r.strides.clear(), r.box.clear(); }));
  expectIn("found: 6", formAfter([](auto &r) { r.extents.resize(6), r.strides.resize(6), r.box.resize(6); }));
  expectIn("expected: 2; found: 1 strides, 2 sides", formAfter([](auto &r) { r.strides = {1}; }));
  expectIn("found: 257", formAfter([](auto &r) { r.box[0] = 257; }));
  expectIn("found: 0", formAfter([](auto &r) { r.box[0] = 0; }));
  expectIn("found: 48", formAfter([](auto &r) { r.swizzleBytes = 48; }));
  expectIn("found: 100", formAfter([](auto &r) { r.l2Bytes = 100; }));
  expectIn("found: 12 bytes", formAfter([](auto &r) { r.box[1] = 6; }));
  expectIn("at most 128 bytes; found: 144 bytes", formAfter([](auto &r) { r.box[1] = 72; }));
}

TEST(TensorMap, EachRuleOfTheTensorSaysItsNumbers) {
  expectIn("found: 8 bytes behind one", tensorAfter([](auto &) {}, 1032));
  expectIn("found: 0", tensorAfter([](auto &r) { r.extents[1] = 0; }));
  expectIn("1 to 4294967296", tensorAfter([](auto &r) { r.extents[0] = (int64_t(1) << 32) + 1; }));
  expectIn("a stride of 1; found: 2", tensorAfter([](auto &r) { r.strides[1] = 2; }));
  expectIn("a multiple of 8 elements of bf16, below 2^40 bytes; found: 257 elements in dimension 0",
           tensorAfter([](auto &r) { r.strides[0] = 257; }));
  expectIn("strides", tensorAfter([](auto &r) { r.strides[0] = int64_t(1) << 39; }));
  expectIn("strides", tensorAfter([](auto &r) { r.strides[0] = INT64_MAX; }));
  expectIn("strides", tensorAfter([](auto &r) { r.strides[0] = 0; }));
  EXPECT_EQ(tensorAfter([](auto &r) { r.extents[0] = 1, r.strides[0] = 257; }), "") << "there is no second row";
}

/// The chain plan whose first launch passes a map over its input of 4096 floats, as 64 rows of 64.
template <typename F> std::string planProblem(F change) {
  LaunchPlan plan = chainPlan(4096);
  TensorMapArg map{
      .buffer = 0, .extents = {64, 64}, .strides = {64, 1}, .box = {64, 32}, .swizzleBytes = 128, .l2Bytes = 128};
  auto &launch = std::get<LaunchStep>(plan.steps[0]);
  change(map, launch, plan);
  launch.args.push_back(map);
  std::string all;
  for (const std::string &p : verify(plan)) all += p + "\n";
  return all;
}

TEST(TensorMap, APlanIsHeldToTheRulesAndToItsBuffers) {
  EXPECT_EQ(planProblem([](auto &, auto &, auto &) {}), "");
  expectIn("a tensor map of step 0 `add` over buffer 0 `x`: the strides",
           planProblem([](auto &m, auto &, auto &) { m.strides[0] = 63; }));
  expectIn("each side", planProblem([](auto &m, auto &, auto &) { m.box[0] = 300; }));
  expectIn("8 bytes behind", planProblem([](auto &m, auto &, auto &) { m.offset = 8; }));
  expectIn("reaches out of buffer 0 `x`, which has 16384 bytes",
           planProblem([](auto &m, auto &, auto &) { m.offset = 16; }));
  expectIn("reaches out", planProblem([](auto &m, auto &, auto &) { m.extents[0] = 65; }));
  expectIn("has no value", planProblem([](auto &m, auto &, auto &) { m.extents[0] = Expr::extent("rows"); }));
  EXPECT_EQ(planProblem([](auto &m, auto &, auto &) { m.extents[0] = 0; }), "") << "nothing is copied";
  expectIn("out of the ABI's order", planProblem([](auto &m, auto &l, auto &) { l.args.insert(l.args.begin(), m); }));
  expectIn("reads buffer 3 `a` before any step writes it", planProblem([](auto &m, auto &, auto &) { m.buffer = 3; }));
}

TEST(TensorMap, AGridMayNameWhatADeviceKnows) {
  auto grid = [](const char *text) {
    return planProblem([&](auto &, auto &launch, auto &) { launch.grid[0] = Expr::parse(text); });
  };
  EXPECT_EQ(grid("min(sms, 12)"), "");
  expectIn("is negative", grid("12 - sms"));
  expectIn("has no value", grid("min(sm, 12)"));
  expectIn("what a device knows", planProblem([](auto &, auto &, auto &p) { p.extents = {{kResidentCtas, 1, 4}}; }));
}

} // namespace
} // namespace kiln
