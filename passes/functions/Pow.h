// Powers and roots of f32: pow and rsqrt.
#pragma once

#include "passes/functions/Log.h"

namespace kiln::functions {

/// 1 / sqrt(x): inf with x's sign at +-0, NaN below 0.
template <class B> typename B::F rsqrt(B &b, typename B::F x) { return b.div(b.f(1.0f), b.sqrt(x)); }

/// A value in two parts; low is at most about an ulp of high.
template <class B> struct Pair {
  typename B::F high, low;
};

/// log2(x) to some 32 bits for 0 < x < inf: pow multiplies it by up to 150.
template <class B> Pair<B> log2Pair(B &b, typename B::F x) {
  auto tiny = b.lt(x, b.f(0x1p-126f));
  auto bits = b.bits(b.select(tiny, b.mul(x, b.f(0x1p23f)), x));
  auto field = b.iand(b.isub(bits, b.i(0x3f300000u)), b.i(0xff800000u));
  auto e = b.fma(b.toFloat(field), b.f(0x1p-23f), b.select(tiny, b.f(-23.0f), b.f(0.0f)));
  // m in [11/16, 11/8) times 5/4, 1 or 13/16 is within 9/64 of 1, and minus 1 exact. The factors' logarithms have 14
  // bits in front, so that adding e to them is exact too.
  auto m = b.fromBits(b.isub(bits, field));
  auto left = b.lt(m, b.f(0.9f)), right = b.lt(b.f(1.12f), m);
  auto choose = [&](float low, float middle, float high) {
    return b.select(left, b.f(low), b.select(right, b.f(high), b.f(middle)));
  };
  auto f = b.fma(m, choose(1.25f, 1.0f, 0.8125f), b.f(-1.0f));
  auto base = b.add(e, choose(-0x1.49ap-2f, 0.0f, 0x1.32cp-2f));
  auto baseLow = choose(-0x1.e12f34p-16f, 0.0f, -0x1.1c8f12p-22f);
  // log(1 + f) = f - f^2 / 2 + f^3 * poly(f), the first two terms in two parts.
  auto square = b.mul(f, f), squareLow = b.fma(f, f, b.neg(square));
  auto sum = b.fma(square, b.f(-0.5f), f);
  auto sumLow = b.fma(square, b.f(-0.5f), b.sub(f, sum));
  sumLow = b.fma(squareLow, b.f(-0.5f), sumLow);
  sumLow = b.fma(b.mul(square, f), horner(b, f, powPoly), sumLow);
  auto log = b.add(sum, sumLow), logLow = b.add(b.sub(sum, log), sumLow);
  // times log2 e, plus the base
  auto scaled = b.mul(log, b.f(log2eHigh));
  auto scaledLow = b.fma(log, b.f(log2eHigh), b.neg(scaled));
  scaledLow = b.fma(log, b.f(log2eLow), b.fma(logLow, b.f(log2eHigh), scaledLow));
  auto high = b.add(base, scaled);
  return {high, b.add(b.add(b.sub(base, high), scaled), b.add(scaledLow, baseLow))};
}

/// What pow asks of an exponent.
template <class B> struct Parity {
  typename B::C integral;
  typename B::I odd; ///< the top bit alone, set for an odd integer
};

template <class B> Parity<B> parity(B &b, typename B::F y) {
  auto a = b.abs(y);
  auto inRange = b.select(b.lt(a, b.f(0x1p24f)), a, b.f(0x1p24f)); // all beyond are even; NaN may be anything
  auto n = b.toInt(inRange);
  auto integral = b.eq(b.toFloat(n), inRange);
  return {integral, b.iselect(integral, b.shl(n, b.i(31)), b.i(0))};
}

/// x^y as C's pow defines it for all special values; pow(1, y) = pow(x, 0) = 1 even for NaN.
template <class B> typename B::F pow(B &b, typename B::F x, typename B::F y) {
  auto infinity = b.f(std::numeric_limits<float>::infinity());
  auto zero = b.f(0.0f), one = b.f(1.0f);
  auto a = b.abs(x);
  auto log = log2Pair(b, a);
  auto high = b.select(b.eq(a, zero), b.neg(infinity), b.select(b.lt(a, infinity), log.high, b.add(a, a)));
  auto exponent = b.min(b.max(y, b.f(-0x1p60f)), b.f(0x1p60f)); // finite, so that 0 * y stays 0
  auto product = b.mul(exponent, high);
  auto productLow = b.fma(exponent, log.low, b.fma(exponent, high, b.neg(product)));
  auto inside = b.lt(b.abs(product), b.f(200.0f)); // beyond, the low part is noise or NaN
  auto power = splitPower(b, b.min(b.max(product, b.f(-200.0f)), b.f(200.0f)));
  power.f = b.add(power.f, b.select(inside, productLow, zero));
  auto magnitude = scale(b, mantissa(b, power.f), power.magic);

  auto [integral, odd] = parity(b, y);
  auto signedValue = b.fromBits(b.ior(b.bits(magnitude), b.iand(b.bits(x), odd)));
  auto defined = b.iselect(b.both(b.lt(x, zero), b.lt(a, infinity)), b.iselect(integral, b.i(1), b.i(0)), b.i(1));
  auto value = b.select(b.ieq(defined, b.i(0)), b.f(std::numeric_limits<float>::quiet_NaN()), signedValue);
  return b.select(b.eq(y, zero), one, b.select(b.eq(x, one), one, value));
}

} // namespace kiln::functions
