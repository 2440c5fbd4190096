// The machine's own cores as a device: kernels are functions in this process, launches return when they are done, host
// memory is device memory.
#pragma once

#include "runtime/Device.h"

#include <memory>

namespace kiln {

struct HostDeviceOptions {
  int threads = 0;           ///< threads a launch may use, the caller included; 0 means one per hardware thread
  bool poisonMemory = false; ///< fill fresh memory and scratch with 0xFF bytes, a NaN in every float type
};

/// A device over a thread pool of its own. Launches are synchronous and may come from several threads at once: each has
/// its own scratch, and one that finds the pool busy runs in its own thread.
std::shared_ptr<Device> makeHostDevice(const HostDeviceOptions &options = {});

} // namespace kiln
