#include "runtime/host/ThreadPool.h"

#include <atomic>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>

namespace kiln {
namespace {

TEST(ThreadPool, EveryIndexOnceWhateverTheCounts) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t count : {0, 1, 2, 7, 64, 1000, 4097}) {
      std::vector<std::atomic<int>> hits(static_cast<size_t>(count));
      pool.run(count, [&](int64_t begin, int64_t end, int worker) {
        EXPECT_TRUE(worker >= 0 && worker < threads);
        for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
      });
      for (auto &h : hits) ASSERT_EQ(h.load(), 1);
    }
  }
}

TEST(ThreadPool, ManyShortRunsInARow) {
  ThreadPool pool(4);
  std::atomic<int64_t> sum{0};
  for (int i = 0; i < 20000; ++i) pool.run(5, [&](int64_t b, int64_t e, int) { sum += e - b; });
  EXPECT_EQ(sum.load(), 100000);
}

TEST(ThreadPool, OneIndexRunsInTheCallersThread) {
  ThreadPool pool(4);
  std::thread::id id;
  pool.run(1, [&](int64_t, int64_t, int) { id = std::this_thread::get_id(); });
  EXPECT_EQ(id, std::this_thread::get_id());
}

TEST(ThreadPool, ConcurrentAndNestedRunsDoNotWaitForEachOther) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        pool.run(16, [&](int64_t b, int64_t e, int) {
          for (int64_t j = b; j < e; ++j) pool.run(4, [&](int64_t x, int64_t y, int) { sum += y - x; });
        });
    });
  for (auto &c : callers) c.join();
  EXPECT_EQ(sum.load(), 4 * 500 * 16 * 4);
}

TEST(ThreadPool, ExceptionsReachTheCallerAndThePoolLives) {
  ThreadPool pool(3);
  for (int i = 0; i < 50; ++i)
    EXPECT_THROW(pool.run(100,
                          [](int64_t b, int64_t e, int) {
                            if (b <= 50 && 50 < e) throw std::runtime_error("planned");
                          }),
                 std::runtime_error);
  std::atomic<int> count{0};
  pool.run(10, [&](int64_t b, int64_t e, int) { count += static_cast<int>(e - b); });
  EXPECT_EQ(count.load(), 10);
}

} // namespace
} // namespace kiln
