#include "runtime/LaunchPlan.h"

#include <nlohmann/json.hpp>
#include <type_traits>

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Expr &e) { return e.isConstant() ? Json(e.constant()) : Json(e.toString()); }

template <typename Range> Json toJsonList(const Range &exprs) {
  Json list = Json::array();
  for (const Expr &e : exprs) list.push_back(toJson(e));
  return list;
}

Json toJson(const PlanBuffer &b) {
  Json j = {{"id", b.id}, {"name", b.name}, {"kind", name(b.kind)}, {"dtype", std::string(name(b.dtype))}};
  j["shape"] = toJsonList(b.shape);
  if (!b.strides.empty()) j["strides"] = toJsonList(b.strides);
  j["bytes"] = toJson(b.bytes);
  if (b.aliasOf != kNoBuffer) j["alias_of"] = b.aliasOf;
  if (b.aliasOf != kNoBuffer || b.kind == BufferKind::Temporary) j["offset"] = toJson(b.offset);
  if (b.donated) j["donated"] = true;
  if (b.kind == BufferKind::Temporary) j["lifetime"] = {b.lifetime.firstStep, b.lifetime.lastStep};
  return j;
}

struct ArgToJson {
  Json operator()(const BufferArg &a) const {
    return {{"buffer", a.buffer}, {"offset", toJson(a.offset)}, {"access", name(a.access)}};
  }
  Json operator()(const ExprArg &a) const { return {{"i64", toJson(a.value)}}; }
  Json operator()(const ScalarArg &a) const { return {{"scalar", std::string(name(a.dtype))}, {"bits", a.bits}}; }
  Json operator()(const TensorMapArg &a) const {
    return {{"tensor_map", a.buffer},
            {"offset", toJson(a.offset)},
            {"dtype", std::string(name(a.dtype))},
            {"extents", toJsonList(a.extents)},
            {"strides", toJsonList(a.strides)},
            {"box", a.box},
            {"swizzle", a.swizzleBytes},
            {"l2", a.l2Bytes},
            {"access", name(a.access)}};
  }
};

struct StepToJson {
  Json operator()(const LaunchStep &s) const {
    Json j = {{"launch", s.kernel},
              {"target", s.target},
              {"label", s.label},
              {"grid", toJsonList(s.grid)},
              {"shared_bytes", toJson(s.sharedBytes)},
              {"scratch_bytes", toJson(s.scratchBytes)},
              {"cluster", s.cluster},
              {"pdl", s.pdl}};
    j["args"] = Json::array();
    for (const PlanArg &a : s.args) j["args"].push_back(std::visit(ArgToJson(), a));
    return j;
  }
  Json operator()(const CopyStep &s) const {
    return {{"copy", ArgToJson()(s.src)}, {"to", ArgToJson()(s.dst)}, {"bytes", toJson(s.bytes)}};
  }
  Json operator()(const MemsetStep &s) const {
    return {{"memset", ArgToJson()(s.dst)}, {"bytes", toJson(s.bytes)}, {"value", s.value}};
  }
};

Json entries(const LaunchPlan &plan, const std::vector<BufferId> &ids) {
  Json list = Json::array();
  for (BufferId id : ids) {
    bool known = id >= 0 && static_cast<size_t>(id) < plan.buffers.size();
    list.push_back({{"buffer", id}, {"name", known ? plan.buffers[static_cast<size_t>(id)].name : ""}});
  }
  return list;
}

} // namespace

const char *name(Access access) {
  switch (access) {
  case Access::Read:
    return "read";
  case Access::Write:
    return "write";
  case Access::ReadWrite:
    return "readwrite";
  }
  return "unknown";
}

const char *name(BufferKind kind) {
  switch (kind) {
  case BufferKind::Input:
    return "input";
  case BufferKind::Parameter:
    return "parameter";
  case BufferKind::Output:
    return "output";
  case BufferKind::Constant:
    return "constant";
  case BufferKind::Temporary:
    return "temporary";
  }
  return "unknown";
}

std::string toJson(const LaunchPlan &plan) {
  Json j = {{"schema", plan.schema}, {"name", plan.name}, {"target", plan.target}};
  j["arena_bytes"] = toJson(plan.arenaBytes);
  j["extents"] = Json::array();
  for (const PlanExtent &e : plan.extents)
    j["extents"].push_back({{"name", e.name}, {"lower", e.lower}, {"upper", e.upper}});
  j["inputs"] = entries(plan, plan.inputs);
  j["outputs"] = entries(plan, plan.outputs);
  j["buffers"] = Json::array();
  for (const PlanBuffer &b : plan.buffers) j["buffers"].push_back(toJson(b));
  j["steps"] = Json::array();
  for (const PlanStep &s : plan.steps) j["steps"].push_back(std::visit(StepToJson(), s));
  // Names come from the user and need not be UTF-8; JSON must be.
  return j.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::vector<BufferArg> bufferArgs(const PlanStep &step) {
  if (const auto *copy = std::get_if<CopyStep>(&step)) {
    BufferArg src = copy->src, dst = copy->dst;
    src.access = Access::Read;
    dst.access = Access::Write;
    return {src, dst};
  }
  if (const auto *memset = std::get_if<MemsetStep>(&step)) {
    BufferArg dst = memset->dst;
    dst.access = Access::Write;
    return {dst};
  }
  std::vector<BufferArg> result;
  for (const PlanArg &arg : std::get<LaunchStep>(step).args) {
    if (const auto *buffer = std::get_if<BufferArg>(&arg)) result.push_back(*buffer);
    if (const auto *map = std::get_if<TensorMapArg>(&arg)) result.push_back({map->buffer, map->offset, map->access});
  }
  return result;
}

TensorMapRecipe recipeOf(const TensorMapArg &map, const Bindings &extents) {
  TensorMapRecipe r{.dtype = map.dtype, .box = map.box, .swizzleBytes = map.swizzleBytes, .l2Bytes = map.l2Bytes};
  for (const Expr &e : map.extents) r.extents.push_back(e.evaluate(extents));
  for (const Expr &e : map.strides) r.strides.push_back(e.evaluate(extents));
  return r;
}

} // namespace kiln
