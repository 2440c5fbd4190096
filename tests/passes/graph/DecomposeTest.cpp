// What guarded ops compute on the values they are guarded for, before and after graph-decompose.
#include "passes/graph/Decompose.h"
#include "passes/interp/Interpreter.h"
#include "tests/passes/GraphKit.h"

#include <gtest/gtest.h>
#include <limits>

namespace kiln::test {
namespace {

std::vector<HostTensor> run(GraphKit &kit, const std::vector<HostTensor> &inputs) {
  std::vector<interp::OracleTensor> exact;
  for (const HostTensor &input : inputs) exact.push_back(interp::OracleTensor::fromHost(input));
  auto results = interp::interpret(kit.function(), exact);
  std::vector<HostTensor> tensors;
  if (succeeded(results))
    for (const interp::OracleTensor &result : *results) tensors.push_back(result.toHost());
  return tensors;
}

/// Runs a graph as written and as compiled; both must agree bit for bit.
std::vector<HostTensor> agreeing(const std::string &text, const std::vector<HostTensor> &inputs) {
  GraphKit written, compiled;
  written.parse(text);
  compiled.parse(text);
  EXPECT_TRUE(compiled.compile(true));
  std::vector<HostTensor> a = run(written, inputs), b = run(compiled, inputs);
  EXPECT_EQ(a.size(), b.size());
  EXPECT_FALSE(b.empty());
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) EXPECT_TRUE(bitEqual(a[i], b[i])) << "result " << i;
  return b;
}

TEST(Decompose, DivisionNeverTraps) {
  constexpr int64_t kMin = std::numeric_limits<int32_t>::min();
  HostTensor a = HostTensor::of({8}, DType::I32, {-7, 7, 7, 0, double(kMin), double(kMin), double(kMin), 5});
  HostTensor b = HostTensor::of({8}, DType::I32, {2, -2, 0, 0, -1, 0, 1, double(kMin)});
  auto results = agreeing(R"(
    func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
      %q = graph.divi %a, %b : tensor<8xi32>
      %r = graph.remi %a, %b : tensor<8xi32>
      return %q, %r : tensor<8xi32>, tensor<8xi32>
    })",
                          {a, b});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_TRUE(bitEqual(results[0], HostTensor::of({8}, DType::I32, {-3, -3, 0, 0, double(kMin), 0, double(kMin), 0})));
  EXPECT_TRUE(bitEqual(results[1], HostTensor::of({8}, DType::I32, {-1, 1, 7, 0, 0, double(kMin), 0, 5})));
}

graph::Values sincos(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op) {
  mlir::Value x = op->getOperand(0);
  return {mlir::math::SinOp::create(b, x), mlir::math::CosOp::create(b, x)};
}

TEST(Decompose, AnOpOfSeveralResultsHasARow) {
  GraphKit kit;
  kit.context().allowUnregisteredDialects();
  kit.parse(R"(
    func.func @main(%x: tensor<5xf32>, %e: tensor<0xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<0xf32>) {
      %a:2 = "test.sincos"(%x) : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
      %b:2 = "test.sincos"(%e) : (tensor<0xf32>) -> (tensor<0xf32>, tensor<0xf32>)
      %n:2 = "test.other"(%x) : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
      %d = arith.subf %a#1, %a#0 : tensor<5xf32>
      return %d, %a#0, %b#1 : tensor<5xf32>, tensor<5xf32>, tensor<0xf32>
    })");
  mlir::Block &block = kit.function().getBody().front();
  EXPECT_EQ(graph::decomposeOps(block, {{"test.sincos", sincos}}), 2u);
  std::vector<std::string> names;
  for (mlir::Operation &op : block) names.push_back(op.getName().getStringRef().str());
  EXPECT_EQ(names, (std::vector<std::string>{"math.sin", "math.cos", "arith.constant", "arith.constant", "test.other",
                                             "arith.subf", "func.return"}));
  auto returned = block.getTerminator()->getOperands();
  EXPECT_TRUE(returned[1].getDefiningOp<mlir::math::SinOp>());
  EXPECT_EQ(returned[0].getDefiningOp()->getOperand(0).getDefiningOp()->getName().getStringRef(), "math.cos");
  EXPECT_TRUE(returned[2].getDefiningOp<mlir::arith::ConstantOp>());
}

/// The rows of a 3x2 tensor, over and over.
std::string joinOf(int pieces) {
  std::string slices, operands, types;
  for (int i = 0; i < pieces; ++i) {
    slices += fmt::format("  %p{0} = graph.slice %x from [{1}, 0] to [{2}, 2] step [1, 1] : tensor<3x2xf32> -> "
                          "tensor<1x2xf32>\n",
                          i, i % 3, i % 3 + 1);
    operands += fmt::format("{}%p{}", i ? ", " : "", i);
    types += i ? ", tensor<1x2xf32>" : "tensor<1x2xf32>";
  }
  return fmt::format("func.func @main(%x: tensor<3x2xf32>) -> tensor<{0}x2xf32> {{\n{1}"
                     "  %y = graph.concat {2} axis 0 : ({3}) -> tensor<{0}x2xf32>\n"
                     "  return %y : tensor<{0}x2xf32>\n}}",
                     pieces, slices, operands, types);
}

TEST(Decompose, JoinsOfManyPiecesAreJoinsOfJoins) {
  for (auto [pieces, joins] : {std::pair(64, 1), {65, 2}, {128, 3}, {200, 5}, {64 * 64 + 1, 64 + 2}}) {
    GraphKit kit;
    kit.parse(joinOf(pieces));
    mlir::PassManager manager(&kit.context());
    manager.addNestedPass<mlir::func::FuncOp>(graph::createDecompose());
    ASSERT_TRUE(succeeded(manager.run(kit.function()->getParentOfType<mlir::ModuleOp>())));
    auto all = kit.function().getOps<graph::ConcatOp>();
    EXPECT_EQ(std::distance(all.begin(), all.end()), joins) << pieces;
    for (graph::ConcatOp concat : all) EXPECT_LE(concat.getXs().size(), 64u);
    HostTensor x = HostTensor::randomNormal({3, 2}, DType::F32, 1), y = run(kit, {x}).at(0);
    for (int64_t i = 0; i < y.size(); ++i) ASSERT_EQ(y.get(i), x.get(i % 6)) << i;
  }
}

TEST(Decompose, CastsSaturate) {
  constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  HostTensor x =
      HostTensor::of({8}, DType::F32, {kNan, kInf, -kInf, 2147483648.0, -2147483648.0, 2147483520.0, -1.9, 1e30});
  auto results = agreeing(R"(
    func.func @main(%x: tensor<8xf32>) -> (tensor<8xi32>, tensor<8xi64>) {
      %i = graph.fptosi %x : tensor<8xf32> to tensor<8xi32>
      %l = graph.fptosi %x : tensor<8xf32> to tensor<8xi64>
      return %i, %l : tensor<8xi32>, tensor<8xi64>
    })",
                          {x});
  ASSERT_EQ(results.size(), 2u);
  std::vector<int64_t> i32 = {0, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, 2147483520, -1, INT32_MAX};
  std::vector<int64_t> i64 = {0, INT64_MAX, INT64_MIN, 2147483648, -2147483648, 2147483520, -1, INT64_MAX};
  for (int64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(results[0].getInt(i), i32[size_t(i)]) << i;
    EXPECT_EQ(results[1].getInt(i), i64[size_t(i)]) << i;
  }
}

TEST(Decompose, ReluAndSumsOfNothing) {
  HostTensor x = HostTensor::of({4}, DType::F32, {-0.0, std::numeric_limits<double>::quiet_NaN(), -3, 2});
  auto results = agreeing(R"(
    func.func @main(%x: tensor<4xf32>, %e: tensor<4x0xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x0xf32>) {
      %r = graph.relu %x : tensor<4xf32>
      %s = graph.reduce <sum> %e axes [1] : tensor<4x0xf32> -> tensor<4xf32>
      %p = graph.reduce <prod> %e axes [1] : tensor<4x0xf32> -> tensor<4xf32>
      %n = math.exp %e : tensor<4x0xf32>
      return %r, %s, %p, %n : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x0xf32>
    })",
                          {x, HostTensor({4, 0}, DType::F32)});
  ASSERT_EQ(results.size(), 4u);
  EXPECT_FALSE(std::signbit(results[0].get(0)));
  EXPECT_TRUE(std::isnan(results[0].get(1)));
  EXPECT_EQ(results[1].get(0), 0);
  EXPECT_EQ(results[2].get(0), 1);
}

} // namespace
} // namespace kiln::test
