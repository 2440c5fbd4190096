// Sine and cosine of f16 and bf16, in f32, over all arguments and without a branch.
//
// Arguments are measured in quarter turns: x * 2/pi = n + r with |r| <= 1/2, then a polynomial of r. An f16 is at most
// 65504, so that two parts of 2/pi will do. A bf16 may be 2^127: with x = k * 2^j, k an integer of 8 bits, only
// 2^j * 2/pi modulo 4 counts, which a table has for each j, over 2^j, in two parts of 24 bits. The second is subnormal
// for the largest j, and still good for 2^-22 of a quarter turn there.
#pragma once

#include "passes/functions/Halves.h"
#include "passes/functions/Trig.h"

#include <array>
#include <bit>

namespace kiln::functions::half {

/// x = (n + r) quarter turns (mod 4).
template <class B> struct Quarters {
  typename B::F r; ///< in [-1/2, 1/2], NaN if x is infinite or NaN
  typename B::I n; ///< its two lowest bits
};

/// A row for each sign and exponent field of an f32: (2^j * 2/pi modulo 4) / 2^j in two parts. A GPU reads it in one
/// access.
using QuarterTurns = std::array<float, 2>;

/// The row of 2/pi itself for an exponent that needs no reduction, or a biased one. Low parts have high's sign.
constexpr QuarterTurns quarterTurnsOf(unsigned field) {
  constexpr uint32_t inverse[] = {0x28be60db, 0x9391054a, 0x7f09d5f4, 0x7d4d3770,
                                  0x36d8a566, 0x4f10e410, 0x7f9458ea}; // of 2 pi, from the binary point on
  int j = static_cast<int>(field) - 127 - 7;
  if (j < 0 || field == 255) j = 0;
  unsigned start = static_cast<unsigned>(j), word = start / 32, bit = start % 32;
  uint64_t upper = uint64_t(inverse[word]) << 32 | inverse[word + 1];
  uint64_t turns = bit ? upper << bit | inverse[word + 2] >> (32 - bit) : upper; // of 2^-64
  bool negative = turns >> 63;                                                   // to the nearest whole turn
  uint64_t magnitude = negative ? ~turns + 1 : turns;
  int below = 40 - std::countl_zero(magnitude); // bits that do not count among the first 24
  uint64_t low = below > 0 ? magnitude & ((uint64_t(1) << below) - 1) : 0;
  double unit = negative ? -0x1p-62 : 0x1p-62; // quarter turns
  for (int i = 0; i < j; ++i) unit /= 2;
  return {static_cast<float>(static_cast<double>(magnitude - low) * unit),
          static_cast<float>(static_cast<double>(low) * unit)};
}

inline constexpr auto quarterTurns = [] {
  std::array<QuarterTurns, 512> rows{};
  for (unsigned field = 0; field < 256; ++field) rows[field] = rows[field + 256] = quarterTurnsOf(field);
  return rows;
}();

/// r and n of x * (high + low). -0 stays -0, since low is not negative there.
template <class B> Quarters<B> splitQuarters(B &b, typename B::F x, typename B::F high, typename B::F low) {
  auto magic = b.fma(x, high, b.f(roundingMagic));
  auto n = b.sub(magic, b.f(roundingMagic));
  return {b.fma(x, low, b.fma(x, high, b.neg(n))), b.bits(magic)};
}

template <class Half, class B> Quarters<B> reduceQuarters(B &b, typename B::F x) {
  if constexpr (std::same_as<Half, BF16>) {
    auto [high, low] = b.lookup(quarterTurns, b.shrl(b.bits(x), b.i(23)));
    return splitQuarters(b, x, high, low);
  } else {
    return splitQuarters(b, x, b.f(0x1.45f306p-1f), b.f(0x1.b9391p-26f));
  }
}

/// sin(r) and cos(r), r in quarter turns.
template <class Half, class B> std::pair<typename B::F, typename B::F> sinAndCos(B &b, typename B::F r) {
  auto s = b.mul(r, r);
  return {b.mul(r, horner(b, s, Half::sinPoly)), horner(b, s, Half::cosPoly)};
}

/// The sine.
template <class Half, class B> typename B::F sin(B &b, typename B::F x) {
  auto [r, n] = reduceQuarters<Half>(b, x);
  auto [sine, cosine] = sinAndCos<Half>(b, r);
  return turnSign(b, b.select(isEven(b, n), sine, cosine), b.shl(n, b.i(30)));
}

/// The cosine.
template <class Half, class B> typename B::F cos(B &b, typename B::F x) {
  auto [r, n] = reduceQuarters<Half>(b, x);
  auto [sine, cosine] = sinAndCos<Half>(b, r);
  return turnSign(b, b.select(isEven(b, n), cosine, sine), b.iadd(b.shl(n, b.i(30)), b.i(0x40000000u)));
}

} // namespace kiln::functions::half
