// Each function of f16 and bf16 against libmpfr on all 65,536 inputs; also with a special function unit that is as
// wrong as it may be.
#include "passes/functions/Functions.h"
#include "tests/passes/functions/Exact.h"
#include "tests/passes/functions/HalfKernels.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>

using namespace kiln;
using namespace kiln::functions;

namespace {

/// What a GPU may give: every result off by 2^-22, up, down or as the bits have it; no subnormals in or out.
template <int direction> struct UnitBuilder : ScalarBuilder {
  float approximately(float x, float (*exact)(float)) {
    float operand = std::abs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
    float y = exact(operand);
    int sign = direction ? direction : (bits(y) * 2654435761u >> 31 ? 1 : -1);
    y *= 1 + static_cast<float>(sign) * 0x1p-22f;
    return std::abs(y) < 0x1p-126f ? std::copysign(0.0f, y) : y;
  }
  F exp2Approx(F x) {
    return approximately(x, [](float v) { return static_cast<float>(std::exp2(static_cast<double>(v))); });
  }
  F rcpApprox(F x) {
    return approximately(x, [](float v) { return 1 / v; });
  }
  F rsqrtApprox(F x) {
    return approximately(x, [](float v) { return static_cast<float>(1 / std::sqrt(static_cast<double>(v))); });
  }
};

const FunctionRow *rowOf(const char *op, DType dtype) {
  static mlir::MLIRContext context;
  using mlir::Type;
  Type type = dtype == bf16 ? Type(mlir::BFloat16Type::get(&context)) : Type(mlir::Float16Type::get(&context));
  return findFunction(op, type);
}

/// The exact results on all inputs of a dtype, made once per function.
const std::vector<double> &exactResults(const char *op, const char *form, DType dtype) {
  static std::map<std::tuple<std::string, std::string, DType>, std::vector<double>> known;
  std::vector<double> &all = known[{op, form, dtype}];
  if (!all.empty()) return all;
  for (const exact::Reference &row : exact::references())
    if (!std::strcmp(row.op, op) && !std::strcmp(row.form, form))
      for (uint32_t bits = 0; bits < 1 << 16; ++bits)
        all.push_back(row.exact(static_cast<float>(decodeFloat(dtype, bits))));
  return all;
}

template <class Half, class B> void check(DType dtype, const char *unit) {
  B b;
  for (const HalfKernel<B> &kernel : halfKernels<Half, B>) {
    const FunctionRow *row = rowOf(kernel.op, dtype);
    ASSERT_NE(row, nullptr) << kernel.op;
    if (*unit && !row->isApproximate) continue;
    const std::vector<double> &exact = exactResults(kernel.op, kernel.form, dtype);
    ASSERT_EQ(exact.size(), 1u << 16) << kernel.op;
    double worst = 0;
    uint32_t at = 0;
    for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
      float y = kernel.run(b, static_cast<float>(decodeFloat(dtype, bits)));
      double error = halfUlpError(dtype, static_cast<uint16_t>(encodeFloat(dtype, y)), exact[bits]);
      if (error > worst) worst = error, at = bits;
    }
    std::printf("%-4s %-15s %-5s %-4s %.4f ulp at %.6g\n", std::string(name(dtype)).c_str(), kernel.op, kernel.form,
                unit, worst, decodeFloat(dtype, at));
    EXPECT_LE(worst, row->maxUlp) << kernel.op << ' ' << kernel.form << " at " << decodeFloat(dtype, at);
  }
}

TEST(HalfFunctions, AreWithinTheirBoundsOnAllInputs) {
  check<half::BF16, ScalarBuilder>(bf16, "");
  check<half::F16, ScalarBuilder>(f16, "");
}

TEST(HalfFunctions, BearWhatASpecialFunctionUnitMayGive) {
  check<half::BF16, UnitBuilder<0>>(bf16, "any");
  check<half::F16, UnitBuilder<0>>(f16, "any");
  check<half::BF16, UnitBuilder<1>>(bf16, "up");
  check<half::F16, UnitBuilder<1>>(f16, "up");
  check<half::BF16, UnitBuilder<-1>>(bf16, "down");
  check<half::F16, UnitBuilder<-1>>(f16, "down");
}

TEST(HalfFunctions, TheTableOfInversesOfPiIsExact) {
  // Each row against libmpfr: high and low together, times 2^j, are 2^j / pi modulo 2. An argument is at most 511 times
  // 2^j, so that the reduced one is good for 2^-21.
  exact::Real pi, turns, two(2), part;
  for (mpfr_ptr value : {mpfr_ptr(pi), mpfr_ptr(turns), mpfr_ptr(part)}) mpfr_set_prec(value, 400);
  mpfr_const_pi(pi, MPFR_RNDN);
  for (unsigned upper = 0; upper < 128; ++upper) {
    auto [high, low] = half::inversesOfPi[upper];
    int j = std::max(2 * static_cast<int>(upper) - 134, 0);
    mpfr_ui_div(turns, 1, pi, MPFR_RNDN);
    mpfr_mul_2si(turns, turns, j, MPFR_RNDN);
    mpfr_remainder(turns, turns, two, MPFR_RNDN);
    for (float of : {high, low}) {
      mpfr_set_d(part, of, MPFR_RNDN);
      mpfr_mul_2si(part, part, j, MPFR_RNDN);
      mpfr_sub(turns, turns, part, MPFR_RNDN);
    }
    EXPECT_LE(std::abs(mpfr_get_d(turns, MPFR_RNDN)), 0x1p-30) << upper;
    EXPECT_GE(low * high, 0) << "-0 stays -0 in " << upper;
    EXPECT_EQ(half::inversesOfPi[upper + 128], half::inversesOfPi[upper]);
  }
}

TEST(HalfFunctions, PowIsWithinItsBound) {
  ScalarBuilder b;
  std::mt19937 random(3);
  for (DType dtype : {bf16, f16}) {
    double worst = 0;
    for (int k = 0; k < 200000; ++k) {
      auto x = static_cast<float>(decodeFloat(dtype, random() & 0xffff));
      auto y = static_cast<float>(decodeFloat(dtype, random() & 0xffff));
      if (k % 2 && x != 0) // a power that is spread over the range
        y = static_cast<float>(
            roundTo(dtype, (static_cast<double>(random()) * 0x1p-32 * 40 - 24) / std::log2(std::abs(x))));
      exact::Real base(x), exponent(y), power;
      mpfr_pow(power, base, exponent, MPFR_RNDN);
      double error = halfUlpError(dtype, static_cast<uint16_t>(encodeFloat(dtype, pow(b, x, y))), power.toDouble());
      ASSERT_FALSE(std::isinf(error)) << x << " ^ " << y;
      worst = std::max(worst, error);
    }
    std::printf("%-4s math.powf %.4f ulp\n", std::string(name(dtype)).c_str(), worst);
    EXPECT_LE(worst, rowOf("math.powf", dtype)->maxUlp);
  }
}

} // namespace
