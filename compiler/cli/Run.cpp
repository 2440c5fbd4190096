// kiln run.
#include "compiler/cli/Commands.h"
#include "kiln/Error.h"
#include "runtime/files/Npy.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace kiln;
using namespace kiln::cli;
using nlohmann::json;

namespace {

/// What a reader wants to know of a tensor that is not written to a file.
struct Summary {
  double least = INFINITY, most = -INFINITY, mean = 0;
  int64_t nans = 0;
  std::vector<double> first;

  explicit Summary(const HostTensor &tensor) {
    double sum = 0;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      double value = tensor.get(i);
      if (i < 6) first.push_back(value);
      if (std::isnan(value)) {
        ++nans;
        continue;
      }
      least = std::min(least, value);
      most = std::max(most, value);
      sum += value;
    }
    if (tensor.size() > nans) mean = sum / static_cast<double>(tensor.size() - nans);
  }
};

std::string describe(const std::string &name, const HostTensor &tensor) {
  Summary s(tensor);
  std::string text = fmt::format("{} {}:", name, tensor.typeString());
  for (double value : s.first) text += fmt::format(" {:.6g}", value);
  if (tensor.size() > static_cast<int64_t>(s.first.size())) text += " ...";
  if (tensor.size() > s.nans) text += fmt::format("  (min {:.6g}, mean {:.6g}, max {:.6g})", s.least, s.mean, s.most);
  if (s.nans) text += fmt::format("  {} NaN", s.nans);
  return text;
}

/// JSON has no infinities or NaN: they are strings.
json number(double value) { return std::isfinite(value) ? json(value) : json(fmt::format("{}", value)); }

json toJson(const HostTensor &tensor) {
  Summary s(tensor);
  json first = json::array();
  for (double value : s.first) first.push_back(number(value));
  return {{"dtype", std::string(name(tensor.dtype()))},
          {"shape", tensor.shape()},
          {"first", first},
          {"min", number(s.least)},
          {"mean", number(s.mean)},
          {"max", number(s.most)},
          {"nan", s.nans}};
}

void writeOutputs(const Arguments &a, const NamedTensors &outputs) {
  for (const std::string &option : a.outputs) {
    auto [name, path] = splitPair("--output", option);
    auto output = outputs.find(name);
    if (output == outputs.end())
      throw Error({.code = ErrorCode::InvalidInput, .op = name, .rule = "the graph has no such output"});
    writeNpy(path, output->second);
  }
}

bool isWritten(const Arguments &a, const std::string &name) {
  return std::any_of(a.outputs.begin(), a.outputs.end(),
                     [&](const std::string &option) { return option.starts_with(name + "="); });
}

/// Median wall-clock seconds of the runs; `outputs` are those of the last.
double timedRuns(const Arguments &a, const Executable &executable, const NamedTensors &inputs, NamedTensors &outputs) {
  std::vector<double> seconds;
  for (int i = 0; i < a.repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    outputs = executable.run(inputs);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

void printProfile(const std::vector<LaunchTime> &times) {
  double total = 0;
  for (const LaunchTime &time : times) total += time.seconds;
  for (const LaunchTime &time : times)
    fmt::print("{:>10.1f} us {:>5.1f} %  {}\n", time.seconds * 1e6, total > 0 ? 100 * time.seconds / total : 0.0,
               time.symbol);
}

} // namespace

int kiln::cli::runCommand(const Arguments &a) {
  Compiler compiler(a.compile); // an absent device is told before anything is read
  Graph graph = loadGraph(a);
  NamedTensors inputs = gatherInputs(a, graph);
  for (const std::string &option : a.outputs) {
    auto [name, path] = splitPair("--output", option); // before anything slow
    std::vector<TensorInfo> known = graph.outputs();
    if (std::none_of(known.begin(), known.end(), [&, &name = name](const TensorInfo &o) { return o.name == name; }))
      throw Error({.code = ErrorCode::InvalidInput, .op = name, .rule = "the graph has no such output"});
  }
  Executable executable = compileGraph(compiler, graph);
  bindParameters(a, graph, executable);
  NamedTensors outputs;
  double seconds = timedRuns(a, executable, inputs, outputs);
  writeOutputs(a, outputs);
  std::vector<LaunchTime> times;
  if (a.profile) executable.run(inputs, times);
  CheckReport check;
  if (a.check) check = executable.check(inputs);

  if (a.json) {
    json all = {{"schema", 1},
                {"seconds", seconds},
                {"compile_seconds", executable.report().times.total},
                {"outputs", json::object()}};
    for (const auto &[name, tensor] : outputs) all["outputs"][name] = toJson(tensor);
    for (const LaunchTime &time : times) all["profile"].push_back({{"kernel", time.symbol}, {"seconds", time.seconds}});
    if (a.check)
      all["check"] = {{"passed", check.passed()},
                      {"worst_error_over_bound", number(check.worstErrorOverBound())},
                      {"kernels", check.kernels.size()},
                      {"summary", check.summary()}};
    fmt::print("{}\n", all.dump(2));
  } else {
    for (const auto &[name, tensor] : outputs)
      if (!isWritten(a, name)) fmt::print("{}\n", describe(name, tensor));
    printProfile(times);
    if (a.repeat > 1) fmt::print("{:.3f} ms, median of {} runs\n", seconds * 1e3, a.repeat);
    if (a.check) fmt::print("{}", check.summary());
  }
  return check.passed() ? 0 : static_cast<int>(ErrorCode::WrongResult);
}
