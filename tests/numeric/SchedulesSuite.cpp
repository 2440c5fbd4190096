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

/// A graph of one kernel.
struct Subject {
  Build build;
  /// Whether GPUs have the cpu's bits: matmuls of 16 bits have an order class of their own there, and functions of 16
  /// bits may use the special function unit.
  bool likeTheCpu = true;
};
using Subjects = std::vector<Subject>;

bool forGpus() { return targetOf({}).gpu() != nullptr; }
/// Whether code runs, instead of being interpreted.
bool onAGpu() { return forGpus() && !interpretsTiles(); }
/// The target that all tests but those of gpus are about where the suite is for a gpu, too.
BuildOptions onTheCpu() { return {.target = codegen::detectHostCpu().name, .interpret = false}; }

/// Runs a graph under one schedule and target; the outputs.
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

/// Not every schedule suits every size; one that does not says which knob it is.
bool isRefusal(const std::exception &error) {
  return std::string_view(error.what()).find("schedule knob") != std::string_view::npos;
}

/// Holds a graph under all variants to the bits of the first. Four of them, or all, must suit each graph.
void expectEqualBits(const Subjects &graphs, const std::vector<BuildOptions> &variants) {
  GraphRunner runner;
  size_t count = 0;
  for (size_t which = 0; which < graphs.size(); ++which) {
    if (!part().has(which)) continue;
    ++count;
    std::vector<HostTensor> first;
    size_t refused = 0;
    for (const BuildOptions &variant : variants) {
      std::vector<HostTensor> outputs;
      try {
        outputs = runWith(runner, graphs[which].build, variant);
      } catch (const std::exception &error) {
        if (isRefusal(error) && ++refused + 4 <= variants.size()) continue;
        ADD_FAILURE() << "graph " << which << " under " << variant.schedule << variant.target << ": " << error.what();
        continue;
      }
      if (first.empty()) first = outputs;
      for (size_t i = 0; i < outputs.size(); ++i)
        EXPECT_FALSE(firstDifference(first[i], outputs[i], NaNs::AllEqual))
            << "graph " << which << ", output " << i << " under " << variant.schedule << variant.target;
    }
  }
  std::printf("%zu graphs under %zu variants each\n", count, variants.size());
}

/// Those whose bits are the cpu's where they run.
Subjects likeTheCpu(Subjects graphs) {
  std::erase_if(graphs, [](const Subject &s) { return !s.likeTheCpu; });
  return graphs;
}

/// A family with graphs, and schedules that differ in every knob, by kind of target.
struct Family {
  const char *name;
  Subjects graphs;
  std::vector<std::string> cpu, gpu;
};

std::vector<BuildOptions> schedules(const Family &family, bool gpu, const BuildOptions &on) {
  std::vector<BuildOptions> all;
  for (const std::string &knobs : gpu ? family.gpu : family.cpu) {
    all.push_back(on);
    all.back().schedule = "#graph.schedule<\"" + std::string(family.name) + "\", {" + knobs + "}>";
  }
  return all;
}

/// All schedules of the target at hand, the one that formulas choose in front.
void expectEqualBitsOf(const Family &family) {
  std::vector<BuildOptions> all = schedules(family, forGpus(), BuildOptions());
  all.insert(all.begin(), BuildOptions());
  expectEqualBits(family.graphs, all);
}

/// The cpu's default schedule, then those of a gpu: of the target at hand, or interpreted.
void expectTheCpusBits(const Family &family) {
  std::vector<BuildOptions> all =
      schedules(family, true, forGpus() ? BuildOptions() : BuildOptions{.target = "sm_80", .interpret = true});
  all.insert(all.begin(), onTheCpu());
  expectEqualBits(onAGpu() ? likeTheCpu(family.graphs) : family.graphs, all);
}

Subjects pointwiseGraphs() {
  Subjects graphs;
  for (const Shape &shape : {Shape{1}, {7}, {33, 5}, {129, 3}, {1000}, {2, 3, 4, 5}})
    graphs.push_back({[shape](Graph &g) {
      Tensor x = g.input("x", shape), y = g.input("y", {shape.back()});
      g.output("a", gelu(x * y) + sin(x));
      g.output("b", x > y);
    }});
  graphs.push_back({[](Graph &g) { // moves on the way
    Tensor x = g.input("x", {33, 20});
    g.output("y", exp(transpose(x)) + reshape(x, {20, 33}));
  }});
  for (DType dtype : {f16, bf16})
    graphs.push_back({[dtype](Graph &g) {
                        Tensor x = g.input("x", {129, 3}, dtype), y = g.input("y", {3}, dtype);
                        g.output("a", gelu(fma(x, y, x)) + sin(x) * cos(x) / y);
                        g.output("b", cast(tanh(x), f32));
                      },
                      /*likeTheCpu=*/false});
  for (DType dtype : {bf16, f32, boolean}) // windows that start and end anywhere
    for (int64_t length : {1023, 530, 257}) {
      graphs.push_back({[dtype, length](Graph &g) {
        Tensor x = g.input("x", {5, length + 1}, dtype), y = g.input("y", {5, length}, dtype);
        Tensor window = sliceAxis(x, 1, 1);
        g.output("z", dtype == boolean ? window || y : window + y);
      }});
    }
  graphs.push_back({[](Graph &g) { // both sides longer than a warp
    Tensor x = g.input("x", {2, 33, 3, 70});
    g.output("y", transpose(x, 1, 3) * g.input("s", {2, 70, 3, 33}));
  }});
  graphs.push_back({[](Graph &g) {
    g.output("y", transpose(g.input("c", {70, 130}, boolean)) || g.input("d", {130, 70}, boolean));
  }});
  return graphs;
}

Subjects rowGraphs() {
  Subjects graphs;
  for (const Shape &shape : {Shape{1, 1}, {5, 7}, {33, 129}, {3, 1025}, {2, 9000}, {130, 8}})
    graphs.push_back({[shape](Graph &g) { g.output("y", softmax(g.input("x", shape))); }});
  graphs.push_back({[](Graph &g) {
    Tensor x = g.input("x", {9, 333});
    g.output("y", layerNorm(x, g.input("s", {333}), g.input("b", {333})));
  }});
  graphs.push_back({[](Graph &g) { g.output("y", sum(g.input("x", {2, 70000}), 1)); }});
  graphs.push_back({[](Graph &g) { g.output("y", softmax(g.input("x", {5, 333}, bf16))); }});
  graphs.push_back({[](Graph &g) {
                      g.output("y", mean(exp(g.input("x", {17, 1025}, f16)), 1));
                    },
                    /*likeTheCpu=*/false});
  for (int64_t length : {255, 256 + 8, 1023, 1022, 1020, 4095})
    graphs.push_back({[length](Graph &g) { g.output("y", softmax(g.input("x", {9, length}, bf16))); }});
  graphs.push_back({[](Graph &g) { g.output("y", max(g.input("x", {17, 45}, i32), 1)); }});
  return graphs;
}

Subjects columnGraphs() {
  Subjects graphs;
  for (const Shape &shape : {Shape{1, 3}, {7, 5}, {129, 33}, {1000, 3}, {300, 70}})
    graphs.push_back({[shape](Graph &g) { g.output("y", sum(g.input("x", shape), 0)); }});
  graphs.push_back({[](Graph &g) { g.output("y", softmax(g.input("x", {130, 17}), 0)); }});
  graphs.push_back({[](Graph &g) { g.output("y", mean(exp(g.input("x", {3, 150, 2, 9})), {1, 2})); }});
  graphs.push_back({[](Graph &g) { g.output("y", sum(g.input("x", {129, 33}, bf16), 0)); }});
  return graphs;
}

Subjects matmulGraphs() {
  Subjects graphs;
  struct Size {
    int64_t m, n, k;
  };
  for (const Size &s : {Size{1, 1, 1}, {7, 9, 5}, {33, 65, 17}, {130, 70, 300}, {1, 129, 64}, {65, 1, 40}})
    graphs.push_back({[s](Graph &g) {
      Tensor x = g.input("x", {s.m, s.k}), w = g.input("w", {s.k, s.n}), b = g.input("b", {s.n});
      g.output("y", gelu(matmul(x, w) + b) + g.input("r", {s.m, s.n}));
    }});
  graphs.push_back({[](Graph &g) {
    Tensor q = g.input("q", {3, 33, 40}), k = g.input("k", {3, 21, 40});
    g.output("y", transpose(matmul(relu(q), k, {.transposeB = true})));
  }});
  return graphs;
}

Subjects halfMatmulGraphs() {
  Subjects graphs;
  for (DType dtype : {f16, bf16}) {
    graphs.push_back(
        {[dtype](Graph &g) {
           Tensor x = g.input("x", {33, 300}, dtype), w = g.input("w", {300, 65}, dtype), b = g.input("b", {65}, dtype);
           g.output("y", sigmoid(matmul(x * x, w) + b));
         },
         /*likeTheCpu=*/false});
    graphs.push_back({[dtype](Graph &g) { // rows of 16 bytes, read by asynchronous copies
                        g.output("y", matmul(g.input("x", {200, 136}, dtype), g.input("w", {136, 264}, dtype)));
                      },
                      /*likeTheCpu=*/false});
    graphs.push_back({[dtype](Graph &g) {
                        Tensor q = g.input("q", {3, 33, 40}, dtype), k = g.input("k", {3, 21, 40}, dtype);
                        g.output("y", transpose(matmul(q, k, {.transposeB = true})));
                      },
                      /*likeTheCpu=*/false});
  }
  return graphs;
}

/// Schedules are chosen to differ in every knob, and to leave residues.
Family pointwise() {
  return {"pointwise",
          pointwiseGraphs(),
          {"lanes = 64, tile = 16384", "lanes = 16, tile = 4096", "lanes = 128, tile = 100", "lanes = 1, tile = 7",
           "lanes = 8, tile = 1", "lanes = 32, tile = 1000000", "lanes = 24, tile = 512"},
          {"threads = 128, vec = 4, runs = 2", "threads = 32, vec = 1, runs = 1",
           "threads = 32, groups = 8, vec = 2, runs = 2, rows = 3", "threads = 96, vec = 16, runs = 1, rows = 2",
           "threads = 64, vec = 8, runs = 1, across = 1", "threads = 32, groups = 2, vec = 8, runs = 2, shifted = 16",
           "threads = 128, vec = 4, runs = 2, shifted = 8", "threads = 64, vec = 16, runs = 1, rows = 3, shifted = 16",
           "threads = 32, groups = 8, vec = 2, runs = 1, turned = 1",
           "threads = 32, groups = 4, vec = 1, runs = 1, turned = 1",
           "threads = 32, groups = 16, vec = 1, runs = 4, turned = 1"}};
}

Family row() {
  return {"row",
          rowGraphs(),
          {"lanes = 128, tile = 16384", "lanes = 8, tile = 1", "lanes = 16, tile = 4096", "lanes = 32, tile = 100",
           "lanes = 64, tile = 1000000", "lanes = 256, tile = 16384", "lanes = 256, tile = 5000",
           "lanes = 128, tile = 1"},
          {"threads = 32", "threads = 32, groups = 8", "threads = 64", "threads = 512", "threads = 32, kept = 0",
           "threads = 256, kept = 0", "threads = 128, kept = 128", "threads = 32, groups = 2, rows = 4",
           "threads = 32, groups = 4, across = 1", "threads = 32, shifted = 16", "threads = 128, shifted = 16",
           "threads = 64, kept = 0, shifted = 4", "threads = 32, rows = 2, shifted = 8"}};
}

Family column() {
  return {"column",
          columnGraphs(),
          {"lanes = 64, tile = 65536", "lanes = 1, tile = 1", "lanes = 16, tile = 100", "lanes = 24, tile = 4096",
           "lanes = 128, tile = 1000000"},
          {"vec = 1, warps = 1, unroll = 1", "vec = 4, warps = 32, unroll = 8", "vec = 2, warps = 4, unroll = 3",
           "vec = 1, warps = 1, groups = 8", "vec = 8, warps = 2, unroll = 8",
           "vec = 8, warps = 2, unroll = 3, shifted = 16"}};
}

/// Reductions that several CTAs share: pieces that end anywhere, several reductions and results, every element type.
Subjects longRowGraphs() {
  Subjects graphs;
  for (const Shape &shape : {Shape{200003}, {2, 70000}, {3, 131072}})
    graphs.push_back({[shape](Graph &g) {
      Tensor x = g.input("x", shape);
      g.output("y", sum(x, -1));
    }});
  graphs.push_back({[](Graph &g) {
    Tensor x = g.input("x", {2, 66000}, bf16), s = sum(x * x, 1);
    g.output("y", sqrt(s));
    g.output("z", max(x, 1) + s);
  }});
  graphs.push_back({[](Graph &g) { g.output("y", prod(cast(g.input("x", {70000}, i32), i64), 0)); }});
  graphs.push_back({[](Graph &g) { g.output("y", max(g.input("x", {2, 65537}, boolean), 1)); }});
  return graphs;
}

Subjects longColumnGraphs() {
  Subjects graphs;
  for (const Shape &shape : {Shape{1000, 40}, {66000, 3}, {140000, 33}})
    graphs.push_back({[shape](Graph &g) { g.output("y", sum(g.input("x", shape), 0)); }});
  graphs.push_back({[](Graph &g) {
    Tensor x = g.input("x", {3, 1500, 70}, bf16), s = sum(x, 1);
    g.output("y", s * g.input("w", {70}, bf16));
    g.output("z", max(x, 1));
  }});
  graphs.push_back({[](Graph &g) { g.output("y", min(g.input("x", {2, 3000, 5}, boolean), 1)); }});
  return graphs;
}

Family longRow() {
  return {"row",
          longRowGraphs(),
          {},
          {"threads = 512", "threads = 512, ctas = 2", "threads = 256, ctas = 65536", "threads = 512, ctas = 3",
           "threads = 1024, ctas = 2"}};
}

Family longColumn() {
  return {"column",
          longColumnGraphs(),
          {},
          {"vec = 1, warps = 4", "vec = 1, warps = 1, ctas = 2", "vec = 2, warps = 4, ctas = 8, unroll = 3",
           "vec = 4, warps = 8, ctas = 64, unroll = 16", "vec = 1, warps = 32, ctas = 16"}};
}

/// On a gpu f32 is multiplied in outer products, 16 bits in MMA atoms, which have knobs of their own.
Family matmul(bool halves) {
  const std::vector<std::string> outer = {"bm = 64, bn = 64, bk = 32, threadsM = 16, threadsN = 8, group = 1",
                                          "bm = 128, bn = 128, bk = 32, threadsM = 16, threadsN = 16, group = 2",
                                          "bm = 32, bn = 64, bk = 32, threadsM = 4, threadsN = 16, group = 3",
                                          "bm = 64, bn = 32, bk = 64, threadsM = 8, threadsN = 8"};
  const std::vector<std::string> atoms = {
      "bm = 64, bn = 64, bk = 32, stages = 2, warpsM = 2, warpsN = 2, group = 1",
      "bm = 128, bn = 128, bk = 32, stages = 3, warpsM = 2, warpsN = 4, group = 2",
      "bm = 128, bn = 160, bk = 32, stages = 4, warpsM = 4, warpsN = 2",
      "bm = 128, bn = 64, bk = 32, stages = 5, warpsM = 4, warpsN = 1, group = 3",
      "bm = 32, bn = 96, bk = 96, stages = 2, warpsM = 2, warpsN = 2",
      "bm = 64, bn = 32, bk = 128, stages = 3, warpsM = 4, warpsN = 2, group = 100"};
  return {"matmul",
          halves ? halfMatmulGraphs() : matmulGraphs(),
          {"bm = 128, bn = 256, bk = 256, mr = 8, nr = 32", "bm = 8, bn = 32, bk = 256, mr = 8, nr = 32",
           "bm = 64, bn = 64, bk = 1, mr = 4, nr = 16", "bm = 1, bn = 16, bk = 64, mr = 1, nr = 16",
           "bm = 6, bn = 48, bk = 7, mr = 6, nr = 48", "bm = 12, bn = 32, bk = 128, mr = 12, nr = 32",
           "bm = 96, bn = 96, bk = 100, mr = 6, nr = 24", "bm = 32, bn = 128, bk = 17, mr = 2, nr = 64",
           "bm = 4, bn = 8, bk = 16, mr = 4, nr = 8", "bm = 256, bn = 512, bk = 512, mr = 8, nr = 32",
           "bm = 3, bn = 5, bk = 2, mr = 3, nr = 5", "bm = 16, bn = 1, bk = 32, mr = 16, nr = 1"},
          halves ? atoms : outer};
}

Subjects allGraphs() {
  Subjects graphs;
  for (const Family &family : {pointwise(), row(), column(), matmul(false), matmul(true)})
    graphs.insert(graphs.end(), family.graphs.begin(), family.graphs.end());
  return graphs;
}

TEST(Schedules, PointwiseGiveEqualBits) { expectEqualBitsOf(pointwise()); }
TEST(Schedules, RowsGiveEqualBits) { expectEqualBitsOf(row()); }
TEST(Schedules, ColumnsGiveEqualBits) { expectEqualBitsOf(column()); }
TEST(Schedules, MatmulsGiveEqualBits) { expectEqualBitsOf(matmul(false)); }
TEST(Schedules, HalfMatmulsGiveEqualBits) { expectEqualBitsOf(matmul(true)); }

TEST(Schedules, PointwiseOfGpusGiveTheCpusBits) { expectTheCpusBits(pointwise()); }
TEST(Schedules, RowsOfGpusGiveTheCpusBits) { expectTheCpusBits(row()); }
TEST(Schedules, ColumnsOfGpusGiveTheCpusBits) { expectTheCpusBits(column()); }
TEST(Schedules, MatmulsOfGpusGiveTheCpusBits) { expectTheCpusBits(matmul(false)); }

TEST(Schedules, LongRowsOfGpusGiveTheCpusBits) { expectTheCpusBits(longRow()); }
TEST(Schedules, LongColumnsOfGpusGiveTheCpusBits) { expectTheCpusBits(longColumn()); }

TEST(Schedules, IllegalOnesAreRefusedWithAReason) {
  GraphRunner runner;
  const std::vector<std::string> ofCpus = {"\"row\", {lanes = 12}", "\"row\", {lanes = 24}", "\"row\", {lanes = -8}",
                                           "\"row\", {lanes = 1.5}"};
  const std::vector<std::string> ofGpus = {"\"row\", {threads = 33}", "\"row\", {threads = 96}",
                                           "\"row\", {threads = -32}", "\"row\", {threads = 1.5}",
                                           "\"row\", {lanes = 8}"};
  std::vector<std::string> all = forGpus() ? ofGpus : ofCpus;
  for (const char *ofNone : {"\"matmul\", {bm = 10}", "\"row\", {speed = 9}"}) all.push_back(ofNone);
  for (const std::string &knobs : all) {
    Graph g;
    g.output("y", sum(g.input("x", {5, 7}), 1));
    KernelGraph cut = runner.cut(g.mlir(), true);
    EXPECT_THROW(runner.runner().build(*cut.function().getOps<graph::KernelOp>().begin(),
                                       {.schedule = "#graph.schedule<" + knobs + ">"}),
                 std::runtime_error)
        << knobs;
  }
}

/// Every row of the kind at hand whose code runs here. Matmuls of 16 bits may have other classes on other gpus.
TEST(Schedules, AllTargetsGiveEqualBits) {
  std::vector<BuildOptions> targets;
  if (const GpuTarget *gpu = targetOf({}).gpu())
    for (const GpuTarget &target : gpuTargets()) {
      bool runs = target.exactOnly ? target.capability == gpu->capability : target.capability <= gpu->capability;
      if (runs || interpretsTiles()) targets.push_back({.target = target.name});
    }
  else
    for (const CpuTarget &target : cpuTargets())
      if (codegen::machineFor(target).isHost) targets.push_back({.target = target.name});
  ASSERT_GE(targets.size(), 1u);
  expectEqualBits(forGpus() ? likeTheCpu(allGraphs()) : allGraphs(), targets);
}

TEST(SchedulesOfCpus, LlvmsEffortDoesNotChangeBits) {
  BuildOptions fast = onTheCpu(), full = onTheCpu();
  full.effort = codegen::JitEffort::Full;
  expectEqualBits(allGraphs(), {fast, full});
}

} // namespace
