// Sums and products against a plain simulation of the order that graph.reduce states, bit for bit, and matmuls against
// one fma per k, ascending.
#include "tests/numeric/GraphRunner.h"
#include "tests/numeric/Inputs.h"

#include <kiln/Ops.h>

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <optional>

using namespace kiln;
using namespace kiln::numeric;

namespace {

using Lane = std::optional<float>;
enum class Kind { Sum, Product };

Lane combine(Kind kind, Lane a, Lane b) {
  if (!a || !b) return a ? a : b;
  volatile float result = kind == Kind::Sum ? *a + *b : *a * *b; // volatile: rounded to f32, here and now
  return result;
}

/// Lane l meets lane l + width / 2, then width / 4, and so on; absent lanes are skipped.
Lane tree(Kind kind, std::vector<Lane> lanes) {
  size_t width = 1;
  while (width < lanes.size()) width *= 2;
  lanes.resize(width);
  for (width /= 2; width >= 1; width /= 2)
    for (size_t l = 0; l < width; ++l) lanes[l] = combine(kind, lanes[l], lanes[l + width]);
  return lanes[0];
}

float rowOrder(Kind kind, const std::vector<float> &x) {
  Lane total;
  for (size_t start = 0; start < x.size(); start += 65536) {
    std::vector<Lane> lanes(1024);
    for (size_t i = start; i < std::min(x.size(), start + 65536); ++i) {
      Lane &lane = lanes[(i - start) / 8 % 1024];
      lane = combine(kind, lane, x[i]);
    }
    total = combine(kind, total, tree(kind, lanes));
  }
  return total.value_or(kind == Kind::Sum ? 0.0f : 1.0f);
}

float columnOrder(Kind kind, const std::vector<float> &x) {
  Lane total;
  for (size_t start = 0; start < x.size(); start += 65536) {
    std::vector<Lane> blocks(512);
    for (size_t i = start; i < std::min(x.size(), start + 65536); ++i) {
      Lane &block = blocks[(i - start) / 128];
      block = combine(kind, block, x[i]);
    }
    total = combine(kind, total, tree(kind, blocks));
  }
  return *total;
}

/// Numbers whose sums depend on the order in every last bit; for products close to 1, so that they stay finite.
HostTensor makeData(const Shape &shape, Kind kind, uint64_t seed) {
  HostTensor x = makeInput(shape, f32, Flavour::Normal, seed);
  for (int64_t i = 0; i < x.size(); ++i) {
    float &value = x.data<float>()[i];
    value = kind == Kind::Sum ? value * std::exp2(static_cast<float>(i * 7 % 11)) : 1 + value * 0x1p-10f;
  }
  return x;
}

void expectSame(float found, float expected, const std::string &where) {
  EXPECT_EQ(std::memcmp(&found, &expected, 4), 0)
      << where << ": found " << found << ", the stated order gives " << expected;
}

/// Runs a reduction of `x` on the device, unjudged: the simulation is the judge.
HostTensor reduceOnDevice(GraphRunner &runner, const HostTensor &x, int64_t axis, Kind kind) {
  Graph g;
  Tensor input = g.input("x", x.shape());
  g.output("y", kind == Kind::Sum ? sum(input, axis) : prod(input, axis));
  std::vector<std::string> failures;
  KernelGraph cut = runner.cut(g.mlir(), true);
  auto outputs = runner.runUnjudged(cut, {{x}}, failures);
  EXPECT_TRUE(failures.empty()) << failures[0];
  return outputs.at(0);
}

// 16-bit floats are summed as f32 in the same order, and rounded once.
TEST(CanonicalOrder, HalvesAreReducedAsF32) {
  GraphRunner runner;
  for (DType dtype : {f16, bf16})
    for (int64_t length : {7, 129, 1000, 70000}) {
      HostTensor x = makeInput({2, length}, dtype, Flavour::Normal, static_cast<uint64_t>(length)), wide = x.cast(f32);
      Graph g;
      g.output("y", sum(g.input("x", x.shape(), dtype), 1));
      std::vector<std::string> failures;
      KernelGraph cut = runner.cut(g.mlir(), true);
      HostTensor y = runner.runUnjudged(cut, {{x}}, failures).at(0);
      ASSERT_TRUE(failures.empty()) << failures[0];
      for (int64_t r = 0; r < 2; ++r) {
        const float *row = wide.data<float>() + r * length;
        HostTensor right = HostTensor::full({}, dtype, rowOrder(Kind::Sum, {row, row + length}));
        EXPECT_EQ(y.data<uint16_t>()[r], right.data<uint16_t>()[0]) << name(dtype) << " row of " << length;
      }
    }
}

TEST(CanonicalOrder, RowsAreReducedInTheStatedOrder) {
  GraphRunner runner;
  for (int64_t length : {1, 7, 8, 9, 127, 128, 129, 1000, 8192, 8193, 65535, 65536, 65537, 200000})
    for (Kind kind : {Kind::Sum, Kind::Product}) {
      int64_t rows = length < 1000 ? 5 : 2;
      HostTensor x = makeData({rows, length}, kind, static_cast<uint64_t>(length));
      HostTensor y = reduceOnDevice(runner, x, 1, kind);
      for (int64_t r = 0; r < rows; ++r) {
        const float *row = x.data<float>() + r * length;
        expectSame(y.data<float>()[r], rowOrder(kind, {row, row + length}), "row of " + std::to_string(length));
      }
    }
}

TEST(CanonicalOrder, ColumnsAreReducedInTheStatedOrder) {
  GraphRunner runner;
  for (int64_t height : {1, 127, 128, 129, 1000, 40000, 65536, 65537, 140000})
    for (int64_t width : {1, 3, 70})
      for (Kind kind : {Kind::Sum, Kind::Product}) {
        // A last axis of extent 1 that stays makes even one column a column reduction.
        HostTensor x = makeData({height, width}, kind, static_cast<uint64_t>(height * width));
        HostTensor y = reduceOnDevice(runner, x, 0, kind);
        for (int64_t c = 0; c < width; ++c) {
          std::vector<float> column;
          for (int64_t r = 0; r < height; ++r) column.push_back(x.data<float>()[r * width + c]);
          expectSame(y.data<float>()[c], columnOrder(kind, column), "column of " + std::to_string(height));
        }
      }
}

TEST(CanonicalOrder, TheReducedSpaceOfSeveralAxesIsRowMajor) {
  GraphRunner runner;
  Graph g;
  Tensor x = g.input("x", {40, 3, 9, 50});
  g.output("rows", sum(x, {0, 2, 3}));
  g.output("columns", sum(x, {0, 2}));
  HostTensor data = makeData({40, 3, 9, 50}, Kind::Sum, 5);
  std::vector<std::string> failures;
  KernelGraph cut = runner.cut(g.mlir(), true);
  auto outputs = runner.runUnjudged(cut, {{data}}, failures);
  ASSERT_TRUE(failures.empty()) << failures[0];
  auto at = [&](int64_t i, int64_t j, int64_t k, int64_t l) {
    return data.data<float>()[((i * 3 + j) * 9 + k) * 50 + l];
  };
  for (int64_t j = 0; j < 3; ++j) {
    std::vector<float> all;
    std::vector<std::vector<float>> columns(50);
    for (int64_t i = 0; i < 40; ++i)
      for (int64_t k = 0; k < 9; ++k)
        for (int64_t l = 0; l < 50; ++l) {
          all.push_back(at(i, j, k, l));
          columns[static_cast<size_t>(l)].push_back(at(i, j, k, l));
        }
    expectSame(outputs[0].data<float>()[j], rowOrder(Kind::Sum, all), "axes 0, 2, 3");
    for (int64_t l = 0; l < 50; ++l)
      expectSame(outputs[1].data<float>()[j * 50 + l], columnOrder(Kind::Sum, columns[static_cast<size_t>(l)]),
                 "axes 0, 2");
  }
}

TEST(CanonicalOrder, MatmulsAddOneFmaPerKAscending) {
  GraphRunner runner;
  for (auto [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{3, 5, 1}, {9, 33, 700}, {17, 65, 257}}) {
    Graph g;
    g.output("y", matmul(g.input("a", {m, k}), g.input("b", {k, n})));
    HostTensor a = makeInput({m, k}, f32, Flavour::Normal, 1), b = makeInput({k, n}, f32, Flavour::Normal, 2);
    std::vector<std::string> failures;
    KernelGraph cut = runner.cut(g.mlir(), true);
    auto outputs = runner.runUnjudged(cut, {{a, b}}, failures);
    ASSERT_TRUE(failures.empty()) << failures[0];
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float acc = 0;
        for (int64_t l = 0; l < k; ++l) acc = std::fma(a.data<float>()[i * k + l], b.data<float>()[l * n + j], acc);
        expectSame(outputs[0].data<float>()[i * n + j], acc, "matmul");
      }
  }
}

} // namespace
