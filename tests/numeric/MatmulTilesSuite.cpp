// Matmul tile programs of gpu targets, interpreted: every way an operand comes in and a result goes out, every shape of
// schedule, residues in each extent; judged by the oracle, and in f32 held to the cpu's bits.
#include "tests/numeric/GraphRunner.h"

#include <kiln/Ops.h>

#include <cstdio>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::numeric;

namespace {

using Build = std::function<void(Graph &)>;

BuildOptions onTiles(const std::string &schedule = "") {
  BuildOptions options;
  options.target = "sm_90a";
  options.interpret = true;
  if (!schedule.empty()) options.schedule = "#graph.schedule<\"matmul\", {" + schedule + "}>";
  return options;
}

/// The graph's outputs, judged.
std::vector<HostTensor> runJudged(GraphRunner &runner, const Build &build, const BuildOptions &options,
                                  Flavour flavour) {
  Graph g;
  build(g);
  runner.options = options;
  std::vector<std::string> failures;
  try {
    KernelGraph cut = runner.cut(g.mlir(), true);
    std::vector<HostTensor> outputs = runner.run(cut, makeInputs(g, flavour, 5), failures);
    EXPECT_TRUE(failures.empty()) << options.schedule << ' ' << failures.front();
    return outputs;
  } catch (const std::exception &error) {
    ADD_FAILURE() << options.schedule << ' ' << error.what();
    return {};
  }
}

/// Small integers: their sums are exact in any order, so that every target gives the same bits.
InputSet exactInputs(const Graph &g) {
  InputSet inputs;
  for (const TensorInfo &info : g.inputs()) {
    HostTensor values = HostTensor::randomInt(info.shape, i32, 7 + inputs.tensors.size(), -7, 7);
    HostTensor tensor(info.shape, info.dtype);
    for (int64_t i = 0; i < tensor.size(); ++i)
      isFloat(info.dtype) ? tensor.set(i, values.get(i)) : tensor.setInt(i, static_cast<int64_t>(values.get(i)));
    inputs.tensors.push_back(tensor);
  }
  return inputs;
}

/// A graph on exact inputs gives the cpu's bits.
void expectBitsOfTheCpu(GraphRunner &runner, const Build &build, const std::string &schedule) {
  Graph g;
  build(g);
  std::array<std::vector<HostTensor>, 2> outputs;
  for (size_t side : {0, 1}) {
    runner.options = side ? onTiles(schedule) : BuildOptions();
    std::vector<std::string> failures;
    try {
      KernelGraph cut = runner.cut(g.mlir(), true);
      outputs[side] = runner.runUnjudged(cut, exactInputs(g), failures);
    } catch (const std::exception &error) {
      failures.push_back(error.what());
    }
    ASSERT_TRUE(failures.empty()) << schedule << ' ' << failures.front();
  }
  for (size_t i = 0; i < outputs[0].size(); ++i)
    if (auto at = firstDifference(outputs[0][i], outputs[1][i], NaNs::AllEqual))
      ADD_FAILURE() << schedule << ": output " << i << " element " << *at << " is " << outputs[1][i].get(*at)
                    << ", not " << outputs[0][i].get(*at);
}

struct Size {
  int64_t m, n, k;
};
struct Form {
  Size size;
  bool transposeA, transposeB;
};

/// A matmul alone: operands are plain memory, with rows of whole chunks or not.
Build plain(const Form &form, DType dtype) {
  return [=](Graph &g) {
    auto [m, n, k] = form.size;
    Tensor a = g.input("a", form.transposeA ? Shape{k, m} : Shape{m, k}, dtype);
    Tensor b = g.input("b", form.transposeB ? Shape{n, k} : Shape{k, n}, dtype);
    g.output("y", matmul(a, b, {.transposeA = form.transposeA, .transposeB = form.transposeB}));
  };
}

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const Size &size : {Size{64, 64, 64},
                           {136, 72, 200},
                           {16, 8, 24},
                           {1, 40, 64},
                           {33, 65, 17},
                           {130, 70, 99},
                           {1, 1, 1},
                           {72, 1, 40}})
    for (bool a : {false, true})
      for (bool b : {false, true}) all.push_back({size, a, b});
  return all;
}

TEST(MatmulTiles, SixteenBitOperandsOfEveryForm) {
  GraphRunner runner;
  for (const Form &form : forms())
    for (DType dtype : {bf16, f16}) {
      SCOPED_TRACE(testing::Message() << form.size.m << 'x' << form.size.n << 'x' << form.size.k << form.transposeA
                                      << form.transposeB);
      runJudged(runner, plain(form, dtype), onTiles(), Flavour::Normal);
    }
}

TEST(MatmulTiles, SpecialValuesMeetOnlyWhatIsThere) {
  GraphRunner runner;
  for (const Form &form : forms())
    for (DType dtype : {bf16, f32}) {
      SCOPED_TRACE(testing::Message() << form.size.m << 'x' << form.size.n << 'x' << form.size.k << form.transposeA
                                      << form.transposeB);
      runJudged(runner, plain(form, dtype), onTiles(), Flavour::Special);
    }
}

const std::vector<std::string> kMmaSchedules = {
    "",
    "bm = 64, bn = 64, bk = 32, stages = 2, warpsM = 2, warpsN = 2, group = 1",
    "bm = 128, bn = 128, bk = 32, stages = 3, warpsM = 2, warpsN = 4, group = 2",
    "bm = 128, bn = 160, bk = 32, stages = 4, warpsM = 4, warpsN = 2",
    "bm = 128, bn = 64, bk = 32, stages = 5, warpsM = 4, warpsN = 1, group = 3",
    "bm = 32, bn = 96, bk = 96, stages = 2, warpsM = 2, warpsN = 2",
    "bm = 64, bn = 32, bk = 128, stages = 3, warpsM = 4, warpsN = 2, group = 100"};
const std::vector<std::string> kOuterSchedules = {
    "", "bm = 64, bn = 64, bk = 32, threadsM = 16, threadsN = 8, group = 1",
    "bm = 128, bn = 128, bk = 32, threadsM = 16, threadsN = 16, group = 2",
    "bm = 32, bn = 64, bk = 32, threadsM = 4, threadsN = 16, group = 3",
    "bm = 64, bn = 32, bk = 64, threadsM = 8, threadsN = 8"};

/// Graphs with prologues, epilogues, views and batches around their matmul.
std::vector<Build> fusedGraphs(DType dtype) {
  std::vector<Build> graphs;
  for (const Size &s : {Size{40, 72, 80}, {65, 33, 131}})
    graphs.push_back([=](Graph &g) { // bias along the columns, a residual, a value per row
      Tensor x = g.input("x", {s.m, s.k}, dtype), w = g.input("w", {s.k, s.n}, dtype), b = g.input("b", {s.n}, dtype);
      Tensor y = gelu(matmul(x, w) + b) + g.input("r", {s.m, s.n}, dtype);
      g.output("y", y * g.input("v", {s.m, 1}, dtype));
    });
  graphs.push_back([=](Graph &g) { // batches, a prologue, outputs that run along m
    Tensor q = g.input("q", {3, 33, 40}, dtype), k = g.input("k", {3, 24, 40}, dtype);
    g.output("y", transpose(matmul(relu(q), k, {.transposeB = true})));
  });
  graphs.push_back([=](Graph &g) { // heads
    Tensor x = g.input("x", {2 * 9, 64}, dtype), w = g.input("w", {64, 128}, dtype);
    g.output("y", permute(reshape(matmul(x, w), {2, 9, 4, 32}), {0, 2, 1, 3}));
  });
  graphs.push_back([=](Graph &g) { // heads as operands
    Tensor q = g.input("q", {2, 9, 4, 16}, dtype), k = g.input("k", {2, 17, 4, 16}, dtype);
    g.output("y", matmul(permute(q, {0, 2, 1, 3}), permute(k, {0, 2, 3, 1})));
  });
  graphs.push_back([=](Graph &g) { // gathered rows, and rows cut out of the middle
    Tensor table = g.input("t", {50, 48}, dtype), w = g.input("w", {100, 40}, dtype);
    Tensor rows = gather(table, g.input("i", {37}, i32), 0);
    g.output("y", matmul(rows, slice(w, {3, 0}, {51, 40})));
  });
  return graphs;
}

void expectEveryScheduleEqual(const std::vector<Build> &graphs, const std::vector<std::string> &schedules,
                              bool asOnCpu) {
  GraphRunner runner;
  for (size_t which = 0; which < graphs.size(); ++which) {
    SCOPED_TRACE(which);
    std::vector<HostTensor> first;
    if (asOnCpu) first = runJudged(runner, graphs[which], BuildOptions(), Flavour::Normal);
    for (const std::string &schedule : schedules) {
      std::vector<HostTensor> outputs = runJudged(runner, graphs[which], onTiles(schedule), Flavour::Normal);
      if (first.empty()) first = outputs;
      for (size_t i = 0; i < outputs.size() && i < first.size(); ++i)
        EXPECT_FALSE(firstDifference(first[i], outputs[i], NaNs::AllEqual)) << "output " << i << " under " << schedule;
    }
  }
}

TEST(MatmulTiles, SchedulesOfAtomsGiveEqualBits) {
  std::vector<Build> graphs = fusedGraphs(bf16);
  graphs.push_back(plain({{136, 72, 200}, false, true}, f16));
  graphs.push_back(plain({{131, 140, 203}, true, false}, f16));
  expectEveryScheduleEqual(graphs, kMmaSchedules, false);
}

TEST(MatmulTiles, ExactSumsAreThoseOfTheCpu) {
  GraphRunner runner;
  for (const Form &form : forms()) {
    SCOPED_TRACE(testing::Message() << form.size.m << 'x' << form.size.n << 'x' << form.size.k << form.transposeA
                                    << form.transposeB);
    expectBitsOfTheCpu(runner, plain(form, bf16), "");
  }
  std::vector<Build> graphs = fusedGraphs(f16);
  for (size_t which = 0; which < graphs.size(); ++which) {
    SCOPED_TRACE(which);
    for (const std::string &schedule : kMmaSchedules) expectBitsOfTheCpu(runner, graphs[which], schedule);
  }
}

TEST(MatmulTiles, OuterProductsGiveTheBitsOfTheCpu) {
  std::vector<Build> graphs = fusedGraphs(f32);
  for (const Form &form :
       {Form{{136, 72, 200}, true, false}, {{33, 65, 17}, false, true}, {{130, 70, 99}, false, false}})
    graphs.push_back(plain(form, f32));
  expectEveryScheduleEqual(graphs, kOuterSchedules, true);
}

TEST(MatmulTiles, PaddedOperandsGiveTheSameBits) {
  // Two matmuls in a row: the first one's result is stored with padded rows.
  GraphRunner runner;
  Build chain = [](Graph &g) {
    Tensor x = g.input("x", {40, 131}, bf16), w = g.input("w", {131, 133}, bf16), v = g.input("v", {133, 70}, bf16);
    g.output("y", matmul(matmul(x, w), v));
  };
  Graph g;
  chain(g);
  runner.options = onTiles();
  KernelGraph cut = runner.cut(g.mlir(), true);
  bool padded = false;
  cut.function().walk([&](graph::KernelOp kernel) { padded |= kernel.getResultLayouts().has_value(); });
  EXPECT_TRUE(padded);
  runJudged(runner, chain, onTiles(), Flavour::Normal);
}

} // namespace
