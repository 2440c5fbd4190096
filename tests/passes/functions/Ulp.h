// The error of an f32 against an exact result that is given as a double, in units of the last place.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace kiln::functions {

/// |got - exact| in ulps of f32 at `exact` (2^-149 for all subnormals). Infinite where one is NaN and the other not, an
/// infinity is finite or has the wrong sign, or a zero has the wrong sign. inf counts as 2^128 beside a finite exact
/// value, and an exact value that rounds to inf must give inf.
inline double ulpError(float got, double exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : wrong;
  if (std::signbit(exact) != std::signbit(got)) return exact == 0 || got == 0 ? wrong : std::abs(got - exact) * 0x1p149;
  if (std::isinf(exact)) return std::isinf(got) ? 0 : wrong;
  double a = std::abs(exact), y = std::isinf(got) ? 0x1p128 : std::abs(static_cast<double>(got));
  if (a >= 0x1.ffffffp127) return std::isinf(got) ? 0 : (0x1p128 - y) * 0x1p-104;
  int exponent = a == 0 ? -126 : std::max(std::ilogb(a), -126);
  return std::ldexp(std::abs(y - a), 23 - exponent);
}

} // namespace kiln::functions
