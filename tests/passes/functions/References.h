// Double-precision references for what libm lacks, good to a few units of double.
#pragma once

#include <cmath>

namespace kiln::functions::reference {

inline double rsqrt(double x) { return 1 / std::sqrt(x); }

inline double sigmoid(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }

inline double softplus(double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::abs(x))); }

inline double gelu(double x) {
  if (x < -40) return -0.0; // far below the last subnormal of f32; the product would be NaN at -inf
  return x * 0.5 * std::erfc(-x * 0.70710678118654752440);
}

inline double geluTanh(double x) {
  if (x < -40) return -0.0;
  double w = 1.5957691216057307117597842397375 * (x + 0.044715 * x * x * x);
  return x < 0 ? x * std::exp(w) / (1 + std::exp(w)) : x / (1 + std::exp(-w));
}

} // namespace kiln::functions::reference
