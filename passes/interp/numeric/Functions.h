// Functions of one f32 element, and the table of how far from the exact result each may be.
#pragma once

#include "passes/interp/numeric/Rounding.h"

#include <string_view>

namespace kiln::interp {

/// Units in the last place by which a function's f32 result may differ from the exact one, by op name ("math.exp").
struct FunctionAccuracy {
  std::string_view op;
  double ulps;
};
/// The one table of the oracle; every function below reads its row. A test holds it to what passes/functions promises.
std::span<const FunctionAccuracy> functionAccuracies();
/// A row's ulps; 0.5 for an op that is not in the table, which rounds correctly.
double functionUlps(std::string_view op);

Element exp(Element a);
Element log(Element a);
Element rsqrt(Element a);
Element sin(Element a);
Element cos(Element a);
Element tanh(Element a);
Element erf(Element a);
/// 1 / (1 + e^-x).
Element sigmoid(Element a);
/// x Phi(x), with Phi the normal distribution; -inf gives -0.
Element geluExact(Element a);
/// x / 2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); -inf gives -0.
Element geluTanh(Element a);

} // namespace kiln::interp
