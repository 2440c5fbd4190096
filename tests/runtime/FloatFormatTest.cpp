#include "kiln/FloatFormat.h"
#include "kiln/Error.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace kiln {
namespace {

constexpr DType kNarrow[] = {f16, bf16, f8E4M3FN, f8E5M2, f8E8M0};

TEST(FloatFormat, EveryNarrowValueSurvivesTheRoundTrip) {
  for (DType type : kNarrow)
    for (uint64_t bits = 0; bits < (uint64_t{1} << bitWidth(type)); ++bits) {
      double value = decodeFloat(type, bits);
      uint64_t back = encodeFloat(type, value);
      if (std::isnan(value)) ASSERT_TRUE(std::isnan(decodeFloat(type, back))) << name(type) << " " << bits;
      // e4m3 has no infinity and e8m0 no sign, so all values but NaN come back bit for bit.
      else
        ASSERT_EQ(back, bits) << name(type);
    }
}

// The halfway points between neighbours, and their double neighbours, decide the rounding.
TEST(FloatFormat, RoundsToNearestEvenBetweenAllNeighbours) {
  for (DType type : {f16, bf16, f8E4M3FN, f8E5M2}) {
    uint64_t sign = uint64_t{1} << (bitWidth(type) - 1);
    for (uint64_t bits = 0;; ++bits) {
      double low = decodeFloat(type, bits), high = decodeFloat(type, bits + 1);
      if (!std::isfinite(high)) break;
      double middle = (low + high) / 2;
      uint64_t even = bits & 1 ? bits + 1 : bits;
      ASSERT_EQ(encodeFloat(type, middle), even) << name(type) << " " << bits;
      ASSERT_EQ(encodeFloat(type, -middle), even | sign) << name(type) << " " << bits;
      ASSERT_EQ(encodeFloat(type, std::nextafter(middle, 0)), bits) << name(type);
      ASSERT_EQ(encodeFloat(type, std::nextafter(middle, 1e300)), bits + 1) << name(type);
    }
  }
}

TEST(FloatFormat, SingleAgreesWithTheHostsConversion) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    double value = std::bit_cast<double>(random());
    if (i % 2)
      value = std::ldexp(value, 0) == value
                  ? std::ldexp(1 + 0x1p-52 * double(random() >> 12), int(random() % 320) - 170)
                  : 0;
    if (std::isnan(value)) continue;
    auto want = std::bit_cast<uint32_t>(static_cast<float>(value));
    ASSERT_EQ(encodeFloat(f32, value), want) << value;
    ASSERT_EQ(decodeFloat(f32, want), static_cast<double>(static_cast<float>(value)));
  }
}

TEST(FloatFormat, RangeEnds) {
  double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(roundTo(f16, 65519.99), 65504);
  EXPECT_EQ(roundTo(f16, 65520), inf);
  EXPECT_EQ(roundTo(f8E5M2, -1e9), -inf);
  EXPECT_EQ(roundTo(f8E4M3FN, 1e9), 448);
  EXPECT_EQ(roundTo(f8E4M3FN, -inf), -448);
  EXPECT_EQ(roundTo(f8E4M3FN, 464), 448);
  EXPECT_TRUE(std::isnan(decodeFloat(f8E4M3FN, encodeFloat(f8E4M3FN, 465, /*saturate=*/false))));
  EXPECT_EQ(encodeFloat(bf16, -0.0), 0x8000u);
  EXPECT_EQ(encodeFloat(bf16, 5e-324), 0u);
  EXPECT_EQ(encodeFloat(bf16, 0x1p-133), 1u) << "subnormals are kept";
  EXPECT_TRUE(std::signbit(roundTo(f16, std::copysign(nan, -1.0))));
  EXPECT_EQ(roundTo(tf32, 1 + 0x1p-11), 1) << "ties go to even";
  EXPECT_EQ(roundTo(tf32, 1 + 0x1.8p-10), 1 + 0x1p-9);
  EXPECT_EQ(roundTo(f8E8M0, 3), 4);
  EXPECT_EQ(roundTo(f8E8M0, 2.9), 2);
  EXPECT_EQ(roundTo(f8E8M0, 0), 0x1p-127);
  EXPECT_EQ(roundTo(f8E8M0, inf), 0x1p127);
  EXPECT_TRUE(std::isnan(roundTo(f8E8M0, -1)));
  EXPECT_THROW(encodeFloat(i32, 1), Error);
}

} // namespace
} // namespace kiln
