// Activations of f32: sigmoid, softplus and gelu in both of its forms. None overflows, and each keeps its relative
// accuracy in the tail that goes to 0.
#pragma once

#include "passes/functions/Erf.h"
#include "passes/functions/Log.h"

namespace kiln::functions {

/// e^-|x|, down to 0.
template <class B> typename B::F expOfMinusAbs(B &b, typename B::F x) {
  auto power = splitExp(b, b.min(b.abs(x), b.f(104.0f)), -1.0f);
  return scaleDown(b, mantissa(b, power.f), power.magic);
}

/// 1 / (1 + e^-x). With e = e^-|x| and t = e / (1 + e) that is 1 - t, and e - e t below 0: either way t's rounding
/// errors count for less than in the quotient itself.
template <class B> typename B::F sigmoid(B &b, typename B::F x) {
  auto e = expOfMinusAbs(b, x);
  auto minusT = b.div(e, b.sub(b.f(-1.0f), e));
  auto limit = b.select(b.lt(x, b.f(0.0f)), e, b.f(1.0f));
  return b.fma(minusT, limit, limit);
}

/// log(1 + e^x), as max(x, 0) + log(1 + e^-|x|).
template <class B> typename B::F softplus(B &b, typename B::F x) {
  auto e = expOfMinusAbs(b, x);
  auto zero = b.f(0.0f);
  auto big = b.lt(b.f(0x1.555556p-2f), e); // 1 + e above 4/3 is halved
  auto factor = b.select(big, b.f(0.5f), b.f(1.0f)), offset = b.select(big, b.f(-0.5f), zero);
  auto f = b.fma(e, factor, offset), fLow = b.fma(e, factor, b.sub(offset, f));
  // log 2 + log(1 + f) carries what its sums round away, since the two have opposite signs.
  auto shift = b.select(big, b.f(ln2High), zero);
  auto start = b.add(shift, f), startLow = b.add(b.add(b.sub(shift, start), f), fLow);
  auto log = b.add(start, b.fma(b.mul(f, f), horner(b, f, log1pPoly), startLow));
  return b.add(b.max(x, zero), log);
}

/// x * Phi(x), as max(x, 0) - |x| * Phi(-|x|), which holds for either sign. -inf and all below -14.4 give -0.
///
/// With c = |x| and t = c / (c + 27/8), c * Phi(-c) = t * poly(2 t - 1) * e^(-c^2 / 2).
template <class B> typename B::F gelu(B &b, typename B::F x) {
  auto c = b.min(b.abs(x), b.f(14.5f));
  auto t = b.div(c, b.add(c, b.f(3.375f)));
  auto g = horner(b, b.fma(t, b.f(2.0f), b.f(-1.0f)), normalPoly);
  auto power = splitGaussian(b, c, b.neg(c), 0.5f);
  auto tail = b.mul(t, b.mul(g, mantissa(b, b.add(power.f, power.low))));
  auto positive = b.select(b.lt(x, b.f(0.0f)), b.f(-0.0f), x); // -0, so that the difference keeps x's sign
  return b.sub(positive, scaleDown(b, tail, power.magic));
}

/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), as x / (1 + 2^-w), or x * 2^w / (1 + 2^w) below 0.
template <class B> typename B::F geluTanh(B &b, typename B::F x) {
  // w = -|2 sqrt(2 / pi) (x + 0.044715 x^3) log2 e| in two parts: it reaches 150, where half an ulp would be ruin.
  // k0High is a multiple of 2^-20, so that subtracting the slope from it is exact.
  constexpr float k0High = -0x1.26aecp+1f, k0Low = -0x1.0de73ap-22f, k1High = -0x1.a5a7dp-4f, k1Low = 0x1.151aaep-29f;
  auto c = b.min(b.abs(x), b.f(11.5f)); // -11.5 and below give -0
  auto minusC = b.neg(c);
  auto square = b.mul(c, c);
  auto squareError = b.fma(minusC, c, square); // its sign turned
  auto slope = b.fma(square, b.f(k1High), b.f(k0High));
  auto slopeLow = b.fma(square, b.f(k1High), b.sub(b.f(k0High), slope));
  slopeLow = b.fma(squareError, b.f(-k1High), b.fma(square, b.f(k1Low), b.add(slopeLow, b.f(k0Low))));
  auto w = b.mul(c, slope);
  auto minusLow = b.fma(minusC, slopeLow, b.fma(minusC, slope, w));
  auto power = splitPower(b, w);
  power.f = b.sub(power.f, minusLow);
  // 2^64 keeps x * 2^w normal until the end, where the result may round to a subnormal once.
  auto lifted = b.mul(mantissa(b, power.f), powerOfTwo(b, power.magic, 64));
  auto denominator = b.fma(lifted, b.f(0x1p-64f), b.f(1.0f));
  auto negative = b.lt(x, b.f(0.0f));
  auto quotient = b.div(b.select(negative, b.mul(minusC, lifted), x), denominator);
  return b.mul(quotient, b.select(negative, b.f(0x1p-64f), b.f(1.0f)));
}

} // namespace kiln::functions
