// Planted faults: what a wrong device would return must leave the bounds.
#include "Support.h"

namespace kiln::interp {
namespace {

constexpr int64_t kM = 37, kN = 29, kK = 384;

float rounded16(float x) { return float(roundTo(DType::BF16, x)); }

/// y = x w with optional faults, in f32 as the contract says.
struct Faults {
  int64_t skippedK = -1;        ///< this k is left out
  bool bf16 = false;            ///< operands pass through bf16
  bool transposed = false;      ///< the weights are read by columns
  float scale = 1;              ///< of the result
  bool lastColumnWrong = false; ///< the last residue column is that of its neighbour
};

HostTensor device(const HostTensor &x, const HostTensor &w, const Faults &faults) {
  HostTensor y({kM, kN}, DType::F32);
  for (int64_t i = 0; i < kM; ++i)
    for (int64_t j = 0; j < kN; ++j) {
      int64_t column = faults.lastColumnWrong && j == kN - 1 ? j - 1 : j;
      float total = 0;
      for (int64_t p = 0; p < kK; ++p) {
        if (p == faults.skippedK) continue;
        float a = x.data<float>()[i * kK + p];
        float b = w.data<float>()[faults.transposed ? column * kK + p : p * kN + column];
        total = std::fma(faults.bf16 ? rounded16(a) : a, faults.bf16 ? rounded16(b) : b, total);
      }
      y.data<float>()[i * kN + j] = total * faults.scale;
    }
  return y;
}

struct InterpFaults : testing::Test {
  InterpFaults() {
    std::mt19937 random(10);
    x = randomTensor(random, {kM, kK});
    w = randomTensor(random, {kK, kN}, 0.05f);
    want = evaluate("func.func @f(%x: tensor<37x384xf32>, %w: tensor<384x29xf32>) -> tensor<37x29xf32> {\n"
                    "  %y = graph.matmul %x, %w : (tensor<37x384xf32>, tensor<384x29xf32>) -> tensor<37x29xf32>\n"
                    "  return %y : tensor<37x29xf32>\n}",
                    {x, w});
  }
  HostTensor x, w;
  OracleTensor want;
};

TEST_F(InterpFaults, TheRightProductPasses) { EXPECT_TRUE(compare(want, device(x, w, {})).passed()); }

TEST_F(InterpFaults, ProductOffByOnePercent) {
  EXPECT_GT(compare(want, device(x, w, {.scale = 1.01f})).mismatches, kM * kN * 9 / 10);
}

TEST_F(InterpFaults, OneStepOfKMissed) {
  for (int64_t k : {int64_t{0}, kK / 2, kK - 1})
    EXPECT_GT(compare(want, device(x, w, {.skippedK = k})).mismatches, kM * kN * 9 / 10) << k;
}

TEST_F(InterpFaults, LastResidueColumnWrong) {
  Comparison verdict = compare(want, device(x, w, {.lastColumnWrong = true}));
  EXPECT_EQ(verdict.mismatches, kM);
  EXPECT_NE(verdict.firstMismatch.find("[0, 28]"), std::string::npos) << verdict.firstMismatch;
}

TEST_F(InterpFaults, OperandsThroughBf16) { EXPECT_FALSE(compare(want, device(x, w, {.bf16 = true})).passed()); }

TEST_F(InterpFaults, WeightsTransposed) { EXPECT_FALSE(compare(want, device(x, w, {.transposed = true})).passed()); }

TEST_F(InterpFaults, OutputUnwritten) {
  EXPECT_EQ(compare(want, HostTensor::full({kM, kN}, DType::F32, kNan)).mismatches, kM * kN);
  HostTensor last = device(x, w, {});
  last.data<float>()[kM * kN - 1] = kNan;
  EXPECT_EQ(compare(want, last).mismatches, 1);
  EXPECT_FALSE(compare(want, HostTensor({kM, kN}, DType::F32)).passed());
}

TEST(InterpFaultsElementwise, FusedMultiplyAddWhereTwoRoundingsAreNamed) {
  std::mt19937 random(11);
  HostTensor a = randomTensor(random, {100}), b = randomTensor(random, {100}), c = randomTensor(random, {100});
  OracleTensor want =
      evaluate("func.func @f(%a: tensor<100xf32>, %b: tensor<100xf32>, %c: tensor<100xf32>) -> tensor<100xf32> {\n"
               "  %p = arith.mulf %a, %b : tensor<100xf32>\n  %y = arith.addf %p, %c : tensor<100xf32>\n"
               "  return %y : tensor<100xf32>\n}",
               {a, b, c});
  HostTensor twice({100}, DType::F32), once({100}, DType::F32);
  for (int i = 0; i < 100; ++i) {
    volatile float product = a.data<float>()[i] * b.data<float>()[i];
    twice.data<float>()[i] = product + c.data<float>()[i];
    once.data<float>()[i] = std::fma(a.data<float>()[i], b.data<float>()[i], c.data<float>()[i]);
  }
  EXPECT_EQ(compare(want, twice).worstErrorOverBound, 0) << "exact operands: bit for bit";
  EXPECT_GT(compare(want, once).mismatches, 0);
}

TEST(InterpFaultsElementwise, LostSignOfZeroAndLostNan) {
  std::string type = "tensor<4xf32>";
  HostTensor a = floats({-0.0, 0.0, kNan, 1}), b = floats({0.0, -0.0, 1, kNan});
  OracleTensor largest = evaluate(binaryText("arith.maximumf %a, %b : " + type, type), {a, b});
  EXPECT_TRUE(compare(largest, floats({0.0, 0.0, kNan, kNan})).passed());
  EXPECT_FALSE(compare(largest, floats({-0.0, 0.0, kNan, kNan})).passed()) << "maximum(-0, +0) is +0";
  EXPECT_FALSE(compare(largest, floats({0.0, 0.0, 1, kNan})).passed()) << "NaN lost on the left";
  EXPECT_FALSE(compare(largest, floats({0.0, 0.0, kNan, 1})).passed()) << "NaN lost on the right";
  OracleTensor negated = evaluate(unaryText("arith.negf %x : " + type, type), {floats({0.0, -0.0, 1, 2})});
  EXPECT_FALSE(compare(negated, floats({0.0, 0.0, -1, -2})).passed()) << "-0 lost";
}

TEST(InterpFaultsElementwise, OffByOneInASliceAndAWrongTransposition) {
  std::mt19937 random(12);
  HostTensor x = randomTensor(random, {4, 4});
  OracleTensor part =
      evaluate(unaryText("graph.slice %x from [1, 1] to [3, 4] step [1, 1] : tensor<4x4xf32> -> tensor<2x3xf32>",
                         "tensor<4x4xf32>", "tensor<2x3xf32>"),
               {x});
  OracleTensor turned = evaluate(
      unaryText("graph.transpose %x perm [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>", "tensor<4x4xf32>"), {x});
  auto sliceAt = [&](int64_t row, int64_t column) {
    HostTensor y({2, 3}, DType::F32);
    for (int i = 0; i < 6; ++i) y.set(i, x.get((row + i / 3) * 4 + column + i % 3));
    return y;
  };
  EXPECT_TRUE(compare(part, sliceAt(1, 1)).passed());
  EXPECT_EQ(compare(part, sliceAt(1, 0)).mismatches, 6);
  EXPECT_EQ(compare(part, sliceAt(2, 1)).mismatches, 6);
  EXPECT_EQ(compare(turned, x).mismatches, 12) << "all but the diagonal";
}

TEST(InterpFaultsElementwise, IntermediateThroughBf16AndACrudeFunction) {
  std::mt19937 random(13);
  HostTensor x = randomTensor(random, {200});
  OracleTensor want =
      evaluate("func.func @f(%x: tensor<200xf32>) -> tensor<200xf32> {\n  %e = math.exp %x : tensor<200xf32>\n"
               "  %y = math.tanh %e : tensor<200xf32>\n  return %y : tensor<200xf32>\n}",
               {x});
  HostTensor right({200}, DType::F32), narrow({200}, DType::F32), crude({200}, DType::F32);
  for (int i = 0; i < 200; ++i) {
    float e = std::exp(x.data<float>()[i]);
    right.set(i, std::tanh(e));
    narrow.set(i, std::tanh(rounded16(e)));
    crude.set(i, std::tanh(e) * (1 + 0x1p-20f));
  }
  EXPECT_TRUE(compare(want, right).passed());
  EXPECT_GT(compare(want, narrow).mismatches, 100);
  EXPECT_GT(compare(want, crude).mismatches, 100);
}

TEST(InterpFaultsElementwise, SumMissesItsLastElement) {
  std::mt19937 random(14);
  HostTensor x = randomTensor(random, {3, 1025});
  OracleTensor want = evaluate(unaryText("graph.reduce <sum> %x axes [1] : tensor<3x1025xf32> -> tensor<3xf32>",
                                         "tensor<3x1025xf32>", "tensor<3xf32>"),
                               {x});
  HostTensor all({3}, DType::F32), most({3}, DType::F32);
  for (int r = 0; r < 3; ++r) {
    double total = 0;
    for (int i = 0; i < 1024; ++i) total += x.get(r * 1025 + i);
    most.set(r, total);
    all.set(r, total + x.get(r * 1025 + 1024));
  }
  EXPECT_TRUE(compare(want, all).passed());
  EXPECT_EQ(compare(want, most).mismatches, 3);
}

} // namespace
} // namespace kiln::interp
