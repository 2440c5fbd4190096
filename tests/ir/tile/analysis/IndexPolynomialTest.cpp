// Sums of products, and what they tell of comparisons.
#include "ir/tile/analysis/IndexPolynomial.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln::tile;

namespace {

class IndexPolynomialTest : public testing::Test {
protected:
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::optional<OpBuilder> b;
  Block block;
  Location loc = UnknownLoc::get(&context);

  IndexPolynomialTest() {
    context.loadDialect<arith::ArithDialect>();
    b.emplace(&context);
    b->setInsertionPointToStart(&block);
  }
  Value argument() { return block.addArgument(b->getIndexType(), loc); }
  Value number(int64_t n) { return arith::ConstantOp::create(*b, loc, b->getIndexAttr(n)); }
  template <typename Op> Value make(Value x, Value y) { return Op::create(*b, loc, x, y); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(*b, loc, predicate, x, y);
  }
};

TEST_F(IndexPolynomialTest, WhatIsAddedAndTakenAwayIsGone) {
  Value x = argument(), y = argument();
  Value product = make<arith::MulIOp>(make<arith::AddIOp>(x, number(3)), y);
  Value rest = make<arith::SubIOp>(product, make<arith::MulIOp>(y, x));
  IndexPolynomial polynomial = IndexPolynomials().of(make<arith::SubIOp>(rest, make<arith::MulIOp>(number(3), y)));
  EXPECT_EQ(polynomial.asConstant(), 0);
  EXPECT_EQ(IndexPolynomials().of(rest).terms().size(), 1u);
  EXPECT_EQ(IndexPolynomials().of(rest).values(), std::vector<Value>{y});
}

TEST_F(IndexPolynomialTest, ValuesStandForOthers) {
  Value x = argument(), y = argument();
  Value half = make<arith::DivSIOp>(make<arith::AddIOp>(x, number(1)), number(2));
  IndexPolynomials polynomials;
  EXPECT_EQ(polynomials.constantOf(half), std::nullopt);
  polynomials.set(x, IndexPolynomial(6));
  EXPECT_EQ(polynomials.constantOf(half), 3);
  polynomials.set(x, IndexPolynomial::of(y));
  Value same = compare(arith::CmpIPredicate::eq, x, y);
  EXPECT_EQ(polynomials.isTrue(same), true);
  polynomials.forget(x);
  EXPECT_EQ(polynomials.isTrue(same), std::nullopt);
}

TEST_F(IndexPolynomialTest, ComparisonsAreOfWhatIsApart) {
  Value x = argument(), more = make<arith::AddIOp>(x, number(1));
  IndexPolynomials polynomials;
  EXPECT_EQ(polynomials.isTrue(compare(arith::CmpIPredicate::sgt, more, x)), true);
  EXPECT_EQ(polynomials.isTrue(compare(arith::CmpIPredicate::sle, more, x)), false);
  // x may be -1.
  EXPECT_EQ(polynomials.isTrue(compare(arith::CmpIPredicate::ugt, more, x)), std::nullopt);
  EXPECT_EQ(polynomials.isTrue(compare(arith::CmpIPredicate::uge, x, x)), true);
  Value unknown = compare(arith::CmpIPredicate::slt, x, number(4));
  Value never = compare(arith::CmpIPredicate::ne, x, x);
  EXPECT_EQ(polynomials.isTrue(make<arith::AndIOp>(unknown, never)), false);
  EXPECT_EQ(polynomials.isTrue(make<arith::OrIOp>(unknown, never)), std::nullopt);
}

TEST_F(IndexPolynomialTest, WhatIsTooLargeStandsForItself) {
  Value large = make<arith::MulIOp>(number(int64_t(1) << 40), number(int64_t(1) << 40));
  IndexPolynomial polynomial = IndexPolynomials().of(large);
  EXPECT_EQ(polynomial.asConstant(), std::nullopt);
  EXPECT_EQ(polynomial.values(), std::vector<Value>{large});
  Value negative = make<arith::DivSIOp>(number(-7), number(2));
  EXPECT_EQ(IndexPolynomials().constantOf(negative), std::nullopt);
  // 8 bits hold no 200.
  Value hundred = arith::ConstantOp::create(*b, loc, b->getI8IntegerAttr(100));
  EXPECT_EQ(IndexPolynomials().constantOf(hundred), 100);
  EXPECT_EQ(IndexPolynomials().constantOf(make<arith::AddIOp>(hundred, hundred)), std::nullopt);
}

TEST_F(IndexPolynomialTest, WhatExpressionsShareIsLookedIntoOnce) {
  Value x = argument(), sum = make<arith::MinSIOp>(x, x);
  for (int i = 0; i < 1000; ++i) sum = make<arith::AddIOp>(sum, sum);
  for (int i = 0; i < 10000; ++i) EXPECT_EQ(IndexPolynomials().of(sum).values().size(), 1u);
}

} // namespace
