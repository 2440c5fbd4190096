// Softmax and layer norm as a device computes them: the very operations that the composites decompose to.
#pragma once

#include "passes/interp/numeric/Canonical.h"
#include "passes/interp/numeric/Rounding.h"

namespace kiln::interp {

/// x is [rows, n] and so is the result: exp(x - max) · (1 / sum(exp(x - max))) of each row.
void softmaxRows(const OracleTensor &x, int64_t n, ReduceOrder order, OracleTensor &result);

/// x is [rows, n], scale and bias are [n]: (x - mean) rsqrt(variance + eps) scale + bias. The reciprocal root's 2 units
/// cover a square root and a division, too.
void layerNormRows(const OracleTensor &x, const OracleTensor &scale, const OracleTensor &bias, double eps,
                   OracleTensor &result);

} // namespace kiln::interp
