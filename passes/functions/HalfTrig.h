// Sine and cosine of f16 and bf16, in f32, over all arguments and without a branch.
//
// Arguments are measured in quarter turns: x * 2/pi = n + r with |r| <= 1/2, then a polynomial of r. An f16 is at most
// 65504, so that two parts of 2/pi will do. A bf16 may be 2^127: with x = k * 2^j, k an integer of 8 bits, only
// 2^j * 2/pi modulo 4 counts, which a table has for each j in two parts: k times the first, of 16 bits, is exact.
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

/// A row for each sign and exponent field of an f32: what to multiply by to get k, then 2^j * 2/pi in two parts. With
/// a column that fills 16 bytes, a GPU reads a row in one access.
using QuarterTurns = std::array<float, 4>;

/// The row of 2^j * 2/pi for an exponent that needs no reduction, or a biased one.
constexpr QuarterTurns quarterTurnsOf(unsigned field) {
  constexpr uint32_t inverse[] = {0x28be60db, 0x9391054a, 0x7f09d5f4, 0x7d4d3770,
                                  0x36d8a566, 0x4f10e410, 0x7f9458ea}; // of 2 pi, from the binary point on
  int j = static_cast<int>(field) - 127 - 7;
  if (j < 0 || field == 255) j = -1;
  unsigned start = j < 0 ? 0 : static_cast<unsigned>(j), word = start / 32, bit = start % 32;
  uint64_t upper = uint64_t(inverse[word]) << 32 | inverse[word + 1];
  uint64_t turns = bit ? upper << bit | inverse[word + 2] >> (32 - bit) : upper; // of 2^-64
  bool negative = j >= 0 && turns >> 63;                                         // to the nearest whole turn
  uint64_t magnitude = negative ? ~turns + 1 : turns;
  int below = 48 - std::countl_zero(magnitude); // bits that do not count among the first 16
  uint64_t low = below > 0 ? magnitude & ((uint64_t(1) << below) - 1) : 0;
  float unit = (negative ? -1.0f : 1.0f) * 0x1p-62f;
  float scale = j < 0 ? 1.0f : std::bit_cast<float>(static_cast<uint32_t>(127 - j) << 23);
  return {scale, static_cast<float>(magnitude - low) * unit, static_cast<float>(low) * unit, 0.0f};
}

inline constexpr auto quarterTurns = [] {
  std::array<QuarterTurns, 512> rows{};
  for (unsigned field = 0; field < 256; ++field) rows[field] = rows[field + 256] = quarterTurnsOf(field);
  return rows;
}();

/// r and n of k times high + low, which is exact but for low's last bits. -0 stays -0, since low is not negative there.
template <class B> Quarters<B> splitQuarters(B &b, typename B::F k, typename B::F high, typename B::F low) {
  auto magic = b.fma(k, high, b.f(roundingMagic));
  auto n = b.sub(magic, b.f(roundingMagic));
  return {b.fma(k, low, b.fma(k, high, b.neg(n))), b.bits(magic)};
}

template <class Half, class B> Quarters<B> reduceQuarters(B &b, typename B::F x) {
  if constexpr (std::same_as<Half, BF16>) {
    auto [scale, high, low, fill] = b.lookup(quarterTurns, b.shrl(b.bits(x), b.i(23)));
    return splitQuarters(b, b.mul(x, scale), high, low);
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
