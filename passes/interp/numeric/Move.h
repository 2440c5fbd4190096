// Moves of elements, with their bounds and marks.
#pragma once

#include "passes/interp/Value.h"

namespace kiln::interp {

/// Row-major strides of a shape, in elements.
std::vector<int64_t> stridesOf(std::span<const int64_t> shape);

/// to[i, j, ...] = from[offset + i strides[0] + j strides[1] + ...], over to's shape.
void copyStrided(const OracleTensor &from, int64_t offset, std::span<const int64_t> strides, OracleTensor &to);

/// to[toStart + i] = from[fromStart + i] for i < count, linear indices.
void copyRun(const OracleTensor &from, int64_t fromStart, int64_t count, OracleTensor &to, int64_t toStart);

/// Makes `count` elements of `to` unknown.
void setUnknown(OracleTensor &to, int64_t start, int64_t count);

/// The same tensor with dimension i being dimension perm[i] of `from`.
OracleTensor permuted(const OracleTensor &from, std::span<const int64_t> perm);

} // namespace kiln::interp
