// Each function against libmpfr, on every exponent, every special value and the neighbourhood of every branch.
#include "passes/functions/Functions.h"
#include "tests/passes/functions/Exact.h"
#include "tests/passes/functions/Kernels.h"
#include "tests/passes/functions/Ulp.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace kiln::functions;
using namespace kiln::functions::exact;

namespace {

struct Worst {
  double error = 0;
  float input = 0, output = 0;
};

double bound(llvm::StringRef op) {
  mlir::MLIRContext context;
  const FunctionRow *row = findFunction(op, mlir::Float32Type::get(&context));
  return row ? row->maxUlp : -1;
}

const Reference *referenceOf(const Kernel &kernel) {
  for (const Reference &row : references())
    if (!std::strcmp(row.op, kernel.op) && !std::strcmp(row.form, kernel.form)) return &row;
  return nullptr;
}

TEST(Functions, AreWithinTheirBounds) {
  ScalarBuilder b;
  for (const Kernel &kernel : kernels) {
    const Reference *reference = referenceOf(kernel);
    ASSERT_NE(reference, nullptr) << kernel.op;
    Worst worst;
    for (float x : points(reference->near)) {
      float y = kernel.run(b, x);
      double error = ulpError(y, reference->exact(x));
      if (error > worst.error) worst = {error, x, y};
    }
    std::printf("%-15s %-5s %.3f ulp at %.9g (%a) -> %.9g\n", kernel.op, kernel.form, worst.error, worst.input,
                worst.input, worst.output);
    EXPECT_LE(worst.error, bound(kernel.op)) << kernel.op << " at " << worst.input;
  }
}

double exactPow(float x, float y) {
  Real a(x), c(y), out;
  mpfr_pow(out, a, c, MPFR_RNDN);
  return out.toDouble();
}

/// Pairs whose results are spread over all of f32, and some that are not.
std::vector<std::pair<float, float>> powPoints() {
  std::mt19937 random(2);
  std::vector<std::pair<float, float>> all;
  std::vector<float> specials = {0.0f,
                                 1.0f,
                                 2.0f,
                                 3.0f,
                                 0.5f,
                                 1.5f,
                                 0x1p23f + 1,
                                 0x1p24f,
                                 3e38f,
                                 1e-45f,
                                 std::numeric_limits<float>::infinity(),
                                 std::numeric_limits<float>::quiet_NaN(),
                                 1.0000001f,
                                 0.99999994f,
                                 0x1p23f - 0.5f};
  for (size_t k = specials.size(); k-- > 0;) specials.push_back(-specials[k]);
  for (float x : specials)
    for (float y : specials) all.push_back({x, y});
  std::uniform_real_distribution<double> exponent(-151, 129), unit(0, 1);
  for (int k = 0; k < 100000; ++k) {
    float x = std::bit_cast<float>(static_cast<uint32_t>(random()) & 0x7fffffff);
    if (k % 2) x = static_cast<float>(std::exp2(2 * unit(random) - 1));
    float y = static_cast<float>(exponent(random) / std::log2(static_cast<double>(x)));
    all.push_back({x, y});
    all.push_back(
        {std::bit_cast<float>(static_cast<uint32_t>(random())), std::bit_cast<float>(static_cast<uint32_t>(random()))});
    all.push_back({-x, std::nearbyint(y)});
  }
  return all;
}

TEST(Functions, PowIsWithinItsBound) {
  ScalarBuilder b;
  double worst = 0;
  std::pair<float, float> at;
  for (auto [x, y] : powPoints()) {
    float z = pow(b, x, y);
    double error = ulpError(z, exactPow(x, y));
    EXPECT_FALSE(std::isinf(error)) << x << " ^ " << y << " = " << z << ", not " << exactPow(x, y);
    if (error > worst) worst = error, at = {x, y};
  }
  std::printf("%-21s %.3f ulp at %a ^ %a\n", "math.powf", worst, at.first, at.second);
  EXPECT_LE(worst, bound("math.powf"));
}

TEST(Functions, ErfNeverPassesOneAndNeverTurnsBack) {
  ScalarBuilder b;
  float last = 0;
  // Each step of the last stretch, where a step of the result is rarer than its noise, and 1 in 16 before.
  for (uint32_t bits = std::bit_cast<uint32_t>(3.0f), step = 16; bits < std::bit_cast<uint32_t>(5.0f); bits += step) {
    float x = std::bit_cast<float>(bits), y = erf(b, x);
    step = x > 3.7f && x < 4.0f ? 1 : 16;
    ASSERT_LE(y, 1.0f) << x;
    ASSERT_GE(y, last) << x;
    ASSERT_EQ(erf(b, -x), -y) << x;
    last = y;
  }
}

TEST(Functions, ReportedFaultsAreRight) {
  ScalarBuilder b;
  float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(erf(b, 3.9004288f), 0.99999994f);
  EXPECT_EQ(erf(b, infinity), 1.0f);
  EXPECT_NEAR(gelu(b, -5.5339069f), -8.665e-8, 1e-11);
  EXPECT_NEAR(gelu(b, -3.0f), -0.0040496941, 1e-9);
  EXPECT_EQ(gelu(b, infinity), infinity);
  EXPECT_TRUE(gelu(b, -infinity) == 0 && std::signbit(gelu(b, -infinity)));
  EXPECT_TRUE(std::isnan(gelu(b, std::nanf(""))));
  EXPECT_EQ(log1p(b, 1e-8f), 9.9999999e-9f);
  EXPECT_EQ(expm1(b, 1e-8f), 9.9999999e-9f);
  EXPECT_NEAR(softplus(b, -20.0f), 2.0611536e-9, 4e-16);
  EXPECT_EQ(softplus(b, 100.0f), 100.0f);
  EXPECT_NEAR(sinh(b, 89.0f) / 2.2448064e38, 1, 3e-7);
}

} // namespace
