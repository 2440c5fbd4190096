// What an expansion is written against: a builder of elementary arithmetic.
//
// Every function of this folder is a template over a builder, so that one text runs on plain floats (where a test tries
// all 2^32 inputs) and emits IR on scalars, vectors and fragments. A builder has four value types: F (f32), I (i32), L
// (i64) and C (i1), and does exactly one operation per call: nothing may contract, reassociate or flush.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace kiln::functions {

/// A constant table: so many rows of so many columns.
template <size_t rows, size_t columns> using Table = std::array<std::array<float, columns>, rows>;

/// The operations a builder has. Comparisons are ordered: false if an operand is NaN.
template <class B>
concept ArithmeticBuilder = requires(B &b, typename B::F x, typename B::I i, typename B::L l, typename B::C c) {
  { b.f(1.0f) } -> std::same_as<typename B::F>; // constants
  { b.i(uint32_t(1)) } -> std::same_as<typename B::I>;
  { b.add(x, x) } -> std::same_as<typename B::F>;    // also sub, mul, div
  { b.fma(x, x, x) } -> std::same_as<typename B::F>; // x * x + x, rounded once
  { b.sqrt(x) } -> std::same_as<typename B::F>;      // rounded to nearest; also neg, abs
  { b.max(x, x) } -> std::same_as<typename B::F>;    // NaN if either is; also min
  { b.lt(x, x) } -> std::same_as<typename B::C>;     // also eq
  { b.select(c, x, x) } -> std::same_as<typename B::F>;
  { b.iselect(c, i, i) } -> std::same_as<typename B::I>;
  { b.iadd(i, i) } -> std::same_as<typename B::I>;  // wraps; also isub, imul, iand, ior, ixor
  { b.shl(i, i) } -> std::same_as<typename B::I>;   // by 0 to 31; also shrl (logical), shra (arithmetic)
  { b.ult(i, i) } -> std::same_as<typename B::C>;   // unsigned; also ieq
  { b.bits(x) } -> std::same_as<typename B::I>;     // reinterprets, as does fromBits
  { b.toFloat(i) } -> std::same_as<typename B::F>;  // signed, rounds to nearest
  { b.toInt(x) } -> std::same_as<typename B::I>;    // truncates; x must be in range
  { b.widen(i) } -> std::same_as<typename B::L>;    // zero extends; low() is the low half again
  { b.ladd(l, l) } -> std::same_as<typename B::L>;  // also lmul
  { b.lshl(l, 32) } -> std::same_as<typename B::L>; // also lshr, logical
  { b.both(c, c) } -> std::same_as<typename B::C>;  // and
  // 2^x within 2^-22, subnormals perhaps as 0; also rcpApprox, rsqrtApprox. On a GPU one instruction.
  { b.exp2Approx(x) } -> std::same_as<typename B::F>;
  { b.lookup(Table<1, 2>{}, i) } -> std::same_as<std::array<typename B::F, 2>>; // a row; i must be one
};

/// The polynomial with the coefficients from `first` on, lowest power first, at x, by Horner's rule.
template <size_t first, class B, size_t N>
typename B::F hornerFrom(B &b, typename B::F x, const float (&coefficients)[N]) {
  typename B::F sum = b.f(coefficients[N - 1]);
  for (size_t k = N - 1; k-- > first;) sum = b.fma(sum, x, b.f(coefficients[k]));
  return sum;
}

/// The polynomial with these coefficients, lowest power first, at x.
template <class B, size_t N> typename B::F horner(B &b, typename B::F x, const float (&coefficients)[N]) {
  return hornerFrom<0>(b, x, coefficients);
}

/// |magnitude| >= 0 with the sign of `sign`; magnitude's own sign bit must be clear.
template <class B> typename B::F withSign(B &b, typename B::F magnitude, typename B::F sign) {
  return b.fromBits(b.ior(b.bits(magnitude), b.iand(b.bits(sign), b.i(0x80000000u))));
}

} // namespace kiln::functions
