// Conversions between element types.
#include "Support.h"

#include "passes/interp/numeric/ElementOps.h"

namespace kiln::interp {
namespace {

TEST(InterpCasts, FloatToIntegerSaturates) {
  HostTensor x = floats({1.9, -1.9, 3e9, -3e9, kNan, kInf, -kInf, 2147483520.0});
  expectExact(
      evaluate(unaryText("graph.fptosi %x : tensor<8xf32> to tensor<8xi32>", "tensor<8xf32>", "tensor<8xi32>"), {x}),
      {1, -1, 2147483647, -2147483648.0, 0, 2147483647, -2147483648.0, 2147483520.0});
  OracleTensor wide =
      evaluate(unaryText("graph.fptosi %x : tensor<8xf32> to tensor<8xi64>", "tensor<8xf32>", "tensor<8xi64>"), {x});
  EXPECT_EQ(wide.integers[2], 3000000000);
  EXPECT_EQ(wide.integers[5], INT64_MAX);
  EXPECT_EQ(wide.integers[6], INT64_MIN);
}

TEST(InterpCasts, UnguardedConversionIsOpenOutOfRange) {
  OracleTensor y =
      evaluate(unaryText("arith.fptosi %x : tensor<4xf32> to tensor<4xi32>", "tensor<4xf32>", "tensor<4xi32>"),
               {floats({1.5, 3e9, kNan, -2147483648.0})});
  EXPECT_FALSE(y.integerAt(0).either);
  EXPECT_TRUE(y.integerAt(1).either);
  EXPECT_TRUE(y.integerAt(2).either);
  EXPECT_FALSE(y.integerAt(3).either);
}

TEST(InterpCasts, StraddlingAnIntegerIsOpen) {
  EXPECT_TRUE(toInteger({2, 1e-6, false}, DType::I32).either);
  EXPECT_FALSE(toInteger({2.5, 1e-6, false}, DType::I32).either);
  EXPECT_FALSE(toInteger({0, 1e-6, false}, DType::I32).either) << "both sides of 0 truncate to 0";
}

TEST(InterpCasts, IntegersAndBools) {
  expectExact(evaluate(unaryText("arith.sitofp %x : tensor<3xi32> to tensor<3xf32>", "tensor<3xi32>", "tensor<3xf32>"),
                       {i32s({16777217, 16777219, -5})}),
              {16777216, 16777220, -5});
  HostTensor bools = HostTensor::of({2}, DType::Bool, {0, 1});
  expectExact(
      evaluate(unaryText("arith.uitofp %x : tensor<2xi1> to tensor<2xf32>", "tensor<2xi1>", "tensor<2xf32>"), {bools}),
      {0, 1});
  expectExact(
      evaluate(unaryText("arith.extui %x : tensor<2xi1> to tensor<2xi64>", "tensor<2xi1>", "tensor<2xi64>"), {bools}),
      {0, 1});
  expectExact(evaluate(unaryText("arith.extsi %x : tensor<2xi32> to tensor<2xi64>", "tensor<2xi32>", "tensor<2xi64>"),
                       {i32s({-3, 7})}),
              {-3, 7});
  HostTensor wide(std::vector<int64_t>{2}, DType::I64);
  wide.setInt(0, (int64_t{1} << 32) + 5);
  wide.setInt(1, int64_t{1} << 31);
  expectExact(
      evaluate(unaryText("arith.trunci %x : tensor<2xi64> to tensor<2xi32>", "tensor<2xi64>", "tensor<2xi32>"), {wide}),
      {5, -2147483648.0});
}

} // namespace
} // namespace kiln::interp
