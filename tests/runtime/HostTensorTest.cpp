#include "kiln/HostTensor.h"
#include "kiln/Error.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kiln {
namespace {

TEST(HostTensor, StartsAtZeroOnItsAlignment) {
  HostTensor t({3, 5}, f32);
  EXPECT_EQ(t.size(), 15);
  EXPECT_EQ(t.byteSize(), 60u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(t.raw()) % kBufferAlignment, 0u);
  EXPECT_EQ(t.get(14), 0);
  EXPECT_EQ(t.typeString(), "f32[3, 5]");
  EXPECT_EQ(HostTensor({}, f32).size(), 1);
  EXPECT_EQ(HostTensor({4, 0}, i4).byteSize(), 0u);
}

TEST(HostTensor, SizesThatOverflowAreErrorsWhateverTheOrder) {
  EXPECT_THROW(HostTensor({int64_t{1} << 40, int64_t{1} << 40}, i8), Error);
  EXPECT_THROW(HostTensor({int64_t{1} << 61, 2}, f64), Error);
  EXPECT_THROW(HostTensor({int64_t{1} << 50}, f64), Error);
  EXPECT_THROW(HostTensor({-1}, f32), Error);
  EXPECT_THROW(HostTensor({1}, f32, nullptr), Error);
  EXPECT_EQ(elementCount(std::vector<int64_t>{int64_t{1} << 40, int64_t{1} << 40, 0}), 0);
}

TEST(HostTensor, EveryTypeKeepsSmallIntegers) {
  for (int i = 0; i < kDTypeCount; ++i) {
    auto type = static_cast<DType>(i);
    bool unsignedType = type == f8E8M0 || type == boolean;
    HostTensor t = HostTensor::of({3}, type, {1, unsignedType ? 1.0 : -3.0, 1});
    EXPECT_EQ(t.get(0), 1) << name(type);
    EXPECT_EQ(t.get(1), unsignedType ? 1 : -3) << name(type);
    EXPECT_EQ(t.get(2), 1) << name(type);
  }
}

TEST(HostTensor, IntegersTruncateAndSaturate) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  HostTensor t = HostTensor::of({6}, i8, {300, -300, 2.9, -2.9, nan, 1e300});
  EXPECT_EQ(t.cast(i64).data<int64_t>()[0], 127);
  EXPECT_EQ(t.getInt(1), -128);
  EXPECT_EQ(t.getInt(2), 2);
  EXPECT_EQ(t.getInt(3), -2);
  EXPECT_EQ(t.getInt(4), 0);
  EXPECT_EQ(t.getInt(5), 127);
  HostTensor wide({2}, i64);
  wide.set(0, 0x1p63);
  wide.setInt(1, INT64_MAX - 1);
  EXPECT_EQ(wide.getInt(0), INT64_MAX);
  EXPECT_EQ(wide.getInt(1), INT64_MAX - 1);
  EXPECT_EQ(HostTensor::of({2}, i4, {100, -100}).getInt(1), -8);
}

TEST(HostTensor, TypedAccessChecksTheWidthAndIndicesTheRange) {
  HostTensor t({2}, bf16);
  EXPECT_NO_THROW(t.data<uint16_t>());
  EXPECT_THROW(t.data<float>(), Error);
  EXPECT_THROW(t.get(2), Error);
  EXPECT_THROW(t.set(-1, 0), Error);
  EXPECT_THROW(t.getInt(0), Error);
  EXPECT_THROW(HostTensor::of({3}, f32, {1, 2}), Error);
  EXPECT_THROW(HostTensor().get(0), Error);
}

TEST(HostTensor, CopiesShareAndClonesDoNot) {
  HostTensor a = HostTensor::full({4}, f32, 1);
  HostTensor shared = a, cloned = a.clone(), reshaped = a.reshape({2, 2});
  a.set(3, 9);
  EXPECT_EQ(shared.get(3), 9);
  EXPECT_EQ(reshaped.get(3), 9);
  EXPECT_EQ(cloned.get(3), 1);
  EXPECT_THROW(a.reshape({3}), Error);
}

TEST(HostTensor, RandomIsNormalAndRepeats) {
  HostTensor a = HostTensor::randomNormal({10001}, f32, 3);
  EXPECT_TRUE(bitEqual(a, HostTensor::randomNormal({10001}, f32, 3)));
  EXPECT_FALSE(bitEqual(a, HostTensor::randomNormal({10001}, f32, 4)));
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < a.size(); ++i) sum += a.get(i), squares += a.get(i) * a.get(i);
  EXPECT_NEAR(sum / 10001, 0, 0.05);
  EXPECT_NEAR(squares / 10001, 1, 0.05);
  HostTensor n = HostTensor::randomInt({1000}, i32, 1, -2, 2);
  bool seen[5] = {};
  for (int64_t i = 0; i < n.size(); ++i) seen[n.getInt(i) + 2] = true;
  EXPECT_TRUE(seen[0] && seen[1] && seen[2] && seen[3] && seen[4]);
  EXPECT_THROW(HostTensor::randomInt({1}, boolean, 1, 0, 2), Error);
  EXPECT_THROW(HostTensor::randomNormal({1}, i32, 1), Error);
}

TEST(HostTensor, BitComparisonSeesZeroSignsAndTreatsNaNsAsAsked) {
  HostTensor a = HostTensor::of({3}, f32, {0, 1, std::nan("")}), b = a.clone();
  EXPECT_TRUE(bitEqual(a, b));
  b.data<uint32_t>()[2] = 0xFFC00123;
  EXPECT_EQ(firstDifference(a, b), 2);
  EXPECT_TRUE(bitEqual(a, b, NaNs::AllEqual));
  b.set(0, -0.0);
  EXPECT_EQ(firstDifference(a, b, NaNs::AllEqual), 0);
  EXPECT_FALSE(bitEqual(a, a.reshape({3, 1})));
  // The unused half of the last byte is not an element.
  HostTensor c = HostTensor::of({1}, i4, {3}), d = c.clone();
  d.bytes()[0] |= std::byte{0x70};
  EXPECT_TRUE(bitEqual(c, d));
}

} // namespace
} // namespace kiln
