// Every schedule of a family, and every cpu target, gives the same bits.
#include "tests/numeric/GraphRunner.h"
#include "tests/numeric/Inputs.h"

#include "ir/target/Cpu.h"

#include <kiln/Ops.h>

#include <cstdio>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::numeric;

namespace {

using Build = std::function<void(Graph &)>;

/// Runs a graph of one kernel under one schedule and target; the outputs.
std::vector<HostTensor> runWith(GraphRunner &runner, const Build &build, const BuildOptions &options) {
  Graph g;
  build(g);
  runner.options = options;
  std::vector<std::string> failures;
  KernelGraph cut = runner.cut(g.mlir(), true);
  EXPECT_EQ(llvm::range_size(cut.function().getOps<graph::KernelOp>()), 1) << g.mlir();
  std::vector<HostTensor> outputs = runner.runUnjudged(cut, makeInputs(g, Flavour::Normal, 3), failures);
  EXPECT_TRUE(failures.empty()) << options.schedule << ' ' << failures[0];
  return outputs;
}

/// Holds a graph under all variants to the bits of the first.
void expectEqualBits(const std::vector<Build> &graphs, const std::vector<BuildOptions> &variants) {
  GraphRunner runner;
  for (size_t which = 0; which < graphs.size(); ++which) {
    std::vector<HostTensor> first;
    for (const BuildOptions &variant : variants) {
      std::vector<HostTensor> outputs;
      try {
        outputs = runWith(runner, graphs[which], variant);
      } catch (const std::exception &error) {
        ADD_FAILURE() << "graph " << which << " under " << variant.schedule << variant.target << ": " << error.what();
        continue;
      }
      if (first.empty()) first = outputs;
      for (size_t i = 0; i < outputs.size(); ++i)
        EXPECT_FALSE(firstDifference(first[i], outputs[i], NaNs::AllEqual))
            << "graph " << which << ", output " << i << " under " << variant.schedule << variant.target;
    }
  }
  std::printf("%zu graphs under %zu variants each\n", graphs.size(), variants.size());
}

std::vector<BuildOptions> schedules(const std::string &family, const std::vector<std::string> &knobs) {
  std::vector<BuildOptions> all;
  for (const std::string &knob : knobs)
    all.push_back({.schedule = "#graph.schedule<\"" + family + "\", {" + knob + "}>"});
  return all;
}

/// The cpu's default schedule, then those of a gpu target, whose programs are interpreted.
std::vector<BuildOptions> gpuSchedules(const std::string &family, const std::vector<std::string> &knobs) {
  std::vector<BuildOptions> all = schedules(family, knobs);
  for (BuildOptions &options : all) options.target = "sm_80", options.interpret = true;
  all.insert(all.begin(), BuildOptions{.target = codegen::detectHostCpu().name, .interpret = false});
  return all;
}

std::vector<Build> pointwiseGraphs() {
  std::vector<Build> graphs;
  for (const Shape &shape : {Shape{1}, {7}, {33, 5}, {129, 3}, {1000}, {2, 3, 4, 5}})
    graphs.push_back([shape](Graph &g) {
      Tensor x = g.input("x", shape), y = g.input("y", {shape.back()});
      g.output("a", gelu(x * y) + sin(x));
      g.output("b", x > y);
    });
  graphs.push_back([](Graph &g) { // moves on the way
    Tensor x = g.input("x", {33, 20});
    g.output("y", exp(transpose(x)) + reshape(x, {20, 33}));
  });
  for (DType dtype : {f16, bf16})
    graphs.push_back([dtype](Graph &g) {
      Tensor x = g.input("x", {129, 3}, dtype), y = g.input("y", {3}, dtype);
      g.output("a", gelu(fma(x, y, x)) + sin(x) * cos(x) / y);
      g.output("b", cast(tanh(x), f32));
    });
  graphs.push_back([](Graph &g) { // both sides longer than a warp
    Tensor x = g.input("x", {2, 33, 3, 70});
    g.output("y", transpose(x, 1, 3) * g.input("s", {2, 70, 3, 33}));
  });
  graphs.push_back([](Graph &g) {
    g.output("y", transpose(g.input("c", {70, 130}, boolean)) || g.input("d", {130, 70}, boolean));
  });
  return graphs;
}

std::vector<Build> rowGraphs() {
  std::vector<Build> graphs;
  for (const Shape &shape : {Shape{1, 1}, {5, 7}, {33, 129}, {3, 1025}, {2, 9000}, {130, 8}})
    graphs.push_back([shape](Graph &g) { g.output("y", softmax(g.input("x", shape))); });
  graphs.push_back([](Graph &g) {
    Tensor x = g.input("x", {9, 333});
    g.output("y", layerNorm(x, g.input("s", {333}), g.input("b", {333})));
  });
  graphs.push_back([](Graph &g) { g.output("y", sum(g.input("x", {2, 70000}), 1)); });
  graphs.push_back([](Graph &g) { g.output("y", softmax(g.input("x", {5, 333}, bf16))); });
  graphs.push_back([](Graph &g) { g.output("y", mean(exp(g.input("x", {17, 1025}, f16)), 1)); });
  graphs.push_back([](Graph &g) { g.output("y", max(g.input("x", {17, 45}, i32), 1)); });
  return graphs;
}

std::vector<Build> columnGraphs() {
  std::vector<Build> graphs;
  for (const Shape &shape : {Shape{1, 3}, {7, 5}, {129, 33}, {1000, 3}, {300, 70}})
    graphs.push_back([shape](Graph &g) { g.output("y", sum(g.input("x", shape), 0)); });
  graphs.push_back([](Graph &g) { g.output("y", softmax(g.input("x", {130, 17}), 0)); });
  graphs.push_back([](Graph &g) { g.output("y", mean(exp(g.input("x", {3, 150, 2, 9})), {1, 2})); });
  graphs.push_back([](Graph &g) { g.output("y", sum(g.input("x", {129, 33}, bf16), 0)); });
  return graphs;
}

std::vector<Build> matmulGraphs() {
  std::vector<Build> graphs;
  struct Size {
    int64_t m, n, k;
  };
  for (const Size &s : {Size{1, 1, 1}, {7, 9, 5}, {33, 65, 17}, {130, 70, 300}, {1, 129, 64}, {65, 1, 40}})
    graphs.push_back([s](Graph &g) {
      Tensor x = g.input("x", {s.m, s.k}), w = g.input("w", {s.k, s.n}), b = g.input("b", {s.n});
      g.output("y", gelu(matmul(x, w) + b) + g.input("r", {s.m, s.n}));
    });
  graphs.push_back([](Graph &g) {
    Tensor q = g.input("q", {3, 33, 40}), k = g.input("k", {3, 21, 40});
    g.output("y", transpose(matmul(relu(q), k, {.transposeB = true})));
  });
  for (DType dtype : {f16, bf16})
    graphs.push_back([dtype](Graph &g) {
      Tensor x = g.input("x", {33, 300}, dtype), w = g.input("w", {300, 65}, dtype), b = g.input("b", {65}, dtype);
      g.output("y", sigmoid(matmul(x * x, w) + b));
    });
  return graphs;
}

TEST(Schedules, PointwiseGiveEqualBits) {
  expectEqualBits(pointwiseGraphs(),
                  schedules("pointwise", {"lanes = 64, tile = 16384", "lanes = 16, tile = 4096",
                                          "lanes = 128, tile = 100", "lanes = 1, tile = 7", "lanes = 8, tile = 1",
                                          "lanes = 32, tile = 1000000", "lanes = 24, tile = 512"}));
}

TEST(Schedules, RowsGiveEqualBits) {
  expectEqualBits(rowGraphs(),
                  schedules("row", {"lanes = 128, tile = 16384", "lanes = 8, tile = 1", "lanes = 16, tile = 4096",
                                    "lanes = 32, tile = 100", "lanes = 64, tile = 1000000", "lanes = 256, tile = 16384",
                                    "lanes = 256, tile = 5000", "lanes = 128, tile = 1"}));
}

TEST(Schedules, ColumnsGiveEqualBits) {
  expectEqualBits(columnGraphs(),
                  schedules("column", {"lanes = 64, tile = 65536", "lanes = 1, tile = 1", "lanes = 16, tile = 100",
                                       "lanes = 24, tile = 4096", "lanes = 128, tile = 1000000"}));
}

TEST(Schedules, MatmulsGiveEqualBits) {
  expectEqualBits(
      matmulGraphs(),
      schedules("matmul",
                {"bm = 128, bn = 256, bk = 256, mr = 8, nr = 32", "bm = 8, bn = 32, bk = 256, mr = 8, nr = 32",
                 "bm = 64, bn = 64, bk = 1, mr = 4, nr = 16", "bm = 1, bn = 16, bk = 64, mr = 1, nr = 16",
                 "bm = 6, bn = 48, bk = 7, mr = 6, nr = 48", "bm = 12, bn = 32, bk = 128, mr = 12, nr = 32",
                 "bm = 96, bn = 96, bk = 100, mr = 6, nr = 24", "bm = 32, bn = 128, bk = 17, mr = 2, nr = 64",
                 "bm = 4, bn = 8, bk = 16, mr = 4, nr = 8", "bm = 256, bn = 512, bk = 512, mr = 8, nr = 32",
                 "bm = 3, bn = 5, bk = 2, mr = 3, nr = 5", "bm = 16, bn = 1, bk = 32, mr = 16, nr = 1"}));
}

TEST(Schedules, PointwiseOfGpusGiveTheCpusBits) {
  expectEqualBits(pointwiseGraphs(),
                  gpuSchedules("pointwise", {"threads = 128, vec = 4, runs = 2", "threads = 32, vec = 1, runs = 1",
                                             "threads = 32, groups = 8, vec = 2, runs = 2, rows = 3",
                                             "threads = 96, vec = 16, runs = 1, rows = 2",
                                             "threads = 64, vec = 8, runs = 1, across = 1",
                                             "threads = 32, groups = 8, vec = 2, runs = 1, turned = 1",
                                             "threads = 32, groups = 4, vec = 1, runs = 1, turned = 1",
                                             "threads = 32, groups = 16, vec = 1, runs = 4, turned = 1"}));
}

TEST(Schedules, RowsOfGpusGiveTheCpusBits) {
  expectEqualBits(rowGraphs(),
                  gpuSchedules("row", {"threads = 32", "threads = 32, groups = 8", "threads = 64", "threads = 512",
                                       "threads = 32, kept = 0", "threads = 256, kept = 0", "threads = 128, kept = 128",
                                       "threads = 32, groups = 2, rows = 4", "threads = 32, groups = 4, across = 1"}));
}

TEST(Schedules, ColumnsOfGpusGiveTheCpusBits) {
  expectEqualBits(columnGraphs(),
                  gpuSchedules("column", {"vec = 1, warps = 1, unroll = 1", "vec = 4, warps = 32, unroll = 8",
                                          "vec = 2, warps = 4, unroll = 3", "vec = 1, warps = 1, groups = 8",
                                          "vec = 8, warps = 2, unroll = 8"}));
}

TEST(Schedules, IllegalOnesAreRefusedWithAReason) {
  GraphRunner runner;
  for (std::string knobs : {"\"row\", {lanes = 12}", "\"row\", {lanes = 24}", "\"matmul\", {bm = 10}",
                            "\"row\", {speed = 9}", "\"row\", {lanes = -8}", "\"row\", {lanes = 1.5}"}) {
    Graph g;
    g.output("y", sum(g.input("x", {5, 7}), 1));
    KernelGraph cut = runner.cut(g.mlir(), true);
    EXPECT_THROW(runner.runner().build(*cut.function().getOps<graph::KernelOp>().begin(),
                                       {.schedule = "#graph.schedule<" + knobs + ">"}),
                 std::runtime_error)
        << knobs;
  }
}

TEST(Schedules, AllTargetsGiveEqualBits) {
  std::vector<BuildOptions> targets;
  for (const CpuTarget &row : cpuTargets())
    if (codegen::machineFor(row).isHost) targets.push_back({.target = row.name});
  ASSERT_GE(targets.size(), 1u);
  std::vector<Build> graphs;
  for (const auto &family : {pointwiseGraphs(), rowGraphs(), columnGraphs(), matmulGraphs()})
    graphs.insert(graphs.end(), family.begin(), family.end());
  expectEqualBits(graphs, targets);
}

TEST(Schedules, LlvmsEffortDoesNotChangeBits) {
  std::vector<Build> graphs;
  for (const auto &family : {pointwiseGraphs(), rowGraphs(), columnGraphs(), matmulGraphs()})
    graphs.insert(graphs.end(), family.begin(), family.end());
  expectEqualBits(graphs, {{.effort = codegen::JitEffort::Fast}, {.effort = codegen::JitEffort::Full}});
}

} // namespace
