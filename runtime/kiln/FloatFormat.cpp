#include "kiln/FloatFormat.h"
#include "kiln/Error.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace kiln {
namespace {

/// What the top of a format's range encodes.
enum class Specials : uint8_t {
  Ieee,   ///< the largest exponent is infinity (mantissa 0) and NaN
  NanOnly ///< only the all-ones pattern is NaN, no infinity
};

/// A format of one sign bit, `exponent` bits with bias 2^(exponent-1) - 1, and `mantissa` stored bits; `pad` zero bits
/// follow below.
struct Format {
  DType type;
  int exponent, mantissa, pad;
  Specials specials;
};

constexpr std::array<Format, 7> kFormats = {{
    {DType::F64, 11, 52, 0, Specials::Ieee},
    {DType::F32, 8, 23, 0, Specials::Ieee},
    {DType::TF32, 8, 10, 13, Specials::Ieee},
    {DType::F16, 5, 10, 0, Specials::Ieee},
    {DType::BF16, 8, 7, 0, Specials::Ieee},
    {DType::F8E4M3FN, 4, 3, 0, Specials::NanOnly},
    {DType::F8E5M2, 5, 2, 0, Specials::Ieee},
}};

constexpr bool rowsAreInOrder() {
  for (size_t i = 0; i < kFormats.size(); ++i)
    if (kFormats[i].type != static_cast<DType>(i)) return false;
  return true;
}
static_assert(rowsAreInOrder(), "the table is indexed by the enumerator");

const Format &formatOf(DType type) {
  if (static_cast<size_t>(type) < kFormats.size()) return kFormats[static_cast<size_t>(type)];
  throw Error({.code = ErrorCode::Usage,
               .op = "float format",
               .rule = "only float types have one",
               .found = std::string(name(type))});
}

constexpr int kDoubleMantissa = 52;
constexpr int kDoubleBias = 1023;
constexpr uint64_t kDoubleFraction = (uint64_t{1} << kDoubleMantissa) - 1;

/// `value` >> `shift`, rounded to nearest even; shift >= 0.
uint64_t shiftRoundEven(uint64_t value, int shift) {
  if (shift == 0) return value;
  if (shift > 63) return 0;
  uint64_t kept = value >> shift;
  uint64_t rest = value & ((uint64_t{1} << shift) - 1);
  uint64_t half = uint64_t{1} << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

uint64_t encodeE8M0(double value) {
  if (std::isnan(value) || value < 0) return 0xFF;
  if (!(value > 0x1p-127)) return 0;
  if (value >= 0x1p127) return 254;
  auto bits = std::bit_cast<uint64_t>(value);
  auto exponent = static_cast<int>(bits >> kDoubleMantissa) - kDoubleBias;
  bool up = (bits & kDoubleFraction) >= (uint64_t{1} << (kDoubleMantissa - 1));
  return static_cast<uint64_t>(exponent + up + 127);
}

} // namespace

uint64_t encodeFloat(DType type, double value, bool saturate) {
  if (type == DType::F8E8M0) return encodeE8M0(value);
  const Format &f = formatOf(type);
  auto bits = std::bit_cast<uint64_t>(value);
  if (type == DType::F64) return bits;
  uint64_t sign = (bits >> 63) << (f.exponent + f.mantissa);
  auto finish = [&](uint64_t magnitude) { return (sign | magnitude) << f.pad; };

  uint64_t exponentOnes = ((uint64_t{1} << f.exponent) - 1) << f.mantissa;
  uint64_t allOnes = exponentOnes | ((uint64_t{1} << f.mantissa) - 1);
  bool ieee = f.specials == Specials::Ieee;
  if (std::isnan(value)) return finish(ieee ? exponentOnes | (uint64_t{1} << (f.mantissa - 1)) : allOnes);
  uint64_t overflow = ieee ? exponentOnes : saturate ? allOnes - 1 : allOnes;
  if (std::isinf(value)) return finish(overflow);

  // A double's subnormals lie below half of every narrower format's least value, so they become zero.
  auto biased = static_cast<int>((bits >> kDoubleMantissa) & 0x7FF);
  if (biased == 0) return finish(0);
  uint64_t significand = (bits & kDoubleFraction) | (uint64_t{1} << kDoubleMantissa);
  int bias = (1 << (f.exponent - 1)) - 1;
  int exponent = biased - kDoubleBias + bias;
  if (exponent >= (1 << f.exponent)) return finish(overflow);
  // Below the least normal exponent the significand moves further right and the exponent field is 0. Otherwise the
  // leading one is added onto the field minus one, so that a carry out of the rounding increments the exponent.
  int shift = kDoubleMantissa - f.mantissa + (exponent < 1 ? 1 - exponent : 0);
  uint64_t magnitude = shiftRoundEven(significand, shift);
  if (exponent > 1) magnitude += static_cast<uint64_t>(exponent - 1) << f.mantissa;
  uint64_t limit = ieee ? exponentOnes : allOnes;
  return finish(magnitude >= limit ? overflow : magnitude);
}

double decodeFloat(DType type, uint64_t bits) {
  if (type == DType::F8E8M0)
    return (bits & 0xFF) == 0xFF ? std::numeric_limits<double>::quiet_NaN()
                                 : std::ldexp(1.0, static_cast<int>(bits & 0xFF) - 127);
  const Format &f = formatOf(type);
  if (type == DType::F64) return std::bit_cast<double>(bits);
  bits >>= f.pad;
  uint64_t fraction = bits & ((uint64_t{1} << f.mantissa) - 1);
  auto field = static_cast<int>((bits >> f.mantissa) & ((uint64_t{1} << f.exponent) - 1));
  double sign = (bits >> (f.exponent + f.mantissa)) & 1 ? -1.0 : 1.0;
  bool top = field == (1 << f.exponent) - 1;
  bool ieee = f.specials == Specials::Ieee;
  if (top && ieee && fraction == 0) return sign * std::numeric_limits<double>::infinity();
  if (top && (ieee || fraction == (uint64_t{1} << f.mantissa) - 1))
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  int bias = (1 << (f.exponent - 1)) - 1;
  uint64_t significand = field ? fraction | (uint64_t{1} << f.mantissa) : fraction;
  return sign * std::ldexp(static_cast<double>(significand), (field ? field : 1) - bias - f.mantissa);
}

double roundTo(DType type, double value) { return decodeFloat(type, encodeFloat(type, value)); }

} // namespace kiln
