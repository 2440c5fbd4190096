// Prints reports for programs.
#include "compiler/kiln/Report.h"

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
  return {{"symbol", k.symbol},
          {"kind", k.kind},
          {"launches", k.launches},
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

static json toJson(const EdgeReport &e) {
  return {{"producer", e.producer},
          {"consumer", e.consumer},
          {"producer_kernel", e.producerKernel},
          {"consumer_kernel", e.consumerKernel},
          {"producer_where", toJson(e.producerWhere)},
          {"consumer_where", toJson(e.consumerWhere)},
          {"sibling", e.sibling},
          {"rule", e.rule},
          {"reason", e.reason},
          {"bytes_kept", e.bytesKept}};
}

static json toJson(const AlignmentReport &a) {
  return {{"kernel", a.kernel},
          {"operand", a.operand},
          {"is_result", a.isResult},
          {"type", a.type},
          {"where", toJson(a.where)},
          {"by", a.by},
          {"row", a.row},
          {"padded_row", a.paddedRow},
          {"narrow_seconds", a.narrowSeconds},
          {"shifted_seconds", a.shiftedSeconds},
          {"aligned_seconds", a.alignedSeconds},
          {"copy_seconds", a.copySeconds}};
}

std::string Report::json() const {
  ::json all = {
      {"schema", 1}, {"target", target}, {"fused", fused}, {"ops_in_graph", opsInGraph}, {"launches", launches}};
  all["kernels"] = ::json::array();
  for (const KernelReport &kernel : kernels) all["kernels"].push_back(toJson(kernel));
  all["edges"] = ::json::array();
  for (const EdgeReport &edge : edges) all["edges"].push_back(toJson(edge));
  all["alignments"] = ::json::array();
  for (const AlignmentReport &alignment : alignments) all["alignments"].push_back(toJson(alignment));
  all["programs"] = ::json::array();
  for (const ProgramReport &p : programs)
    all["programs"].push_back({{"program", p.program},
                               {"where", toJson(p.where)},
                               {"reference", p.reference},
                               {"reason", p.reason},
                               {"order_class", p.orderClass}});
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
