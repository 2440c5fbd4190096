// Bounds of results from their ranges.
#include "passes/interp/numeric/Rounding.h"

#include <kiln/FloatFormat.h>

namespace kiln::interp {

Element finish(double v, Range range, double ulps, bool either, Limits limits, const Format &format) {
  bool nan = std::isnan(v) && std::isnan(range.lo) && std::isnan(range.hi);
  if (nan) return {v, 0, either};
  if (std::isnan(v) || std::isnan(range.lo) || std::isnan(range.hi)) return Element::unknown();
  // Certain to overflow, whatever it rounds itself.
  double margin = 1 + std::ldexp(ulps, -format.mantissa);
  if (range.lo >= kOverflow * margin) return {std::numeric_limits<double>::infinity(), 0, either};
  if (range.hi <= -kOverflow * margin) return {-std::numeric_limits<double>::infinity(), 0, either};
  if (!std::isfinite(range.lo) || !std::isfinite(range.hi)) return Element::unknown();
  if (range.lo == range.hi && ulps == 0) return {range.lo, 0, either};

  v = std::clamp(v, range.lo, range.hi);
  double own = ulps * format.ulp(std::max(std::fabs(range.lo), std::fabs(range.hi)));
  double b = (std::max(range.hi - v, v - range.lo) + own) * kSlack;
  double lo = v - b, hi = v + b;
  if (lo >= limits.lo && hi <= limits.hi) return {v, b, either};
  // Bounds are symmetric, so a range that is cut at one end gets another middle.
  lo = std::max(lo, limits.lo);
  hi = std::min(hi, limits.hi);
  if (hi <= lo) return {lo, 0, either};
  double middle = lo + (hi - lo) / 2;
  return {middle, std::max(hi - middle, middle - lo), either}; // so that neither end is lost to rounding
}

Element roundedTo(Element e, const Format &format) {
  if (format.dtype == DType::F32 || e.isUnknown() || std::isnan(e.v)) return e;
  if (e.b == 0) return {roundTo(format.dtype, e.v), 0, e.either};
  Range range = rangeOf(e);
  double lo = roundTo(format.dtype, range.lo), hi = roundTo(format.dtype, range.hi);
  if (lo == hi && std::signbit(lo) == std::signbit(hi)) return {lo, 0, e.either};
  if (lo == hi) return {0, std::numeric_limits<double>::min(), e.either}; // a zero of either sign
  lo = std::max(lo, -format.overflow); // an end at infinity: beyond the threshold counts as that
  hi = std::min(hi, format.overflow);
  return {lo + (hi - lo) / 2, (hi - lo) / 2 * (1 + 0x1p-51), e.either};
}

const OracleTensor &widened(const OracleTensor &x, OracleTensor &storage) {
  if (!x.isHalf()) return x;
  storage = x;
  storage.dtype = DType::F32;
  if (!x.bounds.empty())
    for (int64_t i = 0; i < x.size(); ++i) storage.set(i, widened(x.at(i), formatOf(x.dtype)));
  return storage;
}

void roundElements(OracleTensor &x) {
  if (!x.isHalf()) return;
  for (int64_t i = 0; i < x.size(); ++i) x.set(i, roundedTo(x.at(i), formatOf(x.dtype)));
}

} // namespace kiln::interp
