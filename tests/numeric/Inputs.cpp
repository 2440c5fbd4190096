#include "tests/numeric/Inputs.h"

#include <kiln/FloatFormat.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace kiln;
using namespace kiln::numeric;

namespace {

using Limits = std::numeric_limits<float>;

const float kSpecialFloats[] = {Limits::quiet_NaN(),
                                Limits::infinity(),
                                -Limits::infinity(),
                                0.0f,
                                -0.0f,
                                Limits::denorm_min(),
                                -Limits::denorm_min(),
                                0x1.fffffcp-127f,
                                Limits::min(),
                                -Limits::min(),
                                Limits::max(),
                                -Limits::max(),
                                1.0f,
                                -1.0f,
                                0.5f,
                                2.0f,
                                0x1.fffffep-1f,
                                0x1.000002p0f,
                                88.72284f,
                                -104.0f,
                                3e38f,
                                2147483648.0f,
                                -2147483648.0f,
                                0x1p63f,
                                16777216.0f};

float specialFloat(std::mt19937_64 &random) {
  uint64_t draw = random();
  if (draw % 4 == 0) return std::bit_cast<float>(static_cast<uint32_t>(draw >> 32));
  return kSpecialFloats[(draw >> 8) % std::size(kSpecialFloats)];
}

/// What a 16-bit float may be: as above, rounded, and its own bits, the largest and smallest numbers among them.
uint16_t specialHalf(std::mt19937_64 &random, DType dtype) {
  uint16_t infinity = dtype == f16 ? 0x7c00 : 0x7f80, leastNormal = dtype == f16 ? 0x0400 : 0x0080;
  const uint16_t own[] = {static_cast<uint16_t>(infinity - 1), leastNormal, static_cast<uint16_t>(leastNormal - 1), 1};
  uint64_t draw = random(), sign = draw >> 63 << 15;
  if (draw % 4 == 0) return static_cast<uint16_t>(draw >> 32);
  if (draw % 4 == 1) return static_cast<uint16_t>(own[draw >> 8 & 3] | sign);
  return static_cast<uint16_t>(encodeFloat(dtype, kSpecialFloats[(draw >> 8) % std::size(kSpecialFloats)]));
}

/// A float of either sign with an exponent in [low, high); low -149 reaches the subnormals.
float floatBetween(std::mt19937_64 &random, int low, int high) {
  uint64_t draw = random();
  double mantissa = 1 + static_cast<double>(draw >> 41) * 0x1p-23;
  double value = std::ldexp(mantissa, low + static_cast<int>(draw % static_cast<uint64_t>(high - low)));
  return static_cast<float>(draw & (1 << 20) ? -value : value);
}

float makeFloat(std::mt19937_64 &random, Flavour flavour) {
  if (flavour == Flavour::Special) return specialFloat(random);
  if (flavour == Flavour::Huge) return floatBetween(random, 60, 128);
  if (flavour == Flavour::Tiny) return floatBetween(random, -149, -100);
  return static_cast<float>(std::normal_distribution<double>()(random));
}

uint16_t makeHalf(std::mt19937_64 &random, DType dtype, Flavour flavour) {
  if (flavour == Flavour::Special) return specialHalf(random, dtype);
  float value = makeFloat(random, dtype == bf16 ? flavour : Flavour::Normal);
  if (dtype == f16 && flavour == Flavour::Huge) value = floatBetween(random, 8, 17);
  if (dtype == f16 && flavour == Flavour::Tiny) value = floatBetween(random, -25, -10);
  return static_cast<uint16_t>(encodeFloat(dtype, value));
}

int64_t makeInt(std::mt19937_64 &random, DType dtype, Flavour flavour) {
  int64_t low = dtype == i32 ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
  int64_t high = dtype == i32 ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
  uint64_t draw = random();
  if (flavour == Flavour::Normal) return static_cast<int64_t>(draw % 19) - 9;
  if (flavour == Flavour::Tiny) return static_cast<int64_t>(draw % 3) - 1;
  int64_t bits = static_cast<int64_t>(draw);
  if (flavour == Flavour::Huge) return dtype == i32 ? static_cast<int32_t>(bits) : bits;
  const int64_t special[] = {low, low + 1, high, high - 1, -1, 0, 1, 2, -2, high / 2, low / 2, 1 << 24, (1 << 24) + 1};
  return special[draw % std::size(special)];
}

} // namespace

HostTensor kiln::numeric::makeInput(const std::vector<int64_t> &shape, DType dtype, Flavour flavour, uint64_t seed) {
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15u + static_cast<uint64_t>(flavour));
  HostTensor tensor(shape, dtype);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (dtype == f32)
      tensor.data<float>()[i] = makeFloat(random, flavour);
    else if (isFloat(dtype))
      tensor.data<uint16_t>()[i] = makeHalf(random, dtype, flavour);
    else
      tensor.setInt(i, dtype == boolean ? static_cast<int64_t>(random() >> 63) : makeInt(random, dtype, flavour));
  }
  return tensor;
}

InputSet kiln::numeric::makeInputs(const Graph &graph, Flavour flavour, uint64_t seed) {
  InputSet inputs{{}, flavour == Flavour::Special || flavour == Flavour::Huge};
  for (const TensorInfo &info : graph.inputs())
    inputs.tensors.push_back(makeInput(info.shape, info.dtype, flavour, ++seed));
  return inputs;
}
