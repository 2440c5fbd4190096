// Circular functions of f32: sin, cos, tan over all arguments, and atan, asin, acos.
//
// There is one reduction, without a fast path, since a vector has no branches: 96 bits of 2 / pi times x's 24.
// Arguments below 1 are not reduced at all. sin, cos and tan of one value share it as equal operations, which CSE
// merges.
#pragma once

#include "passes/functions/Hyperbolic.h"

#include <array>

namespace kiln::functions {

inline constexpr float halfPiHigh = 0x1.921fb6p+0f, halfPiLow = -0x1.777a5cp-25f;

/// |x| = r + quadrant * pi / 2 (mod 2 pi), |r| < 1. r is NaN if x is infinite or NaN.
template <class B> struct Quadrant {
  typename B::F r;
  typename B::I quadrant;     ///< 0 to 3
  typename B::C small;        ///< r = |x|, exactly
  typename B::F coarse, rest; ///< else r is coarse * halfPiHigh * 2^-25 + rest, rounded
};

/// The 96 bits of 2^-33 * 2 / pi that start at bit e, for 0 <= e <= 127; any others for another e.
template <class B> std::array<typename B::I, 3> windowOfTwoOverPi(B &b, typename B::I e) {
  constexpr uint32_t words[] = {0, 0x517cc1b7, 0x27220a94, 0xfe13abe8, 0xfa9a6ee0, 0x6db14acc, 0x9e21c820};
  auto far = b.ult(b.i(63), e);
  auto even = b.ieq(b.iand(e, b.i(32)), b.i(0));
  std::array<typename B::I, 5> coarse;
  for (size_t k = 0; k < 5; ++k) coarse[k] = b.iselect(far, b.i(words[k + 2]), b.i(words[k]));
  std::array<typename B::I, 4> fine;
  for (size_t k = 0; k < 4; ++k) fine[k] = b.iselect(even, coarse[k], coarse[k + 1]);
  auto left = b.iand(e, b.i(31)), right = b.ixor(left, b.i(31));
  std::array<typename B::I, 3> window; // funnel shifts; the extra 1 keeps the right shift below 32
  for (size_t k = 0; k < 3; ++k) window[k] = b.ior(b.shl(fine[k], left), b.shrl(b.shrl(fine[k + 1], b.i(1)), right));
  return window;
}

/// Reduces x to a quarter turn.
template <class B> Quadrant<B> reduceQuadrant(B &b, typename B::F x) {
  auto a = b.abs(x);
  auto bits = b.bits(a);
  auto window = windowOfTwoOverPi(b, b.isub(b.shrl(bits, b.i(23)), b.i(127)));
  // |x| = m * 2^(e - 31), so m * window is |x| / (2 pi): whole turns leave at the top of 64 bits, 2 bits are quadrants.
  auto m32 = b.ior(b.shl(bits, b.i(8)), b.i(0x80000000u));
  auto m = b.widen(m32);
  auto turns = b.ladd(b.lshl(b.widen(b.imul(m32, window[0])), 32), b.lmul(m, b.widen(window[1])));
  turns = b.ladd(turns, b.lshr(b.lmul(m, b.widen(window[2])), 32));
  auto high = b.low(b.lshr(turns, 32));
  auto quadrant = b.shrl(b.iadd(high, b.i(0x20000000u)), b.i(30));
  // The signed rest of 62 bits, cut into 25 and 32 signed bits: the first is an exact float, the second a correction,
  // or all there is right beside a multiple of pi / 2.
  auto fine = b.low(b.lshr(turns, 5));
  auto coarse = b.isub(b.shra(b.shl(high, b.i(2)), b.i(7)), b.shra(fine, b.i(31)));
  auto coarseTurns = b.toFloat(coarse);
  auto nan = b.mul(x, b.f(0.0f)); // 0 unless x is infinite or NaN
  auto low = b.fma(b.toFloat(fine), b.f(halfPiHigh * 0x1p-57f), nan);
  auto rest = b.fma(coarseTurns, b.f(halfPiLow * 0x1p-25f), low);
  auto r = b.fma(coarseTurns, b.f(halfPiHigh * 0x1p-25f), rest);
  auto small = b.lt(a, b.f(1.0f));
  return {b.select(small, a, r), b.iselect(small, b.i(0), quadrant), small, coarseTurns, rest};
}

/// cos(r) for |r| < 1.
template <class B> typename B::F cosSmall(B &b, typename B::F r) {
  auto s = b.mul(r, r);
  return b.fma(b.fma(horner(b, s, cosPoly), s, b.f(-0.5f)), s, b.f(1.0f));
}

/// Whether the quadrant's lowest bit is clear.
template <class B> typename B::C isEven(B &b, typename B::I quadrant) {
  return b.ieq(b.iand(quadrant, b.i(1)), b.i(0));
}

/// x with its sign turned if the top bit of `sign` is set.
template <class B> typename B::F turnSign(B &b, typename B::F x, typename B::I sign) {
  return b.fromBits(b.ixor(b.bits(x), b.iand(sign, b.i(0x80000000u))));
}

/// The sine.
template <class B> typename B::F sin(B &b, typename B::F x) {
  auto reduced = reduceQuadrant(b, x);
  auto r = reduced.r;
  auto quadrant = reduced.quadrant;
  auto y = b.select(isEven(b, quadrant), oddPolynomial(b, r, sinPoly), cosSmall(b, r));
  return turnSign(b, y, b.ixor(b.shl(quadrant, b.i(30)), b.bits(x)));
}

/// The cosine.
template <class B> typename B::F cos(B &b, typename B::F x) {
  auto reduced = reduceQuadrant(b, x);
  auto r = reduced.r;
  auto quadrant = reduced.quadrant;
  auto y = b.select(isEven(b, quadrant), cosSmall(b, r), oddPolynomial(b, r, sinPoly));
  return turnSign(b, y, b.shl(b.iadd(quadrant, b.i(1)), b.i(30)));
}

/// The tangent: sin / cos or -cos / sin, each in two parts, so that little more than the quotient rounds.
template <class B> typename B::F tan(B &b, typename B::F x) {
  auto [r, quadrant, small, coarse, rest] = reduceQuadrant(b, x);
  auto minusR = b.neg(r);
  auto rLow = b.select(small, b.f(0.0f), b.add(b.fma(coarse, b.f(halfPiHigh * 0x1p-25f), minusR), rest));
  auto s = b.mul(r, r);
  auto cube = b.mul(r, s), sinRest = horner(b, s, sinPoly);
  auto sinHigh = b.fma(cube, sinRest, r), sinLow = b.add(b.fma(cube, sinRest, b.sub(r, sinHigh)), rLow);
  auto cosRest = b.fma(horner(b, s, cosPoly), s, b.f(-0.5f));
  auto cosHigh = b.fma(cosRest, s, b.f(1.0f));
  auto cosLow = b.fma(minusR, rLow, b.fma(cosRest, s, b.sub(b.f(1.0f), cosHigh)));
  auto even = isEven(b, quadrant);
  auto above = b.select(even, sinHigh, cosHigh), aboveLow = b.select(even, sinLow, cosLow);
  auto below = b.select(even, cosHigh, sinHigh), belowLow = b.select(even, cosLow, sinLow);
  auto reciprocal = b.div(b.f(1.0f), below);
  auto y = b.mul(above, reciprocal), minusY = b.neg(y);
  auto remainder = b.add(b.fma(minusY, below, above), b.fma(minusY, belowLow, aboveLow));
  return turnSign(b, b.fma(remainder, reciprocal, y), b.ixor(b.shl(quadrant, b.i(31)), b.bits(x)));
}

/// The arc tangent, as pi / 2 - atan(1 / |x|) beyond 1.
template <class B> typename B::F atan(B &b, typename B::F x) {
  auto a = b.abs(x);
  auto beyond = b.lt(b.f(1.0f), a);
  auto y = oddPolynomial(b, b.select(beyond, b.div(b.f(1.0f), a), a), atanPoly);
  auto folded = b.add(b.sub(b.f(halfPiHigh), y), b.f(halfPiLow));
  return withSign(b, b.select(beyond, folded, y), x);
}

/// asin near 0 and the half angle beyond 1/2, where asin(|x|) = pi / 2 - 2 asin(sqrt((1 - |x|) / 2)).
template <class B> struct HalfAngle {
  typename B::C beyond;
  typename B::F angle; ///< asin(|x|), or asin(sqrt((1 - |x|) / 2)) beyond 1/2; NaN beyond 1
};

template <class B> HalfAngle<B> halfAngle(B &b, typename B::F x) {
  auto a = b.abs(x);
  auto beyond = b.lt(b.f(0.5f), a);
  auto half = b.fma(a, b.f(-0.5f), b.f(0.5f));
  auto s = b.select(beyond, half, b.mul(a, a));
  auto y = b.select(beyond, b.sqrt(half), a);
  return {beyond, b.fma(b.mul(y, s), horner(b, s, asinPoly), y)};
}

/// The arc sine; NaN outside [-1, 1].
template <class B> typename B::F asin(B &b, typename B::F x) {
  auto [beyond, angle] = halfAngle(b, x);
  auto folded = b.add(b.fma(angle, b.f(-2.0f), b.f(halfPiHigh)), b.f(halfPiLow));
  return withSign(b, b.select(beyond, folded, angle), x);
}

/// The arc cosine; NaN outside [-1, 1].
template <class B> typename B::F acos(B &b, typename B::F x) {
  auto [beyond, angle] = halfAngle(b, x);
  auto negative = b.lt(x, b.f(0.0f));
  auto twice = b.add(angle, angle);
  auto outer = b.select(negative, b.add(b.sub(b.f(2 * halfPiHigh), twice), b.f(2 * halfPiLow)), twice);
  auto inner = b.add(b.sub(b.f(halfPiHigh), b.select(negative, b.neg(angle), angle)), b.f(halfPiLow));
  return b.select(beyond, outer, inner);
}

} // namespace kiln::functions
