// The engine: kernels, long chains, errors.
#include "Support.h"

#include <sys/resource.h>

namespace kiln::interp {
namespace {

const char *kKernels = R"(
  func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
    %a, %b = graph.kernel "pointwise" (%p = %x : tensor<4xf32>, %q = %y : tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32> {
      %0 = arith.addf %p, %q : tensor<4xf32>
      %1 = arith.mulf %0, %q : tensor<4xf32>
      graph.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
    }
    %r = graph.reshape %b : tensor<4xf32> -> tensor<2x2xf32>
    return %a, %r : tensor<4xf32>, tensor<2x2xf32>
  })";

TEST(Interpreter, RunsKernels) {
  Graph graph(kKernels);
  auto results = graph.run({floats({1, 2, 3, 4}), floats({5, 6, 7, 8})});
  ASSERT_EQ(results.size(), 2u) << graph.errors;
  expectExact(results[0], {6, 8, 10, 12});
  expectExact(results[1], {30, 48, 70, 96});
  EXPECT_EQ(results[1].shape, (std::vector<int64_t>{2, 2}));
}

TEST(Interpreter, RunsOneKernelOnItsOwnInputs) {
  Graph graph(kKernels);
  graph::KernelOp kernel;
  graph.getModule().walk([&](graph::KernelOp op) { kernel = op; });
  auto results = interpretKernel(
      kernel, {OracleTensor::fromHost(floats({1, 1, 1, 1})), OracleTensor::fromHost(floats({2, 2, 2, 2}))});
  ASSERT_TRUE(mlir::succeeded(results)) << graph.errors;
  expectExact((*results)[1], {6, 6, 6, 6});
}

TEST(Interpreter, LongChainsNeitherRecurseNorKeepTheirValues) { // A17
  std::string text = "func.func @f(%v0: tensor<1xf32>, %one: tensor<1xf32>) -> tensor<1xf32> {\n";
  for (int i = 0; i < 20000; ++i)
    text += " %v" + std::to_string(i + 1) + " = arith.addf %v" + std::to_string(i) + ", %one : tensor<1xf32>\n";
  text += " return %v20000 : tensor<1xf32>\n}";
  expectExact(evaluate(text, {floats({0}), floats({1})}), {20000});
  std::string doubling = "func.func @f(%v0: tensor<8xf32>) -> tensor<8xf32> {\n";
  for (int i = 0; i < 60; ++i)
    doubling += " %v" + std::to_string(i + 1) + " = arith.addf %v" + std::to_string(i) + ", %v" + std::to_string(i) +
                " : tensor<8xf32>\n";
  doubling += " return %v60 : tensor<8xf32>\n}";
  EXPECT_EQ(evaluate(doubling, {HostTensor::full({8}, DType::F32, 1)}).values[7], 0x1p60);
}

int64_t peakMiB() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

TEST(Interpreter, MemoryIsFreedAfterTheLastUse) {
  // 100 values of 8 MiB each: two at a time are alive.
  std::string type = "tensor<1048576xf32>", text = "func.func @f(%v0: " + type + ") -> tensor<f32> {\n";
  for (int i = 0; i < 100; ++i)
    text += " %v" + std::to_string(i + 1) + " = arith.negf %v" + std::to_string(i) + " : " + type + "\n";
  text += " %y = graph.reduce <max> %v100 axes [0] : " + type + " -> tensor<f32>\n return %y : tensor<f32>\n}";
  HostTensor x = HostTensor::full({1048576}, DType::F32, 3);
  int64_t before = peakMiB();
  expectExact(evaluate(text, {x}), {3});
  EXPECT_LT(peakMiB() - before, 200);
}

TEST(Interpreter, TheSameResultTwiceAndUnusedValues) {
  Graph graph("func.func @f(%x: tensor<1xf32>, %u: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {\n"
              "  %a = arith.negf %x : tensor<1xf32>\n  %b = arith.negf %x : tensor<1xf32>\n"
              "  return %a, %a, %x : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>\n}");
  auto results = graph.run({floats({2}), floats({9})});
  ASSERT_EQ(results.size(), 3u) << graph.errors;
  expectExact(results[1], {-2});
  expectExact(results[2], {2});
}

void expectError(const std::string &text, std::vector<OracleTensor> inputs, const std::string &message) {
  Graph graph(text);
  EXPECT_TRUE(graph.run(std::move(inputs)).empty());
  EXPECT_NE(graph.errors.find(message), std::string::npos) << graph.errors;
}

TEST(Interpreter, ErrorsAreDiagnostics) {
  OracleTensor two({2}, DType::F32);
  std::string id = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}";
  expectError(id, {}, "expected 1 inputs, found 0");
  expectError(id, {OracleTensor({3}, DType::F32)}, "found: f32[3]");
  expectError(id, {OracleTensor({2}, DType::I32)}, "found: i32[2]");
  expectError(unaryText("math.log1p %x : tensor<2xf32>", "tensor<2xf32>"), {two}, "no row for `math.log1p`");
  expectError("func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {\n  return %x : tensor<2xf64>\n}", {two},
              "does not take this type");
  expectError("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}", {two},
              "does not take this type");
  expectError("func.func @f(%x: f32) -> f32 {\n  return %x : f32\n}", {two}, "does not take this type");
  expectError("func.func private @f(tensor<2xf32>)", {two}, "expected one block");
  expectError("func.func @f(%x: tensor<f32>) -> tensor<99999999x99999999xf32> {\n"
              "  %y = graph.broadcast %x dims [] : tensor<f32> -> tensor<99999999x99999999xf32>\n"
              "  return %y : tensor<99999999x99999999xf32>\n}",
              {OracleTensor({}, DType::F32)}, "elements, found");
}

} // namespace
} // namespace kiln::interp
