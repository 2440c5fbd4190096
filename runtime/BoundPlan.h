// A compiled graph on a device, whose parameters are bound one by one: what stands behind everything that lets people
// run graphs. Binding and running may come from several threads at once.
#pragma once

#include "runtime/Executable.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kiln {

class BoundPlan {
public:
  /// `kernels` has every symbol that the plan launches. Without a device there is nothing to run on.
  BoundPlan(LaunchPlan plan, std::vector<KernelImage> kernels, std::shared_ptr<Device> device,
            const ExecutableOptions &options = {});

  /// Gives the parameter `name` its value, which is shared, not copied, and must not change. Runs that have begun keep
  /// the old one. Throws Error (invalid input) if the plan has no such parameter or its type differs.
  void bind(const std::string &name, const HostTensor &value);
  /// Binds every parameter from a .safetensors file, which may hold more. Throws Error naming what is missing.
  void bindFile(const std::string &path);
  /// Parameters without a value so far.
  std::vector<std::string> unbound() const;
  /// The values so far.
  NamedTensors parameters() const;

  /// The plan with its parameters on the device: made by the first call after the last bind. Throws Error (invalid
  /// input) if parameters have no value, and whatever the device reports.
  std::shared_ptr<const PlanExecutable> loaded() const;

  const LaunchPlan plan;
  const std::vector<KernelImage> kernels;
  const std::shared_ptr<Device> device;

private:
  const PlanBuffer *parameter(const std::string &name) const;
  std::vector<std::string> missing() const; ///< with the lock held

  const ExecutableOptions options;
  mutable std::mutex lock;
  NamedTensors values;
  mutable std::shared_ptr<const PlanExecutable> current;
};

struct DeviceOptions {
  int threads = 0;           ///< of the host that a launch on the cpu may use; 0: one per hardware thread
  int ordinal = 0;           ///< which of the GPUs
  bool poisonMemory = false; ///< fill fresh memory with 0xFF bytes, a NaN in every float type
};

/// The device of that name: "cpu" or "cuda". Throws Error: usage for another name, no device where there is none.
std::shared_ptr<Device> makeDevice(const std::string &name, const DeviceOptions &options = {});

} // namespace kiln
