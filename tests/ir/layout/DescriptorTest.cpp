// Descriptors decode back to the tile that they were made of: what the tensor core finds by them is what the tile's own
// index map says, for every atom of every tile.
#include "ir/layout/Descriptor.h"

#include <gtest/gtest.h>

using namespace kiln::layout;

namespace {

constexpr int64_t kBase = 3 * 1024;

/// Every tile of these extents that a tensor core can read, in panels.
std::vector<SharedTile> operands(Major major) {
  std::vector<SharedTile> tiles;
  for (int64_t swizzle : {32, 64, 128})
    for (int64_t elementBytes : {1, 2, 4})
      for (int64_t panels : {1, 2, 4})
        for (int64_t rows : {8, 16, 64, 128, 192, 256}) {
          int64_t panel = swizzle / elementBytes;
          SharedTile tile{rows, panels * panel, elementBytes, swizzle, panel};
          if (isOperand(tile, major)) tiles.push_back(tile);
        }
  return tiles;
}

/// The descriptor as hardware gets it: of an address, through its 64 bits.
MatrixDescriptor sent(MatrixDescriptor descriptor) {
  descriptor.start += kBase;
  return decode(encode(descriptor));
}

TEST(Descriptor, FindsEveryElementOfTilesWithRowsAlongK) {
  ASSERT_EQ(operands(Major::K).size(), 3u * 3 * 3 * 6);
  for (const SharedTile &tile : operands(Major::K)) {
    int64_t depth = kAtomDepthBytes / tile.elementBytes;
    for (int64_t mn = 0; mn < tile.rows; mn += 8)
      for (int64_t k = 0; k < tile.columns; k += depth) {
        MatrixDescriptor descriptor = sent(descriptorOf(tile, Major::K, mn, k));
        for (int64_t i = 0; mn + i < tile.rows; ++i)
          for (int64_t j = 0; j < depth; ++j)
            ASSERT_EQ(elementAddress(descriptor, Major::K, tile.elementBytes, i, j), kBase + tile.offset(mn + i, k + j))
                << tile.rows << 'x' << tile.columns << " of " << tile.elementBytes << " bytes, swizzle " << tile.swizzle
                << ", at " << mn + i << ", " << k + j;
      }
  }
}

TEST(Descriptor, FindsEveryElementOfTilesWithRowsAlongMN) {
  ASSERT_EQ(operands(Major::MN).size(), 3u * 3 * 6);
  for (const SharedTile &tile : operands(Major::MN)) {
    int64_t depth = kAtomDepthBytes / tile.elementBytes;
    for (int64_t k = 0; k < tile.rows; k += depth)
      for (int64_t mn = 0; mn < tile.columns; mn += tile.panel) {
        MatrixDescriptor descriptor = sent(descriptorOf(tile, Major::MN, mn, k));
        for (int64_t i = 0; mn + i < tile.columns; ++i)
          for (int64_t j = 0; j < depth && k + j < tile.rows; ++j)
            ASSERT_EQ(elementAddress(descriptor, Major::MN, tile.elementBytes, i, j),
                      kBase + tile.offset(k + j, mn + i))
                << tile.rows << 'x' << tile.columns << ", swizzle " << tile.swizzle << ", at " << k + j << ", "
                << mn + i;
      }
  }
}

TEST(Descriptor, HasTheFieldsThatWereMeasured) {
  // bf16, 128-byte swizzle: rows along k, 128x64: 16 more of k are 32 bytes, 64 more rows 8192.
  SharedTile a{128, 64, 2, 128, 64};
  EXPECT_EQ(descriptorOf(a, Major::K, 64, 16), (MatrixDescriptor{8192 + 32, 16, 1024, 128}));
  // Rows along N: 64 of k, 256 columns in 4 panels: the next 64 columns are a panel on, 16 more of k 2048 bytes.
  SharedTile b{64, 256, 2, 128, 64};
  EXPECT_EQ(descriptorOf(b, Major::MN, 0, 16), (MatrixDescriptor{2048, 64 * 128, 1024, 128}));
  EXPECT_EQ(encode({0x2000, 0x2000, 1024, 128}), 1ull << 62 | 64ull << 32 | 0x200ull << 16 | 0x200);
  EXPECT_EQ(encode({0, 16, 512, 64}) >> 62, 2u);
  EXPECT_EQ(encode({0, 16, 256, 32}) >> 62, 3u);
}

TEST(Descriptor, LeavesOutTheRankOfTheCta) {
  // In a cluster bits 24 and up of a shared address are the CTA's rank; they must not reach the next field.
  MatrixDescriptor descriptor{0x4000, 8192, 1024, 128}, ofRankOne = descriptor;
  ofRankOne.start |= 1 << 24;
  EXPECT_EQ(encode(ofRankOne), encode(descriptor));
  EXPECT_EQ(decode(encode(ofRankOne)), descriptor);
}

TEST(Descriptor, RefusesTilesThatNoTensorCoreReads) {
  EXPECT_FALSE(isOperand({64, 64, 2, 0, 64}, Major::K));      // no swizzle
  EXPECT_FALSE(isOperand({64, 32, 2, 128, 32}, Major::K));    // rows shorter than it
  EXPECT_FALSE(isOperand({64, 128, 2, 128, 128}, Major::K));  // rows longer, in one panel
  EXPECT_FALSE(isOperand({64, 128, 1, 128, 128}, Major::MN)); // bytes along MN
  EXPECT_TRUE(isOperand({64, 128, 1, 128, 128}, Major::K));
}

TEST(SharedTile, IsABijectionOntoItsBytes) {
  for (SharedTile tile : {SharedTile{8, 64, 2, 128, 64},
                          {16, 128, 2, 128, 64},
                          {64, 32, 4, 32, 8},
                          {24, 64, 2, 64, 32},
                          {16, 32, 2, 128, 32},
                          {8, 192, 2, 128, 192},
                          {5, 7, 4, 0, 7}}) {
    std::vector<bool> seen(static_cast<size_t>(tile.rows * tile.columns));
    for (int64_t i = 0; i < tile.rows; ++i)
      for (int64_t j = 0; j < tile.columns; ++j) {
        int64_t offset = tile.offset(i, j);
        ASSERT_EQ(offset % tile.elementBytes, 0);
        auto place = static_cast<size_t>(offset / tile.elementBytes);
        ASSERT_LT(place, seen.size());
        ASSERT_FALSE(seen[place]);
        seen[place] = true;
      }
  }
}

TEST(SharedTile, RepeatsAfterItsPeriod) {
  for (SharedTile tile : {SharedTile{64, 64, 2, 128, 64},
                          {64, 32, 2, 64, 32},
                          {64, 16, 2, 32, 16},
                          {64, 32, 2, 128, 32},
                          {64, 256, 2, 128, 256},
                          {64, 48, 2, 64, 48},
                          {64, 9, 4, 0, 9}}) {
    int64_t period = tile.periodRows();
    ASSERT_GE(period, 1);
    for (int64_t i = 0; i + period < tile.rows; ++i)
      for (int64_t j = 0; j < tile.columns; ++j)
        ASSERT_EQ(tile.offset(i + period, j) - tile.offset(i, j), period * tile.rowBytes()) << tile.swizzle;
  }
  EXPECT_EQ((SharedTile{64, 64, 2, 128, 64}).periodRows(), 8);
  EXPECT_EQ((SharedTile{64, 32, 2, 128, 32}).periodRows(), 16);
  EXPECT_EQ((SharedTile{64, 9, 4, 0, 9}).periodRows(), 1);
}

TEST(SharedTile, LaysPanelsOneBehindTheOther) {
  // A tile in panels is, panel for panel, a tile of the panel's columns: what one copy of the accelerator fills.
  SharedTile whole{64, 256, 2, 128, 64}, panel{64, 64, 2, 128, 64};
  for (int64_t i = 0; i < 64; ++i)
    for (int64_t j = 0; j < 256; ++j)
      ASSERT_EQ(whole.offset(i, j), j / 64 * whole.panelBytes() + panel.offset(i, j % 64));
}

} // namespace
