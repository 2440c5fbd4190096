// A kernel in a GPU's context: PTX or machine code made ready, and launched.
#pragma once

#include "runtime/cuda/driver/Context.h"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace kiln::cuda {

/// A module of the driver, unloaded with this.
class Module {
public:
  /// Compiles or loads `image`'s code. Throws Error: no device if the code is for other GPUs or newer drivers, internal
  /// with the PTX compiler's words if it is malformed.
  Module(ContextRef context, const CodeImage &image);
  ~Module();
  Module(const Module &) = delete;

  CUmodule handle() const { return module; }

private:
  const ContextRef context;
  CUmodule module = nullptr;
};

class CudaKernel : public LoadedKernel {
public:
  /// Loads `image`; throws Error on code this GPU cannot run and on more threads or shared memory than it has.
  static std::shared_ptr<const CudaKernel> load(const ContextRef &context, const CodeImage &image);

  /// Gives a launch to `stream`. The context must be current.
  void launch(const LaunchConfig &config, std::span<const void *const> slots, CUstream stream) const;
  /// How many CTAs run at a time under `config`, as Device::residentCtas. The context must be current.
  int64_t residentCtas(const LaunchConfig &config) const;
  const Context *owner() const { return context.get(); }

private:
  CudaKernel(ContextRef context, std::unique_ptr<Module> module, CUfunction function, const CodeImage &image,
             const KernelResources &resources);

  void checkThreads() const;
  void countParameters();
  void demand(const LaunchConfig &config, size_t arguments) const;
  /// Lets launches ask for `bytes` of dynamic shared memory.
  void allowShared(int64_t bytes) const;
  /// `config` as the driver takes it; its attributes are put into `attributes`, which must outlive the result.
  CUlaunchConfig driverConfig(const LaunchConfig &config, CUstream stream, CUlaunchAttribute (&attributes)[2]) const;
  /// What a launch asked for, for messages.
  std::string describe(const LaunchConfig &config) const;

  const ContextRef context;
  const std::unique_ptr<Module> module;
  const CUfunction function;
  const int32_t threads;
  size_t parameters = 0;
  bool parametersKnown = false;
  mutable std::mutex allowing;
  mutable std::map<std::array<int64_t, 4>, int64_t> resident; ///< by shared bytes and cluster; guarded by `allowing`
  mutable std::atomic<int64_t> allowed{48 * 1024}; ///< dynamic shared bytes that need no permission, or have it
};

} // namespace kiln::cuda
