// Hyperbolic functions of f32: tanh, sinh, cosh. Odd ones use a polynomial near 0, where exponentials would cancel.
#pragma once

#include "passes/functions/Exp.h"

namespace kiln::functions {

/// x + x^3 * poly(x^2).
template <class B, size_t N> typename B::F oddPolynomial(B &b, typename B::F x, const float (&coefficients)[N]) {
  auto s = b.mul(x, x);
  return b.fma(b.mul(x, s), horner(b, s, coefficients), x);
}

/// The hyperbolic tangent: 1 - 2 / (e^2|x| + 1) with x's sign.
template <class B> typename B::F tanh(B &b, typename B::F x) {
  auto a = b.abs(x);
  auto power = splitExp(b, b.min(a, b.f(10.0f)), 2.0f); // from 9.02 on tanh rounds to 1
  auto e = b.mul(mantissa(b, power.f), powerOfTwo(b, power.magic));
  auto large = b.sub(b.f(1.0f), b.div(b.f(2.0f), b.add(e, b.f(1.0f))));
  auto small = oddPolynomial(b, a, tanhPoly); // of |x|: its negative terms would turn -0 into +0
  return withSign(b, b.select(b.lt(a, b.f(0.55f)), small, large), x);
}

/// e^|x| / 4 up to |x| = 90, from where it is inf: the quarter leaves room for sinh's and cosh's last finite values.
template <class B> typename B::F quarterExp(B &b, typename B::F a) {
  auto power = splitExp(b, b.min(a, b.f(90.0f)), 1.0f);
  return b.mul(mantissa(b, power.f), powerOfTwo(b, power.magic, -2));
}

/// The hyperbolic sine.
template <class B> typename B::F sinh(B &b, typename B::F x) {
  auto a = b.abs(x);
  auto quarter = quarterExp(b, a);
  auto large = b.fma(quarter, b.f(2.0f), b.div(b.f(-0.125f), quarter));
  return b.select(b.lt(a, b.f(1.0f)), oddPolynomial(b, x, sinhPoly), withSign(b, large, x));
}

/// The hyperbolic cosine.
template <class B> typename B::F cosh(B &b, typename B::F x) {
  auto quarter = quarterExp(b, b.abs(x));
  return b.fma(quarter, b.f(2.0f), b.div(b.f(0.125f), quarter));
}

} // namespace kiln::functions
