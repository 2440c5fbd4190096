// Softmax and layer norm, whole and decomposed.
#include "Support.h"

namespace kiln::interp {
namespace {

std::string softmaxText(const std::string &type, int axis) {
  return unaryText("graph.softmax %x axis " + std::to_string(axis) + " : " + type, type);
}

TEST(InterpComposite, SoftmaxOfInfinities) { // A01
  OracleTensor all = evaluate(softmaxText("tensor<1x64xf32>", 1), {HostTensor::full({1, 64}, DType::F32, -kInf)});
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(std::isnan(all.values[i]) && all.at(i).exact());
  OracleTensor y = evaluate(softmaxText("tensor<4x3xf32>", 1),
                            {floats({4, 3}, {kNan, kInf, -kInf, 1, kInf, 2, 1, 2, 3, -kInf, 0, -kInf})});
  expectWithin(y, floats({4, 3}, {kNan, kNan, kNan, kNan, kNan, kNan, 0.0900306, 0.2447285, 0.6652410, 0, 1, 0}));
  expectWithin(evaluate(softmaxText("tensor<1x1xf32>", 1), {floats({1, 1}, {-5})}), floats({1, 1}, {1}));
  EXPECT_TRUE(std::isnan(evaluate(softmaxText("tensor<1x1xf32>", 1), {floats({1, 1}, {-kInf})}).values[0]));
}

/// Softmax in f32, in the canonical order of short rows: eight in sequence, units in halves.
std::vector<float> softmaxRow(const float *x, int64_t n) {
  float top = *std::max_element(x, x + n);
  std::vector<float> powers(n), units((n + 7) / 8, 0);
  for (int64_t i = 0; i < n; ++i) {
    powers[i] = std::exp(x[i] - top);
    units[i / 8] = i % 8 ? units[i / 8] + powers[i] : powers[i];
  }
  for (size_t half = 512; half > 0; half /= 2)
    for (size_t i = 0; i < half && i + half < units.size(); ++i) units[i] += units[i + half];
  for (float &power : powers) power /= units[0];
  return powers;
}

TEST(InterpComposite, SoftmaxInF32IsWithinTheBound) {
  std::mt19937 random(6);
  for (int64_t n : {3, 64, 129, 1025}) {
    HostTensor x = randomTensor(random, {4, n}, 5), y({4, n}, DType::F32);
    for (int64_t r = 0; r < 4; ++r) {
      std::vector<float> row = softmaxRow(x.data<float>() + r * n, n);
      std::copy(row.begin(), row.end(), y.data<float>() + r * n);
    }
    std::string type = "tensor<4x" + std::to_string(n) + "xf32>";
    OracleTensor oracle = evaluate(softmaxText(type, 1), {x});
    expectWithin(oracle, y);
    for (int64_t i = 0; i < oracle.size(); ++i)
      EXPECT_LE(oracle.bounds[i], 60 * 0x1p-24 * oracle.values[i] + 0x1p-145) << "tight: a few units";
  }
}

TEST(InterpComposite, SoftmaxAlongAnotherAxis) {
  HostTensor x = floats({2, 3}, {1, 2, 3, 2, 0, 3}), t = floats({3, 2}, {1, 2, 2, 0, 3, 3});
  OracleTensor y = evaluate(softmaxText("tensor<2x3xf32>", 0), {x}),
               z = evaluate(softmaxText("tensor<3x2xf32>", 1), {t});
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(y.values[r * 3 + c], z.values[c * 2 + r]);
}

TEST(InterpComposite, SoftmaxEqualsItsDecomposition) {
  std::mt19937 random(7);
  HostTensor x = randomTensor(random, {3, 50});
  OracleTensor whole = evaluate(softmaxText("tensor<3x50xf32>", 1), {x});
  OracleTensor parts = evaluate(R"(
    func.func @f(%x: tensor<3x50xf32>) -> tensor<3x50xf32> {
      %m = graph.reduce <max> %x axes [1] : tensor<3x50xf32> -> tensor<3xf32>
      %mb = graph.broadcast %m dims [0] : tensor<3xf32> -> tensor<3x50xf32>
      %d = arith.subf %x, %mb : tensor<3x50xf32>
      %e = math.exp %d : tensor<3x50xf32>
      %s = graph.reduce <sum> %e axes [1] : tensor<3x50xf32> -> tensor<3xf32>
      %one = arith.constant dense<1.0> : tensor<3xf32>
      %i = arith.divf %one, %s : tensor<3xf32>
      %ib = graph.broadcast %i dims [0] : tensor<3xf32> -> tensor<3x50xf32>
      %y = arith.mulf %e, %ib : tensor<3x50xf32>
      return %y : tensor<3x50xf32>
    })",
                                {x});
  EXPECT_EQ(whole.values, parts.values);
  EXPECT_EQ(whole.bounds, parts.bounds);
}

const char *kLayerNorm = R"(
  func.func @f(%x: tensor<5x96xf32>, %s: tensor<96xf32>, %b: tensor<96xf32>) -> tensor<5x96xf32> {
    %y = graph.layer_norm %x scale %s bias %b eps 1.0e-12 : (tensor<5x96xf32>, tensor<96xf32>, tensor<96xf32>) -> tensor<5x96xf32>
    return %y : tensor<5x96xf32>
  })";

TEST(InterpComposite, LayerNormInF32IsWithinTheBound) {
  std::mt19937 random(8);
  HostTensor x = randomTensor(random, {5, 96}), s = randomTensor(random, {96}), b = randomTensor(random, {96});
  HostTensor byRoot({5, 96}, DType::F32), byQuotient({5, 96}, DType::F32);
  for (int64_t r = 0; r < 5; ++r) {
    const float *row = x.data<float>() + r * 96;
    float total = 0, squares = 0;
    for (int i = 0; i < 12; ++i) { // any order of the canonical depth will do: units of 8, then in sequence
      float part = 0;
      for (int j = 0; j < 8; ++j) part += row[i * 8 + j];
      total += part;
    }
    float mean = total / 96;
    for (int i = 0; i < 12; ++i) {
      float part = 0;
      for (int j = 0; j < 8; ++j) part += (row[i * 8 + j] - mean) * (row[i * 8 + j] - mean);
      squares += part;
    }
    float variance = squares / 96 + 1e-12f, root = std::sqrt(variance);
    for (int i = 0; i < 96; ++i) {
      byRoot.data<float>()[r * 96 + i] = (row[i] - mean) * (1 / root) * s.data<float>()[i] + b.data<float>()[i];
      byQuotient.data<float>()[r * 96 + i] = (row[i] - mean) / root * s.data<float>()[i] + b.data<float>()[i];
    }
  }
  OracleTensor y = evaluate(kLayerNorm, {x, s, b});
  expectWithin(y, byRoot);
  expectWithin(y, byQuotient);
  for (int64_t i = 0; i < y.size(); ++i) EXPECT_LT(y.bounds[i], 2e-5) << "tight enough to catch a wrong variance";
}

TEST(InterpComposite, LayerNormEqualsItsDecomposition) {
  std::mt19937 random(9);
  HostTensor x = randomTensor(random, {5, 96}), s = randomTensor(random, {96}), b = randomTensor(random, {96});
  OracleTensor whole = evaluate(kLayerNorm, {x, s, b});
  OracleTensor parts = evaluate(R"(
    func.func @f(%x: tensor<5x96xf32>, %s: tensor<96xf32>, %b: tensor<96xf32>) -> tensor<5x96xf32> {
      %n = arith.constant dense<96.0> : tensor<5xf32>
      %eps = arith.constant dense<1.0e-12> : tensor<5xf32>
      %sum = graph.reduce <sum> %x axes [1] : tensor<5x96xf32> -> tensor<5xf32>
      %mean = arith.divf %sum, %n : tensor<5xf32>
      %mb = graph.broadcast %mean dims [0] : tensor<5xf32> -> tensor<5x96xf32>
      %c = arith.subf %x, %mb : tensor<5x96xf32>
      %cc = arith.mulf %c, %c : tensor<5x96xf32>
      %ss = graph.reduce <sum> %cc axes [1] : tensor<5x96xf32> -> tensor<5xf32>
      %v = arith.divf %ss, %n : tensor<5xf32>
      %ve = arith.addf %v, %eps : tensor<5xf32>
      %r = math.rsqrt %ve : tensor<5xf32>
      %rb = graph.broadcast %r dims [0] : tensor<5xf32> -> tensor<5x96xf32>
      %z = arith.mulf %c, %rb : tensor<5x96xf32>
      %sb = graph.broadcast %s dims [1] : tensor<96xf32> -> tensor<5x96xf32>
      %bb = graph.broadcast %b dims [1] : tensor<96xf32> -> tensor<5x96xf32>
      %zs = arith.mulf %z, %sb : tensor<5x96xf32>
      %y = arith.addf %zs, %bb : tensor<5x96xf32>
      return %y : tensor<5x96xf32>
    })",
                                {x, s, b});
  EXPECT_EQ(whole.values, parts.values);
  EXPECT_EQ(whole.bounds, parts.bounds);
}

TEST(InterpComposite, LayerNormOfConstantRowsIsBounded) {
  HostTensor x = HostTensor::full({5, 96}, DType::F32, 0.1);
  OracleTensor y =
      evaluate(kLayerNorm, {x, HostTensor::full({96}, DType::F32, 1), HostTensor::full({96}, DType::F32, 2)});
  for (int64_t i = 0; i < y.size(); ++i) {
    EXPECT_FALSE(y.at(i).either) << "a square is never negative, so its root is known";
    EXPECT_LE(std::fabs(y.values[i] - 2), y.bounds[i]);
  }
}

} // namespace
} // namespace kiln::interp
