// Reductions of rows: a fast loop over doubles, and the canonical order step by step where that would not be sound.
#include "passes/interp/numeric/Reduce.h"

#include "passes/interp/numeric/ElementOps.h"

namespace kiln::interp {
namespace {

struct Totals {
  double sum = -0.0, magnitude = 0, bound = 0;
  double lowest = 0; ///< the least that an element may be, or 0
  bool either = false;
};

Totals totalsOf(const Row &row) {
  Totals t;
  for (int64_t i = 0; i < row.size; ++i) {
    t.sum += row.values[i];
    t.magnitude += std::fabs(row.values[i]);
  }
  if (!row.bounds)
    for (int64_t i = 0; i < row.size; ++i) t.lowest = std::min(t.lowest, row.values[i]);
  else
    for (int64_t i = 0; i < row.size; ++i) {
      t.bound += row.bounds[i];
      t.lowest = std::min(t.lowest, row.values[i] - row.bounds[i]);
    }
  if (row.either) t.either = std::any_of(row.either, row.either + row.size, [](uint8_t flag) { return flag != 0; });
  return t;
}

template <class Combine> Element inOrder(const Row &row, ReduceOrder order, Combine combine) {
  return combineCanonical<Element>(order, row.size, [&](int64_t i) { return row.at(i); }, combine);
}

int64_t combineIntegers(Reduction kind, int64_t a, int64_t b) {
  uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (kind) {
  case Reduction::Prod:
    return static_cast<int64_t>(x * y);
  case Reduction::Max:
    return std::max(a, b);
  case Reduction::Min:
    return std::min(a, b);
  default:
    return static_cast<int64_t>(x + y);
  }
}

Integer reduceIntegers(Reduction kind, const OracleTensor &x, int64_t start, int64_t n) {
  bool extremum = kind == Reduction::Max || kind == Reduction::Min;
  Integer total = extremum ? x.integerAt(start) : Integer{kind == Reduction::Prod ? 1 : 0, false};
  for (int64_t i = extremum ? 1 : 0; i < n; ++i) {
    Integer next = x.integerAt(start + i);
    total = {wrap(x.dtype, combineIntegers(kind, total.v, next.v)), total.either || next.either};
  }
  return total;
}

/// Integers are rounded to f32 one by one, then summed and divided.
Element meanOfIntegers(const OracleTensor &x, int64_t start, int64_t n, ReduceOrder order) {
  OracleTensor floats({n}, DType::F32);
  for (int64_t i = 0; i < n; ++i) floats.set(i, fromInteger(x.integerAt(start + i)));
  return mean(rowOf(floats, 0, n), order);
}

} // namespace

Row rowOf(const OracleTensor &tensor, int64_t start, int64_t size) {
  return {tensor.values.data() + start, tensor.bounds.empty() ? nullptr : tensor.bounds.data() + start,
          tensor.either.empty() ? nullptr : tensor.either.data() + start, size};
}

Element sum(const Row &row, ReduceOrder order) {
  if (row.size == 0) return {};
  if (row.size == 1) return row.at(0);
  Totals t = totalsOf(row);
  double reach = (t.magnitude + t.bound) * kSlack;
  double units = static_cast<double>(canonicalDepth(order, row.size)) * kUnit;
  double b = (units / (1 - units) * reach + t.bound) * kSlack;
  if (!(reach + b < kOverflow)) // also infinities and NaN
    return inOrder(row, order, [](Element x, Element y) { return add(x, y); });
  if (b == 0 || t.lowest < 0 || t.sum - b >= 0) return {t.sum, b, t.either};
  // A sum of what is not negative is not negative, whatever it rounds.
  double half = (t.sum + b) / 2;
  return {half, half, t.either};
}

Element mean(const Row &row, ReduceOrder order) { return div(sum(row, order), rounded(static_cast<double>(row.size))); }

Element prod(const Row &row, ReduceOrder order) {
  if (row.size == 0) return {1, 0, false};
  Element total = inOrder(row, order, [](Element x, Element y) { return mul(x, y); });
  if (row.size == 1 || total.isUnknown() || !std::isfinite(total.v)) return total;
  double units = static_cast<double>(row.size - 1) * kUnit;
  total.b = std::max(total.b, units / (1 - units) * std::fabs(total.v));
  return total;
}

Element maximum(const Row &row) {
  Element result = row.at(0);
  for (int64_t i = 1; i < row.size; ++i) result = maximum(result, row.at(i));
  return result;
}

Element minimum(const Row &row) {
  Element result = row.at(0);
  for (int64_t i = 1; i < row.size; ++i) result = minimum(result, row.at(i));
  return result;
}

void reduceRows(Reduction kind, ReduceOrder order, const OracleTensor &x, int64_t n, OracleTensor &result) {
  auto combine = [&](const Row &row) {
    switch (kind) {
    case Reduction::Sum:
      return sum(row, order);
    case Reduction::Mean:
      return mean(row, order);
    case Reduction::Prod:
      return prod(row, order);
    case Reduction::Max:
      return maximum(row);
    default:
      return minimum(row);
    }
  };
  for (int64_t r = 0; r < result.size(); ++r)
    if (x.isFloat())
      result.set(r, combine(rowOf(x, r * n, n)));
    else if (kind == Reduction::Mean)
      result.set(r, meanOfIntegers(x, r * n, n, order));
    else
      result.setInteger(r, reduceIntegers(kind, x, r * n, n));
}

} // namespace kiln::interp
