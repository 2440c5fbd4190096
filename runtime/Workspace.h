// What a run needs besides its inputs and outputs, and who may have it: an arena, argument slots, buffers to stage in.
// Work within a stream is in order, so a stream has one workspace, which its runs use in turn; a stream whose work is
// done gives it up to another that has none. Internal to the executor.
#pragma once

#include "runtime/Device.h"
#include "runtime/TensorMapCache.h"

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace kiln {

struct Workspace {
  Stream stream;
  uint64_t recording = 0; ///< the recording this is a part of (Device::recordingOf), and of nothing else ever after
  bool busy = false;      ///< a call has it
  uint64_t identity = 0;  ///< Device::identityOf the stream of its last run
  DeviceBuffer arena;
  std::vector<const void *> slots;      ///< as ResolvedPlan::slots: everything but the caller's addresses stays
  bool prepared = false;                ///< `slots` are filled in
  TensorMapCache maps;                  ///< what launches pass by value
  std::vector<void *> given;            ///< by entry: where the caller's tensors are
  std::vector<void *> used;             ///< by entry: the same, or where they are staged
  std::vector<DeviceBuffer> stages;     ///< by entry: for addresses that are not aligned enough
  std::vector<DeviceBuffer> hostCopies; ///< by entry: for tensors in host memory
  std::vector<DeviceBuffer> kept;       ///< outgrown, but part of a recording
  std::unique_ptr<Fence> done;          ///< behind the last run; null on a device that needs no fences

  /// Makes `memory`, one of the above, at least `bytes` large. What it held is lost.
  void grow(DeviceBuffer &memory, size_t bytes, Device &device);
};

class WorkspaceList {
public:
  explicit WorkspaceList(std::shared_ptr<Device> device) : device(std::move(device)) {}
  /// Waits for all runs: what they use goes with this.
  ~WorkspaceList();
  WorkspaceList(const WorkspaceList &) = delete;

  /// A workspace for a run in `stream`. Waits while another thread gives a run to the same stream, so that runs do not
  /// mix.
  Workspace &take(Stream stream);
  /// Gives it back, behind the work given to its stream so far.
  void put(Workspace &workspace) noexcept;
  /// A new workspace that is in no list.
  std::unique_ptr<Workspace> make(Stream stream) const;

private:
  Workspace *find(Stream stream, uint64_t recording, bool &wait);

  const std::shared_ptr<Device> device;
  std::mutex mutex;
  std::condition_variable freed;
  std::vector<std::unique_ptr<Workspace>> all;
};

/// A workspace that goes back to its list however the call ends.
class Lease {
public:
  Lease(WorkspaceList &list, Stream stream) : workspace(list.take(stream)), list(list) {}
  ~Lease() { list.put(workspace); }
  Lease(const Lease &) = delete;

  Workspace &workspace;

private:
  WorkspaceList &list;
};

} // namespace kiln
