// Judging a device's tensor.
#include "Support.h"

namespace kiln::interp {
namespace {

OracleTensor oracle(std::initializer_list<Element> elements) {
  OracleTensor tensor({static_cast<int64_t>(elements.size())}, DType::F32);
  int64_t i = 0;
  for (Element e : elements) tensor.set(i++, e);
  return tensor;
}

TEST(InterpCompare, RatioAndMismatch) {
  OracleTensor want = oracle({{1, 1e-3, false}, {2, 1e-3, false}});
  Comparison good = compare(want, floats({1.0005, 2}));
  EXPECT_TRUE(good.passed());
  EXPECT_NEAR(good.worstErrorOverBound, 0.5, 1e-3);
  Comparison bad = compare(want, floats({1, 2.002}));
  EXPECT_EQ(bad.mismatches, 1);
  EXPECT_NEAR(bad.worstErrorOverBound, 2, 1e-3);
  EXPECT_NE(bad.firstMismatch.find("element [1]: expected 2 +- 0.001, found 2.002"), std::string::npos)
      << bad.firstMismatch;
}

TEST(InterpCompare, ExactElementsAndSpecials) {
  OracleTensor want = oracle({{1, 0, false}, {kNan, 0, false}, {kInf, 0, false}, {0, 1e-30, false}});
  EXPECT_TRUE(compare(want, floats({1, kNan, kInf, -0.0})).passed());
  EXPECT_EQ(compare(want, floats({1 + 0x1p-23, 1, -kInf, kNan})).mismatches, 4);
  EXPECT_TRUE(std::isinf(compare(want, floats({1 + 0x1p-23, kNan, kInf, 0})).worstErrorOverBound));
  EXPECT_FALSE(compare(oracle({{1, 1, false}}), floats({kNan})).passed());
  EXPECT_FALSE(compare(oracle({{1, 1, false}}), floats({kInf})).passed());
}

TEST(InterpCompare, ZeroSignsWhereTheyAreFixed) {
  OracleTensor want = oracle({{-0.0, 0, false}});
  EXPECT_FALSE(compare(want, floats({0.0})).passed());
  EXPECT_TRUE(compare(want, floats({-0.0})).passed());
  EXPECT_TRUE(compare(want, floats({0.0}), {.ignoreZeroSigns = true}).passed());
  want.zeroSigns = false;
  EXPECT_TRUE(compare(want, floats({0.0})).passed());
}

TEST(InterpCompare, MarkedElementsAreCapped) {
  std::vector<float> values(300, 1);
  OracleTensor want({300}, DType::F32);
  for (int i = 0; i < 300; ++i) want.set(i, {1, i < 3 ? 5.0 : 0, i < 3});
  EXPECT_TRUE(compare(want, tensorOf({300}, values)).passed());
  values[0] = 7; // the hull holds for marked elements, too
  EXPECT_FALSE(compare(want, tensorOf({300}, values)).passed());
  values[0] = 1;
  want.set(3, Element::unknown());
  Comparison four = compare(want, tensorOf({300}, values));
  EXPECT_EQ(four.mismatches, 0);
  EXPECT_EQ(four.eitherCount, 4);
  EXPECT_FALSE(four.passed());
}

TEST(InterpCompare, TypesShapesAndBools) {
  EXPECT_EQ(compare(OracleTensor({2}, DType::F32), floats({3}, {0, 0, 0})).mismatches, 2);
  EXPECT_FALSE(compare(OracleTensor({0}, DType::F32), floats({1}, {0})).passed());
  EXPECT_FALSE(compare(OracleTensor({1}, DType::F32), i32s({0})).passed());
  HostTensor bools({1}, DType::Bool);
  bools.data<uint8_t>()[0] = 2; // neither 0 nor 1
  OracleTensor yes({1}, DType::Bool);
  yes.setInteger(0, {1, false});
  EXPECT_FALSE(compare(yes, bools).passed());
  bools.set(0, 1);
  EXPECT_TRUE(compare(yes, bools).passed());
}

} // namespace
} // namespace kiln::interp
