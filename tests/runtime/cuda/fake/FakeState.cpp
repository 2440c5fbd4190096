#include "tests/runtime/cuda/fake/FakeState.h"

#include <algorithm>
#include <cstdlib>

namespace kiln::test {

FakeState &FakeState::get() {
  static FakeState *state = [] { // never destroyed: devices may be, later
    auto *made = new FakeState();
    made->reset();
    return made;
  }();
  return *state;
}

ThreadState &thisThread() {
  static thread_local ThreadState state;
  return state;
}

void FakeState::reset() {
  std::lock_guard guard(lock);
  for (auto [pointer, bytes] : memory) std::free(pointer);
  memory.clear();
  gpus = {FakeGpu{}};
  version = 13000;
  kernels.clear();
  failures.clear();
  jitLog.clear();
  counts.clear();
  calls.clear();
  launched.clear();
  found.clear();
  slots.clear();
  freeSlots.clear();
  streams.clear();
  stuck = CUDA_SUCCESS;
  objects = 0;
  now = 0;
  dropLaunches = false;
  room = 1;
  slowLaunches = false;
}

int FakeState::count(const std::string &call) {
  std::lock_guard guard(lock);
  auto it = counts.find(call);
  return it == counts.end() ? 0 : it->second;
}

std::vector<std::string> FakeState::log() {
  std::lock_guard guard(lock);
  return calls;
}

void FakeState::clearLog() {
  std::lock_guard guard(lock);
  calls.clear();
  counts.clear();
  launched.clear();
}

size_t FakeState::liveBytes() {
  std::lock_guard guard(lock);
  size_t bytes = 0;
  for (auto [pointer, size] : memory) bytes += size;
  return bytes;
}

CUresult FakeState::enter(const char *call) {
  if (!dropLaunches) {
    ++counts[call];
    calls.emplace_back(call);
  }
  if (stuck != CUDA_SUCCESS) return stuck;
  if (failures.empty()) return CUDA_SUCCESS;
  auto failure = failures.find(call);
  if (failure == failures.end() || failure->second.after-- > 0) return CUDA_SUCCESS;
  Injected injected = failure->second;
  if (injected.sticky) stuck = injected.result;
  if (!injected.lasting) failures.erase(failure);
  return injected.result;
}

CUresult FakeState::enterContext(const char *call, bool unsafeInCapture) {
  if (CUresult result = enter(call)) return result;
  if (thisThread().contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (!unsafeInCapture || thisThread().mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  for (const auto &s : streams)
    if (s->capturing && s->mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
      s->invalidated = true;
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  return CUDA_SUCCESS;
}

StreamState *FakeState::stream(CUstream handle) {
  auto *slot = reinterpret_cast<StreamSlot *>(handle);
  bool known = std::any_of(slots.begin(), slots.end(), [&](const auto &s) { return s.get() == slot; });
  if (known && slot->state) return slot->state.get();
  fault("a stream that is not there");
  return nullptr;
}

CUresult FakeState::give(CUstream handle, Op op) {
  if (!handle) { // the default stream: behind all blocking streams, and in front of what they get later
    for (const auto &s : streams)
      if (s->capturing && !s->nonBlocking) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    if (op.wait) drainAll();
    drain([&] {
      return std::all_of(streams.begin(), streams.end(), [](auto &s) { return s->nonBlocking || s->queue.empty(); });
    });
    StreamState once;
    once.queue.push_back(std::move(op));
    while (!once.queue.empty() && step(once)) {
    }
    return stuck;
  }
  StreamState *s = stream(handle);
  if (!s) return CUDA_ERROR_INVALID_HANDLE;
  if (s->invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (s->capturing)
    s->captured.push_back(std::move(op));
  else
    s->queue.push_back(std::move(op));
  return CUDA_SUCCESS;
}

/// Does the stream's next piece of work, unless it waits for another stream.
bool FakeState::step(StreamState &s) {
  if (s.queue.empty()) return false;
  Op &op = s.queue.front();
  if (op.wait && op.wait->reached < op.generation) return false;
  now += 1;
  if (op.run) op.run();
  if (op.reach) {
    op.reach->reached = std::max(op.reach->reached, op.generation);
    op.reach->milliseconds = now;
  }
  s.queue.pop_front();
  return true;
}

void FakeState::drain(const std::function<bool()> &until) {
  bool moved = true;
  while (moved && !until()) {
    moved = false;
    for (size_t i = 0; i < streams.size(); ++i) moved |= step(*streams[i]);
  }
  std::erase_if(streams, [](const auto &s) { return s.use_count() == 1 && s->queue.empty(); });
}

void FakeState::drainAll() {
  drain([&] { return std::all_of(streams.begin(), streams.end(), [](auto &s) { return s->queue.empty(); }); });
}

bool FakeState::inside(const void *address, size_t bytes, const char *what) {
  auto *start = static_cast<char *>(const_cast<void *>(address));
  auto after = memory.upper_bound(start);
  if (after != memory.begin()) {
    auto [base, size] = *std::prev(after);
    if (start + bytes <= base + size) return true;
  }
  fault(std::string(what) + " outside of memory");
  stuck = CUDA_ERROR_ILLEGAL_ADDRESS;
  return false;
}

} // namespace kiln::test

kiln::test::FakeDriver *kilnFakeDriver() { return &kiln::test::FakeState::get(); }
