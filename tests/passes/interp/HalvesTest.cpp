// f16 and bf16: f32 inside, one rounding at each named op, bounds that are whole 16-bit numbers.
#include "Support.h"

#include "passes/interp/numeric/ElementOps.h"
#include "passes/interp/numeric/Functions.h"

namespace kiln::interp {
namespace {

HostTensor halves(DType dtype, std::initializer_list<double> values) {
  return HostTensor::of({static_cast<int64_t>(values.size())}, dtype, values);
}

TEST(InterpHalves, NamedOpsRoundOnce) {
  // 1 + 2^-8 is half way between two bf16; 3 * 43 needs 8 bits, 3 * 171 more than bf16 has.
  expectExact(evaluate(binaryText("arith.addf %a, %b : tensor<3xbf16>", "tensor<3xbf16>"),
                       {halves(bf16, {1, 1.0078125, 256}), halves(bf16, {0x1p-8, 0x1p-8, 1})}),
              {1, 1.015625, 256});
  expectExact(evaluate(binaryText("arith.mulf %a, %b : tensor<2xbf16>", "tensor<2xbf16>"),
                       {halves(bf16, {3, 3}), halves(bf16, {43, 171})}),
              {129, 512});
  expectExact(evaluate(binaryText("arith.addf %a, %b : tensor<2xf16>", "tensor<2xf16>"),
                       {halves(f16, {65504, 65504}), halves(f16, {15, 16})}),
              {65504, kInf});
  expectExact(evaluate(binaryText("arith.mulf %a, %b : tensor<2xf16>", "tensor<2xf16>"),
                       {halves(f16, {0x1p-24, 0x1p-24}), halves(f16, {0.5, 0.75})}),
              {0, 0x1p-24});
}

TEST(InterpHalves, FmaRoundsOnceAndSeesWhatIsFarBelow) {
  std::string text = "func.func @f(%a: tensor<3xbf16>, %b: tensor<3xbf16>, %c: tensor<3xbf16>) -> tensor<3xbf16> {\n"
                     " %y = math.fma %a, %b, %c : tensor<3xbf16>\n return %y : tensor<3xbf16>\n}";
  // (1 + 2^-7) * 1.5 is 1.51171875, half way between 1.5078125 and 1.515625.
  HostTensor a = halves(bf16, {1.0078125, 1.0078125, 1.0078125}), b = halves(bf16, {1.5, 1.5, 1.5});
  expectExact(evaluate(text, {a, b, halves(bf16, {0, 0x1p-100, -0x1p-100})}), {1.515625, 1.515625, 1.5078125});
}

TEST(InterpHalves, RangesAreRoundedAtBothEnds) {
  const Format &format = formatOf(bf16);
  Element sure = roundedTo({1.001, 1e-4, false}, format);
  EXPECT_TRUE(sure.exact());
  EXPECT_EQ(sure.v, 1);
  Element open = roundedTo({1.00390625, 1e-4, false}, format); // the middle of 1 and its neighbour
  EXPECT_LE(open.v - open.b, 1);
  EXPECT_GE(open.v + open.b, 1.0078125);
  EXPECT_LT(open.b, 0.0040);
  Element zero = roundedTo({0, 1e-60, false}, format);
  EXPECT_NE(zero.b, 0) << "of either sign";
  EXPECT_TRUE(roundedTo(Element::unknown(), format).isUnknown());
  EXPECT_TRUE(std::isnan(roundedTo({kNan, 0, false}, format).v));
  EXPECT_EQ(roundedTo({1e5, 1, false}, formatOf(f16)).v, kInf) << "surely infinite";
}

TEST(InterpHalves, AtTheThresholdOfOverflowBothAreRight) {
  OracleTensor wide({2}, f32), narrow({2}, f16);
  wide.set(0, {65519.99, 0.1, false});
  wide.set(1, {-65519.99, 0.1, false});
  narrow = evaluate(unaryText("arith.truncf %x : tensor<2xf32> to tensor<2xf16>", "tensor<2xf32>", "tensor<2xf16>"),
                    std::vector<OracleTensor>{wide});
  EXPECT_TRUE(compare(narrow, halves(f16, {65504, -65504})).passed());
  EXPECT_TRUE(compare(narrow, halves(f16, {kInf, -kInf})).passed());
  EXPECT_EQ(compare(narrow, halves(f16, {65472, -65472})).mismatches, 2);
  EXPECT_EQ(compare(narrow, halves(f16, {-kInf, kInf})).mismatches, 2);
  OracleTensor back =
      evaluate(unaryText("arith.extf %x : tensor<2xf16> to tensor<2xf32>", "tensor<2xf16>", "tensor<2xf32>"),
               std::vector<OracleTensor>{narrow});
  EXPECT_TRUE(back.at(0).isUnknown());
}

TEST(InterpHalves, CastsRoundOnce) {
  // What f32 would round to a tie, which bf16 would then round down.
  HostTensor i = HostTensor::of({3}, i32, {16842753, -16842753, 2147483647});
  expectExact(
      evaluate(unaryText("arith.sitofp %x : tensor<3xi32> to tensor<3xbf16>", "tensor<3xi32>", "tensor<3xbf16>"), {i}),
      {0x1.02p24, -0x1.02p24, 0x1p31});
  HostTensor l({4}, i64);
  l.setInt(0, (int64_t{1} << 62) + (int64_t{1} << 54) + 1); // what a double would round to a tie
  l.setInt(1, -l.getInt(0));
  l.setInt(2, (int64_t{1} << 62) + (int64_t{1} << 54));
  l.setInt(3, std::numeric_limits<int64_t>::min());
  expectExact(
      evaluate(unaryText("arith.sitofp %x : tensor<4xi64> to tensor<4xbf16>", "tensor<4xi64>", "tensor<4xbf16>"), {l}),
      {0x1.02p62, -0x1.02p62, 0x1p62, -0x1p63});
  HostTensor h = HostTensor::of({4}, i32, {65519, 65520, -65520, 2049});
  expectExact(
      evaluate(unaryText("arith.sitofp %x : tensor<4xi32> to tensor<4xf16>", "tensor<4xi32>", "tensor<4xf16>"), {h}),
      {65504, kInf, -kInf, 2048});
  expectExact(evaluate(unaryText("graph.fptosi %x : tensor<4xf16> to tensor<4xi32>", "tensor<4xf16>", "tensor<4xi32>"),
                       {halves(f16, {kInf, -2.5, kNan, 65504})}),
              {2147483647, -2, 0, 65504});
  expectExact(evaluate("func.func @f() -> tensor<3xbf16> {\n %y = graph.iota axis 0 : tensor<3xbf16>\n return %y : "
                       "tensor<3xbf16>\n}",
                       std::initializer_list<HostTensor>{}),
              {0, 1, 2});
}

TEST(InterpHalves, SumsAreOfF32) {
  auto sum = [](const char *kind, const HostTensor &x) {
    std::string n = std::to_string(x.size());
    return evaluate("func.func @f(%x: tensor<" + n + "xf16>) -> tensor<f16> {\n %y = graph.reduce <" + kind +
                        "> %x axes [0] : tensor<" + n + "xf16> -> tensor<f16>\n return %y : tensor<f16>\n}",
                    {x});
  };
  auto ones = [](int64_t n) { return HostTensor::full({n}, f16, 1); };
  expectExact(sum("sum", ones(4096)), {4096});
  expectExact(sum("mean", ones(100000)), {1});
  expectExact(sum("mean", halves(f16, {40000, 40000, 40000})), {40000});
  EXPECT_TRUE(compare(sum("sum", ones(65519)), HostTensor::full({}, f16, 65504)).passed());
  EXPECT_TRUE(compare(sum("sum", ones(65520)), HostTensor::full({}, f16, kInf)).passed());
  expectExact(sum("max", halves(f16, {1, kNan, 3})), {kNan});
}

TEST(InterpHalves, MatmulsMayGiveTheirSums) {
  auto product = [](const char *out) {
    return std::string("func.func @f(%a: tensor<1x2xbf16>, %b: tensor<2x1xbf16>) -> tensor<1x1x") + out +
           "> {\n %y = graph.matmul %a, %b : (tensor<1x2xbf16>, tensor<2x1xbf16>) -> tensor<1x1x" + out +
           ">\n return %y : tensor<1x1x" + out + ">\n}";
  };
  HostTensor a = HostTensor::of({1, 2}, bf16, {256, 1}), b = HostTensor::of({2, 1}, bf16, {1, 0.5});
  EXPECT_TRUE(compare(evaluate(product("f32"), {a, b}), HostTensor::full({1, 1}, f32, 256.5)).passed());
  EXPECT_FALSE(compare(evaluate(product("f32"), {a, b}), HostTensor::full({1, 1}, f32, 256)).passed());
  expectExact(evaluate(product("bf16"), {a, b}), {256});
}

TEST(InterpHalves, FunctionsAreHalfAUnitAndALittle) {
  for (DType dtype : {f16, bf16}) {
    const Format &format = formatOf(dtype);
    for (double x : {0.3, -1.7, 0.01, 2.2}) {
      Element y = exp({x, 0, false}, format);
      EXPECT_NEAR(y.b / format.ulp(y.v), 0.005, 1e-6);
      EXPECT_LE(roundedTo(y, format).b, format.ulp(y.v) * 0.51);
    }
  }
  // A device that is a whole unit off is wrong everywhere.
  HostTensor x = halves(bf16, {0.3, -1.7, 0.01, 2.2}), off({4}, bf16), right({4}, bf16);
  for (int64_t i = 0; i < 4; ++i) {
    right.set(i, std::exp(x.get(i)));
    off.data<uint16_t>()[i] = static_cast<uint16_t>(right.data<uint16_t>()[i] + 1);
  }
  OracleTensor want = evaluate(unaryText("math.exp %x : tensor<4xbf16>", "tensor<4xbf16>"), {x});
  EXPECT_TRUE(compare(want, right).passed());
  EXPECT_EQ(compare(want, off).mismatches, 4);
}

TEST(InterpHalves, CompositesRoundAtTheEnd) {
  HostTensor x = HostTensor::of({1, 3}, f16, {1, 2, 3});
  OracleTensor y = evaluate(unaryText("graph.softmax %x axis 1 : tensor<1x3xf16>", "tensor<1x3xf16>"), {x});
  EXPECT_TRUE(compare(y, HostTensor::of({1, 3}, f16, {0.09003057, 0.24472847, 0.66524096})).passed());
  HostTensor off = HostTensor::of({1, 3}, f16, {0.09003057, 0.24472847, 0.66524096});
  off.data<uint16_t>()[1] ^= 1;
  EXPECT_EQ(compare(y, off).mismatches, 1);
}

} // namespace
} // namespace kiln::interp
