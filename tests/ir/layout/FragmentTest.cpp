// Fragment layouts deal every element to as many threads as they say, separably; swizzles are involutions.
#include "ir/layout/Fragment.h"

#include "gtest/gtest.h"

#include <map>
#include <string>

using namespace kiln::layout;

namespace {

struct Named {
  std::string name;
  Fragment fragment;
};
void PrintTo(const Named &named, std::ostream *os) { *os << named.name; }

std::vector<Named> fragments() {
  using enum FragmentKind;
  std::vector<Named> list;
  for (int64_t vec : {1, 2, 4, 8, 16})
    for (int64_t threads : {32, 96, 128, 1024})
      for (int64_t runs : {1, 2, 3}) list.push_back({"blocked", {Blocked, 1, vec * threads * runs, vec, threads}});
  for (auto [wm, wn] : {std::pair<int64_t, int64_t>{1, 1}, {2, 2}, {2, 4}, {4, 1}, {1, 8}})
    for (int64_t i : {1, 2, 4})
      for (int64_t j : {1, 3, 8}) {
        list.push_back({"mma_acc", {MmaAcc, 16 * wm * i, 8 * wn * j, wm, wn}});
        list.push_back({"mma_a", {MmaA, 16 * wm * i, 16 * j, wm, wn}});
        list.push_back({"mma_b", {MmaB, 16 * i, 8 * wn * j, wm, wn}});
      }
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{16, 16}, {8, 4}, {4, 32}})
    for (int64_t i : {1, 2})
      for (int64_t j : {1, 3}) {
        list.push_back({"outer", {Outer, 4 * rows * i, 4 * columns * j, rows, columns}});
        list.push_back({"outer_a", {OuterA, 1, 4 * rows * i, rows, columns}});
        list.push_back({"outer_b", {OuterB, 1, 4 * columns * j, rows, columns}});
      }
  for (int64_t rows : {64, 128, 192, 256})
    for (int64_t columns = 8; columns <= 256; columns += rows == 64 ? 8 : 56) {
      list.push_back({"wgmma", {WgmmaAcc, rows, columns}});
      list.push_back({"wgmma_columns", {WgmmaColumns, 1, columns}});
      for (int64_t together : {1, 2, 4}) // elements of 32, 16 and 8 bits
        if (columns % (8 * together) == 0) list.push_back({"wgmma_a", {WgmmaA, rows, columns, together}});
    }
  for (int64_t rows : {64, 128, 192, 256}) list.push_back({"wgmma_rows", {WgmmaRows, 1, rows}});
  return list;
}

struct FragmentTest : testing::TestWithParam<Named> {};

TEST_P(FragmentTest, DealsEveryElementToItsThreads) {
  const Fragment &f = GetParam().fragment;
  std::map<std::pair<int64_t, int64_t>, int64_t> holders;
  for (int64_t t = 0; t < f.threads(); ++t)
    for (int64_t r = 0; r < f.registers(); ++r) {
      Place place = f.place(t, r);
      ASSERT_TRUE(place.row >= 0 && place.row < f.rows && place.column >= 0 && place.column < f.columns);
      ++holders[{place.row, place.column}];
    }
  ASSERT_EQ(holders.size(), static_cast<size_t>(f.rows * f.columns));
  for (auto &[place, count] : holders) ASSERT_EQ(count, f.copies());
}

TEST_P(FragmentTest, StartsAtItsThreadsAndRegistersPlaces) {
  const Fragment &f = GetParam().fragment;
  for (int64_t t = 0; t < f.threads(); ++t) ASSERT_EQ(f.place(t, 0), f.threadPlace(t));
  for (int64_t r = 0; r < f.registers(); ++r) ASSERT_EQ(f.place(0, r), f.registerPlace(r));
}

INSTANTIATE_TEST_SUITE_P(Layouts, FragmentTest, testing::ValuesIn(fragments()),
                         [](auto &info) { return info.param.name + std::to_string(info.index); });

TEST(Fragment, IsTheAtomOfThePtxManual) {
  // mma.m16n8k16: groupID = lane / 4, threadID_in_group = lane mod 4.
  Fragment acc{FragmentKind::MmaAcc, 16, 8, 1, 1}, a{FragmentKind::MmaA, 16, 16, 1, 1},
      b{FragmentKind::MmaB, 16, 8, 1, 1};
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t group = lane / 4, in = lane % 4;
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(acc.place(lane, i), (Place{group + (i >= 2 ? 8 : 0), in * 2 + (i & 1)}));
    for (int64_t i = 0; i < 8; ++i) {
      bool down = (i >= 2 && i < 4) || i >= 6;
      EXPECT_EQ(a.place(lane, i), (Place{group + (down ? 8 : 0), in * 2 + (i & 1) + (i >= 4 ? 8 : 0)}));
    }
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(b.place(lane, i), (Place{in * 2 + (i & 1) + (i >= 2 ? 8 : 0), group}));
  }
}

TEST(Fragment, IsTheWarpgroupsAtomOfThePtxManual) {
  // wgmma.m64nNk16: row = 16·warp + lane / 4, 8 down for the second pair of each four.
  Fragment acc{FragmentKind::WgmmaAcc, 64, 256}, rows{FragmentKind::WgmmaRows, 1, 64},
      columns{FragmentKind::WgmmaColumns, 1, 256};
  EXPECT_EQ(acc.registers(), 128);
  EXPECT_EQ(rows.copies(), 4);
  EXPECT_EQ(columns.copies(), 32);
  for (int64_t t = 0; t < 128; ++t) {
    int64_t row = t / 32 * 16 + t % 32 / 4, in = t % 4;
    for (int64_t i = 0; i < 128; ++i) {
      Place place = acc.place(t, i);
      EXPECT_EQ(place, (Place{row + (i % 4 >= 2 ? 8 : 0), i / 4 * 8 + in * 2 + (i & 1)}));
      // The slices hold the row and the column of each element, in every thread.
      EXPECT_EQ(rows.place(t, i % 4 / 2).column, place.row);
      EXPECT_EQ(columns.place(t, i / 4 * 2 + i % 2).column, place.column);
    }
  }
}

TEST(Fragment, IsTheLeftOperandOfThePtxManual) {
  // wgmma.m64nNk16: column = 2·(lane mod 4) + (i & 1), 8 more from the fifth on; 8 rows down for the second pair of
  // each four. k32: 4·(lane mod 4) + (i & 3), 16 more from the ninth on; down for the second four of each eight. k8:
  // lane mod 4, 4 more from the third on; down for each second.
  Fragment halves{FragmentKind::WgmmaA, 64, 16, 2}, bytes{FragmentKind::WgmmaA, 64, 32, 4},
      singles{FragmentKind::WgmmaA, 64, 8, 1};
  for (int64_t t = 0; t < 128; ++t) {
    int64_t row = t / 32 * 16 + t % 32 / 4, in = t % 4;
    for (int64_t i = 0; i < 8; ++i)
      EXPECT_EQ(halves.place(t, i), (Place{row + (i & 2) * 4, in * 2 + (i & 1) + (i >= 4 ? 8 : 0)}));
    for (int64_t i = 0; i < 16; ++i)
      EXPECT_EQ(bytes.place(t, i), (Place{row + (i & 4) * 2, in * 4 + (i & 3) + (i >= 8 ? 16 : 0)}));
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(singles.place(t, i), (Place{row + (i & 1) * 8, in + (i >= 2 ? 4 : 0)}));
  }
}

TEST(Fragment, FindsThePartsThatEveryThreadHolds) {
  using enum FragmentKind;
  Fragment whole{WgmmaAcc, 128, 256};
  for (Fragment part : {Fragment{WgmmaAcc, 64, 8}, {WgmmaAcc, 64, 64}, {WgmmaAcc, 128, 128}, {WgmmaA, 64, 32, 2}})
    for (int64_t row = 0; row <= 128 - part.rows; row += 64)
      for (int64_t column = 0; column <= 256 - part.columns; column += 8) {
        auto registers = registersOf(whole, part, {row, column});
        ASSERT_TRUE(registers);
        ASSERT_EQ(static_cast<int64_t>(registers->size()), part.registers());
        for (int64_t t = 0; t < 128; ++t)
          for (int64_t r = 0; r < part.registers(); ++r) {
            Place of = part.place(t, r);
            ASSERT_EQ(whole.place(t, (*registers)[static_cast<size_t>(r)]), (Place{row + of.row, column + of.column}));
          }
      }
  // Other threads' elements, or none at all: of bytes, the next product's operand has them elsewhere in the quad.
  EXPECT_FALSE(registersOf(whole, {WgmmaA, 64, 32, 4}, {0, 0}));
  EXPECT_FALSE(registersOf(whole, {WgmmaAcc, 64, 64}, {8, 0}));
  EXPECT_FALSE(registersOf(whole, {WgmmaAcc, 64, 64}, {0, 4}));
  EXPECT_FALSE(registersOf(whole, {WgmmaAcc, 64, 64}, {128, 0}));
  EXPECT_FALSE(registersOf(whole, {WgmmaAcc, 64, 64}, {0, 200}));
  EXPECT_FALSE(registersOf(whole, {MmaAcc, 64, 64, 2, 2}, {0, 0}));
  EXPECT_FALSE(registersOf(whole, {Blocked, 1, 256, 2, 128}, {0, 0}));
  // A grid of warps deals columns by the fragment's extent: a part's threads are others.
  EXPECT_FALSE(registersOf({MmaAcc, 64, 64, 2, 2}, {MmaAcc, 64, 32, 2, 2}, {0, 0}));
  EXPECT_TRUE(registersOf({MmaAcc, 64, 64, 4, 1}, {MmaAcc, 64, 32, 4, 1}, {0, 32}));
}

TEST(Swizzle, IsItsOwnInverseAndSpreadsColumnsOfChunks) {
  for (int64_t swizzle : {0, 32, 64, 128})
    for (int64_t rowBytes : {64, 128, 256, 640})
      for (int64_t offset = 0; offset < 6400; ++offset) {
        ASSERT_EQ(swizzled(swizzled(offset, swizzle, rowBytes), swizzle, rowBytes), offset);
        ASSERT_EQ(swizzled(offset, swizzle, rowBytes) / 128, offset / 128);
      }
  // Eight rows: one column of chunks meets every bank.
  for (auto [rowBytes, swizzle] : {std::pair{64, 64}, {128, 128}, {256, 128}, {384, 128}, {512, 128}}) {
    uint32_t banks = 0;
    for (int64_t row = 0; row < 8; ++row) banks |= 1u << (swizzled(row * rowBytes + 48, swizzle, rowBytes) % 128 / 16);
    EXPECT_EQ(banks, 0xffu) << rowBytes;
  }
}

} // namespace
