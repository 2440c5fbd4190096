// Tries all 2^32 inputs of each unary function against the double-precision libm and prints the largest error in ulps.
//
// Not a test of every day: a function takes about a minute. Usage: kiln-functions-exhaustive [--every N] [name ...]
#include "passes/functions/Activations.h"
#include "passes/functions/Hyperbolic.h"
#include "passes/functions/Pow.h"
#include "passes/functions/Trig.h"
#include "tests/passes/functions/References.h"
#include "tests/passes/functions/ScalarBuilder.h"
#include "tests/passes/functions/Ulp.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace kiln::functions;

namespace {

using B = ScalarBuilder;

/// Applies one function to n floats; a plain loop, which the compiler vectorises.
template <float (*function)(B &, float)> void map(const float *x, float *y, size_t n) {
  B b;
  for (size_t k = 0; k < n; ++k) y[k] = function(b, x[k]);
}

/// The same for a reference.
template <double (*function)(double)> void exact(const float *x, double *y, size_t n) {
  for (size_t k = 0; k < n; ++k) y[k] = function(x[k]);
}

struct Case {
  const char *name;
  void (*run)(const float *, float *, size_t);
  void (*reference)(const float *, double *, size_t);
};

const Case cases[] = {
    {"exp", map<exp<B>>, exact<std::exp>},
    {"exp2", map<exp2<B>>, exact<std::exp2>},
    {"expm1", map<expm1<B>>, exact<std::expm1>},
    {"log", map<log<B>>, exact<std::log>},
    {"log2", map<log2<B>>, exact<std::log2>},
    {"log1p", map<log1p<B>>, exact<std::log1p>},
    {"tanh", map<tanh<B>>, exact<std::tanh>},
    {"sinh", map<sinh<B>>, exact<std::sinh>},
    {"cosh", map<cosh<B>>, exact<std::cosh>},
    {"erf", map<erf<B>>, exact<std::erf>},
    {"erfc", map<erfc<B>>, exact<std::erfc>},
    {"sin", map<sin<B>>, exact<std::sin>},
    {"cos", map<cos<B>>, exact<std::cos>},
    {"tan", map<tan<B>>, exact<std::tan>},
    {"atan", map<atan<B>>, exact<std::atan>},
    {"asin", map<asin<B>>, exact<std::asin>},
    {"acos", map<acos<B>>, exact<std::acos>},
    {"rsqrt", map<rsqrt<B>>, exact<reference::rsqrt>},
    {"sigmoid", map<sigmoid<B>>, exact<reference::sigmoid>},
    {"softplus", map<softplus<B>>, exact<reference::softplus>},
    {"gelu", map<gelu<B>>, exact<reference::gelu>},
    {"gelu-tanh", map<geluTanh<B>>, exact<reference::geluTanh>},
};

/// ulpError where both values are normal, finite and of one sign; 0 where the result is right beyond those; else -1,
/// for ulpError to judge. No branch and no call, so it is vectorised.
void quickErrors(const float *got, const double *exact, double *error, size_t n) {
  for (size_t k = 0; k < n; ++k) {
    double y = got[k], d = exact[k], a = std::abs(d);
    double reciprocal =
        std::bit_cast<double>((uint64_t(2046 + 23) << 52) - (std::bit_cast<uint64_t>(a) & 0x7ff0000000000000u));
    bool ordinary = (a >= 0x1p-126) & (a < 0x1p127) & (y * d > 0) & (std::abs(y) < 0x1p128);
    float rounded = static_cast<float>(d);
    bool right = (std::bit_cast<uint32_t>(rounded) == std::bit_cast<uint32_t>(got[k])) | ((d != d) & (y != y));
    error[k] = ordinary ? std::abs(y - d) * reciprocal : right ? 0.0 : -1.0;
  }
}

/// Tries every `stride`-th bit pattern.
void exhaust(const Case &c, uint64_t stride) {
  constexpr size_t chunk = 1 << 14;
  std::vector<float> x(chunk), y(chunk);
  std::vector<double> exact(chunk), errors(chunk);
  double worst = 0, sum = 0;
  uint32_t at = 0;
  uint64_t failed = 0;
  auto start = std::chrono::steady_clock::now();
  for (uint64_t base = 0; base < uint64_t(1) << 32; base += chunk * stride) {
    for (size_t k = 0; k < chunk; ++k) x[k] = std::bit_cast<float>(uint32_t(base + k * stride));
    c.run(x.data(), y.data(), chunk);
    c.reference(x.data(), exact.data(), chunk);
    quickErrors(y.data(), exact.data(), errors.data(), chunk);
    for (size_t k = 0; k < chunk; ++k) {
      double error = errors[k] < 0 ? ulpError(y[k], exact[k]) : errors[k];
      sum += std::isinf(error) ? 0 : error;
      failed += std::isinf(error);
      if (error > worst) worst = error, at = uint32_t(base + k * stride);
    }
  }
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  float input = std::bit_cast<float>(at);
  float output;
  c.run(&input, &output, 1);
  std::printf("%-10s max %.4f ulp at %a (%.9g) -> %a, mean %.4f, wrong specials %llu, %.0f s\n", c.name, worst, input,
              input, output, sum / 0x1p32 * stride, static_cast<unsigned long long>(failed), seconds.count());
  std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments) {
  uint64_t stride = 1;
  int first = 1;
  if (count > 2 && std::strcmp(arguments[1], "--every") == 0)
    stride = std::strtoull(arguments[2], nullptr, 10), first = 3;
  if (stride == 0) return 1;
  for (const Case &c : cases) {
    bool wanted = first >= count;
    for (int k = first; k < count; ++k) wanted |= std::strcmp(arguments[k], c.name) == 0;
    if (wanted) exhaust(c, stride);
  }
  return 0;
}
