#include "runtime/host/ThreadPool.h"

#include <algorithm>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kiln {
namespace {

// The gate's word: epoch << 17 | closed << 16 | workers inside.
constexpr uint64_t kInside = 0xFFFF;
constexpr uint64_t kClosed = uint64_t{1} << 16;
constexpr int kEpochShift = 17;
/// Keeps the number of workers within the gate's field.
constexpr int kMaxThreads = 4096;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

/// Spins for some 20 microseconds until `done`; false if it did not happen. Longer would take a core from whoever else
/// runs, shorter would pay the kernel for each of two launches in a row.
template <typename F> bool spinUntil(F done) {
  for (int i = 0; i < 400; ++i) {
    if (done()) return true;
    pause();
  }
  return done();
}

} // namespace

ThreadPool::ThreadPool(int threads) : gate(kClosed) {
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  threads = std::min(threads, kMaxThreads);
  workers.reserve(static_cast<size_t>(threads) - 1);
  try {
    for (int i = 1; i < threads; ++i) workers.emplace_back([this, i] { workerLoop(i); });
  } catch (...) {
    // A machine that grants fewer threads still computes; the pool is just smaller.
  }
}

ThreadPool::~ThreadPool() {
  stop.store(true);
  wake.fetch_add(1);
  wake.notify_all();
  for (std::thread &t : workers) t.join();
}

bool ThreadPool::join(uint64_t epoch) {
  uint64_t seen = gate.load(std::memory_order_relaxed);
  do {
    if ((seen & kClosed) || static_cast<uint32_t>(seen >> kEpochShift) != static_cast<uint32_t>(epoch)) return false;
  } while (!gate.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire, std::memory_order_relaxed));
  return true;
}

void ThreadPool::leave() {
  uint64_t before = gate.fetch_sub(1, std::memory_order_release);
  if ((before & kClosed) && (before & kInside) == 1) gate.notify_all();
}

void ThreadPool::workerLoop(int worker) {
  uint32_t seen = 0;
  for (;;) {
    if (!spinUntil([&] { return wake.load(std::memory_order_acquire) != seen; }))
      wake.wait(seen, std::memory_order_acquire);
    uint32_t epoch = wake.load(std::memory_order_acquire);
    if (stop.load()) return;
    if (epoch == seen) continue;
    seen = epoch;
    if (!join(epoch)) continue;
    takeChunks(worker);
    leave();
  }
}

void ThreadPool::takeChunks(int worker) noexcept {
  try {
    for (;;) {
      int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= count) return;
      (*body)(begin, std::min(begin + chunk, count), worker);
    }
  } catch (...) {
    std::lock_guard lock(failureLock);
    if (!failure) failure = std::current_exception();
    next.store(count, std::memory_order_relaxed);
  }
}

void ThreadPool::run(int64_t total, const Body &work) {
  if (total <= 0) return;
  std::unique_lock lock(busy, std::defer_lock);
  if (total == 1 || workers.empty() || !lock.try_lock()) return work(0, total, 0);

  body = &work;
  count = total;
  // Four chunks a thread even out what the threads' speeds differ by, at four counter updates each.
  chunk = std::max<int64_t>(1, total / (int64_t{4} * threads()));
  failure = nullptr;
  next.store(0, std::memory_order_relaxed);
  uint32_t epoch = wake.load(std::memory_order_relaxed) + 1;
  gate.store(static_cast<uint64_t>(epoch) << kEpochShift, std::memory_order_release);
  wake.store(epoch, std::memory_order_release);
  int64_t chunks = (total + chunk - 1) / chunk;
  if (chunks > static_cast<int64_t>(workers.size()))
    wake.notify_all();
  else
    for (int64_t i = 1; i < chunks; ++i) wake.notify_one();

  takeChunks(0);
  gate.fetch_or(kClosed, std::memory_order_acq_rel);
  auto inside = [this] { return gate.load(std::memory_order_acquire) & kInside; };
  if (!spinUntil([&] { return inside() == 0; }))
    for (uint64_t seen = gate.load(std::memory_order_acquire); seen & kInside;
         seen = gate.load(std::memory_order_acquire))
      gate.wait(seen, std::memory_order_acquire);
  if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
}

} // namespace kiln
