// Runs a launch plan on a device. Built once (kernels loaded, parameters copied), immutable from then on, usable from
// any number of threads: each call takes its own workspace from a free list and gives it back.
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
  std::vector<StepTime> *stepTimes = nullptr; ///< filled, one entry per step, if not null; slows the run
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
  /// The same into the caller's outputs, which may not overlap inputs or each other; on the host this allocates nothing
  /// once as many workspaces exist as threads call at once.
  void runInto(std::span<const HostTensor> inputs, std::span<HostTensor> outputs, const RunOptions &options = {}) const;
  /// The same on device addresses, aligned to their elements, without checks of what is behind them and without
  /// waiting. `extents` binds the plan's run-time extents.
  void runDevice(std::span<void *const> inputs, std::span<void *const> outputs, const Bindings &extents = {},
                 const RunOptions &options = {}) const;

  const LaunchPlan &plan() const;
  Device &device() const;
  /// Bytes of the arena each concurrent call takes, for plans without run-time extents.
  int64_t arenaBytes() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace kiln
