// Elementwise rows of the generator.
#include "tests/fuzz/Draws.h"

#include <algorithm>
#include <cmath>

using namespace kiln;
using namespace kiln::fuzz;

namespace {

using Unary = Tensor (*)(const Operand &);
using Binary = Tensor (*)(const Operand &, const Operand &);

/// A function whose result stays below `magnitude` (0: below its argument's) for arguments below `below`.
template <Unary function> bool unary(Pool &pool, double below, double magnitude, bool rounds) {
  Entry *x = pool.drawFloat(below);
  return x && pool.add(function(x->tensor), magnitude ? magnitude : x->magnitude, x->rounded || rounds);
}

bool drawExp(Pool &p) {
  Entry *x = p.drawFloat(20);
  return x && p.add(exp(x->tensor), std::exp(x->magnitude), true);
}
bool drawLog(Pool &p) { // of what is surely positive
  Entry *x = p.drawFloat();
  return x && p.add(log(abs(x->tensor) + 0.5), 20, true);
}
bool drawSqrt(Pool &p) {
  Entry *x = p.drawFloat();
  return x && p.add(sqrt(abs(x->tensor)), std::sqrt(x->magnitude) + 1, true);
}
bool drawRsqrt(Pool &p) {
  Entry *x = p.drawFloat();
  return x && p.add(rsqrt(x->tensor * x->tensor + 0.25), 2, true);
}
bool drawTanh(Pool &p) { return unary<tanh>(p, 1e30, 1, true); }
bool drawErf(Pool &p) { return unary<erf>(p, 1e30, 1, true); }
bool drawSin(Pool &p) { return unary<sin>(p, 1e4, 1, true); }
bool drawCos(Pool &p) { return unary<cos>(p, 1e4, 1, true); }
bool drawSigmoid(Pool &p) { return unary<sigmoid>(p, 1e30, 1, true); }
bool drawAbs(Pool &p) { return unary<abs>(p, 1e30, 0, false); }
Tensor negate(const Operand &x) { return -x; }
bool drawNegate(Pool &p) { return unary<negate>(p, 1e30, 0, false); }
bool drawRelu(Pool &p) { return unary<relu>(p, 1e30, 0, false); }
bool drawGelu(Pool &p) {
  Entry *x = p.drawFloat();
  return x && p.add(gelu(x->tensor, p.oneIn(2) ? Gelu::Exact : Gelu::Tanh), x->magnitude, true);
}
bool drawFloor(Pool &p) { // of unrounded values: others may go either way
  Entry *x = p.draw([](const Entry &e) { return isFloat(e.tensor.dtype()) && !e.rounded && e.magnitude < 1e6; });
  return x && p.add(p.oneIn(2) ? floor(x->tensor) : ceil(x->tensor), x->magnitude + 1);
}
bool drawClip(Pool &p) {
  Entry *x = p.drawFloat(1e30);
  return x && p.add(clip(x->tensor, -2, 1.5), 2, x->rounded);
}

bool drawAdd(Pool &p) {
  auto pair = p.drawPair(p.pickFloat());
  if (!pair) return false;
  auto &[a, b] = *pair;
  return p.add(p.oneIn(2) ? a.tensor + b.tensor : a.tensor - b.tensor, a.magnitude + b.magnitude, true);
}
bool drawMul(Pool &p) {
  auto pair = p.drawPair(p.pickFloat(), 1e4);
  return pair && p.add(pair->first.tensor * pair->second.tensor, pair->first.magnitude * pair->second.magnitude, true);
}
bool drawDiv(Pool &p) {
  auto pair = p.drawPair(p.pickFloat(), 1e4);
  return pair && p.add(pair->first.tensor / (abs(pair->second.tensor) + 1), pair->first.magnitude, true);
}
bool drawMinMax(Pool &p) {
  auto pair = p.drawPair(p.pickFloat());
  if (!pair) return false;
  auto &[a, b] = *pair;
  return p.add(p.oneIn(2) ? maximum(a.tensor, b.tensor) : minimum(a.tensor, b.tensor),
               std::max(a.magnitude, b.magnitude), a.rounded || b.rounded);
}
bool drawScalar(Pool &p) {
  Entry *x = p.drawFloat();
  double c = p.pick<double>({0.5, 1.0, -1.0, 2.0, 0.1, 3.0});
  return x && p.add(p.oneIn(2) ? x->tensor * c : x->tensor + c, x->magnitude * 3 + 3, true);
}
bool drawFma(Pool &p) {
  auto pair = p.drawPair(p.pickFloat(), 1e3);
  if (!pair) return false;
  auto &[a, b] = *pair;
  return p.add(fma(a.tensor, b.tensor, 0.75), a.magnitude * b.magnitude + 1, true);
}

bool drawCompare(Pool &p) {
  DType dtype = p.pick<DType>({f32, f16, bf16, i32, i64});
  auto pair = p.drawPair(dtype);
  if (!pair || (isFloat(dtype) && (pair->first.rounded || pair->second.rounded))) return false;
  const Binary rows[] = {operator==, operator!=, operator<, operator<=, operator>, operator>= };
  return p.add(rows[p.between(0, 5)](pair->first.tensor, pair->second.tensor));
}
bool drawCompareWithFar(Pool &p) { // rounded values against a constant that they seldom meet
  Entry *x = p.drawOf(f32);
  return x && p.add(p.oneIn(2) ? x->tensor > 0.37123 : x->tensor <= -0.61803);
}
bool drawLogic(Pool &p) {
  auto pair = p.drawPair(boolean);
  if (!pair) return false;
  const Binary rows[] = {operator&&, operator||, operator^, operator== };
  return p.add(rows[p.between(0, 3)](pair->first.tensor, pair->second.tensor));
}
bool drawNot(Pool &p) {
  Entry *x = p.drawOf(boolean);
  return x && p.add(!Operand(x->tensor));
}
bool drawWhere(Pool &p) {
  auto pair = p.drawPair(p.pick<DType>({f32, f16, bf16, i32, i64, boolean}));
  if (!pair) return false;
  auto [a, b] = *pair;
  Shape shape = a.tensor.shape();
  Entry *c = p.draw([&](const Entry &e) { return e.tensor.dtype() == boolean && e.tensor.shape() == shape; });
  return c && p.add(where(c->tensor, a.tensor, b.tensor), std::max(a.magnitude, b.magnitude), a.rounded || b.rounded);
}

bool drawInteger(Pool &p) {
  auto pair = p.drawPair(p.oneIn(2) ? i32 : i64);
  if (!pair) return false;
  const Binary rows[] = {operator+, operator-, operator*, operator/, operator%, maximum,
                         minimum, operator&, operator|, operator^ };
  return p.add(rows[p.between(0, 9)](pair->first.tensor, pair->second.tensor), 1e9);
}
bool drawCast(Pool &p) {
  const std::vector<DType> dtypes = {f32, f16, bf16, i32, i64, boolean};
  DType from = p.pick(dtypes), to = p.pick(dtypes);
  Entry *x = p.draw([&](const Entry &e) { return e.tensor.dtype() == from && !(e.rounded && !isFloat(to)); });
  if (!x || from == to) return false;
  if (isFloat(to) && isInteger(from)) // keep floats small: integers may be anything
    return p.add(cast(x->tensor % 1000, to), 1000);
  return p.add(cast(x->tensor, to), x->magnitude, x->rounded);
}

} // namespace

const std::vector<DrawRow> &kiln::fuzz::elementDraws() {
  static const std::vector<DrawRow> rows = {{"exp", 3, drawExp},
                                            {"log", 2, drawLog},
                                            {"sqrt", 2, drawSqrt},
                                            {"rsqrt", 2, drawRsqrt},
                                            {"tanh", 3, drawTanh},
                                            {"erf", 2, drawErf},
                                            {"sin", 2, drawSin},
                                            {"cos", 2, drawCos},
                                            {"sigmoid", 3, drawSigmoid},
                                            {"abs", 2, drawAbs},
                                            {"negate", 2, drawNegate},
                                            {"relu", 3, drawRelu},
                                            {"gelu", 3, drawGelu},
                                            {"floor, ceil", 3, drawFloor},
                                            {"clip", 2, drawClip},
                                            {"add, sub", 10, drawAdd},
                                            {"mul", 8, drawMul},
                                            {"div", 4, drawDiv},
                                            {"max, min", 4, drawMinMax},
                                            {"scalar", 4, drawScalar},
                                            {"fma", 3, drawFma},
                                            {"compare", 4, drawCompare},
                                            {"compare far", 3, drawCompareWithFar},
                                            {"logic", 3, drawLogic},
                                            {"not", 2, drawNot},
                                            {"where", 6, drawWhere},
                                            {"integer", 6, drawInteger},
                                            {"cast", 6, drawCast}};
  return rows;
}
