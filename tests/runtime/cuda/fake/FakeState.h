// What the fake driver knows: memory, streams, events, graphs. All of it is guarded by one lock.
#pragma once

#include "tests/runtime/cuda/fake/FakeDriver.h"

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace kiln::test {

struct Event {
  uint64_t recorded = 0, reached = 0; ///< how often it was recorded, and which of these is done
  double milliseconds = 0;            ///< when it was reached last
};

/// One piece of a stream's work: something to do, an event to reach, or an event to wait for.
struct Op {
  std::function<void()> run;
  std::shared_ptr<Event> reach, wait;
  uint64_t generation = 0;
};
using Graph = std::vector<Op>;

struct StreamState {
  bool nonBlocking = false;
  uint64_t id = 0; ///< no other stream ever has it
  std::deque<Op> queue;
  bool capturing = false, invalidated = false;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  uint64_t captureId = 0;
  Graph captured;
};

/// What a stream's handle points at: handles of destroyed streams are used again.
struct StreamSlot {
  std::shared_ptr<StreamState> state;
};

struct Module {
  std::string code;
};

struct Function {
  std::string symbol;
  std::vector<size_t> sizes;
  FakeKernel kernel;
  int sharedAllowed = 48 * 1024;
};

struct Injected {
  CUresult result;
  int after;
  bool lasting, sticky;
};

class FakeState : public FakeDriver {
public:
  static FakeState &get();

  void reset() override;
  void setGpus(std::vector<FakeGpu> given) override { gpus = std::move(given); }
  void setVersion(int given) override { version = given; }
  void addKernel(const std::string &symbol, std::vector<size_t> sizes, FakeKernel kernel) override {
    kernels[symbol] = {symbol, std::move(sizes), std::move(kernel)};
  }
  void fail(const std::string &call, CUresult result, int after, bool lasting, bool sticky) override {
    failures[call] = {result, after, lasting, sticky};
  }
  void setJitLog(std::string log) override { jitLog = std::move(log); }
  int count(const std::string &call) override;
  std::vector<std::string> log() override;
  void clearLog() override;
  std::vector<FakeLaunch> launches() override { return launched; }
  std::vector<std::string> faults() override { return found; }
  size_t liveBytes() override;
  int liveObjects() override { return objects; }
  void setDropLaunches(bool drop) override { dropLaunches = drop; }
  void setRoom(int ctas) override { room = ctas; }
  void setSlowLaunches(bool slow) override { slowLaunches = slow; }

  /// What every call begins with: counts it, and says how it is to fail.
  CUresult enter(const char *call);
  /// enter() for calls that need a current context, and may be refused while a stream is captured.
  CUresult enterContext(const char *call, bool unsafeInCapture = false);

  /// The stream behind a handle; null with a fault if there is none. A null handle is the default stream.
  StreamState *stream(CUstream handle);
  /// Gives work to a stream, or to what is being captured of it.
  CUresult give(CUstream handle, Op op);
  /// Runs streams in turn, an op each, until `until` has nothing left or no stream gets further.
  void drain(const std::function<bool()> &until);
  void drainAll();
  /// Whether [address, address + bytes) is allocated memory; a fault if not.
  bool inside(const void *address, size_t bytes, const char *what);
  void fault(std::string what) { found.push_back(std::move(what)); }

  std::recursive_mutex lock;
  std::vector<FakeGpu> gpus;
  int version = 13000;
  std::map<std::string, Function> kernels;
  std::map<std::string, Injected> failures;
  std::string jitLog;
  std::map<std::string, int> counts;
  std::vector<std::string> calls;
  std::vector<FakeLaunch> launched;
  std::vector<std::string> found;
  std::map<char *, size_t> memory;
  std::vector<std::unique_ptr<StreamSlot>> slots;
  std::vector<StreamSlot *> freeSlots;
  std::vector<std::shared_ptr<StreamState>> streams; ///< destroyed ones stay until their work is done
  CUresult stuck = CUDA_SUCCESS;
  int objects = 0;
  uint64_t captures = 0, streamsMade = 0;
  double now = 0; ///< milliseconds: every op takes one
  bool dropLaunches = false;
  int room = 1;
  std::atomic<bool> slowLaunches = false;

private:
  bool step(StreamState &stream);
};

/// The calling thread's contexts, innermost last, and how it captures.
struct ThreadState {
  std::vector<CUcontext> contexts;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
};
ThreadState &thisThread();

} // namespace kiln::test
