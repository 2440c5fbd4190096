// Constants, indices and moves.
#include "Support.h"

namespace kiln::interp {
namespace {

const HostTensor kSix = floats({2, 3}, {0, 1, 2, 3, 4, 5});

TEST(InterpShape, Broadcast) {
  expectExact(evaluate(unaryText("graph.broadcast %x dims [1] : tensor<2xf32> -> tensor<3x2xf32>", "tensor<2xf32>",
                                 "tensor<3x2xf32>"),
                       {floats({7, 8})}),
              {7, 8, 7, 8, 7, 8});
  expectExact(evaluate(unaryText("graph.broadcast %x dims [0, 2] : tensor<2x1xf32> -> tensor<2x2x2xf32>",
                                 "tensor<2x1xf32>", "tensor<2x2x2xf32>"),
                       {floats({2, 1}, {7, 8})}),
              {7, 7, 7, 7, 8, 8, 8, 8});
  expectExact(
      evaluate(unaryText("graph.broadcast %x dims [] : tensor<f32> -> tensor<3xf32>", "tensor<f32>", "tensor<3xf32>"),
               {floats({}, {2.5})}),
      {2.5, 2.5, 2.5});
}

TEST(InterpShape, TransposeSliceReshape) {
  expectExact(evaluate(unaryText("graph.transpose %x perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>",
                                 "tensor<2x3xf32>", "tensor<3x2xf32>"),
                       {kSix}),
              {0, 3, 1, 4, 2, 5});
  expectExact(evaluate(unaryText("graph.transpose %x perm [2, 0, 1] : tensor<1x2x3xf32> -> tensor<3x1x2xf32>",
                                 "tensor<1x2x3xf32>", "tensor<3x1x2xf32>"),
                       {floats({1, 2, 3}, {0, 1, 2, 3, 4, 5})}),
              {0, 3, 1, 4, 2, 5});
  expectExact(
      evaluate(unaryText("graph.slice %x from [1, 0] to [2, 3] step [1, 2] : tensor<2x3xf32> -> tensor<1x2xf32>",
                         "tensor<2x3xf32>", "tensor<1x2xf32>"),
               {kSix}),
      {3, 5});
  expectExact(
      evaluate(unaryText("graph.reshape %x : tensor<2x3xf32> -> tensor<6x1xf32>", "tensor<2x3xf32>", "tensor<6x1xf32>"),
               {kSix}),
      {0, 1, 2, 3, 4, 5});
}

TEST(InterpShape, EmptySlicesAndTransposes) {
  expectExact(
      evaluate(unaryText("graph.slice %x from [1, 2] to [1, 3] step [1, 1] : tensor<2x3xf32> -> tensor<0x1xf32>",
                         "tensor<2x3xf32>", "tensor<0x1xf32>"),
               {kSix}),
      {});
  expectExact(evaluate(unaryText("graph.transpose %x perm [1, 0] : tensor<2x0xf32> -> tensor<0x2xf32>",
                                 "tensor<2x0xf32>", "tensor<0x2xf32>"),
                       {floats({2, 0}, {})}),
              {});
}

TEST(InterpShape, Concat) {
  expectExact(
      evaluate("func.func @f(%a: tensor<2x1xf32>, %b: tensor<2x2xf32>, %c: tensor<2x0xf32>) -> tensor<2x3xf32> {\n"
               "  %y = graph.concat %a, %c, %b axis 1 : (tensor<2x1xf32>, tensor<2x0xf32>, tensor<2x2xf32>) -> "
               "tensor<2x3xf32>\n"
               "  return %y : tensor<2x3xf32>\n}",
               {floats({2, 1}, {1, 2}), floats({2, 2}, {3, 4, 5, 6}), floats({2, 0}, {})}),
      {1, 3, 4, 2, 5, 6});
}

TEST(InterpShape, GatherClamps) {
  const char *text = "func.func @f(%x: tensor<2x3xf32>, %i: tensor<4xi32>) -> tensor<2x4xf32> {\n"
                     "  %y = graph.gather %x at %i axis 1 : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<2x4xf32>\n"
                     "  return %y : tensor<2x4xf32>\n}";
  expectExact(evaluate(text, {kSix, i32s({2, -9, 99, 1})}), {2, 0, 2, 1, 5, 3, 5, 4});
  const char *rows = "func.func @f(%x: tensor<2x3xf32>, %i: tensor<1x2xi32>) -> tensor<1x2x3xf32> {\n"
                     "  %y = graph.gather %x at %i axis 0 : (tensor<2x3xf32>, tensor<1x2xi32>) -> tensor<1x2x3xf32>\n"
                     "  return %y : tensor<1x2x3xf32>\n}";
  expectExact(evaluate(rows, {kSix, HostTensor::of({1, 2}, DType::I32, {1, 0})}), {3, 4, 5, 0, 1, 2});
}

TEST(InterpShape, AnOpenIndexMakesItsRowUnknown) {
  const char *text = "func.func @f(%x: tensor<2x2xf32>, %i: tensor<2xi32>) -> tensor<2x2xf32> {\n"
                     "  %y = graph.gather %x at %i axis 0 : (tensor<2x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>\n"
                     "  return %y : tensor<2x2xf32>\n}";
  OracleTensor indices({2}, DType::I32);
  indices.setInteger(1, {0, true});
  std::vector<OracleTensor> inputs = {OracleTensor::fromHost(floats({2, 2}, {1, 2, 3, 4})), indices};
  OracleTensor y = evaluate(text, inputs);
  EXPECT_TRUE(y.at(1).exact());
  EXPECT_TRUE(y.at(2).isUnknown() && y.at(3).isUnknown());
}

TEST(InterpShape, ConstantsAndIota) {
  expectExact(
      evaluate(
          "func.func @f() -> tensor<3xf32> {\n  %y = arith.constant dense<[1.0, -0.0, 0x7FC00000]> : tensor<3xf32>\n"
          "  return %y : tensor<3xf32>\n}",
          {}),
      {1, -0.0, kNan});
  expectExact(evaluate("func.func @f() -> tensor<2xi1> {\n  %y = arith.constant dense<true> : tensor<2xi1>\n  return "
                       "%y : tensor<2xi1>\n}",
                       {}),
              {1, 1});
  expectExact(evaluate("func.func @f() -> tensor<2x3xi32> {\n  %y = graph.iota axis 1 : tensor<2x3xi32>\n  return %y : "
                       "tensor<2x3xi32>\n}",
                       {}),
              {0, 1, 2, 0, 1, 2});
  expectExact(evaluate("func.func @f() -> tensor<2x2xf32> {\n  %y = graph.iota axis 0 : tensor<2x2xf32>\n  return %y : "
                       "tensor<2x2xf32>\n}",
                       {}),
              {0, 0, 1, 1});
}

/// Bounds and marks move with their elements.
TEST(InterpShape, BoundsMoveAlong) {
  OracleTensor x({2, 3}, DType::F32);
  x.set(4, {1, 0.5, true});
  std::string text = unaryText("graph.transpose %x perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>", "tensor<2x3xf32>",
                               "tensor<3x2xf32>");
  OracleTensor y = evaluate(text, std::vector<OracleTensor>{x});
  EXPECT_EQ(y.at(3).b, 0.5);
  EXPECT_TRUE(y.at(3).either);
  EXPECT_TRUE(y.at(4).exact());
}

} // namespace
} // namespace kiln::interp
