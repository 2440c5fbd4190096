// Functions of f16 and bf16, computed in f32 and rounded once by whoever calls: exp, log, tanh, erf, rsqrt, sigmoid and
// gelu. Sine and cosine are in HalfTrig.h.
//
// 8 or 11 bits ask for about 2^-16 or 2^-19, so polynomials are short, and 2^x, 1/x and 1/sqrt(x) may come from a GPU's
// special function unit (tile.approx), which is good to 2^-22. Elsewhere those are the f32 functions, or a division:
// what is sensitive to their last bits is the last bits of f32, which seldom reach a 16-bit result.
#pragma once

#include "passes/functions/HalfPolynomials.h"
#include "passes/functions/Pow.h"

namespace kiln::functions::half {

/// bf16 reaches as far as f32: results below 2^-126 are larger by 2^tailBits until the last step, which rounds them.
/// All bf16 can be divided by that and stay exact.
struct BF16 {
  static constexpr const auto &sinPoly = bf16Sin;
  static constexpr const auto &cosPoly = bf16Cos;
  static constexpr const auto &erfPoly = bf16Erf;
  static constexpr const auto &tanhPoly = bf16Tanh;
  static constexpr const auto &normalPoly = bf16Normal;
  static constexpr const auto &logPoly = bf16Log;
  static constexpr bool hasTinyInputs = true; ///< some operands are subnormals of f32
  static constexpr int tailBits = 16;
  static constexpr float erfEnd = 2.3f;                        ///< from here on erf rounds to 1
  static constexpr float tanhSmall = 0.125f;                   ///< up to here tanh is a polynomial
  static constexpr float normalOffset = 3.0f, geluEnd = 13.6f; ///< from -geluEnd on down gelu rounds to -0
};

struct F16 {
  static constexpr const auto &sinPoly = f16Sin;
  static constexpr const auto &cosPoly = f16Cos;
  static constexpr const auto &erfPoly = f16Erf;
  static constexpr const auto &tanhPoly = f16Tanh;
  static constexpr const auto &normalPoly = f16Normal;
  static constexpr const auto &logPoly = f16Log;
  static constexpr bool hasTinyInputs = false;
  static constexpr int tailBits = 0;
  static constexpr float erfEnd = 2.7f;
  static constexpr float tanhSmall = 0.25f;
  static constexpr float normalOffset = 3.5f, geluEnd = 5.8f;
};

/// 2^-tailBits.
template <class Half> constexpr float lowering = Half::tailBits == 16 ? 0x1p-16f : 1.0f;

/// e^x, as the square of 2^(x / 2 log2 e): neither of them is subnormal, and the square rounds to subnormals itself.
template <class Half, class B> typename B::F exp(B &b, typename B::F x) {
  auto root = b.exp2Approx(b.mul(x, b.f(0.5f * log2eHigh)));
  return b.mul(root, root);
}

/// log(1 + f) + e log 2 with 1 + f in [2/3, 4/3).
template <class Half, class B> typename B::F log(B &b, typename B::F x) {
  auto magnitude = x, e0 = b.f(0.0f);
  if constexpr (Half::hasTinyInputs) {
    auto tiny = b.lt(x, b.f(0x1p-126f));
    magnitude = b.select(tiny, b.mul(x, b.f(0x1p23f)), x);
    e0 = b.select(tiny, b.f(-23.0f), e0);
  }
  auto bits = b.bits(magnitude);
  auto field = exponentField(b, bits);
  auto e = b.fma(b.toFloat(field), b.f(0x1p-23f), e0);
  auto f = b.sub(b.fromBits(b.isub(bits, field)), b.f(1.0f));
  auto y = b.mul(f, horner(b, f, Half::logPoly));
  return logLimits(b, x, b.fma(e, b.f(ln2High), y));
}

/// 1 / sqrt(x): inf with x's sign at +-0, NaN below 0.
template <class Half, class B> typename B::F rsqrt(B &b, typename B::F x) {
  if constexpr (!Half::hasTinyInputs) {
    return b.rsqrtApprox(x);
  } else {
    auto tiny = b.lt(b.abs(x), b.f(0x1p-64f));
    auto lifted = b.mul(x, b.select(tiny, b.f(0x1p64f), b.f(1.0f)));
    return b.mul(b.rsqrtApprox(lifted), b.select(tiny, b.f(0x1p32f), b.f(1.0f)));
  }
}

/// 1 - 2 / (e^2x + 1), or a polynomial near 0, where that cancels.
template <class Half, class B> typename B::F tanh(B &b, typename B::F x) {
  auto power = b.exp2Approx(b.mul(x, b.f(2.0f * log2eHigh)));
  auto large = b.fma(b.rcpApprox(b.add(power, b.f(1.0f))), b.f(-2.0f), b.f(1.0f));
  auto small = b.mul(x, horner(b, b.mul(x, x), Half::tanhPoly));
  return b.select(b.lt(b.abs(x), b.f(Half::tanhSmall)), small, large);
}

/// x * poly(x^2), up to where the result rounds to 1.
template <class Half, class B> typename B::F erf(B &b, typename B::F x) {
  auto c = b.max(b.min(x, b.f(Half::erfEnd)), b.f(-Half::erfEnd));
  return b.mul(c, horner(b, b.mul(c, c), Half::erfPoly));
}

/// 1 / (1 + 2^(-x log2 e)).
template <class Half, class B> typename B::F sigmoid(B &b, typename B::F x) {
  auto power = b.exp2Approx(b.fma(x, b.f(-log2eHigh), b.f(-Half::tailBits)));
  auto y = b.rcpApprox(b.add(power, b.f(lowering<Half>)));
  return Half::tailBits ? b.mul(y, b.f(lowering<Half>)) : y;
}

/// x * Phi(x), as max(x, 0) - c * Phi(-c) with c = |x|; with t = c / (c + o) the latter is t * poly(t) * e^(-c^2 / 2).
template <class Half, class B> typename B::F gelu(B &b, typename B::F x) {
  auto c = b.min(b.abs(x), b.f(Half::geluEnd));
  auto t = b.mul(c, b.rcpApprox(b.add(c, b.f(Half::normalOffset))));
  auto power = b.exp2Approx(b.fma(b.mul(c, c), b.f(-0.5f * log2eHigh), b.f(Half::tailBits)));
  auto tail = b.mul(b.mul(t, horner(b, t, Half::normalPoly)), power);
  return b.fma(tail, b.f(-lowering<Half>), b.max(x, b.f(-0.0f))); // -0 keeps x's sign
}

/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), as x / (1 + 2^-w).
template <class Half, class B> typename B::F geluTanh(B &b, typename B::F x) {
  constexpr float slope = 0x1.26aec2p+1f, bend = 0x1.a5a7dp-4f; // 2 sqrt(2 / pi) log2 e, and 0.044715 times that
  auto c = b.max(x, b.f(-12.0f));                               // below, all is -0; the product with -inf would be NaN
  auto w = b.fma(b.mul(c, c), b.f(-bend), b.f(-slope));
  auto power = b.exp2Approx(b.fma(c, w, b.f(-Half::tailBits)));
  auto y = b.rcpApprox(b.add(power, b.f(lowering<Half>)));
  return b.mul(Half::tailBits ? b.mul(c, b.f(lowering<Half>)) : c, y);
}

} // namespace kiln::functions::half
