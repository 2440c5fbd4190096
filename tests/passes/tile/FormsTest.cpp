// Sums of products, and what they tell of comparisons.
#include "passes/tile/Forms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln::tile;

namespace {

class FormsTest : public testing::Test {
protected:
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::optional<OpBuilder> b;
  Block block;
  Location loc = UnknownLoc::get(&context);

  FormsTest() {
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

TEST_F(FormsTest, WhatIsAddedAndTakenAwayIsGone) {
  Value x = argument(), y = argument();
  Value product = make<arith::MulIOp>(make<arith::AddIOp>(x, number(3)), y);
  Value rest = make<arith::SubIOp>(product, make<arith::MulIOp>(y, x));
  Form form = Forms().of(make<arith::SubIOp>(rest, make<arith::MulIOp>(number(3), y)));
  EXPECT_EQ(form.asConstant(), 0);
  EXPECT_EQ(Forms().of(rest).terms().size(), 1u);
  EXPECT_EQ(Forms().of(rest).values(), std::vector<Value>{y});
}

TEST_F(FormsTest, ValuesStandForOthers) {
  Value x = argument(), y = argument();
  Value half = make<arith::DivSIOp>(make<arith::AddIOp>(x, number(1)), number(2));
  Forms forms;
  EXPECT_EQ(forms.constantOf(half), std::nullopt);
  forms.set(x, Form(6));
  EXPECT_EQ(forms.constantOf(half), 3);
  forms.set(x, Form::of(y));
  Value same = compare(arith::CmpIPredicate::eq, x, y);
  EXPECT_EQ(forms.isTrue(same), true);
  forms.forget(x);
  EXPECT_EQ(forms.isTrue(same), std::nullopt);
}

TEST_F(FormsTest, ComparisonsAreOfWhatIsApart) {
  Value x = argument(), more = make<arith::AddIOp>(x, number(1));
  Forms forms;
  EXPECT_EQ(forms.isTrue(compare(arith::CmpIPredicate::sgt, more, x)), true);
  EXPECT_EQ(forms.isTrue(compare(arith::CmpIPredicate::sle, more, x)), false);
  // x may be -1.
  EXPECT_EQ(forms.isTrue(compare(arith::CmpIPredicate::ugt, more, x)), std::nullopt);
  EXPECT_EQ(forms.isTrue(compare(arith::CmpIPredicate::uge, x, x)), true);
  Value unknown = compare(arith::CmpIPredicate::slt, x, number(4));
  Value never = compare(arith::CmpIPredicate::ne, x, x);
  EXPECT_EQ(forms.isTrue(make<arith::AndIOp>(unknown, never)), false);
  EXPECT_EQ(forms.isTrue(make<arith::OrIOp>(unknown, never)), std::nullopt);
}

TEST_F(FormsTest, WhatIsTooLargeStandsForItself) {
  Value large = make<arith::MulIOp>(number(int64_t(1) << 40), number(int64_t(1) << 40));
  Form form = Forms().of(large);
  EXPECT_EQ(form.asConstant(), std::nullopt);
  EXPECT_EQ(form.values(), std::vector<Value>{large});
  Value negative = make<arith::DivSIOp>(number(-7), number(2));
  EXPECT_EQ(Forms().constantOf(negative), std::nullopt);
  // 8 bits hold no 200.
  Value hundred = arith::ConstantOp::create(*b, loc, b->getI8IntegerAttr(100));
  EXPECT_EQ(Forms().constantOf(hundred), 100);
  EXPECT_EQ(Forms().constantOf(make<arith::AddIOp>(hundred, hundred)), std::nullopt);
}

TEST_F(FormsTest, WhatExpressionsShareIsLookedIntoOnce) {
  Value x = argument(), sum = make<arith::MinSIOp>(x, x);
  for (int i = 0; i < 1000; ++i) sum = make<arith::AddIOp>(sum, sum);
  for (int i = 0; i < 10000; ++i) EXPECT_EQ(Forms().of(sum).values().size(), 1u);
}

} // namespace
