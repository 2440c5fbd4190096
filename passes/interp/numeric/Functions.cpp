// Functions with bounds: the function itself in double, its spread over the operand's range, its own units.
#include "passes/interp/numeric/Functions.h"

#include <numbers>

namespace kiln::interp {
namespace {

constexpr double kHalves = 0.505;
constexpr FunctionAccuracy kAccuracies[] = {
    {"math.exp", 2, kHalves}, {"math.log", 2, kHalves},      {"math.rsqrt", 2, kHalves},
    {"math.sin", 2, kHalves}, {"math.cos", 2, 0.507},        {"math.tanh", 2, kHalves},
    {"math.erf", 2, kHalves}, {"graph.sigmoid", 2, kHalves}, {"graph.gelu", 4, kHalves},
};

/// The row's accuracy in a format. That of 16 bits is without the rounding that comes after.
constexpr double row(std::string_view op, const Format &format) {
  bool half = format.dtype != DType::F32;
  for (const FunctionAccuracy &accuracy : kAccuracies)
    if (accuracy.op == op) return half ? accuracy.halfUlps - 0.5 : accuracy.ulps;
  return half ? 0 : 0.5;
}

/// A monotone function, up or down: its ends are the ends of the range.
template <class F> Element monotone(Element a, F f, std::string_view op, const Format &format, Limits limits) {
  if (a.isUnknown()) return a;
  double v = f(a.v), ulps = row(op, format);
  if (a.b == 0) return finish(v, {v, v}, ulps, a.either, limits, format);
  Range x = rangeOf(a);
  double p = f(x.lo), q = f(x.hi);
  if (std::isnan(p) || std::isnan(q)) return Element::unknown();
  return finish(v, {std::min(p, q), std::max(p, q)}, ulps, a.either, limits, format);
}

/// sin or cos: the spread is the largest |derivative| times the bound, and nothing leaves [-1, 1].
Element wave(Element a, double v, double slope, double ulps, const Format &format) {
  if (a.isUnknown()) return a;
  double spread = a.b == 0 ? 0 : a.b * std::min(1.0, std::fabs(slope) + a.b);
  Range range = {std::max(v - spread, -1.0), std::min(v + spread, 1.0)};
  if (std::isnan(v)) range = {v, v};
  return finish(v, range, ulps, a.either, {-1, 1}, format);
}

/// A gelu: it falls up to `turn`, then rises.
template <class F> Element gelu(Element a, F f, double turn, const Format &format) {
  if (a.isUnknown()) return a;
  double v = f(a.v), ulps = row("graph.gelu", format);
  if (a.b == 0) return finish(v, {v, v}, ulps, a.either, {}, format);
  Range x = rangeOf(a);
  double p = f(x.lo), q = f(x.hi);
  double lowest = x.lo < turn && turn < x.hi ? f(turn) : std::min(p, q);
  return finish(v, {lowest, std::max(p, q)}, ulps, a.either, {}, format);
}

double exactGelu(double x) {
  if (std::isinf(x)) return x > 0 ? x : -0.0;
  return 0.5 * x * std::erfc(-x * std::numbers::sqrt2 / 2);
}

double tanhGelu(double x) {
  if (std::isinf(x)) return x > 0 ? x : -0.0;
  // 0.5 (1 + tanh u) = 1 / (1 + e^-2u), which keeps the tail's accuracy.
  double u = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * u));
}

// Where the two formulas are least, to more digits than their flat bottom needs.
constexpr double kExactTurn = -0.7517915246935645, kTanhTurn = -0.7524614220710162;

} // namespace

std::span<const FunctionAccuracy> functionAccuracies() { return kAccuracies; }
double functionUlps(std::string_view op, DType dtype) {
  for (const FunctionAccuracy &accuracy : kAccuracies)
    if (accuracy.op == op) return dtype == DType::F32 ? accuracy.ulps : accuracy.halfUlps;
  return 0.5;
}

Element exp(Element a, const Format &format) {
  return monotone(a, [](double x) { return std::exp(x); }, "math.exp", format, {.lo = 0});
}
Element log(Element a, const Format &format) {
  return monotone(a, [](double x) { return std::log(x); }, "math.log", format, {});
}
Element rsqrt(Element a, const Format &format) {
  return monotone(a, [](double x) { return 1 / std::sqrt(x); }, "math.rsqrt", format, {});
}
Element sin(Element a, const Format &format) {
  return wave(a, std::sin(a.v), std::cos(a.v), row("math.sin", format), format);
}
Element cos(Element a, const Format &format) {
  return wave(a, std::cos(a.v), std::sin(a.v), row("math.cos", format), format);
}
Element tanh(Element a, const Format &format) {
  return monotone(a, [](double x) { return std::tanh(x); }, "math.tanh", format, {-1, 1});
}
Element erf(Element a, const Format &format) {
  return monotone(a, [](double x) { return std::erf(x); }, "math.erf", format, {-1, 1});
}
Element sigmoid(Element a, const Format &format) {
  return monotone(a, [](double x) { return 1 / (1 + std::exp(-x)); }, "graph.sigmoid", format, {0, 1});
}
Element geluExact(Element a, const Format &format) { return gelu(a, exactGelu, kExactTurn, format); }
Element geluTanh(Element a, const Format &format) { return gelu(a, tanhGelu, kTanhTurn, format); }

} // namespace kiln::interp
