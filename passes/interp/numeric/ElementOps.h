// Arithmetic on elements: each function gives the value of one operation and the bound of everything a correct
// device may return for it. Exact operands of correctly rounded operations give the one right f32, with bound 0.
// Rounded again, to 16 bits, sums, products, quotients and roots are as if rounded once.
#pragma once

#include "passes/interp/numeric/Rounding.h"

namespace kiln::interp {

Element add(Element a, Element b);
Element sub(Element a, Element b);
Element mul(Element a, Element b);
/// mul(a, a), which is never negative.
Element square(Element a);
/// Unknown where the divisor's range, but not its value alone, holds 0.
Element div(Element a, Element b);
/// Rounded once to `format`, where that can be known.
Element fma(Element a, Element b, Element c, const Format &format = kFormats[0]);
Element neg(Element a);
Element abs(Element a);
/// NaN if either is; -0 < +0.
Element maximum(Element a, Element b);
Element minimum(Element a, Element b);
Element relu(Element a);
/// Steps: an operand whose range crosses one covers both sides and is marked.
Element floor(Element a);
Element ceil(Element a);
Element sqrt(Element a);

/// a or b; where the condition is not known, what covers both, marked unless their ranges meet.
Element select(Integer condition, Element a, Element b);

/// Which of the four relations may hold between two elements, one bit each.
enum : unsigned { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };
unsigned relations(Element a, Element b);
/// Whether a relation in the set `wanted` holds, given those that may.
Integer holds(unsigned possible, unsigned wanted);

/// Truncated towards zero, saturated to the dtype, NaN as 0.
Integer toInteger(Element a, DType dtype);
/// As toInteger, but unknown for what is out of range or NaN: undefined upstream.
Integer toIntegerUnguarded(Element a, DType dtype);
/// An i32 or i64, rounded once to `format`.
Element fromInteger(Integer a, const Format &format = kFormats[0]);

} // namespace kiln::interp
