// clang-format off
// The ops of a graph. All take tensors (and scalars, where an Operand may be one) and return tensors; nothing is
// computed until the graph is compiled and run. Rules that hold for all of them:
//
//   Shapes   broadcast as in numpy: aligned at the last dimension, extents must be equal or 1. Axes may be negative.
//   Dtypes   are never promoted: mixing two is an error that names the cast. A C++ scalar takes the tensor's dtype and
//            must fit it.
//
// The numerics contract, the same on every device and whatever is fused:
//
//   Named ops        are each rounded once to nearest even, never contracted (a·b + c is two roundings, fma is one) and
//                    never reassociated. Fusion and schedules never change a bit. Subnormals are kept.
//   f16 and bf16     round at every op that the graph names, fused or not; inside a function or composite arithmetic is
//                    f32 and rounds once at the end.
//   Functions        exp, log, tanh, erf, sin, cos, rsqrt and sigmoid of f32 are within 2 ulp, gelu within 4; sqrt is
//                    exact to half. Those of f16 and bf16 are within 0.507 ulp at every argument.
//   Composites       (softmax, layerNorm, gelu, matmul) compute in f32 by one formula and round once at the end.
//   Reductions       have one order that does not depend on the schedule (`graph.reduce` spells it); matmul adds its
//                    products in ascending k, one fma each. Sums of integers wrap; the mean of integers is f32. An
//                    empty sum is 0, an empty product 1, an empty max or min an error, an empty mean NaN.
//   NaN              propagates through maximum, minimum, relu, clip, max, min. Comparisons with NaN are false, != true.
//   Integers         wrap. Division truncates and never traps: x/0 is 0, INT_MIN/-1 is INT_MIN, remainders match it.
//   Casts            to floats round once, to nearest even, from integers too. Float to integer truncates and saturates,
//                    NaN gives 0; i64 to i32 wraps; to bool is x != 0.
//   Softmax          of a row that is all -inf, or holds NaN or +inf, is NaN.
// clang-format on
#pragma once

#include "kiln/Graph.h"

namespace kiln {

// Arithmetic: float and integer tensors. `/` truncates integers, `%` is its remainder (integers only).
Tensor operator+(const Operand &a, const Operand &b);
Tensor operator-(const Operand &a, const Operand &b);
Tensor operator*(const Operand &a, const Operand &b);
Tensor operator/(const Operand &a, const Operand &b);
Tensor operator%(const Operand &a, const Operand &b);
Tensor operator-(const Operand &x);
inline Tensor &operator+=(Tensor &a, const Operand &b) { return a = Operand(a, b.where) + b; }
inline Tensor &operator-=(Tensor &a, const Operand &b) { return a = Operand(a, b.where) - b; }
inline Tensor &operator*=(Tensor &a, const Operand &b) { return a = Operand(a, b.where) * b; }
inline Tensor &operator/=(Tensor &a, const Operand &b) { return a = Operand(a, b.where) / b; }

/// The larger (smaller) of two; on bool: or (and).
Tensor maximum(const Operand &a, const Operand &b);
Tensor minimum(const Operand &a, const Operand &b);
/// a·b + c rounded once; floats only.
Tensor fma(const Operand &a, const Operand &b, const Operand &c);

// Comparisons give bool. bool tensors have == and != only.
Tensor operator==(const Operand &a, const Operand &b);
Tensor operator!=(const Operand &a, const Operand &b);
Tensor operator<(const Operand &a, const Operand &b);
Tensor operator<=(const Operand &a, const Operand &b);
Tensor operator>(const Operand &a, const Operand &b);
Tensor operator>=(const Operand &a, const Operand &b);

// Logic on bool (both sides are always computed), and on the bits of bool and integers.
Tensor operator&&(const Operand &a, const Operand &b);
Tensor operator||(const Operand &a, const Operand &b);
Tensor operator!(const Operand &x);
Tensor operator&(const Operand &a, const Operand &b);
Tensor operator|(const Operand &a, const Operand &b);
Tensor operator^(const Operand &a, const Operand &b);
Tensor operator~(const Operand &x);

/// condition ? a : b, element by element; all three broadcast, one of a and b is a tensor.
Tensor where(const Operand &condition, const Operand &a, const Operand &b);
/// `x` as another dtype; see Casts above.
Tensor cast(const Operand &x, DType dtype);

// Functions of floats, element by element; abs and relu take integers too.
Tensor exp(const Operand &x);
Tensor log(const Operand &x);
Tensor sqrt(const Operand &x);
Tensor rsqrt(const Operand &x); ///< 1 / sqrt(x)
Tensor tanh(const Operand &x);
Tensor erf(const Operand &x);
Tensor sin(const Operand &x);
Tensor cos(const Operand &x);
Tensor abs(const Operand &x);
Tensor floor(const Operand &x);
Tensor ceil(const Operand &x);
Tensor relu(const Operand &x);    ///< max(x, 0)
Tensor sigmoid(const Operand &x); ///< 1 / (1 + exp(-x))

/// Exact: x·Φ(x). Tanh: 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
enum class Gelu { Exact, Tanh };
Tensor gelu(const Operand &x, Gelu form = Gelu::Exact);
/// min(max(x, low), high).
Tensor clip(const Operand &x, const Operand &low, const Operand &high);

// Reductions over `axes`, which vanish, or stay with extent 1 if `keepDims`.
Tensor sum(const Operand &x, const Axes &axes = Axes::all(), bool keepDims = false);
Tensor mean(const Operand &x, const Axes &axes = Axes::all(), bool keepDims = false);
Tensor max(const Operand &x, const Axes &axes = Axes::all(), bool keepDims = false); ///< on bool: any
Tensor min(const Operand &x, const Axes &axes = Axes::all(), bool keepDims = false); ///< on bool: all
Tensor prod(const Operand &x, const Axes &axes = Axes::all(), bool keepDims = false);

/// exp(x - max) / sum(exp(x - max)) along `axis`.
Tensor softmax(const Operand &x, int64_t axis = -1);
/// (x - mean) / sqrt(variance + eps) · scale + bias over the last dimension; scale and bias are vectors of its extent.
Tensor layerNorm(const Operand &x, const Operand &scale, const Operand &bias, double eps = 1e-5);

struct MatmulOptions {
  bool transposeA = false; ///< a is [..., K, M]
  bool transposeB = false; ///< b is [..., N, K]
};
/// [..., M, K] x [..., K, N] -> [..., M, N]; the leading dimensions broadcast.
Tensor matmul(const Operand &a, const Operand &b, MatmulOptions options = {});

// Data movement.

/// The same elements in row-major order under another shape, one extent of which may be -1 (what remains).
Tensor reshape(const Operand &x, Shape shape);
/// Swaps two dimensions.
Tensor transpose(const Operand &x, int64_t axis0 = -2, int64_t axis1 = -1);
/// Dimension i of the result is dimension order[i] of `x`.
Tensor permute(const Operand &x, std::vector<int64_t> order);
/// As a limit of a slice: up to the end.
inline constexpr int64_t kEnd = INT64_MAX;
/// Elements starts[i], starts[i] + steps[i], ... below limits[i] of every dimension i; negative ones count from the
/// end, steps default to 1. Nothing is clamped: a window outside the tensor is an error.
Tensor slice(const Operand &x, std::vector<int64_t> starts, std::vector<int64_t> limits,
             std::vector<int64_t> steps = {});
/// The same along one dimension.
Tensor sliceAxis(const Operand &x, int64_t axis, int64_t start, int64_t limit = kEnd, int64_t step = 1);
/// Joins tensors end to end along `axis`.
Tensor concat(const std::vector<Tensor> &xs, int64_t axis, Where where = Where::current());
/// `x` repeated to `shape`, as numpy broadcasts.
Tensor broadcastTo(const Operand &x, Shape shape);
/// x[..., indices, ...] at `axis`: that dimension is replaced by those of `indices` (i32 or i64). Indices out of range
/// are clamped to the first or last element.
Tensor gather(const Operand &x, const Operand &indices, int64_t axis = 0);

} // namespace kiln
