// Sine and cosine of f16 and bf16, in f32, over all arguments and without a branch.
//
// Arguments are measured in half turns: x / pi = n + r with |r| <= 1/2, so that one sign, (-1)^n, serves both
// functions. They are r * P(c) and c * Q(c) with c = 1/4 - r^2, which is 0 where the cosine is. An f16 is at most
// 65504, so that two parts of 1/pi will do. A bf16 may be 2^127: with x = k * 2^j, k an integer of 9 bits, only 2^j /
// pi modulo 2 counts, which a table has for every second j, over 2^j, in two parts of 24 bits. The second is subnormal
// for the largest j, and still good for 2^-21 of a half turn there.
#pragma once

#include "passes/functions/Halves.h"
#include "passes/functions/Trig.h"

#include <array>
#include <bit>

namespace kiln::functions::half {

/// x = (n + r) half turns (mod 2).
template <class B> struct HalfTurns {
  typename B::F r; ///< in [-1/2, 1/2], NaN if x is infinite or NaN
  typename B::F c; ///< 1/4 - r^2
  typename B::I n; ///< its lowest bit
};

/// A row for the upper byte of a bf16: (2^j / pi modulo 2) / 2^j in two parts. A GPU reads it in one access.
using InverseOfPi = std::array<float, 2>;

/// The row of 1/pi itself for exponents that need no reduction. Low parts have high's sign.
constexpr InverseOfPi inverseOfPiFor(unsigned upper) {
  constexpr uint32_t inverse[] = {0x28be60db, 0x9391054a, 0x7f09d5f4, 0x7d4d3770,
                                  0x36d8a566, 0x4f10e410, 0x7f9458ea}; // of 2 pi, from the binary point on
  int j = 2 * static_cast<int>(upper % 128) - 127 - 7; // the sign, and all but the last bit of the exponent's field
  if (j < 0) j = 0;
  unsigned start = static_cast<unsigned>(j), word = start / 32, bit = start % 32;
  uint64_t first = uint64_t(inverse[word]) << 32 | inverse[word + 1];
  uint64_t turns = bit ? first << bit | inverse[word + 2] >> (32 - bit) : first; // of 2^-64
  bool negative = turns >> 63;                                                   // to the nearest whole turn
  uint64_t magnitude = negative ? ~turns + 1 : turns;
  int below = 40 - std::countl_zero(magnitude); // bits that do not count among the first 24
  uint64_t low = below > 0 ? magnitude & ((uint64_t(1) << below) - 1) : 0;
  double unit = negative ? -0x1p-63 : 0x1p-63; // half turns
  for (int i = 0; i < j; ++i) unit /= 2;
  return {static_cast<float>(static_cast<double>(magnitude - low) * unit),
          static_cast<float>(static_cast<double>(low) * unit)};
}

inline constexpr auto inversesOfPi = [] {
  std::array<InverseOfPi, 256> rows{};
  for (unsigned upper = 0; upper < 256; ++upper) rows[upper] = inverseOfPiFor(upper);
  return rows;
}();

/// What is left of x / pi. -0 stays -0, since low is not negative there.
///
/// Near 1/2, r is off by 2^-26, and the cosine with it: no bf16 is so near to its zeros that this counts, but f16 are.
/// There `near` is exact and r only its sum with the rest, so that c can do without r's rounding.
template <class Half, class B> HalfTurns<B> reduceHalfTurns(B &b, typename B::F x) {
  constexpr bool isTabled = std::same_as<Half, BF16>;
  auto high = b.f(0x1.45f3p-2f), low = b.f(0x1.b72722p-24f);
  if constexpr (isTabled) {
    auto row = b.lookup(inversesOfPi, b.shrl(b.bits(x), b.i(24)));
    high = row[0], low = row[1];
  }
  auto magic = b.fma(x, high, b.f(roundingMagic));
  auto near = b.fma(x, high, b.neg(b.sub(magic, b.f(roundingMagic))));
  if constexpr (isTabled) {
    auto r = b.fma(x, low, near);
    return {r, b.fma(b.neg(r), r, b.f(0.25f)), b.bits(magic)};
  } else {
    auto rest = b.mul(x, low), r = b.add(near, rest);
    auto c = b.fma(b.neg(near), near, b.f(0.25f));
    return {r, b.fma(b.neg(rest), b.add(near, r), c), b.bits(magic)};
  }
}

/// y * (-1)^n. Adding to the top bit turns it, and a shift and a sum may be one instruction.
template <class B> typename B::F alternate(B &b, typename B::F y, typename B::I n) {
  return b.fromBits(b.iadd(b.bits(y), b.shl(n, b.i(31))));
}

/// The sine.
template <class Half, class B> typename B::F sin(B &b, typename B::F x) {
  auto [r, c, n] = reduceHalfTurns<Half>(b, x);
  return alternate(b, b.mul(r, horner(b, c, Half::sinPoly)), n);
}

/// The cosine.
template <class Half, class B> typename B::F cos(B &b, typename B::F x) {
  auto [r, c, n] = reduceHalfTurns<Half>(b, x);
  return alternate(b, b.mul(c, horner(b, c, Half::cosPoly)), n);
}

} // namespace kiln::functions::half
