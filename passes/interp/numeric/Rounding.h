// The error model of one operation: ranges of what an operand may be, and the bound of a result.
//
// Values and ranges are doubles. A result's bound is the distance from its value to the ends of its range, plus what
// the operation itself may round: half a unit in the last place where it rounds correctly, more where a function's row
// says so. A 16-bit result is one of f32 arithmetic, rounded again: of a range both ends are, so that it is often a
// single value. 2^-26 of the bound is added for the rounding of the doubles themselves.
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

/// A float format that results may have.
struct Format {
  DType dtype;
  int mantissa;    ///< stored bits
  int lowest;      ///< the exponent of the least normal number
  double overflow; ///< from here on it rounds to infinity

  /// The distance between neighbours at |x|; that of the subnormals below the least normal number. x finite.
  double ulp(double x) const {
    int exponent = static_cast<int>(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff);
    exponent = std::max(exponent, 1023 + lowest) - mantissa;
    return std::bit_cast<double>(static_cast<uint64_t>(exponent) << 52);
  }
};
inline constexpr Format kFormats[] = {
    {DType::F32, 23, -126, kOverflow}, {DType::F16, 10, -14, 65520}, {DType::BF16, 7, -126, 0x1.ffp127}};
/// The row of F32, F16 or BF16.
constexpr const Format &formatOf(DType dtype) {
  return kFormats[dtype == DType::F16 ? 1 : dtype == DType::BF16 ? 2 : 0];
}

/// The distance between neighbouring f32 at |x|; 2^-149 among the subnormals. x finite.
inline double ulp(double x) { return kFormats[0].ulp(x); }

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
/// The units are those of `format`, which nothing is rounded to yet if it is not f32.
Element finish(double v, Range range, double ulps, bool either, Limits limits = {}, const Format &format = kFormats[0]);

/// As finish, but nothing rounds: for max, abs, moves of a sign.
inline Element finishExact(double v, Range range, bool either, Limits limits = {}) {
  return finish(v, range, 0, either, limits);
}

/// An f32 element rounded to `format`.
Element roundedTo(Element e, const Format &format);

/// An element of `format` as an f32: unknown where it may be infinite or not.
inline Element widened(Element e, const Format &format) {
  bool mayOverflow = e.b != 0 && std::fabs(e.v) + e.b >= format.overflow;
  return format.dtype != DType::F32 && mayOverflow ? Element::unknown() : e;
}
/// A float tensor as f32: itself, or made in `storage`.
const OracleTensor &widened(const OracleTensor &x, OracleTensor &storage);
/// The elements of a tensor, which f32 arithmetic has set, rounded to its dtype.
void roundElements(OracleTensor &x);

/// The one correctly rounded result of exact operands.
inline Element rounded(double v) { return {static_cast<double>(static_cast<float>(v)), 0, false}; }

} // namespace kiln::interp
