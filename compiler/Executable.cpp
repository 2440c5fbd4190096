#include "compiler/kiln/Executable.h"

#include "compiler/CompilerImpl.h"
#include "compiler/Nearest.h"
#include "runtime/files/Safetensors.h"

#include <fmt/format.h>

using namespace kiln;

std::shared_ptr<const PlanExecutable> ExecutableImpl::loaded() {
  std::lock_guard guard(loading);
  if (current) return current;
  std::vector<KernelImage> images;
  for (const auto &[symbol, kernel] : kernels) images.push_back(kernel.image);
  current = std::make_shared<PlanExecutable>(plan, compiler->device, images, parameters,
                                             ExecutableOptions{.poisonArena = compiler->options.poison});
  return current;
}

void ExecutableImpl::unload() {
  std::lock_guard guard(loading);
  current.reset();
}

void Executable::bind(const std::string &name, const HostTensor &value) {
  auto info = llvm::find_if(impl->parameterInfos, [&](const TensorInfo &p) { return p.name == name; });
  if (info == impl->parameterInfos.end())
    throw Error({.code = ErrorCode::InvalidInput, .op = name, .rule = "the graph has no such parameter"});
  if (info->dtype != value.dtype() || info->shape != value.shape())
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = name,
                 .rule = "a parameter must have its type in the graph",
                 .expected = typeString(info->dtype, info->shape),
                 .found = value.typeString()});
  impl->parameters[name] = value;
  impl->unload();
}

void Executable::bindParameters(const std::string &path) {
  SafetensorsFile file = SafetensorsFile::open(path);
  for (const TensorInfo &info : impl->parameterInfos) {
    if (!file.contains(info.name)) {
      std::string nearest = nearestName(info.name, file.names());
      throw Error({.code = ErrorCode::InvalidInput,
                   .op = path,
                   .rule = "every parameter must be in the file",
                   .expected = fmt::format("a tensor \"{}\" of {}", info.name, typeString(info.dtype, info.shape)),
                   .found = fmt::format("{} other tensors", file.names().size()),
                   .hint = nearest.empty() ? "" : fmt::format("\"{}\", the nearest name in the file", nearest)});
    }
    bind(info.name, file.tensor(info.name));
  }
}

std::vector<std::string> Executable::unbound() const {
  std::vector<std::string> names;
  for (const TensorInfo &info : impl->parameterInfos)
    if (!impl->parameters.contains(info.name)) names.push_back(info.name);
  return names;
}

static void demandParameters(const Executable &executable) {
  std::vector<std::string> missing = executable.unbound();
  if (missing.empty()) return;
  throw Error({.code = ErrorCode::InvalidInput,
               .op = missing.front(),
               .rule = "every parameter must be bound",
               .found = fmt::format("{} without a value", missing.size()),
               .hint = "bind() or bindParameters()"});
}

NamedTensors Executable::run(const NamedTensors &inputs) const {
  demandParameters(*this);
  return impl->loaded()->run(inputs);
}

NamedTensors Executable::run(const NamedTensors &inputs, std::vector<LaunchTime> &times) const {
  demandParameters(*this);
  std::vector<StepTime> steps;
  auto executable = impl->loaded();
  NamedTensors outputs = executable->run(inputs, RunOptions{.stepTimes = &steps});
  times.clear();
  for (const StepTime &step : steps) {
    auto *launch = std::get_if<LaunchStep>(&executable->plan().steps[step.step]);
    times.push_back({launch ? launch->kernel : step.label, step.seconds});
  }
  return outputs;
}

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
