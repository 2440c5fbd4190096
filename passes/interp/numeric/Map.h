// Elementwise functions over whole tensors.
#pragma once

#include "passes/interp/numeric/Rounding.h"

namespace kiln::interp {

/// result[i] = f(x[i]), ...: floats to floats, computed as f32 and rounded to the result's dtype. All of one shape.
void map(Element (*f)(Element), const OracleTensor &x, OracleTensor &result);
void map(Element (*f)(Element, Element), const OracleTensor &x, const OracleTensor &y, OracleTensor &result);

/// The same for a function that has to know the result's format.
void map(Element (*f)(Element, const Format &), const OracleTensor &x, OracleTensor &result);
void map(Element (*f)(Element, Element, Element, const Format &), const OracleTensor &x, const OracleTensor &y,
         const OracleTensor &z, OracleTensor &result);

/// Integers (bools) to integers: computed as i64 of sign-extended operands and cut to the result's width. An operand
/// that is not known makes the result unknown.
void map(int64_t (*f)(int64_t), const OracleTensor &x, OracleTensor &result);
void map(int64_t (*f)(int64_t, int64_t), const OracleTensor &x, const OracleTensor &y, OracleTensor &result);

/// Between floats and integers, and choices.
void mapToFloat(Element (*f)(Integer, const Format &), const OracleTensor &x, OracleTensor &result);
void mapToInteger(Integer (*f)(Element, DType), const OracleTensor &x, OracleTensor &result);
/// Whether one of the `wanted` relations (ElementOps.h) holds.
void compareFloats(unsigned wanted, const OracleTensor &x, const OracleTensor &y, OracleTensor &result);
void choose(const OracleTensor &condition, const OracleTensor &x, const OracleTensor &y, OracleTensor &result);

} // namespace kiln::interp
