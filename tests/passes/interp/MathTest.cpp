// Functions.
#include "Support.h"

#include "passes/interp/numeric/ElementOps.h"
#include "passes/interp/numeric/Functions.h"

namespace kiln::interp {
namespace {

OracleTensor unary(const std::string &op, const HostTensor &x) {
  std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  return evaluate(unaryText(op + " %x : " + type, type), {x});
}

TEST(InterpMath, ExactFunctions) {
  HostTensor x = floats({-1.5, -0.0, 2.25, -0.25, kNan, -kInf});
  expectExact(unary("math.absf", x), {1.5, 0.0, 2.25, 0.25, kNan, kInf});
  expectExact(unary("math.floor", x), {-2, -0.0, 2, -1, kNan, -kInf});
  expectExact(unary("math.ceil", x), {-1, -0.0, 3, -0.0, kNan, -kInf});
  expectExact(unary("math.sqrt", x), {kNan, -0.0, 1.5, kNan, kNan, kNan});
  expectExact(unary("graph.relu", x), {0.0, 0.0, 2.25, 0.0, kNan, 0.0});
}

TEST(InterpMath, FmaRoundsOnce) {
  OracleTensor y = evaluate("func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {\n"
                            "  %y = math.fma %a, %b, %c : tensor<2xf32>\n  return %y : tensor<2xf32>\n}",
                            {floats({1 + 0x1p-12, 3}), floats({1 + 0x1p-12, 3}), floats({-1, 0.25})});
  expectExact(y, {0x1p-11 + 0x1p-24, 9.25});
}

TEST(InterpMath, ErfNeverPassesOne) { // A04
  OracleTensor y = unary("math.erf", floats({0.5, 1, 2, 3, 3.9004288, 4, 6, kInf, -kInf, kNan, -0.0}));
  HostTensor right = floats({0.52049989, 0.84270078, 0.99532229, 0.99997789, 0.99999994, 1, 1, 1, -1, kNan, -0.0});
  expectWithin(y, right);
  for (int64_t i : {4, 5, 6, 7}) {
    HostTensor wrong = right.clone();
    wrong.data<float>()[i] = 1.0000001f;
    EXPECT_FALSE(compare(y, wrong).passed()) << i;
  }
}

TEST(InterpMath, GeluTail) { // A04
  HostTensor x = floats({-5.5339069, -3, 3, kInf, -kInf, kNan});
  OracleTensor y = unary("graph.gelu <exact>", x);
  EXPECT_NEAR(y.values[0] / -8.665e-8, 1, 1e-4);
  EXPECT_NEAR(y.values[1], -0.00404969, 1e-8);
  EXPECT_NEAR(y.values[2], 2.99595031, 1e-8);
  EXPECT_EQ(y.values[3], kInf);
  EXPECT_TRUE(y.values[4] == 0 && std::signbit(y.values[4]));
  EXPECT_TRUE(std::isnan(y.values[5]));
  EXPECT_LT(y.bounds[0], 5e-7 * 8.665e-8) << "the tail keeps its relative accuracy";
  OracleTensor t = unary("graph.gelu <tanh>", x);
  EXPECT_NEAR(t.values[1], -0.00363739, 1e-8);
  EXPECT_TRUE(t.values[4] == 0 && std::signbit(t.values[4]));
}

TEST(InterpMath, SpecialValues) {
  expectWithin(unary("math.exp", floats({-kInf, kInf, kNan, 0, 89, -200, -103})),
               floats({0, kInf, kNan, 1, kInf, 0, 1.4e-45}));
  expectWithin(unary("math.log", floats({0, -0.0, -1, kInf, 1, kNan})), floats({-kInf, -kInf, kNan, kInf, 0, kNan}));
  expectWithin(unary("math.rsqrt", floats({0, 4, kInf, -1})), floats({kInf, 0.5, 0, kNan}));
  expectWithin(unary("math.sin", floats({kInf, 0, 3e38})), floats({kNan, 0, std::sin(double(3e38f))}));
  expectWithin(unary("math.tanh", floats({kInf, -kInf, kNan, 20})), floats({1, -1, kNan, 1}));
  expectWithin(unary("graph.sigmoid", floats({kInf, -kInf, kNan, 0, -200})), floats({1, 0, kNan, 0.5, 0}));
}

TEST(InterpMath, BoundsAreTwoUnits) {
  Element y = exp({1, 0, false});
  EXPECT_NEAR(y.b, 2 * ulp(2.7), 1e-12);
  EXPECT_EQ(exp({-200, 0, false}).v - exp({-200, 0, false}).b, 0) << "no function leaves its range";
  EXPECT_LE(rangeOf(tanh({20, 0, false})).hi, 1);
  EXPECT_LE(rangeOf(cos({0.001, 1e-2, false})).hi, 1);
}

TEST(InterpMath, StepsCrossedAreMarked) {
  Element y = floor({2, 2e-7, false});
  EXPECT_TRUE(y.either);
  EXPECT_LE(y.v - y.b, 1);
  EXPECT_GE(y.v + y.b, 2);
  EXPECT_TRUE(floor({2.5, 1e-7, false}).exact());
  EXPECT_TRUE(floor({2, 1e-7, false}).exact()) << "no f32 below 2 is as near";
  EXPECT_TRUE(log({1e-9, 1e-8, false}).isUnknown()) << "the range holds 0 and negatives";
}

/// The spread over a range holds every value of the function on it, the turning points of gelu included.
TEST(InterpMath, SpreadHoldsTheFunction) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> centre(-3, 3), inside(-1, 1);
  std::pair<Element (*)(Element, const Format &), double (*)(double)> functions[] = {
      {exp, [](double x) { return std::exp(x); }},
      {sin, [](double x) { return std::sin(x); }},
      {cos, [](double x) { return std::cos(x); }},
      {tanh, [](double x) { return std::tanh(x); }},
      {erf, [](double x) { return std::erf(x); }},
      {sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {geluExact, [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2)); }},
      {geluTanh, [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }}};
  for (int round = 0; round < 20000; ++round) {
    Element x{centre(random), std::exp2(centre(random) * 4 - 10), false};
    double at = x.v + x.b * inside(random);
    Range range = rangeOf(x);
    at = std::clamp(at, range.lo, range.hi);
    for (auto [element, function] : functions) {
      for (const Format &format : kFormats) {
        Element y = element(x, format);
        EXPECT_LE(std::fabs(function(at) - y.v), y.b) << at << ' ' << name(format.dtype);
      }
    }
  }
}

} // namespace
} // namespace kiln::interp
