// Runs a launch plan on a device. Built once (kernels loaded, parameters copied), immutable from then on, usable from
// any number of threads and streams: each call takes a workspace from a list and gives it back.
#pragma once

#include "kiln/HostTensor.h"
#include "runtime/Device.h"
#include "runtime/KernelImage.h"
#include "runtime/LaunchPlan.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kiln {

using NamedTensors = std::map<std::string, HostTensor, std::less<>>;

struct ExecutableOptions {
  bool poisonArena = false; ///< fill the arena with 0xFF before every run, so that reads of unwritten bytes show
};

/// The device time of one step.
struct StepTime {
  size_t step = 0;   ///< index into LaunchPlan::steps
  std::string label; ///< the launch's label or symbol; "copy", "memset"
  double seconds = 0;
};

struct RunOptions {
  Stream stream = {};
  std::vector<StepTime> *stepTimes = nullptr; ///< filled, one entry per step, if not null; waits for the run
};

class LoadedPlan;

/// A run on fixed addresses, made once and repeated: on a GPU one graph of the driver, elsewhere the plan's steps. It
/// has an arena of its own and keeps what it needs of its executable alive.
class PlanReplay {
public:
  PlanReplay(PlanReplay &&) noexcept;
  PlanReplay &operator=(PlanReplay &&) noexcept;
  /// Waits for the last run.
  ~PlanReplay();
  /// Gives the run to `stream`; does not wait. May be called from several threads: runs of one replay do not overlap.
  void run(Stream stream = {}) const;

private:
  friend class PlanExecutable;
  struct State;
  explicit PlanReplay(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

class PlanExecutable {
public:
  /// Loads `kernels` (every symbol the plan launches must be there), copies `parameters` by name to the device (names
  /// the plan does not use are ignored) and verifies the plan. Throws Error.
  PlanExecutable(LaunchPlan plan, std::shared_ptr<Device> device, std::span<const KernelImage> kernels,
                 const NamedTensors &parameters = {}, const ExecutableOptions &options = {});
  ~PlanExecutable();
  PlanExecutable(PlanExecutable &&) noexcept;
  PlanExecutable &operator=(PlanExecutable &&) noexcept;

  /// Runs on inputs in the plan's order and returns new outputs in the plan's order; waits for them. An output that
  /// lives in a donated input's memory shares that input's storage. Throws Error (invalid input) naming the tensor,
  /// expected and found, if number, dtype, shape or alignment do not fit.
  std::vector<HostTensor> run(std::span<const HostTensor> inputs, const RunOptions &options = {}) const;
  /// The same by names: every input of the plan must be there and no other.
  NamedTensors run(const NamedTensors &inputs, const RunOptions &options = {}) const;
  /// The same into the caller's outputs, which may not overlap inputs or each other; this allocates nothing once as
  /// many workspaces exist as threads call at once.
  void runInto(std::span<const HostTensor> inputs, std::span<HostTensor> outputs, const RunOptions &options = {}) const;

  /// The same on device addresses, aligned to their elements, without checks of what is allocated there and without
  /// waiting: the run is given to the stream, and what it works on must stay until it is done. On a GPU the whole of a
  /// 16-byte word (at a multiple of 16) that holds an element may be read; only outputs are written. `extents` binds
  /// the plan's run-time extents. Once a stream has had its first run, this allocates nothing and waits for nothing,
  /// but that an address which is not Device::pointerAlignment() aligned is staged through a buffer made when first
  /// met.
  ///
  /// A stream that is being recorded by its owner (a CUDA graph capture) records the run; that recording has an arena
  /// to itself from then on and must be gone before this executable is.
  void runDevice(std::span<void *const> inputs, std::span<void *const> outputs, const Bindings &extents = {},
                 const RunOptions &options = {}) const;
  /// The same into new memory, one buffer for each output. A buffer that is dropped is used again by a later run of the
  /// stream: drop it when no other stream has work with it.
  std::vector<DeviceBuffer> runAllocating(std::span<void *const> inputs, const Bindings &extents = {},
                                          const RunOptions &options = {}) const;
  /// That run of runDevice, as something to be repeated. The memory at these addresses must outlive it.
  PlanReplay capture(std::span<void *const> inputs, std::span<void *const> outputs, const Bindings &extents = {}) const;

  const LaunchPlan &plan() const;
  Device &device() const;
  /// Bytes of the arena each concurrent call takes, for plans without run-time extents.
  int64_t arenaBytes() const;

private:
  void runHost(std::span<const HostTensor> inputs, std::span<HostTensor> outputs, const Bindings &extents,
               const RunOptions &options) const;
  std::shared_ptr<const LoadedPlan> loaded;
};

} // namespace kiln
