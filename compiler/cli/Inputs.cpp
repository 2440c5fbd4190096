// Where a command's graph, inputs and parameters come from.
#include "compiler/cli/Commands.h"
#include "compiler/dsl/GraphImpl.h"
#include "compiler/dsl/LoneProgram.h"
#include "kiln/Error.h"
#include "runtime/files/Npy.h"

#include <algorithm>
#include <fmt/format.h>

using namespace kiln;
using namespace kiln::cli;

/// What a tile program alone is compiled for.
static ProgramBindings bindingsOf(const Arguments &a, int64_t otherExtents) {
  ProgramBindings bindings{.otherExtents = otherExtents};
  for (const auto &[name, path] : splitPairs("--input", a.inputs)) bindings.inputs[name] = readNpy(path).shape();
  std::string all;
  for (const std::string &text : a.bind) all += (all.empty() ? "" : ",") + text;
  if (!all.empty()) bindings.values = dsl::parseBindings("--bind", all);
  return bindings;
}

Graph kiln::cli::loadGraph(const Arguments &a, int64_t otherExtents) {
  if (!a.build) return Graph::fromFile(a.file, a.entry, bindingsOf(a, otherExtents));
  Graph graph;
  a.build(graph);
  return graph;
}

std::string kiln::cli::deviceFor(const Arguments &a, const Graph &graph) {
  return !a.deviceGiven && dsl::Access::impl(graph).isGpuProgram() ? "cuda" : a.compile.device;
}

Executable kiln::cli::compileGraph(const Compiler &compiler, const Graph &graph) {
  Executable executable = compiler.compile(graph);
  const CompileTimes &times = executable.report().times;
  if (times.total > 1)
    fmt::print(stderr, "compiled {} kernels in {:.1f} s\n", executable.report().kernels.size(), times.total);
  return executable;
}

static std::pair<std::string, std::string> splitPair(const std::string &option, const std::string &text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error({.code = ErrorCode::Usage,
                 .op = option,
                 .rule = "a tensor and a file are needed",
                 .expected = "name=file.npy",
                 .found = text});
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::map<std::string, std::string> kiln::cli::splitPairs(const std::string &option,
                                                         const std::vector<std::string> &texts) {
  std::map<std::string, std::string> paths;
  for (const std::string &text : texts) {
    auto [name, path] = splitPair(option, text);
    auto [earlier, isNew] = paths.emplace(name, path);
    if (isNew) continue;
    throw Error({.code = ErrorCode::Usage,
                 .op = option,
                 .rule = fmt::format("\"{}\" must be given once", name),
                 .expected = "one file",
                 .found = fmt::format("{} and {}", earlier->second, path)});
  }
  return paths;
}

/// A tensor drawn from the seed and the name, so that each is the same whichever others are given.
static HostTensor draw(const TensorInfo &info, uint64_t seed) {
  uint64_t hash = 1469598103934665603u ^ seed; // FNV-1a
  for (char c : info.name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  if (isFloat(info.dtype)) return HostTensor::randomNormal(info.shape, info.dtype, hash);
  return HostTensor::randomInt(info.shape, info.dtype, hash, 0, info.dtype == DType::Bool ? 1 : 7);
}

static HostTensor drawOrRefuse(const Arguments &a, const TensorInfo &info) {
  const char *what = info.parameter ? "parameter" : "input";
  if (a.strict)
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = info.name,
                 .rule = fmt::format("the {} has no value", what),
                 .expected = typeString(info.dtype, info.shape),
                 .hint = info.parameter ? "--params file.safetensors" : fmt::format("--input {}=file.npy", info.name)});
  fmt::print(stderr, "{} \"{}\" {} is drawn at random, seed {}\n", what, info.name, typeString(info.dtype, info.shape),
             a.seed);
  return draw(info, a.seed);
}

void kiln::cli::bindParameters(const Arguments &a, const std::vector<TensorInfo> &infos, BoundPlan &plan) {
  if (!a.params.empty()) return plan.bindFile(a.params);
  for (const TensorInfo &info : infos)
    if (info.parameter) plan.bind(info.name, drawOrRefuse(a, info));
}

NamedTensors kiln::cli::gatherInputs(const Arguments &a, const std::vector<TensorInfo> &infos) {
  NamedTensors inputs;
  for (const auto &[name, path] : splitPairs("--input", a.inputs)) {
    bool known = std::any_of(infos.begin(), infos.end(),
                             [&, &name = name](const TensorInfo &i) { return i.name == name && !i.parameter; });
    if (!known) throw Error({.code = ErrorCode::InvalidInput, .op = name, .rule = "the graph has no such input"});
    inputs[name] = readNpy(path);
  }
  for (const TensorInfo &info : infos)
    if (!info.parameter && !inputs.contains(info.name)) inputs[info.name] = drawOrRefuse(a, info);
  return inputs;
}
