// Simplification keeps the value of every map at every point, and folds what fusion and tiling count on.
#include "ir/layout/IndexMap.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace kiln::layout;

namespace {

int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> point) {
  MLIRContext *context = expr.getContext();
  SmallVector<AffineExpr> dims;
  for (int64_t p : point) dims.push_back(getAffineConstantExpr(p, context));
  return cast<AffineConstantExpr>(expr.replaceDims(dims)).getValue();
}

void forEachPoint(ArrayRef<int64_t> extents, llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> point(extents.size(), 0);
  for (int64_t i = 0, n = elementCount(extents); i < n; ++i) {
    visit(point);
    for (size_t d = extents.size(); d-- > 0;) {
      if (++point[d] < extents[d]) break;
      point[d] = 0;
    }
  }
}

struct IndexMapTest : testing::Test {
  MLIRContext context;
  AffineExpr d(unsigned i) { return getAffineDimExpr(i, &context); }
  AffineExpr c(int64_t v) { return getAffineConstantExpr(v, &context); }
};

TEST_F(IndexMapTest, DropsWhatExtentsMakeIdle) {
  EXPECT_EQ(simplify(d(0) % 8, {8}), d(0));
  EXPECT_EQ(simplify(d(0).floorDiv(8), {8}), c(0));
  EXPECT_EQ(simplify((d(0) * 32 + d(1)).floorDiv(32), {12, 32}), d(0));
  EXPECT_EQ(simplify((d(0) * 32 + d(1)) % 32, {12, 32}), d(1));
  EXPECT_EQ(simplify(d(0), {1}), c(0));
}

TEST_F(IndexMapTest, ChunksOfAPeriodStayContiguous) {
  // Lanes l of chunk c in a row of 384: (64c + l) mod 384 is 64·(c mod 6) + l.
  std::optional<Linear> linear = linearIn((d(0) * 64 + d(1)) % 384, 1, {100, 64});
  ASSERT_TRUE(linear);
  EXPECT_EQ(linear->coefficient, 1);
  EXPECT_FALSE(linearIn((d(0) * 64 + d(1)) % 100, 1, {100, 64}));
}

TEST_F(IndexMapTest, ReshapeAndBackIsTheIdentity) {
  for (auto [from, to] : {std::pair<SmallVector<int64_t>, SmallVector<int64_t>>{{4, 6}, {24}},
                          {{2, 3, 4}, {6, 4}},
                          {{8, 128, 384}, {8, 128, 12, 32}},
                          {{5, 1, 7}, {7, 5}},
                          {{1024, 384}, {8, 128, 12, 32}},
                          {{6, 4}, {3, 8}}}) {
    AffineMap there = reshapeMap(&context, from, to), back = reshapeMap(&context, to, from);
    AffineMap round = compose(there, back, from);
    EXPECT_EQ(round, simplify(AffineMap::getMultiDimIdentityMap(from.size(), &context), from));
    EXPECT_EQ(linearOffset(there, rowMajorStrides(from), to),
              linearOffset(AffineMap::getMultiDimIdentityMap(to.size(), &context), rowMajorStrides(to), to));
  }
}

TEST_F(IndexMapTest, SimplifyKeepsEveryValue) {
  std::mt19937 rng(7);
  for (int trial = 0; trial < 400; ++trial) {
    SmallVector<int64_t> extents;
    for (int i = 0; i < 3; ++i) extents.push_back(1 + rng() % 6);
    AffineExpr expr = d(rng() % 3);
    for (int step = 0; step < 6; ++step) {
      int64_t k = 1 + rng() % 7;
      switch (rng() % 5) {
      case 0:
        expr = expr * k + d(rng() % 3);
        break;
      case 1:
        expr = expr.floorDiv(k);
        break;
      case 2:
        expr = expr % k;
        break;
      case 3:
        expr = expr - static_cast<int64_t>(rng() % 5);
        break;
      default:
        expr = expr + (d(rng() % 3) * k) % (1 + rng() % 5);
        break;
      }
    }
    AffineExpr simple = simplify(expr, extents);
    forEachPoint(extents, [&](ArrayRef<int64_t> point) { ASSERT_EQ(evaluate(expr, point), evaluate(simple, point)); });
    if (std::optional<Bounds> range = boundsOf(simple, extents))
      forEachPoint(extents, [&](ArrayRef<int64_t> point) {
        ASSERT_GE(evaluate(simple, point), range->low);
        ASSERT_LE(evaluate(simple, point), range->high);
      });
  }
}

} // namespace
