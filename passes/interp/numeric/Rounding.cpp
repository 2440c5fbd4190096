// Bounds of results from their ranges.
#include "passes/interp/numeric/Rounding.h"

namespace kiln::interp {

Element finish(double v, Range range, double ulps, bool either, Limits limits) {
  bool nan = std::isnan(v) && std::isnan(range.lo) && std::isnan(range.hi);
  if (nan) return {v, 0, either};
  if (std::isnan(v) || std::isnan(range.lo) || std::isnan(range.hi)) return Element::unknown();
  // Certain to overflow, whatever it rounds itself.
  double margin = 1 + ulps * 0x1p-23;
  if (range.lo >= kOverflow * margin) return {std::numeric_limits<double>::infinity(), 0, either};
  if (range.hi <= -kOverflow * margin) return {-std::numeric_limits<double>::infinity(), 0, either};
  if (!std::isfinite(range.lo) || !std::isfinite(range.hi)) return Element::unknown();
  if (range.lo == range.hi && ulps == 0) return {range.lo, 0, either};

  v = std::clamp(v, range.lo, range.hi);
  double own = ulps * ulp(std::max(std::fabs(range.lo), std::fabs(range.hi)));
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

} // namespace kiln::interp
