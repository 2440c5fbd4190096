// Softmax and layer norm, element by element with bounds.
#include "passes/interp/numeric/Composite.h"

#include "passes/interp/numeric/ElementOps.h"
#include "passes/interp/numeric/Functions.h"
#include "passes/interp/numeric/Reduce.h"

namespace kiln::interp {

void softmaxRows(const OracleTensor &x, int64_t n, ReduceOrder order, OracleTensor &result) {
  OracleTensor powers({n}, DType::F32);
  int64_t rows = n == 0 ? 0 : x.size() / n;
  for (int64_t r = 0; r < rows; ++r) {
    Row row = rowOf(x, r * n, n);
    Element top = maximum(row);
    for (int64_t i = 0; i < n; ++i) powers.set(i, exp(sub(row.at(i), top)));
    Element total = sum(rowOf(powers, 0, n), order);
    Element inverse = div(rounded(1), total);
    for (int64_t i = 0; i < n; ++i) result.set(r * n + i, mul(powers.at(i), inverse));
  }
}

void layerNormRows(const OracleTensor &x, const OracleTensor &scale, const OracleTensor &bias, double eps,
                   OracleTensor &result) {
  int64_t n = scale.size(), rows = n == 0 ? 0 : x.size() / n;
  OracleTensor centred({n}, DType::F32), squares({n}, DType::F32);
  for (int64_t r = 0; r < rows; ++r) {
    Row row = rowOf(x, r * n, n);
    Element middle = mean(row, ReduceOrder::Row);
    for (int64_t i = 0; i < n; ++i) {
      centred.set(i, sub(row.at(i), middle));
      squares.set(i, square(centred.at(i)));
    }
    Element variance = mean(rowOf(squares, 0, n), ReduceOrder::Row);
    Element factor = rsqrt(add(variance, rounded(eps)));
    for (int64_t i = 0; i < n; ++i)
      result.set(r * n + i, add(mul(mul(centred.at(i), factor), scale.at(i)), bias.at(i)));
  }
}

} // namespace kiln::interp
