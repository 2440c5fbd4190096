#include "runtime/Expr.h"
#include "kiln/Error.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(Expr, ConstantsFold) {
  EXPECT_EQ((ceilDiv(Expr(130), 64) * 4 + 1).constant(), 13);
  EXPECT_EQ(floorDiv(Expr(-1), 4).constant(), -1);
  EXPECT_EQ(ceilDiv(Expr(-1), 4).constant(), 0);
  EXPECT_EQ(ceilDiv(Expr(INT64_MAX), 2).constant(), INT64_MAX / 2 + 1);
}

TEST(Expr, ExtentsEvaluateAndPrint) {
  Expr n = Expr::extent("n");
  Expr e = max(ceilDiv(n, 64) * 4 - (n - 1), 8);
  EXPECT_EQ(e.toString(), "max(ceildiv(n, 64) * 4 - (n - 1), 8)");
  EXPECT_EQ(e.evaluate({{"n", 1}}), 8);
  EXPECT_EQ((n * (n + 1)).toString(), "n * (n + 1)");
  EXPECT_EQ((n * (n + 1)).evaluate({{"n", 6}}), 42);
  EXPECT_TRUE(n + 1 == Expr::extent("n") + 1);
  EXPECT_FALSE(n + 1 == n + 2);
  EXPECT_FALSE(n == Expr(0));
  EXPECT_EQ(n.extentName(), "n");
}

TEST(Expr, NamesTheExtentsThatItReads) {
  EXPECT_EQ(Expr(3).extents(), std::vector<std::string>{});
  EXPECT_EQ(Expr::parse("min(sms, ceildiv(M, 128) * ceildiv(N, M))").extents(),
            (std::vector<std::string>{"sms", "M", "N"}));
}

TEST(Expr, PartsAreExpressions) {
  Expr e = ceilDiv(Expr::extent("n"), 64) * 4;
  EXPECT_EQ(e.kind(), Expr::Kind::Mul);
  EXPECT_EQ(e.left().toString(), "ceildiv(n, 64)");
  EXPECT_EQ(e.right().constant(), 4);
  EXPECT_TRUE(Expr(5).left() == Expr(0));
  EXPECT_TRUE(Expr::extent("n").right() == Expr(0));
}

TEST(Expr, KnownExtentsBecomeConstants) {
  Expr e = Expr::parse("min(sms, ceildiv(M, 128) * ceildiv(N, 256))");
  EXPECT_EQ(e.substitute({{"M", 1000}, {"N", 512}}).toString(), "min(sms, 16)");
  EXPECT_TRUE(e.names("sms") && e.names("N") && !e.names("m"));
  EXPECT_EQ(e.substitute({{"M", 1000}, {"N", 512}, {"sms", 7}}).constant(), 7);
}

TEST(Expr, WhatHasNoValueIsAnError) {
  Expr n = Expr::extent("n");
  EXPECT_THROW(n.evaluate(), Error);
  EXPECT_THROW((n + 1).constant(), Error);
  EXPECT_THROW(floorDiv(1, n).evaluate({{"n", 0}}), Error);
  EXPECT_THROW((n * n).evaluate({{"n", int64_t{1} << 40}}), Error);
  EXPECT_THROW((Expr(INT64_MAX) + 1).evaluate(), Error);
}

} // namespace
} // namespace kiln
