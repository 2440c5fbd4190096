// Faults that users of other systems reported, with the right answers worked out by hand or to 50 digits.
#include "tests/numeric/GraphRunner.h"
#include "tests/numeric/Inputs.h"

#include <kiln/Compiler.h>
#include <kiln/Error.h>
#include <kiln/Ops.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace kiln;
using namespace kiln::numeric;

namespace {

const double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMin32 = std::numeric_limits<int32_t>::min(), kMin64 = std::numeric_limits<int64_t>::min();

/// Fused and with one kernel per op, judged by the interpreter; the outputs.
std::vector<HostTensor> outputsOf(const Graph &g, std::vector<HostTensor> inputs) {
  static GraphRunner runner;
  GraphOutcome outcome = runner.check(g, {{std::move(inputs), true}});
  EXPECT_TRUE(outcome.passed()) << outcome.text();
  return outcome.outputs;
}

HostTensor vectorOf(const std::vector<double> &values, DType dtype = f32) {
  return HostTensor::of({static_cast<int64_t>(values.size())}, dtype, values);
}

using Elementwise = Tensor (*)(const Tensor &);

HostTensor apply(Elementwise function, const HostTensor &x) {
  Graph g;
  g.output("y", function(g.input("x", x.shape(), x.dtype())));
  return outputsOf(g, {x}).at(0);
}

using Combination = Tensor (*)(const Tensor &, const Tensor &);

HostTensor apply(Combination function, const HostTensor &a, const HostTensor &b) {
  Graph g;
  g.output("y", function(g.input("a", a.shape(), a.dtype()), g.input("b", b.shape(), b.dtype())));
  return outputsOf(g, {a, b}).at(0);
}

/// Elements equal, NaN to NaN, within `relative`.
void expectElements(const HostTensor &found, const std::vector<double> &expected, double relative = 0) {
  ASSERT_EQ(found.size(), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) {
    double value = found.get(static_cast<int64_t>(i));
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(value)) << "element " << i << " is " << value;
    else if (std::isinf(expected[i]))
      EXPECT_EQ(value, expected[i]) << "element " << i;
    else
      EXPECT_NEAR(value, expected[i], std::abs(expected[i]) * relative) << "element " << i;
  }
}

Tensor softmaxOf(const Tensor &x) { return softmax(x); }

TEST(ReportedFaults, SoftmaxOfInfinities) {
  for (DType dtype : {f32, f16, bf16}) {
    for (int64_t length : {1, 3, 64, 1025}) {
      HostTensor y = apply(softmaxOf, HostTensor::full({1, length}, dtype, -kInf));
      expectElements(y, std::vector<double>(static_cast<size_t>(length), kNaN));
      std::vector<double> row(static_cast<size_t>(length), -kInf), right(static_cast<size_t>(length), 0);
      row.back() = 0, right.back() = 1;
      expectElements(apply(softmaxOf, HostTensor::of({1, length}, dtype, row)), right);
    }
    HostTensor x = HostTensor::of({3, 3}, dtype, {kNaN, kInf, -kInf, 1, kInf, 2, 1, 2, 3});
    double halfUnit = dtype == f32 ? 1e-6 : dtype == f16 ? 0x1.01p-11 : 0x1.01p-8;
    expectElements(apply(softmaxOf, x), {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, 0.0900306, 0.2447285, 0.6652410},
                   halfUnit);
  }
}

class ReportedFaultsOfFloats : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(ReportedFaults, ReportedFaultsOfFloats, testing::Values(f32, f16, bf16),
                         [](const auto &info) { return std::string(name(info.param)); });

TEST_P(ReportedFaultsOfFloats, MaximumKeepsNaNWhateverTheOrder) {
  DType dtype = GetParam();
  HostTensor a = vectorOf({kNaN, 1, kNaN, 0}, dtype), b = vectorOf({1, kNaN, kNaN, -1}, dtype);
  Combination larger = [](const Tensor &x, const Tensor &y) { return maximum(x, y); };
  Combination smaller = [](const Tensor &x, const Tensor &y) { return minimum(x, y); };
  expectElements(apply(larger, a, b), {kNaN, kNaN, kNaN, 0});
  expectElements(apply(larger, b, a), {kNaN, kNaN, kNaN, 0});
  expectElements(apply(smaller, a, b), {kNaN, kNaN, kNaN, -1});
  expectElements(apply([](const Tensor &x) { return relu(x); }, a), {kNaN, 1, kNaN, 0});
  expectElements(apply([](const Tensor &x) { return clip(x, -1, 1); }, a), {kNaN, 1, kNaN, 0});
  for (int64_t at : {0, 16, 32}) { // the body of the vector, and its tail
    HostTensor x = HostTensor::full({33}, dtype, 1);
    x.set(at, kNaN);
    for (Elementwise reduce :
         {Elementwise([](const Tensor &t) { return max(t); }), Elementwise([](const Tensor &t) { return min(t); })})
      expectElements(apply(reduce, x), {kNaN});
    HostTensor zeros({33}, dtype);
    for (Combination function : {larger, smaller})
      for (bool swapped : {false, true})
        EXPECT_TRUE(std::isnan((swapped ? apply(function, zeros, x) : apply(function, x, zeros)).get(at))) << at;
  }
}

TEST(ReportedFaults, HalfSumsAndMeansAccumulateInF32) {
  auto ones = [](int64_t count) { return HostTensor::full({count}, f16, 1); };
  Elementwise total = [](const Tensor &x) { return sum(x); }, average = [](const Tensor &x) { return mean(x); };
  expectElements(apply(average, ones(100000)), {1});
  expectElements(apply(average, vectorOf({40000, 40000, 40000}, f16)), {40000});
  expectElements(apply(total, ones(4096)), {4096});
  expectElements(apply(average, ones(4096)), {1});
  expectElements(apply(total, ones(65519)), {65504});
  expectElements(apply(total, ones(65520)), {kInf});
}

TEST(ReportedFaults, ACastThatIsNamedIsNeverSkipped) {
  HostTensor x = vectorOf({16842753, 2147483647, -16842753}, i32); // f32 rounds the first to a tie of bf16
  expectElements(apply([](const Tensor &t) { return cast(t, bf16); }, x), {16908288, 2147483648.0, -16908288});
  expectElements(apply([](const Tensor &t) { return cast(cast(t, f32), bf16); }, x),
                 {16777216, 2147483648.0, -16777216});
  // A product that f16 rounds to infinity stays infinite, whatever kernel divides it again.
  HostTensor h = vectorOf({300, 2}, f16);
  expectElements(apply([](const Tensor &t) { return t * t / t; }, h), {kInf, 2});
}

TEST(ReportedFaults, ErfStaysBelowOneAndGeluKeepsItsTail) {
  Elementwise error = [](const Tensor &x) { return erf(x); };
  HostTensor y = apply(error, vectorOf({0.5, 1, 2, 3, 3.9004288, 4, 6, kInf, -kInf, kNaN, -0.0}));
  expectElements(y, {0.52049989, 0.84270078, 0.99532229, 0.99997789, 0.99999994, 1, 1, 1, -1, kNaN, 0}, 1.3e-7);
  EXPECT_TRUE(std::signbit(y.get(10)));
  HostTensor steps({20001}, f32);
  for (int64_t i = 0; i < steps.size(); ++i) steps.set(i, 3 + static_cast<double>(i) * 1e-4);
  HostTensor rising = apply(error, steps);
  for (int64_t i = 1; i < steps.size(); ++i) {
    EXPECT_LE(rising.get(i), 1);
    EXPECT_GE(rising.get(i), rising.get(i - 1)) << "at " << steps.get(i);
  }
  HostTensor g = apply([](const Tensor &x) { return gelu(x); }, vectorOf({-5.5339069, -3, 3, kInf, -kInf}));
  expectElements(g, {-8.665e-8, -0.00404969, 2.99595031, kInf, 0}, 2e-4);
  EXPECT_NEAR(g.get(1), -0.0040496941, 2e-9);
}

TEST(ReportedFaults, IntegerDivisionTruncatesAndNeverTraps) {
  Combination quotient = [](const Tensor &x, const Tensor &y) { return x / y; };
  Combination remainder = [](const Tensor &x, const Tensor &y) { return x % y; };
  for (DType dtype : {i32, i64}) {
    HostTensor a = vectorOf({-7, 7, -7, 7, -1, 1, -5, 5}, dtype), b = vectorOf({2, 2, -2, -2, 3, -3, 3, -3}, dtype);
    expectElements(apply(quotient, a, b), {-3, 3, 3, -3, 0, 0, -1, -1});
    expectElements(apply(remainder, a, b), {-1, 1, -1, 1, -1, 1, -2, 2});
    int64_t low = dtype == i32 ? kMin32 : kMin64;
    HostTensor c({4}, dtype), d({4}, dtype);
    for (auto [i, x, y] : {std::tuple{0, low, int64_t{-1}},
                           {1, int64_t{5}, int64_t{0}},
                           {2, low, int64_t{0}},
                           {3, int64_t{0}, int64_t{0}}}) {
      c.setInt(i, x);
      d.setInt(i, y);
    }
    HostTensor q = apply(quotient, c, d), r = apply(remainder, c, d);
    EXPECT_EQ(q.getInt(0), low);
    EXPECT_EQ(r.getInt(0), 0);
    for (int64_t i : {1, 2, 3}) {
      EXPECT_EQ(q.getInt(i), 0);
      EXPECT_EQ(r.getInt(i), c.getInt(i));
    }
  }
}

TEST(ReportedFaults, EmptyContractionsAndReductions) {
  Combination product = [](const Tensor &x, const Tensor &y) { return matmul(x, y); };
  HostTensor zeros = apply(product, HostTensor({4, 0}, f32), HostTensor({0, 4}, f32));
  expectElements(zeros, std::vector<double>(16, 0));
  EXPECT_EQ(apply(product, HostTensor({0, 5}, f32), HostTensor({5, 3}, f32)).shape(), (Shape{0, 3}));
  HostTensor nothing({3, 0}, f32);
  expectElements(apply([](const Tensor &x) { return sum(x, 1); }, nothing), {0, 0, 0});
  expectElements(apply([](const Tensor &x) { return prod(x, 1); }, nothing), {1, 1, 1});
  Graph g;
  EXPECT_THROW(max(g.input("x", {3, 0}), 1), Error);
  EXPECT_THROW(mean(g.input("s", {}), 0), Error);
  expectElements(apply([](const Tensor &x) { return mean(x); }, HostTensor::full({}, f32, 2.5)), {2.5});
}

TEST_P(ReportedFaultsOfFloats, MatmulsOfTinyExtents) {
  DType dtype = GetParam();
  Combination product = [](const Tensor &x, const Tensor &y) { return matmul(x, y); };
  HostTensor row({1, 128}, dtype), identity({32, 32}, dtype), column({32, 1}, dtype);
  for (int64_t j = 0; j < 128; ++j) row.set(j, static_cast<double>(j) / 16);
  HostTensor y = apply(product, HostTensor::full({1, 1}, dtype, 3), row), right({1, 128}, dtype);
  for (int64_t j = 0; j < 128; ++j) {
    right.set(j, 3 * static_cast<double>(j) / 16); // rounded once
    EXPECT_EQ(y.get(j), right.get(j));
  }
  for (int64_t j = 0; j < 32; ++j) {
    identity.set(33 * j, 1);
    column.set(j, static_cast<double>(j));
  }
  HostTensor z = apply(product, identity, column);
  for (int64_t j = 0; j < 32; ++j) EXPECT_EQ(z.get(j), static_cast<double>(j));
}

TEST(ReportedFaults, BatchesBroadcastAndRankSix) {
  HostTensor a({4, 64, 128}, f32);
  for (int64_t i = 0; i < a.size(); ++i) a.set(i, static_cast<double>(i / (64 * 128) + 1));
  Combination product = [](const Tensor &x, const Tensor &y) { return matmul(x, y); };
  HostTensor slabs = apply(product, a, HostTensor::full({1, 128, 256}, f32, 1));
  ASSERT_EQ(slabs.shape(), (Shape{4, 64, 256}));
  for (int64_t i = 0; i < slabs.size(); i += 97)
    EXPECT_EQ(slabs.get(i), static_cast<double>(128 * (i / (64 * 256) + 1)));

  auto indexSums = [](const Shape &shape) {
    HostTensor t(shape, f32);
    for (int64_t i = 0; i < t.size(); ++i) {
      int64_t rest = i, total = 0;
      for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) total += rest % shape[d];
      t.set(i, static_cast<double>(total));
    }
    return t;
  };
  Combination times = [](const Tensor &x, const Tensor &y) { return x * y; };
  HostTensor p = apply(times, indexSums({10, 6, 6, 4, 4, 1}), indexSums({10, 1, 6, 1, 4, 5}));
  ASSERT_EQ(p.shape(), (Shape{10, 6, 6, 4, 4, 5}));
  EXPECT_EQ(p.get(((((1 * 6 + 2) * 6 + 3) * 4 + 1) * 4 + 2) * 5 + 4), 90);
}

TEST(ReportedFaults, SixtyDoublingsAreExact) {
  Graph g;
  Tensor x = g.input("x", {8});
  for (int i = 0; i < 60; ++i) x = x + x;
  g.output("y", x);
  HostTensor y = outputsOf(g, {HostTensor::full({8}, f32, 1)}).at(0);
  for (int64_t i = 0; i < 8; ++i) EXPECT_EQ(y.get(i), 1152921504606846976.0);
}

/// How often `op` stands in a text.
int64_t countOf(const std::string &text, const std::string &op) {
  int64_t count = 0;
  for (size_t at = text.find(op); at != std::string::npos; at = text.find(op, at + 1)) ++count;
  return count;
}

TEST(ReportedFaults, OneExponentialOfManyUsersIsComputedOncePerKernel) {
  GraphRunner runner;
  auto fmas = [&](int users, int64_t &kernels) {
    Graph g;
    Tensor e = exp(g.input("x", {40}));
    for (int i = 0; i < users; ++i) g.output("y" + std::to_string(i), e + static_cast<double>(i));
    KernelGraph cut = runner.cut(g.mlir(), true);
    int64_t most = 0;
    kernels = 0;
    for (auto kernel : cut.function().getOps<graph::KernelOp>()) {
      auto built = runner.runner().build(kernel, {.keepTileProgram = true});
      most = std::max(most, countOf(built->tileProgram, "math.fma"));
      ++kernels;
    }
    return most;
  };
  int64_t kernels = 0;
  int64_t one = fmas(1, kernels);
  EXPECT_GT(one, 3);
  EXPECT_LE(fmas(64, kernels), one); // the schedule, and with it what is peeled, is another
  EXPECT_EQ(kernels, 1);
}

/// y · yᵀ of a y that is joined twice: what a thread loads for it is many times its elements.
void joinOfJoins(Graph &g) {
  Tensor x = g.input("x", {16, 3}), rows = concat({x, x, x, x}, 0), y = concat({rows, rows, rows}, 1);
  g.output("y", matmul(y, y, {.transposeB = true}));
}
/// The least of a join, added back to it under another shape.
void leastAddedBack(Graph &g) {
  Tensor x = g.input("x", {13, 8, 31}, i32), y = concat({x, x, x, x}, 0);
  g.output("y", reshape(y, {1, 8, 403, 2, 2, 1, 1}) + min(y));
}
template <int count> void manySums(Graph &g, DType dtype) {
  Tensor x = g.input("x", {64}, dtype);
  for (int i = 0; i < count; ++i) g.output("y" + std::to_string(i), x + i);
}

// Kernels whose programs ask for more registers than a thread has: they take another schedule, or are made smaller.
TEST(ReportedFaults, KernelsThatAskForTooMuchAreMadeOtherwise) {
  using Build = std::function<void(Graph &)>;
  const std::tuple<Build, int64_t, bool> graphs[] = {
      {joinOfJoins, 2, true},
      {leastAddedBack, 3, true},
      {[](Graph &g) { manySums<64>(g, i64); }, 1, false},
      {[](Graph &g) { manySums<128>(g, f32); }, 1, false},
      {[](Graph &g) { manySums<200>(g, i64); }, 2, true},
  };
  for (const auto &[build, kernels, smaller] : graphs)
    for (const char *target : {"sm_80", "sm_90a"}) {
      Graph g;
      build(g);
      GraphRunner runner;
      runner.options = {.target = target, .interpret = true};
      GraphOutcome outcome = runner.check(g, {makeInputs(g, Flavour::Normal, 5)});
      EXPECT_TRUE(outcome.passed()) << outcome.text() << g.mlir();
      EXPECT_EQ(outcome.fusedKernels, kernels) << target << g.mlir();
      Report report = compile(g, {.device = "cuda", .target = target, .portable = true}).report();
      EXPECT_EQ(static_cast<int64_t>(report.launches.size()), kernels);
      EXPECT_EQ(report.kernels.size(), report.launches.size()) << "kernels that were given up are not in the plan";
      auto decidedBy = [&](const std::string &pass) {
        return std::ranges::any_of(report.decisions, [&](const Decision &d) {
          return d.pass == pass && !d.refused.empty() && d.refused[0].rule == "resources" &&
                 d.refused[0].reason.find("registers") != std::string::npos;
        });
      };
      EXPECT_EQ(decidedBy("graph-fuse"), smaller) << report.explain();
      if (!smaller) EXPECT_TRUE(decidedBy("tile-schedule")) << report.explain();
    }
}

// In a suite of its own: it is not for machines with a GPU.
TEST(WithoutAGpu, TheCpuWorksAndAskingForOneSaysSo) {
  Graph g;
  g.output("y", softmax(g.input("x", {3})));
  HostTensor y = compile(g).run({{"x", vectorOf({1, 2, 3})}}).at("y");
  expectElements(y, {0.0900306, 0.2447285, 0.6652410}, 1e-6);
  try {
    compile(g, {.device = "cuda"});
    ADD_FAILURE() << "compiled for a device this build does not have";
  } catch (const Error &error) {
    EXPECT_EQ(error.code, ErrorCode::NoDevice) << error.what();
  }
}

} // namespace
