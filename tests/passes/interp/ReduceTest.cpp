// Reductions: answers by hand, and f32 sums in the canonical and in other orders against the bound.
#include "Support.h"

#include "passes/interp/numeric/ElementOps.h"
#include "passes/interp/numeric/Reduce.h"

namespace kiln::interp {
namespace {

std::string reduceText(const std::string &kind, const std::string &axes, const std::string &from,
                       const std::string &to) {
  return unaryText("graph.reduce <" + kind + "> %x axes [" + axes + "] : " + from + " -> " + to, from, to);
}

/// The canonical order of a row in f32, spelled independently: unit u on lane u mod 1024, lanes met in halves.
float canonicalRow(const std::vector<float> &x) {
  float total = 0;
  for (size_t piece = 0; piece < x.size(); piece += 65536) {
    std::vector<std::optional<float>> lanes(1024);
    for (size_t i = piece; i < std::min(x.size(), piece + 65536); ++i) {
      auto &lane = lanes[(i - piece) / 8 % 1024];
      lane = lane ? *lane + x[i] : x[i];
    }
    for (int half = 512; half > 0; half /= 2)
      for (int i = 0; i < half; ++i)
        if (lanes[i] && lanes[i + half]) lanes[i] = *lanes[i] + *lanes[i + half];
    total = piece == 0 ? *lanes[0] : total + *lanes[0];
  }
  return total;
}

/// Any order no deeper than `depth`: splits at random where depth allows, else in the middle.
float randomOrder(std::mt19937 &random, const float *x, int64_t n, int64_t depth) {
  if (n == 1) return x[0];
  int64_t most = depth - 1 >= 40 ? n - 1 : std::min<int64_t>(n - 1, int64_t{1} << (depth - 1));
  int64_t cut = std::uniform_int_distribution<int64_t>(n - most, most)(random);
  return randomOrder(random, x, cut, depth - 1) + randomOrder(random, x + cut, n - cut, depth - 1);
}

Element sumOf(const std::vector<float> &x, ReduceOrder order = ReduceOrder::Row) {
  std::vector<double> values(x.begin(), x.end());
  return sum({values.data(), nullptr, nullptr, static_cast<int64_t>(values.size())}, order);
}

TEST(InterpReduce, DepthOfTheCanonicalOrder) {
  using enum ReduceOrder;
  EXPECT_EQ(canonicalDepth(Row, 1), 0);
  EXPECT_EQ(canonicalDepth(Row, 8), 7);
  EXPECT_EQ(canonicalDepth(Row, 9), 7 + 1);
  EXPECT_EQ(canonicalDepth(Row, 384), 7 + 6);
  EXPECT_EQ(canonicalDepth(Row, 8192), 7 + 10);
  EXPECT_EQ(canonicalDepth(Row, 8193), 15 + 10);
  EXPECT_EQ(canonicalDepth(Row, 65536), 63 + 10);
  EXPECT_EQ(canonicalDepth(Row, 65537), 63 + 10 + 1);
  EXPECT_EQ(canonicalDepth(Column, 128), 127);
  EXPECT_EQ(canonicalDepth(Column, 300), 127 + 2);
}

TEST(InterpReduce, SumsInCanonicalAndOtherOrdersAreWithinTheBound) {
  std::mt19937 random(3);
  double worst = 0;
  for (int64_t n : {1, 2, 3, 7, 8, 9, 63, 100, 384, 1025, 8192, 9000, 65536, 70000}) {
    for (int round = 0; round < 20; ++round) {
      std::vector<float> x = normals(random, n);
      if (round % 3 == 1)
        for (float &value : x) value = std::fabs(value) + 100;
      Element s = sumOf(x);
      ASSERT_FALSE(s.either);
      double error = std::fabs(canonicalRow(x) - s.v),
             other = std::fabs(
                 randomOrder(random, x.data(), n, std::max<int64_t>(1, canonicalDepth(ReduceOrder::Row, n))) - s.v);
      EXPECT_LE(error, s.b) << n;
      EXPECT_LE(other, s.b) << n;
      if (s.b > 0) worst = std::max(worst, error / s.b);
      double magnitude = 0;
      for (float value : x) magnitude += std::fabs(value);
      EXPECT_LE(s.b, 1.01 * double(canonicalDepth(ReduceOrder::Row, n)) * 0x1p-24 * magnitude)
          << "no wider than the depth";
    }
  }
  RecordProperty("worst_error_over_bound", std::to_string(worst));
}

TEST(InterpReduce, OverflowFollowsTheCanonicalOrder) {
  EXPECT_EQ(sumOf({3e38f, 3e38f, -3e38f, -3e38f}).v, kInf);
  // Two units: each cancels on its own lane.
  std::vector<float> x(16, 0);
  x[0] = x[8] = 3e38f;
  x[1] = x[9] = -3e38f;
  EXPECT_EQ(sumOf(x).v, 0);
  EXPECT_TRUE(std::isnan(sumOf({kInf, 1, -kInf}).v));
  EXPECT_EQ(sumOf({kInf, 1, 2}).v, kInf);
  EXPECT_TRUE(std::isnan(sumOf({1, kNan, 2}).v));
}

TEST(InterpReduce, KindsByHand) {
  HostTensor x = floats({2, 3}, {1, 2, 3, -4, 5, 6});
  auto run = [&](const std::string &kind, const std::string &axes, const std::string &to) {
    return evaluate(reduceText(kind, axes, "tensor<2x3xf32>", to), {x});
  };
  expectWithin(run("sum", "1", "tensor<2xf32>"), floats({6, 7}));
  expectWithin(run("sum", "0", "tensor<3xf32>"), floats({-3, 7, 9}));
  expectWithin(run("sum", "0, 1", "tensor<f32>"), floats({}, {13}));
  expectWithin(run("mean", "1", "tensor<2xf32>"), floats({2, 7.0f / 3}));
  expectExact(run("max", "1", "tensor<2xf32>"), {3, 6});
  expectExact(run("min", "0", "tensor<3xf32>"), {-4, 2, 3});
  expectWithin(run("prod", "1", "tensor<2xf32>"), floats({6, -120}));
  expectExact(run("sum", "", "tensor<2x3xf32>"), {1, 2, 3, -4, 5, 6});
}

TEST(InterpReduce, MiddleAxes) {
  std::string from = "tensor<2x2x2xf32>";
  HostTensor x = floats({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  expectWithin(evaluate(reduceText("sum", "1", from, "tensor<2x2xf32>"), {x}), floats({2, 2}, {2, 4, 10, 12}));
  expectWithin(evaluate(reduceText("sum", "0, 2", from, "tensor<2xf32>"), {x}), floats({10, 18}));
  expectExact(evaluate(reduceText("max", "0", from, "tensor<2x2xf32>"), {x}), {4, 5, 6, 7});
}

TEST(InterpReduce, IntegersWrapAndTheirMeanIsF32) {
  expectExact(evaluate(reduceText("sum", "0", "tensor<3xi32>", "tensor<i32>"), {i32s({2147483647, 1, 5})}),
              {-2147483643.0});
  expectExact(evaluate(reduceText("prod", "0", "tensor<3xi32>", "tensor<i32>"), {i32s({65536, 65536, 3})}), {0});
  expectExact(evaluate(reduceText("max", "0", "tensor<3xi32>", "tensor<i32>"), {i32s({-5, -5, -7})}), {-5});
  expectWithin(evaluate(reduceText("mean", "0", "tensor<3xi32>", "tensor<f32>"), {i32s({2147483647, 2147483647, 1})}),
               floats({}, {1431655765.0f}));
  HostTensor bools = HostTensor::of({3}, DType::Bool, {0, 1, 0});
  expectExact(evaluate(reduceText("max", "0", "tensor<3xi1>", "tensor<i1>"), {bools}), {1});
  expectExact(evaluate(reduceText("min", "0", "tensor<3xi1>", "tensor<i1>"), {bools}), {0});
}

TEST(InterpReduce, EmptySpaces) { // A07
  HostTensor none = floats({3, 0}, {});
  expectExact(evaluate(reduceText("sum", "1", "tensor<3x0xf32>", "tensor<3xf32>"), {none}), {0, 0, 0});
  expectExact(evaluate(reduceText("prod", "1", "tensor<3x0xf32>", "tensor<3xf32>"), {none}), {1, 1, 1});
  expectExact(evaluate(reduceText("mean", "1", "tensor<3x0xf32>", "tensor<3xf32>"), {none}), {kNan, kNan, kNan});
  Graph max(reduceText("max", "1", "tensor<3x0xf32>", "tensor<3xf32>"));
  EXPECT_TRUE(max.run({none}).empty());
  EXPECT_NE(max.errors.find("C2"), std::string::npos) << max.errors;
  expectExact(evaluate(reduceText("mean", "", "tensor<f32>", "tensor<f32>"), {floats({}, {2.5})}), {2.5});
}

TEST(InterpReduce, ExtremaPropagateNanWhereverItIs) { // A02
  for (int at : {0, 16, 32}) {
    std::vector<float> x(33, 1);
    x[at] = kNan;
    expectExact(evaluate(reduceText("max", "0", "tensor<33xf32>", "tensor<f32>"), {tensorOf({33}, x)}), {kNan});
    expectExact(evaluate(reduceText("min", "0", "tensor<33xf32>", "tensor<f32>"), {tensorOf({33}, x)}), {kNan});
  }
}

TEST(InterpReduce, SumsOfTheNonNegativeAreNot) {
  std::vector<double> values(1000, 0), bounds(1000, 1e-9);
  for (size_t i = 0; i < values.size(); ++i) values[i] = bounds[i];
  Element s = sum({values.data(), bounds.data(), nullptr, 1000}, ReduceOrder::Row);
  EXPECT_GE(s.v - s.b, 0);
  EXPECT_GE(s.v + s.b, 2e-6);
}

} // namespace
} // namespace kiln::interp
