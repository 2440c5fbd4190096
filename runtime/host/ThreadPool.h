// The host's CTAs over threads. Work is cut into contiguous chunks that threads take from one atomic counter; the
// caller takes part, and whoever is still asleep when the work is done is not waited for.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kiln {

class ThreadPool {
public:
  /// Runs indices begin .. end - 1. `worker` is 0 for the caller, 1 .. threads() - 1 for the pool's threads: no two
  /// concurrent calls of one run() share it.
  using Body = std::function<void(int64_t begin, int64_t end, int worker)>;

  /// A pool of `threads` threads, the caller of run() included; 0 means one per hardware thread.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int threads() const { return static_cast<int>(workers.size()) + 1; }

  /// Runs `body` over 0 .. count - 1 and returns when all of it is done; rethrows the first exception of a chunk (later
  /// chunks may then be skipped). If the pool is busy with another run(), nested ones included, the caller does all the
  /// work itself, so concurrent calls never wait for each other. `count` <= 1 never wakes a thread.
  void run(int64_t count, const Body &body);

private:
  void workerLoop(int worker);
  void takeChunks(int worker) noexcept;
  bool join(uint64_t epoch);
  void leave();

  std::vector<std::thread> workers;
  std::mutex busy; ///< held by the run() that owns the fields below

  // The current job; written before `gate` opens, read by those who joined through it.
  const Body *body = nullptr;
  int64_t count = 0, chunk = 1;
  std::exception_ptr failure;
  std::mutex failureLock;

  alignas(64) std::atomic<int64_t> next{0};
  /// Epoch in the high bits, "closed" bit, number of workers inside in the low bits.
  alignas(64) std::atomic<uint64_t> gate;
  /// Low bits of the epoch; workers sleep on it.
  alignas(64) std::atomic<uint32_t> wake{0};
  std::atomic<bool> stop{false};
};

} // namespace kiln
