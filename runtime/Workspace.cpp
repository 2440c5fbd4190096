#include "runtime/Workspace.h"

namespace kiln {

void Workspace::grow(DeviceBuffer &memory, size_t bytes, Device &device) {
  if (memory.size() >= bytes && memory.data()) return;
  if (recording != 0 && memory.data()) kept.push_back(std::move(memory));
  if (done && memory.data()) done->wait();
  memory = DeviceBuffer(); // never both the old and the new one
  memory = device.allocate(bytes);
}

WorkspaceList::~WorkspaceList() {
  for (const auto &workspace : all)
    if (workspace->done) workspace->done->wait();
}

std::unique_ptr<Workspace> WorkspaceList::make(Stream stream) const {
  auto fresh = std::make_unique<Workspace>();
  fresh->stream = stream;
  fresh->done = device->makeFence();
  return fresh;
}

/// A workspace nobody has that suits the stream, or null; `wait` if the one that suits is with another thread.
Workspace *WorkspaceList::find(Stream stream, uint64_t recording, bool &wait) {
  Workspace *idle = nullptr;
  for (const auto &w : all) {
    bool suits = w->stream.native == stream.native && w->recording == recording;
    if (!w->done) suits = true; // calls are done when they return, so any will do, and there may be many at once
    if (suits && !w->busy) return w.get();
    if (suits && w->done) {
      wait = true;
      return nullptr;
    }
    if (!w->busy && w->recording == 0) idle = w.get();
  }
  // Another stream's, if all its work is done. What is recorded keeps what it was recorded with.
  if (!idle || recording != 0 || !idle->done->reached()) return nullptr;
  idle->stream = stream;
  return idle;
}

Workspace &WorkspaceList::take(Stream stream) {
  uint64_t recording = device->recordingOf(stream);
  std::unique_lock lock(mutex);
  Workspace *found = nullptr;
  for (;;) {
    bool wait = false;
    found = find(stream, recording, wait);
    if (!wait) break;
    freed.wait(lock);
  }
  if (!found) {
    all.push_back(make(stream));
    found = all.back().get();
    found->recording = recording;
  }
  found->busy = true;
  lock.unlock();
  // A handle may be that of a stream that was destroyed with work in it and made anew: then the order is not given.
  try {
    if (found->done && recording == 0) {
      uint64_t identity = device->identityOf(stream);
      if (identity == 0 || identity != found->identity) found->done->orderBehind(stream);
      found->identity = identity;
    }
  } catch (...) {
    put(*found);
    throw;
  }
  return *found;
}

void WorkspaceList::put(Workspace &workspace) noexcept {
  try {
    if (workspace.done && workspace.recording == 0) workspace.done->record(workspace.stream);
  } catch (...) {
    // The device failed. That is thrown by the call that gave it work, or will be by the next one.
  }
  {
    std::lock_guard lock(mutex);
    workspace.busy = false;
  }
  freed.notify_all();
}

} // namespace kiln
