// The builder that computes at once: an expansion over it is an ordinary function of floats.
//
// Every builder does one operation per call, so nothing may contract here or in what includes this.
#pragma once
#pragma STDC FP_CONTRACT OFF

#include "passes/functions/Exp.h"

#include <bit>
#include <cmath>

namespace kiln::functions {

/// See ArithmeticBuilder for the operations.
struct ScalarBuilder {
  using F = float;
  using I = uint32_t;
  using L = uint64_t;
  using C = bool;

  F f(float x) { return x; }
  I i(uint32_t x) { return x; }
  F add(F x, F y) { return x + y; }
  F sub(F x, F y) { return x - y; }
  F mul(F x, F y) { return x * y; }
  F div(F x, F y) { return x / y; }
  F fma(F x, F y, F z) { return __builtin_fmaf(x, y, z); }
  F neg(F x) { return -x; }
  F abs(F x) { return __builtin_fabsf(x); }
  F sqrt(F x) { return __builtin_sqrtf(x); }
  F max(F x, F y) { return (x < y || y != y) ? y : x; }
  F min(F x, F y) { return (y < x || y != y) ? y : x; }
  C lt(F x, F y) { return x < y; }
  C eq(F x, F y) { return x == y; }
  F select(C c, F x, F y) { return c ? x : y; }
  I iselect(C c, I x, I y) { return c ? x : y; }
  C both(C x, C y) { return x & y; }
  I iadd(I x, I y) { return x + y; }
  I isub(I x, I y) { return x - y; }
  I imul(I x, I y) { return x * y; }
  I iand(I x, I y) { return x & y; }
  I ior(I x, I y) { return x | y; }
  I ixor(I x, I y) { return x ^ y; }
  I shl(I x, I n) { return x << n; }
  I shrl(I x, I n) { return x >> n; }
  I shra(I x, I n) { return static_cast<I>(static_cast<int32_t>(x) >> n); }
  C ult(I x, I y) { return x < y; }
  C ieq(I x, I y) { return x == y; }
  I bits(F x) { return std::bit_cast<I>(x); }
  F fromBits(I x) { return std::bit_cast<F>(x); }
  F toFloat(I x) { return static_cast<F>(static_cast<int32_t>(x)); }
  I toInt(F x) { return static_cast<I>(static_cast<int32_t>(x)); }
  L widen(I x) { return x; }
  I low(L x) { return static_cast<I>(x); }
  L ladd(L x, L y) { return x + y; }
  L lmul(L x, L y) { return x * y; }
  L lshl(L x, int n) { return x << n; }
  L lshr(L x, int n) { return x >> n; }
  F exp2Approx(F x); // below: they are functions of this builder
  F rcpApprox(F x) { return div(1.0f, x); }
  F rsqrtApprox(F x) { return div(1.0f, sqrt(x)); }
  template <size_t rows, size_t columns> std::array<F, columns> lookup(const Table<rows, columns> &table, I index) {
    return table[index];
  }
};
inline float ScalarBuilder::exp2Approx(F x) { return exp2(*this, x); }
static_assert(ArithmeticBuilder<ScalarBuilder>);

} // namespace kiln::functions
