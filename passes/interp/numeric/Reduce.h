// Reductions of rows, with bounds.
#pragma once

#include "passes/interp/numeric/Canonical.h"
#include "passes/interp/numeric/Rounding.h"

namespace kiln::interp {

enum class Reduction { Sum, Mean, Max, Min, Prod };

/// Elements of a row of a float tensor: arrays that may be null (all bounds 0, nothing marked).
struct Row {
  const double *values;
  const double *bounds;
  const uint8_t *either;
  int64_t size;

  Element at(int64_t i) const { return {values[i], bounds ? bounds[i] : 0.0, either && either[i]}; }
};
/// Elements [start, start + size) of a float tensor.
Row rowOf(const OracleTensor &tensor, int64_t start, int64_t size);

/// The sum: off by at most (depth of the canonical order) half units of sum |x|, plus the sum of the bounds. Where a
/// partial sum might overflow, the canonical order is followed step by step. Empty: +0.
Element sum(const Row &row, ReduceOrder order);
/// The sum divided by the count, one more rounding. Empty: NaN.
Element mean(const Row &row, ReduceOrder order);
/// The product, in canonical order: off by at most one half unit per factor, plus what the factors' ranges allow.
/// Empty: 1.
Element prod(const Row &row, ReduceOrder order);
/// NaN if one is. At least one element.
Element maximum(const Row &row);
Element minimum(const Row &row);

/// `x` is [rows, n]; fills result[rows]. Floats give floats, integers wrap, the mean of integers is f32, bools any or
/// all.
void reduceRows(Reduction kind, ReduceOrder order, const OracleTensor &x, int64_t n, OracleTensor &result);

} // namespace kiln::interp
