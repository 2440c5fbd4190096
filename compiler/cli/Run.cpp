// kiln run.
#include "compiler/CompilerImpl.h"
#include "compiler/cli/Commands.h"
#include "kiln/Error.h"
#include "runtime/files/Npy.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

using namespace kiln;
using namespace kiln::cli;
using nlohmann::json;

namespace {

/// Element `i` without a loss: as int64_t of integers and bools, as double of floats.
template <typename T> T element(const HostTensor &tensor, int64_t i) {
  if constexpr (std::is_integral_v<T>)
    if (tensor.dtype() == DType::I64) return tensor.data<int64_t>()[i];
  return static_cast<T>(tensor.get(i));
}

/// What a reader wants to know of a tensor that is not written to a file. T is element()'s.
template <typename T> struct Summary {
  std::optional<T> least, most; ///< of what is not NaN, if anything
  std::optional<double> mean;   ///< of the same
  int64_t nans = 0;
  std::vector<T> first;

  explicit Summary(const HostTensor &tensor) {
    long double sum = 0; // holds every int64_t
    for (int64_t i = 0; i < tensor.size(); ++i) {
      T value = element<T>(tensor, i);
      if (i < 6) first.push_back(value);
      if (value != value) {
        ++nans;
        continue;
      }
      least = std::min(least.value_or(value), value);
      most = std::max(most.value_or(value), value);
      sum += value;
    }
    if (least) mean = static_cast<double>(sum / static_cast<long double>(tensor.size() - nans));
  }
};

std::string text(int64_t value) { return std::to_string(value); }
/// A NaN's sign means nothing.
std::string text(double value) { return std::isnan(value) ? "nan" : fmt::format("{:.6g}", value); }

template <typename T> std::string describe(const HostTensor &tensor) {
  if (tensor.size() == 0) return " empty";
  Summary<T> s(tensor);
  std::string line;
  for (T value : s.first) line += " " + text(value);
  if (tensor.size() > static_cast<int64_t>(s.first.size())) line += " ...";
  if (s.mean) line += fmt::format("  (min {}, mean {}, max {})", text(*s.least), text(*s.mean), text(*s.most));
  if (s.nans) line += fmt::format("  {} NaN", s.nans);
  return line;
}

std::string describe(const std::string &name, const HostTensor &tensor) {
  return fmt::format("{} {}:{}", name, tensor.typeString(),
                     isFloat(tensor.dtype()) ? describe<double>(tensor) : describe<int64_t>(tensor));
}

/// JSON has no infinities or NaN: they are strings.
json number(double value) { return std::isfinite(value) ? json(value) : json(text(value)); }
json number(int64_t value) { return value; }
template <typename T> json number(const std::optional<T> &value) { return value ? number(*value) : json(nullptr); }

template <typename T> json summaryJson(const HostTensor &tensor) {
  Summary<T> s(tensor);
  json first = json::array();
  for (T value : s.first) first.push_back(number(value));
  return {{"dtype", std::string(name(tensor.dtype()))},
          {"shape", tensor.shape()},
          {"first", first},
          {"min", number(s.least)},
          {"mean", number(s.mean)},
          {"max", number(s.most)},
          {"nan", s.nans}};
}

json tensorJson(const HostTensor &tensor) {
  return isFloat(tensor.dtype()) ? summaryJson<double>(tensor) : summaryJson<int64_t>(tensor);
}

using Paths = std::map<std::string, std::string>;

void writeOutputs(const Paths &paths, const NamedTensors &outputs) {
  for (const auto &[name, path] : paths) {
    auto output = outputs.find(name);
    if (output == outputs.end())
      throw Error({.code = ErrorCode::InvalidInput, .op = name, .rule = "the graph has no such output"});
    writeNpy(path, output->second);
  }
}

/// What is run, and what to say of it.
struct Runnable {
  std::vector<TensorInfo> infos; ///< inputs and parameters
  std::vector<std::string> outputs;
  std::optional<Executable> compiled; ///< unless the file was compiled before
  std::unique_ptr<BoundPlan> loaded;  ///< if it was

  BoundPlan &plan() const { return compiled ? *ExecutableAccess::impl(*compiled).bound : *loaded; }
  double compileSeconds() const { return compiled ? compiled->report().times.total : 0; }
};

/// A file that was compiled before; the options of compiling say nothing to it.
Runnable openCompiled(const Arguments &a) {
  if (a.noFuse || a.check || !a.compile.dumpIr.empty() || !a.compile.target.empty())
    throw Error({.code = ErrorCode::Usage,
                 .op = a.file,
                 .rule = "a compiled file is run as it is",
                 .found = "an option that is about compiling",
                 .hint = "give the .mlir file instead"});
  CompiledGraph graph = readCompiledFile(a.file);
  Runnable result;
  for (const PlanBuffer &b : graph.plan.buffers) {
    const bool parameter = b.kind == BufferKind::Parameter;
    if (!parameter && b.kind != BufferKind::Input) continue;
    TensorInfo info{.name = b.name, .dtype = b.dtype, .shape = {}, .parameter = parameter};
    for (const Expr &extent : b.shape) info.shape.push_back(extent.constant());
    result.infos.push_back(std::move(info));
  }
  for (BufferId id : graph.plan.outputs) result.outputs.push_back(graph.plan.buffers[static_cast<size_t>(id)].name);
  auto device = makeDevice(graph.device, {.threads = a.compile.threads});
  result.loaded = std::make_unique<BoundPlan>(std::move(graph.plan), std::move(graph.kernels), std::move(device));
  return result;
}

bool isCompiled(const Arguments &a) {
  std::array<char, 8> first{};
  return !a.build && std::ifstream(a.file, std::ios::binary).read(first.data(), first.size()) &&
         isCompiledFile(std::as_bytes(std::span(first)));
}

/// Median wall-clock seconds of the runs; `outputs` are those of the last.
double timedRuns(const Arguments &a, const PlanExecutable &executable, const NamedTensors &inputs,
                 NamedTensors &outputs) {
  std::vector<double> seconds;
  for (int i = 0; i < a.repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    outputs = executable.run(inputs);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

/// The kernel or the kind of a step.
std::string kernelOf(const StepTime &time, const LaunchPlan &plan) {
  const auto *launch = std::get_if<LaunchStep>(&plan.steps[time.step]);
  return launch ? launch->kernel : time.label;
}

void printProfile(const std::vector<StepTime> &times, const LaunchPlan &plan) {
  double total = 0;
  for (const StepTime &time : times) total += time.seconds;
  for (const StepTime &time : times)
    fmt::print("{:>10.1f} us {:>5.1f} %  {}\n", time.seconds * 1e6, total > 0 ? 100 * time.seconds / total : 0.0,
               kernelOf(time, plan));
}

void checkOutputNames(const Paths &paths, const std::vector<std::string> &known) {
  for (const auto &[name, path] : paths)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error({.code = ErrorCode::InvalidInput, .op = name, .rule = "the graph has no such output"});
}

/// Everything that can be told before compiling, then compiled.
Runnable prepare(const Arguments &a, const Paths &paths, NamedTensors &inputs) {
  Runnable runnable;
  if (isCompiled(a)) {
    runnable = openCompiled(a);
    inputs = gatherInputs(a, runnable.infos);
    checkOutputNames(paths, runnable.outputs);
    return runnable;
  }
  std::optional<Compiler> compiler;
  if (a.deviceGiven) compiler.emplace(a.compile); // an absent device is told before anything is read
  Graph graph = loadGraph(a);
  if (!compiler) {
    CompileOptions options = a.compile;
    options.device = deviceFor(a, graph);
    compiler.emplace(options);
  }
  runnable.infos = graph.inputs();
  for (const TensorInfo &output : graph.outputs()) runnable.outputs.push_back(output.name);
  inputs = gatherInputs(a, runnable.infos);
  checkOutputNames(paths, runnable.outputs);
  runnable.compiled = compileGraph(*compiler, graph);
  return runnable;
}

} // namespace

int kiln::cli::runCommand(const Arguments &a) {
  const Paths paths = splitPairs("--output", a.outputs);
  NamedTensors inputs, outputs;
  Runnable runnable = prepare(a, paths, inputs);
  bindParameters(a, runnable.infos, runnable.plan());
  std::shared_ptr<const PlanExecutable> executable = runnable.plan().loaded();
  double seconds = timedRuns(a, *executable, inputs, outputs);
  writeOutputs(paths, outputs);
  std::vector<StepTime> times;
  if (a.profile) executable->run(inputs, {.stepTimes = &times});
  CheckReport check;
  if (a.check) check = runnable.compiled->check(inputs);

  if (a.json) {
    json all = {{"schema", 1},
                {"seconds", seconds},
                {"compile_seconds", runnable.compileSeconds()},
                {"outputs", json::object()}};
    for (const auto &[name, tensor] : outputs) all["outputs"][name] = tensorJson(tensor);
    for (const StepTime &time : times)
      all["profile"].push_back({{"kernel", kernelOf(time, executable->plan())}, {"seconds", time.seconds}});
    if (a.check)
      all["check"] = {{"passed", check.passed()},
                      {"worst_error_over_bound", number(check.worstErrorOverBound())},
                      {"kernels", check.kernels.size()},
                      {"summary", check.summary()}};
    fmt::print("{}\n", all.dump(2));
  } else {
    for (const auto &[name, tensor] : outputs)
      if (!paths.contains(name)) fmt::print("{}\n", describe(name, tensor));
    printProfile(times, executable->plan());
    if (a.repeat > 1) fmt::print("{:.3f} ms, median of {} runs\n", seconds * 1e3, a.repeat);
    if (a.check) fmt::print("{}", check.summary());
  }
  return check.passed() ? 0 : static_cast<int>(ErrorCode::WrongResult);
}
