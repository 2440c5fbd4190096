// Arithmetic on elements with bounds.
#include "passes/interp/numeric/ElementOps.h"

#include <kiln/FloatFormat.h>

namespace kiln::interp {
namespace {

constexpr double kHalf = 0.5; // units in the last place of a correctly rounded operation

/// The smallest and largest of the four; NaN if one is NaN.
Range hull(double p, double q, double r, double s) {
  if (std::isnan(p) || std::isnan(q) || std::isnan(r) || std::isnan(s)) return {NAN, NAN};
  return {std::min({p, q, r, s}), std::max({p, q, r, s})};
}

Range product(Range x, Range y) { return hull(x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi); }

bool unknown(const Element &a, const Element &b) { return a.isUnknown() || b.isUnknown(); }

/// A monotone step function, whose results are exact.
template <double (*step)(double)> Element stepped(Element a) {
  if (a.isUnknown()) return a;
  Range x = rangeOf(a);
  double lo = step(x.lo), hi = step(x.hi);
  return finishExact(step(a.v), {lo, hi}, a.either || lo < hi);
}

double larger(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return NAN;
  if (a == b) return std::signbit(a) ? b : a;
  return std::max(a, b);
}

double truncated(double x, double lowest, double highest) {
  return std::isnan(x) ? 0 : std::trunc(std::clamp(x, lowest, highest));
}

} // namespace

Element add(Element a, Element b) {
  bool either = a.either || b.either;
  if (a.b == 0 && b.b == 0) return {rounded(a.v + b.v).v, 0, either};
  if (unknown(a, b)) return Element::unknown();
  Range x = rangeOf(a), y = rangeOf(b);
  return finish(a.v + b.v, {x.lo + y.lo, x.hi + y.hi}, kHalf, either);
}

Element sub(Element a, Element b) { return add(a, neg(b)); }

Element mul(Element a, Element b) {
  bool either = a.either || b.either;
  if (a.b == 0 && b.b == 0) return {rounded(a.v * b.v).v, 0, either};
  if (unknown(a, b)) return Element::unknown();
  return finish(a.v * b.v, product(rangeOf(a), rangeOf(b)), kHalf, either);
}

Element square(Element a) {
  if (a.b == 0 || a.isUnknown()) return mul(a, a);
  Range x = rangeOf(a);
  double lo = x.lo <= 0 && x.hi >= 0 ? 0 : std::min(x.lo * x.lo, x.hi * x.hi);
  return finish(a.v * a.v, {lo, std::max(x.lo * x.lo, x.hi * x.hi)}, kHalf, a.either, {.lo = 0});
}

Element div(Element a, Element b) {
  bool either = a.either || b.either;
  if (a.b == 0 && b.b == 0) return {rounded(a.v / b.v).v, 0, either};
  if (unknown(a, b)) return Element::unknown();
  Range x = rangeOf(a), y = rangeOf(b);
  if (y.lo <= 0 && y.hi >= 0 && b.b != 0) return Element::unknown();
  return finish(a.v / b.v, hull(x.lo / y.lo, x.lo / y.hi, x.hi / y.lo, x.hi / y.hi), kHalf, either);
}

/// a b + c of 16-bit floats as a double that rounds to 16 bits as the exact sum does: the product is exact, and where
/// one is 2^28 times smaller than the other it only breaks ties.
static double halfFma(double a, double b, double c) {
  double product = a * b;
  if (product == 0 || c == 0 || !std::isfinite(product) || !std::isfinite(c)) return product + c;
  int gap = std::ilogb(product) - std::ilogb(c);
  if (gap > 28) c = std::copysign(std::ldexp(1.0, std::ilogb(product) - 28), c);
  if (gap < -28) product = std::copysign(std::ldexp(1.0, std::ilogb(c) - 28), product);
  return product + c;
}

Element fma(Element a, Element b, Element c, const Format &format) {
  bool either = a.either || b.either || c.either;
  if (a.b == 0 && b.b == 0 && c.b == 0) { // another sum would round twice
    if (format.dtype != DType::F32) return {roundTo(format.dtype, halfFma(a.v, b.v, c.v)), 0, either};
    return {std::fma(static_cast<float>(a.v), static_cast<float>(b.v), static_cast<float>(c.v)), 0, either};
  }
  if (unknown(a, b) || c.isUnknown()) return Element::unknown();
  Range xy = product(rangeOf(a), rangeOf(b)), z = rangeOf(c);
  return finish(a.v * b.v + c.v, {xy.lo + z.lo, xy.hi + z.hi}, kHalf, either);
}

Element neg(Element a) { return {-a.v, a.b, a.either}; }

Element abs(Element a) {
  if (a.b == 0 || a.isUnknown()) return {std::fabs(a.v), a.b, a.either};
  Range x = rangeOf(a);
  double lo = x.lo <= 0 && x.hi >= 0 ? 0 : std::min(std::fabs(x.lo), std::fabs(x.hi));
  return finishExact(std::fabs(a.v), {lo, std::max(std::fabs(x.lo), std::fabs(x.hi))}, a.either, {.lo = 0});
}

Element maximum(Element a, Element b) {
  if (a.b == 0 && b.b == 0) return {larger(a.v, b.v), 0, a.either || b.either};
  if (unknown(a, b)) return Element::unknown();
  Range x = rangeOf(a), y = rangeOf(b);
  Range range = {larger(x.lo, y.lo), larger(x.hi, y.hi)};
  return finishExact(larger(a.v, b.v), range, a.either || b.either, {range.lo, range.hi});
}

Element minimum(Element a, Element b) { return neg(maximum(neg(a), neg(b))); }

Element relu(Element a) { return maximum(a, {0, 0, false}); }

Element floor(Element a) { return stepped<std::floor>(a); }
Element ceil(Element a) { return stepped<std::ceil>(a); }

Element sqrt(Element a) {
  if (a.b == 0) return {rounded(std::sqrt(a.v)).v, 0, a.either};
  if (a.isUnknown()) return a;
  Range x = rangeOf(a);
  return finish(std::sqrt(a.v), {std::sqrt(x.lo), std::sqrt(x.hi)}, kHalf, a.either, {.lo = 0});
}

Element select(Integer condition, Element a, Element b) {
  Element chosen = condition.v ? a : b;
  if (!condition.either) return chosen;
  bool bothNan = std::isnan(a.v) && std::isnan(b.v);
  if (unknown(a, b) || (!bothNan && (std::isnan(a.v) || std::isnan(b.v)))) return Element::unknown();
  if (bothNan) return chosen;
  Range x = rangeOf(a), y = rangeOf(b);
  bool apart = x.hi < y.lo || y.hi < x.lo;
  Range range = {std::min(x.lo, y.lo), std::max(x.hi, y.hi)};
  return finishExact(chosen.v, range, a.either || b.either || apart, {range.lo, range.hi});
}

unsigned relations(Element a, Element b) {
  if (unknown(a, b)) return kLess | kEqual | kGreater | kUnordered;
  if (std::isnan(a.v) || std::isnan(b.v)) return kUnordered;
  Range x = rangeOf(a), y = rangeOf(b);
  unsigned possible = 0;
  if (x.lo < y.hi) possible |= kLess;
  if (x.hi > y.lo) possible |= kGreater;
  if (x.lo <= y.hi && y.lo <= x.hi) possible |= kEqual;
  return possible;
}

Integer holds(unsigned possible, unsigned wanted) {
  bool may = (possible & wanted) != 0, mayNot = (possible & ~wanted) != 0;
  return {may, may && mayNot};
}

Integer toInteger(Element a, DType dtype) {
  if (a.isUnknown()) return {0, true};
  bool narrow = dtype == DType::I32;
  double lowest = narrow ? -0x1p31 : -0x1p63, highest = narrow ? 0x1p31 - 1 : 0x1p63;
  Range x = rangeOf(a);
  double lo = truncated(x.lo, lowest, highest), hi = truncated(x.hi, lowest, highest);
  double v = truncated(a.v, lowest, highest);
  // 2^63 itself is no i64.
  int64_t value = v >= 0x1p63 ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(v);
  return {value, lo < hi};
}

Integer toIntegerUnguarded(Element a, DType dtype) {
  Integer result = toInteger(a, dtype);
  double end = dtype == DType::I32 ? 0x1p31 : 0x1p63;
  bool inside = a.v > -end - 1 && a.v < end && (dtype == DType::I32 || a.v >= -end);
  return {result.v, result.either || !inside};
}

Element fromInteger(Integer a, const Format &format) {
  if (a.either) return Element::unknown();
  if (format.dtype == DType::F32) return {static_cast<double>(static_cast<float>(a.v)), 0, false};
  // Of more bits than a double has, those below become one that only breaks ties.
  uint64_t magnitude = a.v < 0 ? -static_cast<uint64_t>(a.v) : static_cast<uint64_t>(a.v);
  if (magnitude >> 53) magnitude = (magnitude & ~uint64_t{2047}) | (magnitude & 2047 ? 2048 : 0);
  double v = std::copysign(static_cast<double>(magnitude), a.v < 0 ? -1.0 : 1.0);
  return {roundTo(format.dtype, v), 0, false};
}

} // namespace kiln::interp
