// The functions of 16-bit floats as plain functions of floats, by the name of their operation: what HalfRows.cpp emits,
// but for the rounding at the end.
#pragma once

#include "passes/functions/Activations.h"
#include "passes/functions/HalfTrig.h"
#include "tests/passes/functions/ScalarBuilder.h"

#include <kiln/FloatFormat.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kiln::functions {

/// One expansion over builder B.
template <class B> struct HalfKernel {
  const char *op;   ///< "math.exp"
  const char *form; ///< the operation's form attribute, or ""
  float (*run)(B &, float);
};

/// Every unary row of one type, gelu once per form.
template <class Half, class B> inline constexpr HalfKernel<B> halfKernels[] = {
    {"math.exp", "", half::exp<Half, B>},
    {"math.log", "", half::log<Half, B>},
    {"math.rsqrt", "", half::rsqrt<Half, B>},
    {"math.tanh", "", half::tanh<Half, B>},
    {"math.erf", "", half::erf<Half, B>},
    {"math.sin", "", half::sin<Half, B>},
    {"math.cos", "", half::cos<Half, B>},
    {"graph.sigmoid", "", half::sigmoid<Half, B>},
    {"graph.gelu", "exact", half::gelu<Half, B>},
    {"graph.gelu", "tanh", half::geluTanh<Half, B>},
    {"math.exp2", "", exp2<B>},
    {"math.expm1", "", expm1<B>},
    {"math.log2", "", log2<B>},
    {"math.log1p", "", log1p<B>},
    {"math.sinh", "", sinh<B>},
    {"math.cosh", "", cosh<B>},
    {"math.erfc", "", erfc<B>},
    {"math.tan", "", tan<B>},
    {"math.asin", "", asin<B>},
    {"math.acos", "", acos<B>},
    {"math.atan", "", atan<B>},
    {"graph.softplus", "", softplus<B>},
};

/// |got - exact| in units of the last place of a 16-bit float at `exact`; see ulpError for what is infinite.
inline double halfUlpError(DType dtype, uint16_t got, double exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  int mantissa = dtype == bf16 ? 7 : 10, top = dtype == bf16 ? 127 : 15, bottom = dtype == bf16 ? -126 : -14;
  double y = decodeFloat(dtype, got);
  if (std::isnan(exact) || std::isnan(y)) return std::isnan(exact) && std::isnan(y) ? 0 : wrong;
  if (std::signbit(exact) != std::signbit(y)) return wrong;
  if (std::isinf(exact)) return std::isinf(y) ? 0 : wrong;
  double limit = std::ldexp(2 - std::ldexp(1.0, -mantissa - 1), top); // from here on infinity is right
  if (std::isinf(y)) y = std::copysign(std::ldexp(1.0, top + 1), exact);
  if (std::abs(exact) >= limit && std::abs(y) > std::ldexp(1.0, top + 1) * 0.99999) return 0;
  int exponent = exact == 0 ? bottom : std::clamp(std::ilogb(exact), bottom, top);
  return std::ldexp(std::abs(y - exact), mantissa - exponent);
}

} // namespace kiln::functions
