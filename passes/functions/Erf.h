// The error function of f32, its complement, and what the exact gelu shares with them.
#pragma once

#include "passes/functions/Exp.h"

namespace kiln::functions {

/// The error function: x + x * poly(x^2) near 0, else 1 - 2^poly(|x|), which can neither pass 1 nor turn back.
template <class B> typename B::F erf(B &b, typename B::F x) {
  auto a = b.abs(x);
  auto c = b.min(a, b.f(4.0f)); // from 3.92 on erf rounds to 1
  auto power = splitPower(b, horner(b, c, log2ErfcPoly));
  auto minus = b.fromBits(b.iadd(b.shl(b.bits(power.magic), b.i(23)), b.i(0xbf800000u))); // -2^n
  auto large = b.fma(mantissa(b, power.f), minus, b.f(1.0f));
  auto small = b.fma(x, horner(b, b.mul(x, x), erfPoly), x);
  return b.select(b.lt(a, b.f(0.921875f)), small, withSign(b, large, x));
}

/// 2^(n + f + low): a power of two whose exponent has more bits than f32.
template <class B> struct FinePower {
  typename B::F magic, f, low;
};

/// e^(-factor * c^2) for a factor of 1 or 1/2. At c = 10 half an ulp of c^2 would be some 30 ulp of the power.
template <class B> FinePower<B> splitGaussian(B &b, typename B::F c, typename B::F minusC, float factor) {
  auto square = b.mul(c, c);
  auto squareError = b.fma(minusC, c, square);
  auto high = b.f(-factor * log2eHigh);
  auto magic = b.fma(square, high, b.f(roundingMagic));
  auto f = b.fma(square, high, b.sub(b.f(roundingMagic), magic));
  auto low = b.fma(squareError, b.f(factor * log2eHigh), b.mul(square, b.f(-factor * log2eLow)));
  return {magic, f, low};
}

/// 1 - erf(x), accurate to the last subnormal: 2^f * poly(q) / (c + o) * 2^n with q = (c - o) / (c + o), c = |x|. Each
/// sum but the last carries what it rounded away, which is what 2 ulp take here.
template <class B> typename B::F erfc(B &b, typename B::F x) {
  auto c = b.min(b.abs(x), b.f(10.0625f)), minusC = b.neg(c), offset = b.f(2.3125f);
  auto below = b.add(c, offset), offsetPart = b.sub(below, c);
  auto belowLow = b.add(b.sub(offset, offsetPart), b.sub(c, b.sub(below, offsetPart)));
  auto reciprocal = b.div(b.f(1.0f), below);
  auto q0 = b.fma(reciprocal, b.f(-4.625f), b.f(1.0f));
  auto qError = b.fma(q0, minusC, b.fma(b.add(q0, b.f(1.0f)), b.f(-2.3125f), c)); // c - o - q0 (c + o)
  auto q = b.fma(reciprocal, qError, q0);
  // The polynomial's last step and 2^f - 1 in two parts.
  auto slope = hornerFrom<1>(b, q, erfcPoly), g = b.fma(slope, q, b.f(erfcPoly[0]));
  auto gLow = b.fma(slope, q, b.sub(b.f(erfcPoly[0]), g));
  auto power = splitGaussian(b, c, minusC, 1.0f);
  auto f = b.add(power.f, power.low), fLow = b.add(b.sub(power.f, f), power.low);
  auto bend = hornerFrom<1>(b, f, exp2Poly), growth = b.fma(bend, f, b.f(exp2Poly[0]));
  auto growthLow = b.fma(bend, f, b.sub(b.f(exp2Poly[0]), growth));
  auto grow = b.mul(f, growth), growLow = b.fma(f, growth, b.neg(grow));
  growLow = b.fma(f, growthLow, b.fma(fLow, growth, growLow));
  auto rest = b.fma(g, grow, b.fma(g, growLow, gLow)); // g + rest = poly(q) * 2^f
  auto y = b.mul(b.add(g, rest), reciprocal), minusY = b.neg(y);
  auto remainder = b.fma(minusY, belowLow, b.add(b.fma(minusY, below, g), rest));
  auto tail = scaleDown(b, b.fma(remainder, reciprocal, y), power.magic);
  return b.select(b.lt(x, b.f(0.0f)), b.sub(b.f(2.0f), tail), tail);
}

} // namespace kiln::functions
