// Matrix products with bounds.
#pragma once

#include "passes/interp/Value.h"

namespace kiln::interp {

/// a is [batch, m, k] ([batch, k, m] when transposed), b is [batch, k, n] ([batch, n, k]), result is [batch, m, n].
struct MatmulShape {
  int64_t batch, m, n, k;
  bool transposeA, transposeB;
  /// Of 16-bit operands their smallest normal number, else 0: devices sum such products in orders of their own,
  /// rounding down, and lined up as if no operand but 0 were smaller (seen of mma.sync on an H200).
  double smallest = 0;
};

/// Rounding errors of k fused multiply-adds that a correct device may show, in half units of sum |a||b|: min(k, 8
/// sqrt(k)).
double matmulUnits(int64_t k);

/// The product. Each element is off by at most matmulUnits(k) half units of sum (|a| + bound)(|b| + bound), plus what
/// the bounds of a and b add to the product; of 16-bit operands, as if each but 0 were at least the smallest normal
/// one. Where a partial sum might overflow or is no number, the order of the contract (one fused multiply-add per k,
/// ascending) is followed step by step; of 16-bit operands only what every order gives is known. Uses every core.
void matmul(const MatmulShape &shape, const OracleTensor &a, const OracleTensor &b, OracleTensor &result);

} // namespace kiln::interp
