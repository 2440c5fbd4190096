// The unary functions as plain functions of floats, by the name of their operation.
#pragma once

#include "passes/functions/Activations.h"
#include "passes/functions/Hyperbolic.h"
#include "passes/functions/Pow.h"
#include "passes/functions/Trig.h"
#include "tests/passes/functions/ScalarBuilder.h"

namespace kiln::functions {

/// One expansion over ScalarBuilder.
struct Kernel {
  const char *op;   ///< "math.exp"
  const char *form; ///< the operation's form attribute, or ""
  float (*run)(ScalarBuilder &, float);
};

/// Every unary row of functionRows(), gelu once per form.
inline constexpr Kernel kernels[] = {
    {"math.exp", "", exp<ScalarBuilder>},          {"math.exp2", "", exp2<ScalarBuilder>},
    {"math.expm1", "", expm1<ScalarBuilder>},      {"math.log", "", log<ScalarBuilder>},
    {"math.log2", "", log2<ScalarBuilder>},        {"math.log1p", "", log1p<ScalarBuilder>},
    {"math.tanh", "", tanh<ScalarBuilder>},        {"math.sinh", "", sinh<ScalarBuilder>},
    {"math.cosh", "", cosh<ScalarBuilder>},        {"math.erf", "", erf<ScalarBuilder>},
    {"math.erfc", "", erfc<ScalarBuilder>},        {"math.sin", "", sin<ScalarBuilder>},
    {"math.cos", "", cos<ScalarBuilder>},          {"math.tan", "", tan<ScalarBuilder>},
    {"math.asin", "", asin<ScalarBuilder>},        {"math.acos", "", acos<ScalarBuilder>},
    {"math.atan", "", atan<ScalarBuilder>},        {"math.rsqrt", "", rsqrt<ScalarBuilder>},
    {"graph.sigmoid", "", sigmoid<ScalarBuilder>}, {"graph.softplus", "", softplus<ScalarBuilder>},
    {"graph.gelu", "exact", gelu<ScalarBuilder>},  {"graph.gelu", "tanh", geluTanh<ScalarBuilder>},
};

} // namespace kiln::functions
