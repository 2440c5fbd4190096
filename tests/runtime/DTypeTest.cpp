#include "kiln/DType.h"
#include "kiln/Error.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(DType, NamesParseBackForEveryRow) {
  for (int i = 0; i < kDTypeCount; ++i) {
    auto type = static_cast<DType>(i);
    EXPECT_EQ(parseDType(name(type)), type);
  }
  EXPECT_EQ(parseDType("float"), std::nullopt);
  EXPECT_EQ(parseDType(""), std::nullopt);
}

TEST(DType, ClassesAndWidths) {
  EXPECT_TRUE(isFloat(bf16) && isFloat(f8E8M0) && isFloat(tf32));
  EXPECT_TRUE(isInteger(i4) && isInteger(i64));
  EXPECT_FALSE(isFloat(boolean) || isInteger(boolean));
  EXPECT_EQ(bitWidth(i4), 4);
  EXPECT_EQ(bitWidth(boolean), 8);
  EXPECT_EQ(bitWidth(tf32), 32);
}

TEST(DType, ByteSizeRoundsUpAndSeesOverflow) {
  EXPECT_EQ(byteSize(i4, 7), 4);
  EXPECT_EQ(byteSize(i4, INT64_MAX), INT64_MAX / 2 + 1);
  EXPECT_EQ(byteSize(f32, 3), 12);
  EXPECT_EQ(byteSize(f32, INT64_MAX / 2), std::nullopt);
}

TEST(Error, MessageHoldsEveryKnownFactAndNoEmptyLine) {
  Error full({.code = ErrorCode::InvalidInput,
              .op = "matmul",
              .rule = "inner extents must agree",
              .expected = "4",
              .found = "5",
              .hint = "transpose the right operand",
              .where = {"model.cpp", 12}});
  EXPECT_STREQ(full.what(), "invalid input error: matmul: inner extents must agree\n  expected: 4\n  found:    5\n"
                            "  hint:     transpose the right operand\n  at        model.cpp:12");
  EXPECT_STREQ(Error({.code = ErrorCode::Usage, .rule = "no file given"}).what(), "usage error: no file given");
  EXPECT_EQ(static_cast<int>(full.code), 2);
}

} // namespace
} // namespace kiln
