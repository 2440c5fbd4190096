// planFromJson(): what toJson() prints, back as structs. The text may come from anywhere.
#include "kiln/Error.h"
#include "runtime/LaunchPlan.h"
#include "runtime/files/JsonObject.h"

#include <fmt/format.h>
#include <utility>

namespace kiln {
namespace {

using nlohmann::json;

Expr readExpr(const JsonObject &object, const std::string &key, const json &value) {
  if (value.is_number_integer() && !(value.is_number_unsigned() && value.get<uint64_t>() > uint64_t(INT64_MAX)))
    return Expr(value.get<int64_t>());
  if (!value.is_string()) object.refuse(key, "a 64-bit integer or an expression", value);
  try {
    return Expr::parse(value.get_ref<const std::string &>());
  } catch (const Error &error) {
    object.refuse(key, error.rule, error.found);
  }
}

Expr readExpr(JsonObject &object, const char *key) { return readExpr(object, key, object.field(key)); }

std::vector<Expr> readExprs(JsonObject &object, const char *key) {
  std::vector<Expr> result;
  for (const json &value : object.list(key)) result.push_back(readExpr(object, key, value));
  return result;
}

DType readDType(JsonObject &object, const char *key) {
  std::string text = object.text(key);
  std::optional<DType> dtype = parseDType(text);
  if (!dtype) object.refuse(key, "a dtype", text);
  return *dtype;
}

/// One of `values`, by its name().
template <typename Enum, size_t N> Enum readEnum(JsonObject &object, const char *key, const Enum (&values)[N]) {
  std::string text = object.text(key), known;
  for (Enum value : values) {
    if (text == name(value)) return value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name(value));
  }
  object.refuse(key, known, text);
}

Access readAccess(JsonObject &object) {
  return readEnum(object, "access", {Access::Read, Access::Write, Access::ReadWrite});
}

BufferId readId(JsonObject &object, const char *key) {
  return static_cast<BufferId>(object.integer(key, kNoBuffer, INT32_MAX));
}

std::vector<int32_t> readInts(JsonObject &object, const char *key, int64_t count = -1) {
  std::vector<int64_t> wide = object.integers(key, INT32_MIN, INT32_MAX, count);
  return {wide.begin(), wide.end()};
}

PlanBuffer readBuffer(JsonObject object) {
  PlanBuffer b;
  b.id = readId(object, "id");
  b.name = object.text("name");
  b.kind = readEnum(
      object, "kind",
      {BufferKind::Input, BufferKind::Parameter, BufferKind::Output, BufferKind::Constant, BufferKind::Temporary});
  b.dtype = readDType(object, "dtype");
  b.shape = readExprs(object, "shape");
  if (object.has("strides")) b.strides = readExprs(object, "strides");
  b.bytes = readExpr(object, "bytes");
  if (object.has("alias_of")) b.aliasOf = readId(object, "alias_of");
  if (object.has("offset")) b.offset = readExpr(object, "offset");
  if (object.has("donated")) b.donated = object.flag("donated");
  if (object.has("lifetime")) {
    std::vector<int32_t> steps = readInts(object, "lifetime", 2);
    b.lifetime = {steps[0], steps[1]};
  }
  object.end();
  return b;
}

BufferArg readBufferArg(JsonObject object) {
  BufferArg arg{readId(object, "buffer"), readExpr(object, "offset"), readAccess(object)};
  object.end();
  return arg;
}

PlanArg readArg(JsonObject object) {
  if (object.has("buffer")) return readBufferArg(std::move(object));
  PlanArg arg;
  if (object.has("i64")) {
    arg = ExprArg{readExpr(object, "i64")};
  } else if (object.has("scalar")) {
    arg = ScalarArg{readDType(object, "scalar"), object.natural("bits")};
  } else {
    TensorMapArg map;
    map.buffer = readId(object, "tensor_map");
    map.offset = readExpr(object, "offset");
    map.dtype = readDType(object, "dtype");
    map.extents = readExprs(object, "extents");
    map.strides = readExprs(object, "strides");
    map.box = readInts(object, "box");
    map.swizzleBytes = static_cast<int32_t>(object.integer("swizzle", INT32_MIN, INT32_MAX));
    map.l2Bytes = static_cast<int32_t>(object.integer("l2", INT32_MIN, INT32_MAX));
    map.access = readAccess(object);
    arg = std::move(map);
  }
  object.end();
  return arg;
}

LaunchStep readLaunch(JsonObject &object) {
  LaunchStep s;
  s.kernel = object.text("launch");
  s.target = object.text("target");
  s.label = object.text("label");
  std::vector<Expr> grid = readExprs(object, "grid");
  if (grid.size() != s.grid.size()) object.refuse("grid", "3 numbers", std::to_string(grid.size()));
  std::move(grid.begin(), grid.end(), s.grid.begin());
  s.sharedBytes = readExpr(object, "shared_bytes");
  s.scratchBytes = readExpr(object, "scratch_bytes");
  std::vector<int32_t> cluster = readInts(object, "cluster", 3);
  std::move(cluster.begin(), cluster.end(), s.cluster.begin());
  s.pdl = object.flag("pdl");
  const json::array_t &args = object.list("args");
  for (size_t i = 0; i < args.size(); ++i)
    s.args.push_back(readArg(JsonObject(args[i], object.placeOf("args", int64_t(i)))));
  return s;
}

PlanStep readStep(JsonObject object) {
  auto bufferArg = [&](const char *key) { return readBufferArg(JsonObject(object.field(key), object.placeOf(key))); };
  PlanStep step;
  if (object.has("launch")) {
    step = readLaunch(object);
  } else if (object.has("copy")) {
    BufferArg src = bufferArg("copy"), dst = bufferArg("to");
    step = CopyStep{src, dst, readExpr(object, "bytes")};
  } else {
    BufferArg dst = bufferArg("memset");
    Expr bytes = readExpr(object, "bytes");
    step = MemsetStep{dst, bytes, static_cast<uint8_t>(object.integer("value", 0, UINT8_MAX))};
  }
  object.end();
  return step;
}

/// The ids of "inputs" or "outputs", each with the name of its buffer.
std::vector<BufferId> readEntries(JsonObject &plan, const char *key, const std::vector<PlanBuffer> &buffers) {
  std::vector<BufferId> ids;
  const json::array_t &entries = plan.list(key);
  for (size_t i = 0; i < entries.size(); ++i) {
    JsonObject entry(entries[i], plan.placeOf(key, int64_t(i)));
    BufferId id = readId(entry, "buffer");
    std::string entryName = entry.text("name");
    if (id < 0 || static_cast<size_t>(id) >= buffers.size() || buffers[static_cast<size_t>(id)].name != entryName)
      entry.refuse("name", "the name of a buffer", entryName);
    entry.end();
    ids.push_back(id);
  }
  return ids;
}

PlanExtent readExtent(JsonObject object) {
  PlanExtent extent{object.text("name"), object.integer("lower"), object.integer("upper")};
  object.end();
  return extent;
}

} // namespace

LaunchPlan planFromJson(std::string_view text) {
  json value = parseJson(text, "launch plan");
  JsonObject object(value, "");
  LaunchPlan plan;
  plan.schema = static_cast<int>(object.integer("schema", 0, INT32_MAX));
  if (plan.schema != kLaunchPlanSchema)
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = "launch plan",
                 .rule = "a plan must be of the schema that this version of Kiln reads",
                 .expected = std::to_string(kLaunchPlanSchema),
                 .found = std::to_string(plan.schema),
                 .hint = "compile the graph again with this version"});
  plan.name = object.text("name");
  plan.target = object.text("target");
  plan.arenaBytes = readExpr(object, "arena_bytes");
  auto each = [&](const char *key, auto read) {
    const json::array_t &elements = object.list(key);
    for (size_t i = 0; i < elements.size(); ++i) read(JsonObject(elements[i], object.placeOf(key, int64_t(i))));
  };
  each("extents", [&](JsonObject o) { plan.extents.push_back(readExtent(std::move(o))); });
  each("buffers", [&](JsonObject o) { plan.buffers.push_back(readBuffer(std::move(o))); });
  plan.inputs = readEntries(object, "inputs", plan.buffers);
  plan.outputs = readEntries(object, "outputs", plan.buffers);
  each("steps", [&](JsonObject o) { plan.steps.push_back(readStep(std::move(o))); });
  object.end();
  return plan;
}

} // namespace kiln
