// Functions with bounds: the function itself in double, its spread over the operand's range, its own units.
#include "passes/interp/numeric/Functions.h"

#include <numbers>

namespace kiln::interp {
namespace {

constexpr FunctionAccuracy kAccuracies[] = {
    {"math.exp", 2},  {"math.log", 2}, {"math.rsqrt", 2},    {"math.sin", 2},   {"math.cos", 2},
    {"math.tanh", 2}, {"math.erf", 2}, {"graph.sigmoid", 2}, {"graph.gelu", 4},
};

constexpr double row(std::string_view op) {
  for (const FunctionAccuracy &accuracy : kAccuracies)
    if (accuracy.op == op) return accuracy.ulps;
  return 0.5;
}

/// A monotone function, up or down: its ends are the ends of the range.
template <class F> Element monotone(Element a, F f, double ulps, Limits limits) {
  if (a.isUnknown()) return a;
  double v = f(a.v);
  if (a.b == 0) return finish(v, {v, v}, ulps, a.either, limits);
  Range x = rangeOf(a);
  double p = f(x.lo), q = f(x.hi);
  if (std::isnan(p) || std::isnan(q)) return Element::unknown();
  return finish(v, {std::min(p, q), std::max(p, q)}, ulps, a.either, limits);
}

/// sin or cos: the spread is the largest |derivative| times the bound, and nothing leaves [-1, 1].
Element wave(Element a, double v, double slope, double ulps) {
  if (a.isUnknown()) return a;
  double spread = a.b == 0 ? 0 : a.b * std::min(1.0, std::fabs(slope) + a.b);
  Range range = {std::max(v - spread, -1.0), std::min(v + spread, 1.0)};
  if (std::isnan(v)) range = {v, v};
  return finish(v, range, ulps, a.either, {-1, 1});
}

/// A gelu: it falls up to `turn`, then rises.
template <class F> Element gelu(Element a, F f, double turn) {
  if (a.isUnknown()) return a;
  constexpr double ulps = row("graph.gelu");
  double v = f(a.v);
  if (a.b == 0) return finish(v, {v, v}, ulps, a.either);
  Range x = rangeOf(a);
  double p = f(x.lo), q = f(x.hi);
  double lowest = x.lo < turn && turn < x.hi ? f(turn) : std::min(p, q);
  return finish(v, {lowest, std::max(p, q)}, ulps, a.either);
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
double functionUlps(std::string_view op) { return row(op); }

Element exp(Element a) {
  return monotone(a, [](double x) { return std::exp(x); }, row("math.exp"), {.lo = 0});
}
Element log(Element a) {
  return monotone(a, [](double x) { return std::log(x); }, row("math.log"), {});
}
Element rsqrt(Element a) {
  return monotone(a, [](double x) { return 1 / std::sqrt(x); }, row("math.rsqrt"), {});
}
Element sin(Element a) { return wave(a, std::sin(a.v), std::cos(a.v), row("math.sin")); }
Element cos(Element a) { return wave(a, std::cos(a.v), std::sin(a.v), row("math.cos")); }
Element tanh(Element a) {
  return monotone(a, [](double x) { return std::tanh(x); }, row("math.tanh"), {-1, 1});
}
Element erf(Element a) {
  return monotone(a, [](double x) { return std::erf(x); }, row("math.erf"), {-1, 1});
}
Element sigmoid(Element a) {
  return monotone(a, [](double x) { return 1 / (1 + std::exp(-x)); }, row("graph.sigmoid"), {0, 1});
}
Element geluExact(Element a) { return gelu(a, exactGelu, kExactTurn); }
Element geluTanh(Element a) { return gelu(a, tanhGelu, kTanhTurn); }

} // namespace kiln::interp
