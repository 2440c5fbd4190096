// Prints reports for programs.
#include "compiler/kiln/Report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace kiln;
using nlohmann::json;

static json toJson(const SourceLoc &where) {
  if (where.file.empty()) return nullptr;
  return {{"file", where.file}, {"line", where.line}};
}

static json toJson(const KernelReport &k) {
  json ops = json::object();
  for (const auto &[op, count] : k.ops) ops[op] = count;
  json assembly;
  if (k.assembly) {
    assembly = {{"registers", k.assembly->registers},
                {"spill_bytes", k.assembly->spillBytes},
                {"stack_bytes", k.assembly->stackBytes},
                {"seconds", k.assembly->seconds},
                {"notes", json::array()}};
    for (const AssemblyNote &note : k.assembly->notes)
      assembly["notes"].push_back({{"text", note.text}, {"where", toJson(note.where)}});
  }
  json programs = json::array();
  for (const LaunchReport &program : k.programs)
    programs.push_back({{"symbol", program.symbol}, {"grid", program.grid}});
  return {{"symbol", k.symbol},
          {"kind", k.kind},
          {"launches", k.launches},
          {"programs", programs},
          {"workspace_bytes", k.workspaceBytes},
          {"ops", ops},
          {"computes", k.shape},
          {"schedule", k.schedule},
          {"bytes_before", k.bytesBefore},
          {"bytes_after", k.bytesAfter},
          {"flops", k.flops},
          {"intensity", k.intensity()},
          {"where", toJson(k.where)},
          {"compile_seconds", k.compileSeconds},
          {"assembly", assembly}};
}

/// "padded row" is "padded_row", "kept" of bytes "kept_bytes".
static std::string keyOf(const DecisionNumber &number) {
  std::string key = number.name;
  std::replace(key.begin(), key.end(), ' ', '_');
  return key + (number.unit == Unit::Bytes ? "_bytes" : number.unit == Unit::Seconds ? "_seconds" : "");
}

static json toJson(const DecisionOption &option) {
  json numbers = json::object();
  for (const DecisionNumber &number : option.numbers) numbers[keyOf(number)] = number.value;
  return {{"name", option.name}, {"rule", option.rule}, {"reason", option.reason}, {"numbers", numbers}};
}

static json toJson(const Decision &d) {
  json subject = json::array(), refused = json::array();
  for (const DecisionSubject &s : d.subject)
    subject.push_back({{"name", s.name}, {"kernel", s.kernel}, {"where", toJson(s.where)}});
  for (const DecisionOption &option : d.refused) refused.push_back(toJson(option));
  return {{"pass", d.pass},
          {"subject", subject},
          {"relation", d.relation},
          {"chosen", toJson(d.chosen)},
          {"refused", refused}};
}

std::string Report::json() const {
  ::json all = {
      {"schema", 2}, {"target", target}, {"fused", fused}, {"ops_in_graph", opsInGraph}, {"launches", launches}};
  all["kernels"] = ::json::array();
  for (const KernelReport &kernel : kernels) all["kernels"].push_back(toJson(kernel));
  all["decisions"] = ::json::array();
  for (const Decision &decision : decisions) all["decisions"].push_back(toJson(decision));
  all["memory"] = {{"inputs", memory.inputs},   {"parameters", memory.parameters},
                   {"outputs", memory.outputs}, {"constants", memory.constants},
                   {"arena", memory.arena},     {"temporaries", memory.temporaries}};
  all["seconds"] = {{"graph", times.graph},
                    {"plan", times.plan},
                    {"kernels", times.kernels},
                    {"total", times.total},
                    {"threads", times.threads}};
  return all.dump(2);
}
