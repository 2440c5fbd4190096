// From a graph to numbers: what compiling and running promise, end to end.
#include "kiln/Compiler.h"
#include "kiln/Ops.h"
#include "runtime/files/Safetensors.h"
#include "tests/ErrorKit.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <thread>

using namespace kiln;
using namespace kiln::test;

namespace {

/// A feed-forward block with a softmax behind it: a matmul, an epilogue, a reduction.
void buildBlock(Graph &g) {
  auto x = g.input("x", {33, 48});
  auto w = g.parameter("w", {48, 65});
  auto b = g.parameter("b", {65});
  auto h = gelu(matmul(x, w) + b);
  g.output("y", softmax(h));
  g.output("h", h);
}

void bindRandom(Executable &executable) {
  executable.bind("w", HostTensor::randomNormal({48, 65}, f32, 2));
  executable.bind("b", HostTensor::randomNormal({65}, f32, 3));
}

const NamedTensors blockInputs = {{"x", HostTensor::randomNormal({33, 48}, f32, 1)}};

TEST(Compiler, RunsWhatTheGraphSays) {
  Graph g;
  auto x = g.input("x", {2, 3});
  auto n = g.input("n", {3}, i32);
  g.output("sum", sum(x * 2 + 1, 1));
  g.output("picked", gather(transpose(x), n));
  g.output("even", n % 2 == 0);
  g.output("same", x);
  NamedTensors out = compile(g).run(
      {{"x", HostTensor::of({2, 3}, f32, {1, 2, 3, 4, 5, 6})}, {"n", HostTensor::of({3}, i32, {2, 0, 1})}});
  EXPECT_TRUE(bitEqual(out["sum"], HostTensor::of({2}, f32, {15, 33})));
  EXPECT_TRUE(bitEqual(out["picked"], HostTensor::of({3, 2}, f32, {3, 6, 1, 4, 2, 5})));
  EXPECT_TRUE(bitEqual(out["even"], HostTensor::of({3}, boolean, {1, 1, 0})));
  EXPECT_TRUE(bitEqual(out["same"], HostTensor::of({2, 3}, f32, {1, 2, 3, 4, 5, 6})));
}

TEST(Compiler, FusionChangesKernelsAndNoBits) {
  Graph g;
  buildBlock(g);
  Executable fused = compile(g, {.poison = true});
  Executable apart = compile(g, {.fuse = false, .poison = true});
  bindRandom(fused);
  bindRandom(apart);
  EXPECT_EQ(fused.report().launches.size(), 2u);
  EXPECT_GT(apart.report().launches.size(), 5u);
  NamedTensors a = fused.run(blockInputs), b = apart.run(blockInputs);
  EXPECT_TRUE(bitEqual(a["y"], b["y"]));
  EXPECT_TRUE(bitEqual(a["h"], b["h"]));
}

TEST(Compiler, EveryTargetGivesTheSameBits) {
  Graph g;
  buildBlock(g);
  std::optional<NamedTensors> first;
  const std::vector<std::string> targets = devices().front().targets;
  for (const std::string &target : targets) {
    Executable executable = compile(g, {.target = target});
    bindRandom(executable);
    NamedTensors out = executable.run(blockInputs);
    if (!first) first = out;
    EXPECT_TRUE(bitEqual(out["y"], (*first)["y"])) << target;
  }
  EXPECT_TRUE(first);
}

TEST(Compiler, KernelsPassTheInterpreter) {
  Graph g;
  buildBlock(g);
  Executable executable = compile(g);
  bindRandom(executable);
  CheckReport check = executable.check(blockInputs);
  EXPECT_TRUE(check.passed()) << check.summary();
  EXPECT_EQ(check.kernels.size(), 2u);
  EXPECT_GT(check.worstErrorOverBound(), 0);
}

TEST(Compiler, EqualKernelsAreMadeOnce) {
  Graph g;
  auto x = g.input("x", {16, 16});
  auto w = g.parameter("w", {16, 16}), v = g.parameter("v", {16, 16});
  g.output("y", matmul(matmul(x, w), v));
  Executable executable = compile(g);
  ASSERT_EQ(executable.report().kernels.size(), 1u);
  EXPECT_EQ(executable.report().kernels[0].launches, 2);
}

TEST(Compiler, ReportCountsWorkAndBytes) {
  Graph g;
  auto x = g.input("x", {32, 64});
  g.output("y", relu(matmul(x, g.parameter("w", {64, 16})) + 1));
  const Report report = compile(g).report();
  ASSERT_EQ(report.kernels.size(), 1u);
  const KernelReport &k = report.kernels[0];
  int64_t in = (32 * 64 + 64 * 16) * 4, out = 32 * 16 * 4;
  EXPECT_EQ(k.kind, "matmul");
  EXPECT_EQ(k.bytesAfter, in + out);
  EXPECT_EQ(k.bytesBefore, in + out + 2 * (2 * out)); // the sum and the relu read and write once more each
  EXPECT_EQ(k.flops, 2 * 32 * 16 * 64 + 2 * 32 * 16);
  EXPECT_EQ(k.shape, "f32[32, 16]");
  EXPECT_NE(k.where.file.find("CompilerTest.cpp"), std::string::npos);
  EXPECT_EQ(report.memory.parameters, 64 * 16 * 4);
  EXPECT_EQ(report.memory.arena, 0);
  EXPECT_NE(report.table().find(k.symbol), std::string::npos);
  EXPECT_NE(report.json().find("\"schema\": 2"), std::string::npos);
}

TEST(Compiler, EdgesSayWhatKeptKernelsApart) {
  Graph g;
  buildBlock(g);
  Report report = compile(g).report();
  ASSERT_FALSE(report.decisions.empty());
  for (const Decision &edge : report.decisions) {
    EXPECT_EQ(edge.pass, "graph-fuse");
    EXPECT_FALSE(edge.refused.at(0).rule.empty());
    EXPECT_FALSE(edge.refused[0].reason.empty());
    EXPECT_NE(edge.subject.at(0).kernel, edge.subject.at(1).kernel);
    EXPECT_GT(edge.subject[1].where.line, 0);
  }
}

TEST(Executable, NamesWhatIsMissingOrWrong) {
  Graph g;
  buildBlock(g);
  Executable executable = compile(g);
  EXPECT_EQ(executable.unbound(), (std::vector<std::string>{"w", "b"}));
  EXPECT_EQ(demandError([&] { executable.run(blockInputs); }).op, "w");
  EXPECT_EQ(demandError([&] { executable.bind("nope", HostTensor({1}, f32)); }).op, "nope");
  Error wrong = demandError([&] { executable.bind("w", HostTensor({65, 48}, f32)); });
  EXPECT_EQ(wrong.expected, "f32[48, 65]");
  EXPECT_EQ(wrong.found, "f32[65, 48]");
  bindRandom(executable);
  EXPECT_EQ(demandError([&] { executable.run({}); }).code, ErrorCode::InvalidInput);
  EXPECT_EQ(demandError([&] { executable.run({{"x", HostTensor({33, 48}, i32)}}); }).code, ErrorCode::InvalidInput);
  EXPECT_EQ(demandError([&] { executable.run({{"x", HostTensor({48, 33}, f32)}}); }).code, ErrorCode::InvalidInput);
}

TEST(Executable, BindsFromSafetensorsAndAgain) {
  Graph g;
  g.output("y", g.input("x", {2}) * g.parameter("w", {2}));
  std::string path = std::filesystem::temp_directory_path() / "kiln-compiler-test.safetensors";
  writeSafetensors(path, {{"w", HostTensor::of({2}, f32, {2, 3})}, {"other", HostTensor({1}, f32)}});
  Executable executable = compile(g);
  executable.bindParameters(path);
  std::filesystem::remove(path);
  NamedTensors inputs = {{"x", HostTensor::of({2}, f32, {1, 1})}};
  EXPECT_TRUE(bitEqual(executable.run(inputs)["y"], HostTensor::of({2}, f32, {2, 3})));
  executable.bind("w", HostTensor::of({2}, f32, {5, 7}));
  EXPECT_TRUE(bitEqual(executable.run(inputs)["y"], HostTensor::of({2}, f32, {5, 7})));

  writeSafetensors(path, {{"other", HostTensor({1}, f32)}});
  Error missing = demandError([&] { executable.bindParameters(path); });
  std::filesystem::remove(path);
  EXPECT_NE(missing.expected.find("\"w\""), std::string::npos);
}

TEST(Executable, RunsFromManyThreads) {
  Graph g;
  buildBlock(g);
  Executable executable = compile(g);
  bindRandom(executable);
  NamedTensors expected = executable.run(blockInputs);
  std::vector<int> different(4);
  std::vector<std::thread> threads;
  for (int &count : different)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) count += !bitEqual(executable.run(blockInputs)["y"], expected["y"]);
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(different, std::vector<int>(4, 0));
}

TEST(Compiler, CompilesFromManyThreads) {
  Compiler compiler;
  std::vector<std::thread> threads;
  std::vector<std::string> results(3);
  for (size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&, t] {
      Graph g;
      g.output("y", exp(g.input("x", {static_cast<int64_t>(t) + 1})));
      results[t] = compiler.compile(g).report().kernels.at(0).shape;
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(results, (std::vector<std::string>{"f32[1]", "f32[2]", "f32[3]"}));
}

TEST(Compiler, RefusesDevicesItLacks) {
  EXPECT_EQ(demandError([] { Compiler({.device = "cuda"}); }).code, ErrorCode::NoDevice);
  EXPECT_EQ(demandError([] { Compiler({.device = "abacus"}); }).code, ErrorCode::Usage);
  EXPECT_EQ(demandError([] { Compiler({.target = "avx3"}); }).code, ErrorCode::Usage);
}

TEST(Compiler, RefusesThreadsOutOfBounds) {
  for (int threads : {-1, 100000}) {
    Error error = demandError([&] { Compiler({.threads = threads}); });
    EXPECT_EQ(error.code, ErrorCode::Usage);
    EXPECT_EQ(error.found, std::to_string(threads));
  }
}

TEST(Compiler, CountsWorkBeyondIntegers) {
  Graph g;
  const int64_t n = int64_t(1) << 22;
  g.output("y", matmul(g.input("a", {n, n}), g.input("b", {n, n})));
  EXPECT_EQ(compile(g).report().kernels[0].flops, std::ldexp(1.0, 67));
}

TEST(Graph, IsReadFromManyThreads) {
  Graph g;
  auto x = g.input("x", {3}, i64);
  g.output("y", x + 1);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, text = g.mlir()] {
      for (int round = 0; round < 50; ++round)
        if (g.inputs()[0].dtype != i64 || g.outputs()[0].shape != Shape{3} || x.dtype() != i64 || g.mlir() != text)
          ++wrong;
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Compiler, RefusesSchedulesThatAreNone) {
  Graph g;
  buildBlock(g);
  Error knob = demandError([&] { compile(g, {.schedules = {{"matmul", "{speed = 11 : i64}"}}}); });
  EXPECT_NE(std::string(knob.what()).find("speed"), std::string::npos) << knob.what();
  EXPECT_EQ(knob.code, ErrorCode::InvalidInput);
  EXPECT_EQ(demandError([&] { compile(g, {.schedules = {{"matmul", "{"}}}); }).code, ErrorCode::Usage);
}

TEST(Compiler, SchedulesChangeNoBits) {
  Graph g;
  buildBlock(g);
  Executable usual = compile(g);
  Executable other = compile(g, {.schedules = {{"matmul", "{bm = 16, bn = 64, bk = 16, mr = 4, nr = 32}"}}});
  bindRandom(usual);
  bindRandom(other);
  EXPECT_NE(usual.report().launches[0], other.report().launches[0]); // the schedule is part of a kernel's name
  EXPECT_EQ(other.report().kernels[0].schedule, "bk=16 bm=16 bn=64 mr=4 nr=32");
  EXPECT_TRUE(bitEqual(usual.run(blockInputs)["y"], other.run(blockInputs)["y"]));
}

// Padding is judged over the schedule that a kernel will have.
TEST(Compiler, PaddingIsJudgedOverTheSchedulesThatAreWanted) {
  Graph g;
  g.output("y", matmul(g.input("x", {1793, 1793}, bf16), g.input("w", {1793, 1793}, bf16)));
  CompileOptions options{.device = "cuda", .target = "sm_90a", .portable = true};
  Report byDefault = compile(g, options).report();
  options.schedules["matmul"] = "{bm = 32, bn = 32, bk = 32, stages = 4, warpsM = 1, warpsN = 1}";
  Report wanted = compile(g, options).report();
  ASSERT_EQ(byDefault.decisions.size(), 2);
  ASSERT_EQ(wanted.decisions.size(), 2);
  const Decision &usual = byDefault.decisions[0], &small = wanted.decisions[0];
  EXPECT_EQ(usual.pass, "graph-align");
  EXPECT_EQ(usual.chosen.name, "copied");
  auto timeOf = [](const DecisionOption &option) { return option.numbers.at(1).value; };
  ASSERT_EQ(usual.refused.size(), 1u);
  ASSERT_EQ(small.refused.size(), 1u);
  if (small.chosen.name == usual.chosen.name) {
    EXPECT_GT(timeOf(small.chosen), 2 * timeOf(usual.chosen));
    EXPECT_GT(timeOf(small.refused[0]), 2 * timeOf(usual.refused[0]));
  } else {
    EXPECT_GT(timeOf(small.refused[0]), 2 * timeOf(usual.chosen));
    EXPECT_GT(timeOf(small.chosen), 2 * timeOf(usual.refused[0]));
  }
  // Neither the copy into padded rows nor any other kernel is of that family.
  for (const KernelReport &kernel : wanted.kernels)
    EXPECT_EQ(kernel.schedule.find("bm=32 ") != std::string::npos, kernel.kind == "matmul") << kernel.schedule;
}

// 2^34 CTAs and more of the largest tiles: no schedule helps.
TEST(Compiler, WhatIsTooLargeForALaunchIsAnErrorOfInput) {
  Graph g;
  Tensor x = g.input("x", {int64_t(1) << 46}, f16);
  g.output("y", x + x);
  CompileOptions options{.device = "cuda", .target = "sm_80", .portable = true};
  Error error = demandError([&] { compile(g, options); });
  EXPECT_EQ(error.code, ErrorCode::InvalidInput);
  EXPECT_NE(error.rule.find("a launch has no more CTAs than a gpu counts to"), std::string::npos) << error.what();
  EXPECT_NE(error.rule.find("at most 2147483647"), std::string::npos) << error.what();
}

// Constant offsets that no GEP holds: rows of 16 MB, of which a tile has many.
TEST(Compiler, RowsMayLieFarApart) {
  Graph g;
  g.output("y", matmul(g.input("x", {8388608, 8388608}, f16), g.input("w", {8388608, 4}, f16)));
  EXPECT_EQ(compile(g, {.device = "cuda", .target = "sm_80", .portable = true}).report().launches.size(), 1u);
}

TEST(Compiler, EmptyTensorsRunNothing) {
  Graph g;
  auto x = g.input("x", {0, 4});
  g.output("y", exp(x));
  g.output("s", sum(x, 0));
  NamedTensors out = compile(g).run({{"x", HostTensor({0, 4}, f32)}});
  EXPECT_EQ(out["y"].shape(), (Shape{0, 4}));
  EXPECT_TRUE(bitEqual(out["s"], HostTensor({4}, f32)));
}

} // namespace
