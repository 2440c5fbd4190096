// Logarithms of f32: log, log2, log1p.
//
// x = m * 2^e with m in [2/3, 4/3), so that x near 1 has e = 0 and m - 1 is exact; then a polynomial of m - 1.
#pragma once

#include "passes/functions/Exp.h"

#include <limits>

namespace kiln::functions {

/// x = (1 + f) * 2^e, f in [-1/3, 1/3).
template <class B> struct Reduced {
  typename B::F f, e;
};

/// The bits of 2^e * 1.0 without the bias, for a positive normal x given by its bits.
template <class B> typename B::I exponentField(B &b, typename B::I bits) {
  return b.iand(b.isub(bits, b.i(0x3f2aaaabu)), b.i(0xff800000u));
}

/// Reduces a positive x, subnormal or not.
template <class B> Reduced<B> reduceLog(B &b, typename B::F x) {
  auto tiny = b.lt(x, b.f(0x1p-126f));
  auto bits = b.bits(b.select(tiny, b.mul(x, b.f(0x1p23f)), x));
  auto field = exponentField(b, bits);
  auto e = b.fma(b.toFloat(field), b.f(0x1p-23f), b.select(tiny, b.f(-23.0f), b.f(0.0f)));
  return {b.sub(b.fromBits(b.isub(bits, field)), b.f(1.0f)), e};
}

/// log(1 + f) for f in [-1/3, 1/3].
template <class B> typename B::F log1pSmall(B &b, typename B::F f) {
  return b.fma(b.mul(f, f), horner(b, f, log1pPoly), f);
}

/// y where x is in (0, inf), else the logarithm's limits: -inf at +-0, inf at inf, NaN below 0 and at NaN.
template <class B> typename B::F logLimits(B &b, typename B::F x, typename B::F y) {
  auto infinity = b.f(std::numeric_limits<float>::infinity());
  auto inside = b.ult(b.bits(x), b.i(0x7f800000u));
  auto special = b.fma(x, infinity, infinity);
  return b.select(b.eq(x, b.f(0.0f)), b.neg(infinity), b.select(inside, y, special));
}

/// The natural logarithm.
template <class B> typename B::F log(B &b, typename B::F x) {
  auto reduced = reduceLog(b, x);
  return logLimits(b, x, b.fma(reduced.e, b.f(ln2High), log1pSmall(b, reduced.f)));
}

/// The logarithm to base 2; exact for powers of two.
template <class B> typename B::F log2(B &b, typename B::F x) {
  auto reduced = reduceLog(b, x);
  auto f = reduced.f;
  auto low = b.mul(f, horner(b, f, log2Poly));
  return logLimits(b, x, b.add(reduced.e, b.fma(f, b.f(log2eHigh), low)));
}

/// log(1 + x).
template <class B> typename B::F log1p(B &b, typename B::F x) {
  auto u = b.add(x, b.f(1.0f));
  auto field = exponentField(b, b.bits(u)); // u may be rounded: it only chooses e
  // f = x * 2^-e + (2^-e - 1), exact where it matters; 2^-e is made as 4 * 2^-e, which is never subnormal.
  auto quarter = b.fma(b.fromBits(b.isub(b.i(0x40800000u), field)), b.f(0.25f), b.f(-1.0f));
  auto f = b.add(b.fromBits(b.isub(b.bits(x), field)), quarter);
  auto e = b.mul(b.toFloat(field), b.f(0x1p-23f));
  auto y = b.fma(e, b.f(ln2High), log1pSmall(b, f));
  return b.select(b.eq(x, b.f(0.0f)), x, logLimits(b, u, y)); // the sums above lose -0
}

} // namespace kiln::functions
