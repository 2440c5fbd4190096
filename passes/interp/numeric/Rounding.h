// The error model of one f32 operation: ranges of what an operand may be, and the bound of a result.
//
// Values and ranges are doubles. A result's bound is the distance from its value to the ends of its range, plus what
// the operation itself may round: half a unit in the last place where it rounds correctly, more where a function's row
// says so. 2^-26 of the bound is added for the rounding of the doubles themselves.
#pragma once

#include "passes/interp/Value.h"

#include <algorithm>
#include <bit>

namespace kiln::interp {

/// From here on (2^128 - 2^103) f32 rounds to infinity.
inline constexpr double kOverflow = 0x1.ffffffp127;
/// Half a unit in the last place of 1: the largest relative error of one rounding.
inline constexpr double kUnit = 0x1p-24;
/// The share of a bound that covers double arithmetic.
inline constexpr double kSlack = 1 + 0x1p-26;

/// The distance between neighbouring f32 at |x|; 2^-149 among the subnormals. x finite.
inline double ulp(double x) {
  int exponent = static_cast<int>(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff);
  exponent = std::max(exponent, 1023 - 126) - 23;
  return std::bit_cast<double>(static_cast<uint64_t>(exponent) << 52);
}

/// Every f32 an element may be lies in [lo, hi]; the ends are f32 or infinities. Not for NaN or unknown elements.
struct Range {
  double lo, hi;
};

inline float above(float x) { // the next f32 up, for finite x
  if (x == 0) return std::numeric_limits<float>::denorm_min();
  uint32_t bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>(x > 0 ? bits + 1 : bits - 1);
}

inline Range rangeOf(const Element &e) {
  if (e.b == 0) return {e.v, e.v};
  double lo = e.v - e.b, hi = e.v + e.b;
  float low = static_cast<float>(lo), high = static_cast<float>(hi);
  if (std::isfinite(low) && low < lo) low = above(low);
  if (std::isfinite(high) && high > hi) high = -above(-high);
  // A range that holds no f32 cannot come from a sound bound, save for the last bits of the doubles: keep it as it is.
  return low <= high ? Range{low, high} : Range{lo, hi};
}

/// What a result is known to lie in whatever its bound says, such as [0, inf) for a square.
struct Limits {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
};

/// The element of value `v` whose unrounded results fill [range], with `ulps` units of own error. Within the limits.
Element finish(double v, Range range, double ulps, bool either, Limits limits = {});

/// As finish, but nothing rounds: for max, abs, moves of a sign.
inline Element finishExact(double v, Range range, bool either, Limits limits = {}) {
  return finish(v, range, 0, either, limits);
}

/// The one correctly rounded result of exact operands.
inline Element rounded(double v) { return {static_cast<double>(static_cast<float>(v)), 0, false}; }

} // namespace kiln::interp
