// Exponentials of f32: exp, exp2, expm1, and the pieces of them that other functions share.
//
// All but expm1 reduce to 2^n * 2^f with |f| <= 1/2 and one polynomial. n is read from the low bits of f32(1.5 * 2^23 +
// n), so that it is at hand as a float (by subtraction) and as an integer (by a shift that drops the rest).
#pragma once

#include "passes/functions/Builder.h"
#include "passes/functions/Polynomials.h"

namespace kiln::functions {

/// Added to a float below 2^22 it leaves the nearest integer in the low bits.
inline constexpr float roundingMagic = 0x1.8p23f;
inline constexpr float log2eHigh = 0x1.715476p+0f, log2eLow = 0x1.4ae0cp-26f;
inline constexpr float ln2High = 0x1.62e43p-1f, ln2Low = -0x1.05c61p-29f;

/// A power of two in two parts: 2^(n + f).
template <class B> struct Power {
  typename B::F magic; ///< roundingMagic + n
  typename B::F f;     ///< in [-1/2, 1/2]
};

/// 2^x, |x| < 2^22.
template <class B> Power<B> splitPower(B &b, typename B::F x) {
  auto magic = b.add(x, b.f(roundingMagic));
  return {magic, b.sub(x, b.sub(magic, b.f(roundingMagic)))};
}

/// e^(factor * x) for a factor of 1 or a small power of two with its sign: the product keeps some 45 bits.
template <class B> Power<B> splitExp(B &b, typename B::F x, float factor) {
  auto high = b.f(factor * log2eHigh);
  auto magic = b.fma(x, high, b.f(roundingMagic));
  auto minusN = b.sub(b.f(roundingMagic), magic);
  return {magic, b.fma(x, b.f(factor * log2eLow), b.fma(x, high, minusN))};
}

/// 2^f for f in [-1/2, 1/2].
template <class B> typename B::F mantissa(B &b, typename B::F f) { return b.fma(horner(b, f, exp2Poly), f, b.f(1.0f)); }

/// 2^(n + bias) for -126 <= n + bias <= 127.
template <class B> typename B::F powerOfTwo(B &b, typename B::F magic, int bias = 0) {
  return b.fromBits(b.iadd(b.shl(b.bits(magic), b.i(23)), b.i(uint32_t(127 + bias) << 23)));
}

/// x * 2^n for -252 <= n <= 254, in two steps of which only the second rounds.
template <class B> typename B::F scale(B &b, typename B::F x, typename B::F magic) {
  auto n = b.bits(magic);
  auto half = b.shrl(n, b.i(1)); // the halves of the magic number's own bits leave with the shift below
  auto first = b.fromBits(b.iadd(b.shl(half, b.i(23)), b.i(0x3f800000u)));
  auto second = b.fromBits(b.iadd(b.shl(b.isub(n, half), b.i(23)), b.i(0x3f800000u)));
  return b.mul(b.mul(x, first), second);
}

/// x * 2^n for -190 <= n <= 0, rounded once: cheaper than scale.
template <class B> typename B::F scaleDown(B &b, typename B::F x, typename B::F magic) {
  return b.mul(b.mul(x, powerOfTwo(b, magic, 64)), b.f(0x1p-64f));
}

/// e^x.
template <class B> typename B::F exp(B &b, typename B::F x) {
  auto power = splitExp(b, b.min(b.max(x, b.f(-104.0f)), b.f(89.0f)), 1.0f); // the ends round to 0 and inf
  return scale(b, mantissa(b, power.f), power.magic);
}

/// 2^x; exact for integers.
template <class B> typename B::F exp2(B &b, typename B::F x) {
  auto power = splitPower(b, b.min(b.max(x, b.f(-151.0f)), b.f(129.0f)));
  return scale(b, mantissa(b, power.f), power.magic);
}

/// e^x - 1.
template <class B> typename B::F expm1(B &b, typename B::F x) {
  auto c = b.min(b.max(x, b.f(-20.0f)), b.f(89.0f));
  auto magic = b.fma(c, b.f(log2eHigh), b.f(roundingMagic));
  auto minusN = b.sub(b.f(roundingMagic), magic);
  auto r = b.fma(minusN, b.f(ln2Low), b.fma(minusN, b.f(ln2High), c));
  auto p = b.fma(b.mul(r, r), horner(b, r, expm1Poly), r);
  // n may be 128, so everything is halved until the end, which tiny results would not survive.
  auto s = powerOfTwo(b, magic, -1);
  auto half = b.fma(p, s, b.sub(s, b.f(0.5f)));
  return b.select(b.lt(b.abs(x), b.f(0x1p-25f)), x, b.add(half, half));
}

} // namespace kiln::functions
