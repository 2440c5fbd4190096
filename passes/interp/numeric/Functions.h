// Functions of one element, and the table of how far from the exact result each may be.
#pragma once

#include "passes/interp/numeric/Rounding.h"

#include <string_view>

namespace kiln::interp {

/// Units in the last place by which a function's result may differ from the exact one, by op name ("math.exp").
struct FunctionAccuracy {
  std::string_view op;
  double ulps;     ///< of f32
  double halfUlps; ///< of f16 and bf16, half a unit of which is the last rounding
};
/// The one table of the oracle; every function below reads its row. A test holds it to what passes/functions promises.
std::span<const FunctionAccuracy> functionAccuracies();
/// A row's ulps for a dtype; 0.5 for an op that is not in the table, which rounds correctly.
double functionUlps(std::string_view op, DType dtype = DType::F32);

// The value before it is rounded to `format`; an f32 if it is that.

Element exp(Element a, const Format &format = kFormats[0]);
Element log(Element a, const Format &format = kFormats[0]);
Element rsqrt(Element a, const Format &format = kFormats[0]);
Element sin(Element a, const Format &format = kFormats[0]);
Element cos(Element a, const Format &format = kFormats[0]);
Element tanh(Element a, const Format &format = kFormats[0]);
Element erf(Element a, const Format &format = kFormats[0]);
/// 1 / (1 + e^-x).
Element sigmoid(Element a, const Format &format = kFormats[0]);
/// x Phi(x), with Phi the normal distribution; -inf gives -0.
Element geluExact(Element a, const Format &format = kFormats[0]);
/// x / 2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); -inf gives -0.
Element geluTanh(Element a, const Format &format = kFormats[0]);

} // namespace kiln::interp
