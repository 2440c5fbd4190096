// kiln dump, explain, devices and ops.
#include "compiler/cli/Commands.h"
#include "compiler/report/DevicesJson.h"
#include "ir/graph/AcceptedOps.h"
#include "ir/target/Target.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace kiln;
using namespace kiln::cli;
using nlohmann::json;

/// What is only looked at needs no GPU: a target of one is enough.
static CompileOptions lookingOptions(const Arguments &a, const Graph &graph) {
  CompileOptions options = a.compile;
  options.device = deviceFor(a, graph);
  std::optional<Target> target = findTarget(options.target);
  options.portable = (target && target->gpu()) || options.device != a.compile.device;
  if (options.portable && !a.deviceGiven) options.device = "cuda";
  return options;
}

int kiln::cli::dumpCommand(const Arguments &a) {
  Graph graph = loadGraph(a);
  if (a.level == "source" && a.compile.dumpIr.empty()) {
    fmt::print("{}", graph.mlir());
    return 0;
  }
  CompileOptions options = lookingOptions(a, graph);
  options.keepIr = true;
  Executable executable = compileGraph(Compiler(options), graph);
  if (!a.compile.dumpIr.empty())
    fmt::print(stderr, "wrote {}\n", a.compile.dumpIr);
  else
    fmt::print("{}\n", a.level == "plan" ? executable.planJson() : executable.ir(a.level));
  return 0;
}

int kiln::cli::explainCommand(const Arguments &a) {
  Graph graph = loadGraph(a);
  Executable executable = compileGraph(Compiler(lookingOptions(a, graph)), graph);
  const Report &report = executable.report();
  fmt::print("{}\n", a.json ? report.json() : report.explain());
  return 0;
}

static void printDevice(const DeviceInfo &device) {
  fmt::print("{:<8} {}{}\n", device.name, device.present ? "" : "absent: ", device.detail);
  constexpr double kGiB = 1 << 30;
  for (const GpuInfo &gpu : device.gpus)
    fmt::print("{:<8} {}: {}, compute capability {}, {} SMs, {:.1f} GiB\n", "", gpu.ordinal, gpu.name, gpu.capability,
               gpu.multiprocessors, static_cast<double>(gpu.memoryBytes) / kGiB);
  for (const std::string &target : device.targets) fmt::print("{:<8} --target {}\n", "", target);
}

int kiln::cli::devicesCommand(const Arguments &a) {
  if (a.json)
    fmt::print("{}\n", devicesJson());
  else
    for (const DeviceInfo &device : devices()) printDevice(device);
  return 0;
}

static std::string dtypes(graph::Elements elements) { return elements ? graph::elementNames(elements, " ") : "-"; }

/// Ops of the graph dialect say in ODS what they do; the table speaks for the others.
static std::string summaryOf(const graph::AcceptedOp &row) {
  static const struct {
    llvm::StringRef op, summary;
  } generated[] = {
#include "compiler/OpSummaries.inc"
  };
  if (!row.summary.empty()) return row.summary.str();
  for (const auto &entry : generated)
    if (entry.op == row.name) {
      std::string text = entry.summary.str();
      text[0] = llvm::toLower(text[0]); // the documentation begins a sentence
      return text;
    }
  return "";
}

int kiln::cli::opsCommand(const Arguments &a) {
  json all = json::array();
  for (const graph::AcceptedOp &row : graph::acceptedOps()) {
    if (row.level == graph::OpLevel::Decomposed || row.opClass == graph::OpClass::Structure) continue;
    std::string summary = summaryOf(row);
    all.push_back({{"op", row.name.str()},
                   {"operands", dtypes(row.operands)},
                   {"results", dtypes(row.results)},
                   {"summary", summary}});
    if (!a.json)
      fmt::print("{:<18} {:<26} -> {:<26} {}\n", row.name.str(), dtypes(row.operands), dtypes(row.results), summary);
  }
  if (a.json) fmt::print("{}\n", all.dump(2));
  return 0;
}
