// What analyses of tile programs answer: divisors, bounds and numbers of index values, and what differs between warps.
#include "ir/tile/analysis/Alignment.h"
#include "ir/tile/analysis/IndexRange.h"
#include "ir/tile/analysis/Uniformity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln::tile;

namespace {

/// A program that asks by its stores: of the offset of each, where it runs.
class AnalysisTest : public testing::Test {
protected:
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;

  KernelOp parse(const std::string &body) {
    context.loadDialect<TileDialect, arith::ArithDialect, scf::SCFDialect>();
    std::string text = R"(tile.kernel @k(%x: !tile.global<?x?xi64> {tile.dims = ["M", "N"], tile.aligned = 8},
                                         %out: !tile.global<1024xi64>, %flag: i1) grid "M" threads 64 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c12 = arith.constant 12 : index
      %m = tile.extent "M"
      %n = tile.extent "N"
      %cta = tile.cta_id
      %warp = tile.warp_id
      %number = arith.constant 7 : i64
)" + body + "tile.return\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    return module ? *module->getOps<KernelOp>().begin() : KernelOp();
  }
  /// The stores of the program, in order.
  static std::vector<StoreOp> stores(KernelOp kernel) {
    std::vector<StoreOp> stores;
    kernel.walk([&](StoreOp store) { stores.push_back(store); });
    return stores;
  }
  static std::string store(const std::string &offset) {
    return "tile.store %number, %out[" + offset + "] : i64, !tile.global<1024xi64>\n";
  }
};

TEST_F(AnalysisTest, DivisorsFollowFromArgumentsLoopsAndConstants) {
  KernelOp kernel =
      parse("%a = arith.muli %n, %c12 : index\n" + store("%a") +                                                      //
            "%b = arith.minsi %a, %c12 : index\n" + store("%b") + "%c = arith.addi %n, %c2 : index\n" + store("%c") + //
            "scf.for %i = %c0 to %m step %c12 {\n" + store("%i") + "}\n" + store("%m") +
            "%d = arith.subi %a, %a : index\n" + store("%d"));
  ASSERT_TRUE(kernel);
  Alignment alignment(kernel);
  auto divisorOf = [&](int i) { return alignment.divisorOf(stores(kernel)[i].getOffset(), stores(kernel)[i]); };
  EXPECT_EQ(divisorOf(0).known, 96);
  EXPECT_EQ(divisorOf(0).largest, 96);
  EXPECT_EQ(divisorOf(1).known, 12);
  EXPECT_EQ(divisorOf(1).largest, std::nullopt); // the lesser of two is not each multiple
  EXPECT_EQ(divisorOf(2).known, 2);
  EXPECT_EQ(divisorOf(2).largest, 2);
  EXPECT_EQ(divisorOf(3).known, 12);
  EXPECT_EQ(divisorOf(4).known, 1);
  EXPECT_EQ(divisorOf(5).known, 0);
}

TEST_F(AnalysisTest, NumbersThatAreTakenLieInTheBounds) {
  KernelOp kernel = parse("scf.for %i = %c2 to %c12 step %c2 {\n%a = arith.muli %i, %i : index\n" + store("%a") +
                          "}\n" + store("%m") + "scf.if %flag {\n" + store("%c2") + "}\n");
  ASSERT_TRUE(kernel);
  auto numbers = [&](int i) { return numbersTaken(stores(kernel)[i], stores(kernel)[i].getOffset()); };
  EXPECT_EQ(numbers(0), (SmallVector<int64_t>{4, 16, 100}));
  EXPECT_TRUE(numbers(1).empty());
  EXPECT_TRUE(numbers(2).empty()); // which may never be
  IndexRanges ranges;
  ASSERT_TRUE(succeeded(ranges.analyse(kernel)));
  const ConstantIntRanges *squares = ranges.of(stores(kernel)[0].getOffset()),
                          *m = ranges.of(stores(kernel)[1].getOffset());
  ASSERT_TRUE(squares && m);
  EXPECT_LE(squares->smin().getSExtValue(), 4);
  EXPECT_GE(squares->smax().getSExtValue(), 100);
  EXPECT_EQ(m->smin().getSExtValue(), 0);
  EXPECT_EQ(m->smax().getSExtValue(), INT32_MAX);
}

TEST_F(AnalysisTest, WarpsPartWhereTheirNumberDecides) {
  KernelOp kernel = parse("%first = arith.cmpi eq, %warp, %c0 : index\nscf.if %first {\n" + store("%c0") + "}\n" +
                          "scf.for %i = %c0 to %warp step %c1 {\n" + store("%i") + "}\n" + //
                          "%last = scf.for %i = %c0 to %c12 step %c1 iter_args(%w = %warp) -> index {\n" + store("%i") +
                          "scf.yield %w : index\n}\n" + store("%last"));
  ASSERT_TRUE(kernel);
  Uniformity uniformity(kernel);
  auto asked = stores(kernel);
  EXPECT_TRUE(isa_and_nonnull<scf::IfOp>(uniformity.partedBy(asked[0])));
  EXPECT_FALSE(uniformity.isVarying(asked[0].getOffset()));
  EXPECT_TRUE(isa_and_nonnull<scf::ForOp>(uniformity.partedBy(asked[1])));
  EXPECT_TRUE(uniformity.isVarying(asked[1].getOffset()));
  // What a loop carries decides neither its variable nor its body.
  EXPECT_FALSE(uniformity.partedBy(asked[2]));
  EXPECT_FALSE(uniformity.isVarying(asked[2].getOffset()));
  EXPECT_TRUE(uniformity.isVarying(asked[3].getOffset()));
}

} // namespace
