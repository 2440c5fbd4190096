// A compiled graph with its parameters: bind them once, then run it from any number of threads.
#pragma once

#include "kiln/DeviceTensor.h"
#include "kiln/HostTensor.h"
#include "kiln/Report.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kiln {

struct LaunchPlan;
struct ExecutableImpl;
class Compiler;
class PlanReplay;
struct ExecutableAccess;

/// Tensors by the names the graph gave them.
using NamedTensors = std::map<std::string, HostTensor, std::less<>>;

/// The device time of one launch of one run.
struct LaunchTime {
  std::string symbol; ///< of the kernel; "copy" or "memset"
  double seconds = 0;
};

/// Which launches Executable::check judges: all of them, or the first one of each distinct kernel.
enum class CheckScope { EveryLaunch, EveryKernel };

/// A run on fixed device addresses, to be repeated with little cost to the host: on a GPU one CUDA graph. It keeps what
/// it needs of its executable, with the parameters bound when it was made.
class Replay {
public:
  /// Gives the run to `stream`, as Executable::runDevice does, and does not wait. May be called from several threads;
  /// runs of one replay do not overlap, whatever their streams.
  void run(void *stream = nullptr) const;

private:
  friend class Executable;
  explicit Replay(std::shared_ptr<const PlanReplay> impl) : impl(std::move(impl)) {}

  std::shared_ptr<const PlanReplay> impl;
};

class Executable {
public:
  /// Gives the parameter `name` its value. Throws Error (invalid input) if the graph has no such parameter or the type
  /// differs. Not to be called while another thread runs this.
  void bind(const std::string &name, const HostTensor &value);
  /// Binds every parameter from a .safetensors file (which may hold more). Throws Error naming what is missing.
  void bindParameters(const std::string &path);
  /// Parameters without a value so far.
  std::vector<std::string> unbound() const;

  /// Runs the graph on inputs by name; every one must be there, of the graph's dtype and shape. May be called from
  /// several threads at once. Throws Error (invalid input).
  NamedTensors run(const NamedTensors &inputs) const;
  /// The same with each launch timed on the device, which slows the run.
  NamedTensors run(const NamedTensors &inputs, std::vector<LaunchTime> &times) const;

  /// Runs on device addresses and does not wait: inputs in the order in which the graph declared them, parameters left
  /// out, then outputs likewise; dense, of the graph's dtype and shape, aligned to their elements (not to 16 bytes: a
  /// copy is made). A GPU's kernels may read, but never write, the whole of a 16-byte word (at a multiple of 16) that
  /// holds an element; what every CUDA allocator gives out ends with such a word. `stream` is the device's own: a
  /// CUstream or cudaStream_t, null for the default one; the cpu has none and is done when this returns. Memory must
  /// stay until the stream is done; outputs that overlap inputs or each other are refused. Once a stream has had a run,
  /// this allocates nothing and waits for nothing.
  ///
  /// A stream that is being captured into a CUDA graph records the run. That graph must go before this executable and
  /// before parameters are bound anew. May be called from several threads at once. Throws Error; what a kernel does
  /// wrong later is thrown by a later call.
  void runDevice(std::span<void *const> inputs, std::span<void *const> outputs, void *stream = nullptr) const;
  /// The same into memory of Kiln's own. What is dropped is used again by later runs of the same stream, so drop it
  /// when no other stream has work with it.
  std::vector<DeviceTensor> runDevice(std::span<void *const> inputs, void *stream = nullptr) const;
  /// The run of runDevice, as something to be repeated. The memory at these addresses must outlive it.
  Replay capture(std::span<void *const> inputs, std::span<void *const> outputs) const;

  /// A copy of `tensor` in the device's memory; waits for it.
  DeviceTensor toDevice(const HostTensor &tensor) const;
  /// A copy in host memory, made when the work given to `stream` so far is done; waits for it.
  HostTensor toHost(const DeviceTensor &tensor, void *stream = nullptr) const;
  /// Returns when the work given to `stream` so far is done.
  void synchronize(void *stream = nullptr) const;

  /// Runs the kernels one by one, each on what those before it made, and judges each by the interpreter fed with the
  /// same inputs; then holds the plan's own outputs to those bits. Slow: the interpreter computes every element.
  CheckReport check(const NamedTensors &inputs, CheckScope scope = CheckScope::EveryLaunch) const;

  const Report &report() const;
  const LaunchPlan &plan() const;
  /// The plan as JSON.
  std::string planJson() const;
  /// The IR of one level as text: "graph" (decomposed), "fused", "tile" or "llvm". Throws Error (usage) on another, and
  /// where CompileOptions::keepIr did not ask for it.
  std::string ir(const std::string &level) const;

  /// Writes it to a file that runs wherever Kiln's runtime is, without the values of parameters. The code is for
  /// machines like this one unless CompileOptions::portable asked for more. Throws Error.
  void save(const std::string &path) const;

private:
  friend class Compiler;
  friend struct ExecutableAccess;
  explicit Executable(std::shared_ptr<ExecutableImpl> impl) : impl(std::move(impl)) {}

  std::shared_ptr<ExecutableImpl> impl;
};

} // namespace kiln
