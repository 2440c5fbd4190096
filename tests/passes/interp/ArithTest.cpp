// Arithmetic, comparisons, logic and choice.
#include "Support.h"

#include "passes/interp/numeric/ElementOps.h"

namespace kiln::interp {
namespace {

OracleTensor binary(const std::string &op, const HostTensor &a, const HostTensor &b, const std::string &type,
                    const std::string &to = "") {
  return evaluate(binaryText(op + " %a, %b : " + type, type, to), {a, b});
}

TEST(InterpArith, ExactOperandsGiveTheOneRoundedResult) {
  HostTensor a = floats({1, 16777216, 3e38, -0.0, 1e-30}), b = floats({0x1p-24, 1, 3e38, 0.0, 1e-15});
  expectExact(binary("arith.addf", a, b, "tensor<5xf32>"), {1, 16777216, kInf, 0.0, 1e-15f});
  expectExact(binary("arith.subf", a, b, "tensor<5xf32>"), {0x1.fffffep-1, 16777215, 0, -0.0, -1e-15f});
  expectExact(binary("arith.mulf", a, b, "tensor<5xf32>"),
              {0x1p-24, 16777216, kInf, -0.0, float(double(1e-30f) * 1e-15f)});
  expectExact(binary("arith.divf", floats({1, 1, 0, -1, 6}), floats({3, 0, 0, kInf, 0.2f}), "tensor<5xf32>"),
              {1.0f / 3, kInf, kNan, -0.0, 6 / 0.2f});
}

TEST(InterpArith, MaximumAndMinimumPropagateNanAndOrderZeros) {
  HostTensor a = floats({kNan, 1, kNan, 0, -0.0, 0.0}), b = floats({1, kNan, kNan, -1, 0.0, -0.0});
  expectExact(binary("arith.maximumf", a, b, "tensor<6xf32>"), {kNan, kNan, kNan, 0, 0.0, 0.0});
  expectExact(binary("arith.minimumf", a, b, "tensor<6xf32>"), {kNan, kNan, kNan, -1, -0.0, -0.0});
}

TEST(InterpArith, NegationFlipsZeros) {
  expectExact(evaluate(unaryText("arith.negf %x : tensor<3xf32>", "tensor<3xf32>"), {floats({0.0, -0.0, 2})}),
              {-0.0, 0.0, -2});
}

TEST(InterpArith, IntegersWrap) {
  HostTensor a = i32s({2147483647, -2147483648.0, 65536}), b = i32s({1, -1, 65537});
  expectExact(binary("arith.addi", a, b, "tensor<3xi32>"), {-2147483648.0, 2147483647, 131073});
  expectExact(binary("arith.subi", a, b, "tensor<3xi32>"), {2147483646, -2147483647, -1});
  expectExact(binary("arith.muli", a, b, "tensor<3xi32>"), {2147483647, -2147483648.0, 65536});
  expectExact(binary("arith.maxsi", a, b, "tensor<3xi32>"), {2147483647, -1, 65537});
  expectExact(binary("arith.minsi", a, b, "tensor<3xi32>"), {1, -2147483648.0, 65536});
}

TEST(InterpArith, DivisionTruncatesAndNeverTraps) { // A06
  HostTensor a = i32s({-7, 7, -7, 7, -1, 1, -5, 5, -2147483648.0, 9}), b = i32s({2, 2, -2, -2, 3, -3, 3, -3, -1, 0});
  expectExact(binary("graph.divi", a, b, "tensor<10xi32>"), {-3, 3, 3, -3, 0, 0, -1, -1, -2147483648.0, 0});
  expectExact(binary("graph.remi", a, b, "tensor<10xi32>"), {-1, 1, -1, 1, -1, 1, -2, 2, 0, 9});
  HostTensor least(std::vector<int64_t>{1}, DType::I64), minus(std::vector<int64_t>{1}, DType::I64);
  least.setInt(0, INT64_MIN);
  minus.setInt(0, -1);
  EXPECT_EQ(binary("graph.divi", least, minus, "tensor<1xi64>").integers[0], INT64_MIN);
  EXPECT_EQ(binary("graph.remi", least, minus, "tensor<1xi64>").integers[0], 0);
}

TEST(InterpArith, UnguardedDivisionByZeroIsAnError) {
  Graph graph(binaryText("arith.divsi %a, %b : tensor<1xi32>", "tensor<1xi32>"));
  EXPECT_TRUE(graph.run({i32s({1}), i32s({0})}).empty());
  EXPECT_NE(graph.errors.find("is undefined"), std::string::npos) << graph.errors;
}

TEST(InterpArith, ComparisonsWithNan) {
  HostTensor a = floats({1, 2, kNan, -0.0}), b = floats({2, 1, 1, 0.0});
  expectExact(binary("arith.cmpf olt,", a, b, "tensor<4xf32>", "tensor<4xi1>"), {1, 0, 0, 0});
  expectExact(binary("arith.cmpf oge,", a, b, "tensor<4xf32>", "tensor<4xi1>"), {0, 1, 0, 1});
  expectExact(binary("arith.cmpf oeq,", a, b, "tensor<4xf32>", "tensor<4xi1>"), {0, 0, 0, 1});
  expectExact(binary("arith.cmpf une,", a, b, "tensor<4xf32>", "tensor<4xi1>"), {1, 1, 1, 0});
  HostTensor c = i32s({-1, 3}), d = i32s({1, 3});
  expectExact(binary("arith.cmpi slt,", c, d, "tensor<2xi32>", "tensor<2xi1>"), {1, 0});
  expectExact(binary("arith.cmpi sge,", c, d, "tensor<2xi32>", "tensor<2xi1>"), {0, 1});
}

TEST(InterpArith, LogicAndSelect) {
  HostTensor a = HostTensor::of({4}, DType::Bool, {0, 0, 1, 1}), b = HostTensor::of({4}, DType::Bool, {0, 1, 0, 1});
  expectExact(binary("arith.andi", a, b, "tensor<4xi1>"), {0, 0, 0, 1});
  expectExact(binary("arith.ori", a, b, "tensor<4xi1>"), {0, 1, 1, 1});
  expectExact(binary("arith.xori", a, b, "tensor<4xi1>"), {0, 1, 1, 0});
  expectExact(binary("arith.andi", i32s({12, -1}), i32s({10, 7}), "tensor<2xi32>"), {8, 7});
  expectExact(evaluate("func.func @f(%c: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {\n"
                       "  %y = arith.select %c, %a, %b : tensor<2xi1>, tensor<2xf32>\n  return %y : tensor<2xf32>\n}",
                       {HostTensor::of({2}, DType::Bool, {1, 0}), floats({kNan, kNan}), floats({1, -0.0})}),
              {kNan, -0.0});
}

TEST(InterpArith, OpenConditionsCoverBothSides) {
  // relu as a select is continuous: an open condition near 0 is no discontinuity.
  Integer open = holds(relations({1e-9, 1e-8, false}, {}), kGreater);
  EXPECT_TRUE(open.either);
  Element near = select(open, {1e-9, 1e-8, false}, {});
  EXPECT_FALSE(near.either);
  EXPECT_LE(near.b, 1.2e-8);
  Element far = select(open, {5, 0, false}, {-3, 0, false});
  EXPECT_TRUE(far.either);
  EXPECT_LE(far.v - far.b, -3);
  EXPECT_GE(far.v + far.b, 5);
  EXPECT_FALSE(holds(relations({1, 1e-8, false}, {}), kGreater).either);
}

TEST(InterpArith, BoundsGrowByRangeAndRounding) {
  Element x{1, 1e-6, false}, y{-2, 3e-6, false};
  Element sum = add(x, y), product = mul(x, y), quotient = div(x, y);
  auto between = [](double b, double spread, double own) { return b > 0.98 * spread && b <= (spread + own) * 1.0001; };
  EXPECT_TRUE(between(sum.b, 4e-6, 0.5 * ulp(1))) << sum.b;
  EXPECT_TRUE(between(product.b, 5e-6, 0.5 * ulp(2))) << product.b;
  EXPECT_TRUE(between(quotient.b, 1.25e-6, 0.5 * ulp(0.5))) << quotient.b;
  EXPECT_TRUE(div(x, {0, 1e-3, false}).isUnknown());
  EXPECT_GE(square({0, 1, false}).v - square({0, 1, false}).b, 0);
  EXPECT_GE(rangeOf(abs({0.1, 1, false})).lo, 0);
}

TEST(InterpArith, OverflowMayGoEitherWayNearTheThreshold) {
  Element near = mul({1.7e38, 1e36, false}, {2, 0, false});
  EXPECT_FALSE(near.either);
  OracleTensor tensor({1}, DType::F32);
  tensor.set(0, near);
  EXPECT_TRUE(compare(tensor, floats({kInf})).passed());
  EXPECT_TRUE(compare(tensor, floats({3.4e38})).passed());
  EXPECT_FALSE(compare(tensor, floats({-kInf})).passed());
  EXPECT_FALSE(compare(tensor, floats({3.3e38})).passed());
  EXPECT_TRUE(add(near, {1, 0, false}).isUnknown()) << "an operand may be infinite by now";
  Element over = mul({3e38, 1e36, false}, {2, 0, false});
  EXPECT_EQ(over.v, kInf);
  EXPECT_EQ(over.b, 0);
}

/// A device may return any value whose operands lie in their ranges: draw operands there, compute in f32.
TEST(InterpArith, RandomOperandsInRangeStayInBounds) {
  std::mt19937 random(1);
  using Op = Element (*)(Element, Element);
  using Float = float (*)(float, float);
  std::pair<Op, Float> ops[] = {{add, [](float a, float b) { return a + b; }},
                                {sub, [](float a, float b) { return a - b; }},
                                {mul, [](float a, float b) { return a * b; }},
                                {div, [](float a, float b) { return a / b; }},
                                {maximum, [](float a, float b) { return std::max(a, b); }}};
  std::uniform_real_distribution<double> inside(-1, 1);
  std::uniform_int_distribution<int> exponent(-40, 10);
  for (int round = 0; round < 20000; ++round) {
    // An element always holds an f32: `at` here, which is off the middle.
    auto draw = [&] {
      float at = static_cast<float>(inside(random) * std::exp2(exponent(random)));
      double bound = std::exp2(exponent(random) - 24);
      return std::pair{at, Element{at + 0.9 * bound * inside(random), bound, false}};
    };
    auto sample = [&](float at, Element e) {
      Range range = rangeOf(e);
      float other = static_cast<float>(e.v + e.b * inside(random));
      return range.lo <= other && other <= range.hi ? other : at;
    };
    auto [atX, x] = draw();
    auto [atY, y] = draw();
    float a = sample(atX, x), b = sample(atY, y);
    for (auto [op, compute] : ops) {
      Element z = op(x, y);
      EXPECT_LE(std::fabs(compute(a, b) - z.v), z.b) << a << " " << b;
    }
  }
}

} // namespace
} // namespace kiln::interp
