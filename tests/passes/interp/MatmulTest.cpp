// Matrix products.
#include "Support.h"

#include "passes/interp/numeric/Matmul.h"

namespace kiln::interp {
namespace {

std::string type(std::initializer_list<int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t extent : shape) text += std::to_string(extent) + "x";
  return text + "f32>";
}

std::string matmulText(const std::string &a, const std::string &b, const std::string &y,
                       const std::string &flags = "") {
  return "func.func @f(%a: " + a + ", %b: " + b + ") -> " + y + " {\n  %y = graph.matmul %a, %b " + flags + " : (" + a +
         ", " + b + ") -> " + y + "\n  return %y : " + y + "\n}";
}

/// f32, one fma per k, ascending, from several starting points added at the end.
HostTensor device(const HostTensor &a, const HostTensor &b, int64_t m, int64_t n, int64_t k, int64_t splits = 1) {
  HostTensor y({m, n}, DType::F32);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float total = 0;
      for (int64_t s = 0; s < splits; ++s) {
        float part = 0;
        for (int64_t p = k * s / splits; p < k * (s + 1) / splits; ++p)
          part = std::fma(a.data<float>()[i * k + p], b.data<float>()[p * n + j], part);
        total = splits == 1 ? part : total + part;
      }
      y.data<float>()[i * n + j] = total;
    }
  return y;
}

TEST(InterpMatmul, ByHandAndTransposed) {
  HostTensor a = floats({2, 3}, {1, 2, 3, 4, 5, 6}), b = floats({3, 2}, {7, 8, 9, 10, 11, 12});
  HostTensor at = floats({3, 2}, {1, 4, 2, 5, 3, 6}), bt = floats({2, 3}, {7, 9, 11, 8, 10, 12});
  HostTensor right = floats({2, 2}, {58, 64, 139, 154});
  expectWithin(evaluate(matmulText(type({2, 3}), type({3, 2}), type({2, 2})), {a, b}), right);
  expectWithin(evaluate(matmulText(type({3, 2}), type({3, 2}), type({2, 2}), "transpose_a"), {at, b}), right);
  expectWithin(evaluate(matmulText(type({2, 3}), type({2, 3}), type({2, 2}), "transpose_b"), {a, bt}), right);
  expectWithin(evaluate(matmulText(type({3, 2}), type({2, 3}), type({2, 2}), "transpose_a transpose_b"), {at, bt}),
               right);
}

TEST(InterpMatmul, TinyAndEmptyExtents) { // A07, A08
  expectExact(evaluate(matmulText(type({4, 0}), type({0, 4}), type({4, 4})), {floats({4, 0}, {}), floats({0, 4}, {})}),
              {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  expectExact(evaluate(matmulText(type({0, 5}), type({5, 3}), type({0, 3})),
                       {floats({0, 5}, {}), HostTensor({5, 3}, DType::F32)}),
              {});
  std::vector<float> row(128), right(128);
  for (int j = 0; j < 128; ++j) {
    row[j] = float(j) / 16;
    right[j] = 3 * row[j];
  }
  expectWithin(evaluate(matmulText(type({1, 1}), type({1, 128}), type({1, 128})),
                        {floats({1, 1}, {3}), tensorOf({1, 128}, row)}),
               tensorOf({1, 128}, right));
  HostTensor identity({32, 32}, DType::F32), x({32, 1}, DType::F32);
  for (int i = 0; i < 32; ++i) {
    identity.set(i * 33, 1);
    x.set(i, i);
  }
  expectWithin(evaluate(matmulText(type({32, 32}), type({32, 1}), type({32, 1})), {identity, x}), x);
}

TEST(InterpMatmul, Batches) { // A08
  HostTensor a({4, 64, 128}, DType::F32), right({4, 64, 256}, DType::F32);
  for (int64_t i = 0; i < a.size(); ++i) a.data<float>()[i] = float(i / (64 * 128) + 1);
  for (int64_t i = 0; i < right.size(); ++i) right.data<float>()[i] = 128 * float(i / (64 * 256) + 1);
  expectWithin(evaluate(matmulText(type({4, 64, 128}), type({4, 128, 256}), type({4, 64, 256})),
                        {a, HostTensor::full({4, 128, 256}, DType::F32, 1)}),
               right);
}

TEST(InterpMatmul, F32ProductsAreWithinTheBound) {
  std::mt19937 random(4);
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1}, {5, 9, 3}, {17, 33, 64}, {13, 7, 385}, {65, 31, 1500}}) {
    HostTensor a = randomTensor(random, {m, k}), b = randomTensor(random, {k, n});
    OracleTensor y = evaluate(matmulText(type({m, k}), type({k, n}), type({m, n})), {a, b});
    EXPECT_LT(expectWithin(y, device(a, b, m, n, k)), 1);
    if (k > 4) expectWithin(y, device(a, b, m, n, k, 4));
  }
}

TEST(InterpMatmul, BoundsOfOperandsAreCarried) {
  std::mt19937 random(5);
  HostTensor a = randomTensor(random, {6, 40}), b = randomTensor(random, {40, 10});
  OracleTensor left = OracleTensor::fromHost(a);
  for (int64_t i = 0; i < left.size(); ++i) left.set(i, {left.values[i], 1e-4, false});
  std::string text = matmulText(type({6, 40}), type({40, 10}), type({6, 10}));
  OracleTensor y = evaluate(text, std::vector<OracleTensor>{left, OracleTensor::fromHost(b)});
  for (float sign : {-1.0f, 1.0f}) { // all moved by nearly their bound, in the direction that hurts column 0
    HostTensor moved = a.clone();
    for (int64_t i = 0; i < moved.size(); ++i)
      moved.data<float>()[i] += sign * 0.999e-4f * (b.data<float>()[i % 40 * 10] > 0 ? 1 : -1);
    double worst = expectWithin(y, device(moved, b, 6, 10, 40));
    EXPECT_GT(worst, 0.9) << "and no wider than that";
  }
  OracleTensor marked = OracleTensor::fromHost(a);
  marked.set(40, {0, 1, true});
  OracleTensor z = evaluate(text, std::vector<OracleTensor>{marked, OracleTensor::fromHost(b)});
  EXPECT_FALSE(z.at(0).either);
  EXPECT_TRUE(z.at(10).either && z.at(19).either);
  EXPECT_FALSE(z.at(20).either);
}

TEST(InterpMatmul, SpecialValuesAndOverflow) {
  std::string text = matmulText(type({3, 2}), type({2, 1}), type({3, 1}));
  OracleTensor y = evaluate(text, {floats({3, 2}, {kInf, 1, kNan, 1, 3e38, 3e38}), floats({2, 1}, {1, 2})});
  expectExact(y, {kInf, kNan, kInf});
  // The partial sums pass the threshold and come back only in exact arithmetic.
  expectWithin(evaluate(text, {floats({3, 2}, {0, kInf, 3e38, 3e38, 1, 0}), floats({2, 1}, {10, -10})}),
               floats({3, 1}, {-kInf, kInf, 10}));
  expectExact(evaluate(text, {floats({3, 2}, {0, kInf, 1, 1, 1, 1}), floats({2, 1}, {kInf, 0})}), {kNan, kInf, kInf});
}

TEST(InterpMatmul, SixteenBitProductsLineUpAsNormalOnes) {
  std::string text = "func.func @f(%a: tensor<1x2xf16>, %b: tensor<2x1xf16>) -> tensor<1x1xf32> {\n"
                     "  %y = graph.matmul %a, %b : (tensor<1x2xf16>, tensor<2x1xf16>) -> tensor<1x1xf32>\n"
                     "  return %y : tensor<1x1xf32>\n}";
  // A tensor core lines 2^-24 times 2^15 up as 2^-14 times 2^15, which costs 2^-8 times 1 its last bits; zeros cost
  // nothing.
  for (double tiny : {0x1p-24, 0.0}) {
    HostTensor a = HostTensor::of({1, 2}, DType::F16, {tiny, 0x1p-8});
    OracleTensor y = evaluate(text, {a, HostTensor::of({2, 1}, DType::F16, {0x1p15, 1})});
    EXPECT_EQ(y.at(0).v, tiny * 0x1p15 + 0x1p-8);
    EXPECT_GE(y.at(0).b, tiny > 0 ? 0x1p-22 : 0x1p-32);
    EXPECT_LE(y.at(0).b, tiny > 0 ? 0x1p-21 : 0x1p-29);
  }
}

TEST(InterpMatmul, SixteenBitSumsInAnyOrder) {
  std::string text = "func.func @f(%a: tensor<6x3xbf16>, %b: tensor<3x1xbf16>) -> tensor<6x1xf32> {\n"
                     "  %y = graph.matmul %a, %b : (tensor<6x3xbf16>, tensor<3x1xbf16>) -> tensor<6x1xf32>\n"
                     "  return %y : tensor<6x1xf32>\n}";
  double big = 0x1p127; // twice it is past f32, in any type
  HostTensor a = HostTensor::of(
      {6, 3}, DType::BF16, {big, big, -big, kInf, 1, 1, kInf, -kInf, 1, kNan, big, big, 1, 2, -kInf, kInf, big, -big});
  HostTensor b = HostTensor::of({3, 1}, DType::BF16, {2, 2, 2});
  OracleTensor y = evaluate(text, {a, b});
  EXPECT_TRUE(y.at(0).isUnknown()); // infinite, or what the exact sum is
  EXPECT_EQ(y.at(1).v, kInf);
  EXPECT_TRUE(std::isnan(y.at(2).v));
  EXPECT_TRUE(std::isnan(y.at(3).v));
  EXPECT_EQ(y.at(4).v, -kInf);
  EXPECT_TRUE(y.at(5).isUnknown()); // NaN, where the others overflow downwards first
}

TEST(InterpMatmul, Units) {
  EXPECT_EQ(matmulUnits(1), 1);
  EXPECT_EQ(matmulUnits(64), 64);
  EXPECT_EQ(matmulUnits(400), 160);
}

} // namespace
} // namespace kiln::interp
