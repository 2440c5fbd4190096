#include "compiler/kiln/Executable.h"

#include "compiler/CompilerImpl.h"
#include "kiln/Version.h"

using namespace kiln;

void Executable::bind(const std::string &name, const HostTensor &value) { impl->bound->bind(name, value); }

void Executable::bindParameters(const std::string &path) { impl->bound->bindFile(path); }

std::vector<std::string> Executable::unbound() const { return impl->bound->unbound(); }

NamedTensors Executable::run(const NamedTensors &inputs) const { return impl->bound->loaded()->run(inputs); }

NamedTensors Executable::run(const NamedTensors &inputs, std::vector<LaunchTime> &times) const {
  std::vector<StepTime> steps;
  auto executable = impl->bound->loaded();
  NamedTensors outputs = executable->run(inputs, RunOptions{.stepTimes = &steps});
  times.clear();
  for (const StepTime &step : steps) {
    auto *launch = std::get_if<LaunchStep>(&executable->plan().steps[step.step]);
    times.push_back({launch ? launch->kernel : step.label, step.seconds});
  }
  return outputs;
}

CompiledGraph ExecutableAccess::compiled(const Executable &executable) {
  const ExecutableImpl &impl = *executable.impl;
  return {version(), impl.compiler->deviceName(), impl.plan, impl.bound->kernels, impl.report.json()};
}

void Executable::save(const std::string &path) const { writeCompiledFile(path, ExecutableAccess::compiled(*this)); }

const Report &Executable::report() const { return impl->report; }
const LaunchPlan &Executable::plan() const { return impl->plan; }
std::string Executable::planJson() const { return toJson(impl->plan); }

std::string Executable::ir(const std::string &level) const {
  std::string text = impl->recorder.last(level);
  if (text.empty())
    throw Error({.code = ErrorCode::Usage,
                 .op = "ir",
                 .rule = "there is no IR of this level",
                 .expected = "graph, fused, tile or llvm, kept by CompileOptions::keepIr",
                 .found = level});
  return text;
}
