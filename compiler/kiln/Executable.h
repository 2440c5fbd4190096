// A compiled graph with its parameters: bind them once, then run it from any number of threads.
#pragma once

#include "kiln/HostTensor.h"
#include "kiln/Report.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln {

struct LaunchPlan;
struct ExecutableImpl;
class Compiler;

/// Tensors by the names the graph gave them.
using NamedTensors = std::map<std::string, HostTensor, std::less<>>;

/// The device time of one launch of one run.
struct LaunchTime {
  std::string symbol; ///< of the kernel; "copy" or "memset"
  double seconds = 0;
};

/// Which launches Executable::check judges: all of them, or the first one of each distinct kernel.
enum class CheckScope { EveryLaunch, EveryKernel };

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

private:
  friend class Compiler;
  explicit Executable(std::shared_ptr<ExecutableImpl> impl) : impl(std::move(impl)) {}

  std::shared_ptr<ExecutableImpl> impl;
};

} // namespace kiln
