#include "ir/layout/Arena.h"

#include <gtest/gtest.h>
#include <random>

namespace kiln {
namespace {

bool overlap(const ArenaRequest &a, const ArenaRequest &b) {
  bool time = a.firstStep <= b.lastStep && b.firstStep <= a.lastStep;
  return time && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

TEST(Arena, ReusesWhatIsDead) {
  std::vector<ArenaRequest> requests = {{1000, 0, 1}, {1000, 1, 2}, {1000, 2, 3}, {0, 0, 3}};
  EXPECT_EQ(packArena(requests), 2048);
  EXPECT_EQ(peakBytes(requests), 2048);
  EXPECT_EQ(requests[0].offset, requests[2].offset);
  EXPECT_NE(requests[0].offset, requests[1].offset);
}

TEST(Arena, TakesTheSmallestGapThatFits) {
  // From step 1 on 4096 bytes are free below, and 1024 between two that live on.
  std::vector<ArenaRequest> requests = {{4096, 0, 0}, {2048, 0, 9}, {1024, 0, 0}, {1024, 0, 9},
                                        {256, 0, 0},  {512, 0, 9},  {200, 1, 9}};
  packArena(requests);
  EXPECT_EQ(requests[6].offset, requests[2].offset);
}

TEST(Arena, EveryRequestHasItsAlignment) {
  std::vector<ArenaRequest> requests = {{40, 0, 9, 16}, {5000, 0, 9, 16}, {3000, 0, 9, 1024}, {24, 0, 9, 16}};
  EXPECT_EQ(packArena(requests), 8192);
  EXPECT_EQ(requests[1].offset, 0);
  EXPECT_EQ(requests[2].offset, 5120);
  EXPECT_EQ(requests[0].offset, 5008); // before the wide one, where its alignment left room
  EXPECT_EQ(requests[3].offset, 5056);
}

TEST(Arena, EndsWhereNothingIsAddressed) {
  std::vector<ArenaRequest> requests(100000, {kMostArenaBytes, 0, 9}); // whose sum no int64 holds
  EXPECT_EQ(packArena(requests), 2 * kMostArenaBytes);
}

TEST(Arena, RandomLifetimesNeverOverlap) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<ArenaRequest> requests;
    for (int i = 0; i < 100; ++i) {
      auto first = static_cast<int32_t>(random() % 50);
      requests.push_back({static_cast<int64_t>(random() % 5000), first, first + static_cast<int32_t>(random() % 8)});
    }
    int64_t arena = packArena(requests);
    EXPECT_GE(arena, peakBytes(requests));
    EXPECT_LE(arena, peakBytes(requests) * 5 / 4);
    for (size_t a = 0; a < requests.size(); ++a) {
      EXPECT_EQ(requests[a].offset % 256, 0);
      EXPECT_LE(requests[a].offset + requests[a].bytes, arena);
      for (size_t b = 0; b < a; ++b) EXPECT_FALSE(overlap(requests[a], requests[b]));
    }
  }
}

} // namespace
} // namespace kiln
