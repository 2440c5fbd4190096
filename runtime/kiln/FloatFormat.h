// Exact conversions between double and the floating-point formats, by integer arithmetic only: hosts disagree about
// subnormals in their own 16-bit instructions, and these must not. Rounding is to nearest, ties to even, once.
#pragma once

#include "kiln/DType.h"

#include <cstdint>

namespace kiln {

/// The bits of `value` in `type` (a float type), in the low bitWidth(type) bits. Overflow gives infinity where the
/// format has one; F8E4M3FN has none and gives its largest finite value, or NaN if `saturate` is false. NaN gives the
/// format's quiet NaN of the same sign. F8E8M0 has neither sign nor zero: negative values give NaN, values below 2^-127
/// (zero too) give 2^-127, values above 2^127 saturate alike, and ties go up.
uint64_t encodeFloat(DType type, double value, bool saturate = true);

/// The value of the low bitWidth(type) bits of `bits` in `type` (a float type); exact for every format.
double decodeFloat(DType type, uint64_t bits);

/// `value` rounded to `type`: decodeFloat(type, encodeFloat(type, value)).
double roundTo(DType type, double value);

} // namespace kiln
