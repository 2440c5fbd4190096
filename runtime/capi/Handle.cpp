#include "runtime/capi/Handle.h"
#include "kiln/Version.h"

#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <utility>

using namespace kiln;
using namespace kiln::capi;

namespace {

/// One thread's last error. The texts live here; `view` points at them.
struct LastError {
  ErrorFields fields;
  std::string message;
  kiln_error view = {KILN_OK, "", "", "", "", "", "", "", 0};
};

LastError &lastError() {
  thread_local LastError error;
  return error;
}

} // namespace

kiln_status kiln::capi::fail(const ErrorFields &fields) noexcept {
  auto code = static_cast<kiln_status>(fields.code);
  LastError &last = lastError();
  try {
    last.fields = fields;
    last.message = Error(fields).what();
    const ErrorFields &f = last.fields;
    last.view = {code,           last.message.c_str(), f.op.c_str(),
                 f.rule.c_str(), f.expected.c_str(),   f.found.c_str(),
                 f.hint.c_str(), f.where.file.c_str(), f.where.line};
  } catch (...) { // no memory for words
    last.view = {code, "invalid input error: out of memory", "", "out of memory", "", "", "", "", 0};
  }
  return code;
}

kiln_status kiln::capi::failWithCurrentException() noexcept {
  try {
    throw;
  } catch (const Error &error) {
    return fail(error);
  } catch (const std::bad_alloc &) {
    return fail({.code = ErrorCode::InvalidInput, .rule = "the graph needs more memory than there is"});
  } catch (const std::exception &error) {
    return fail({.code = ErrorCode::Internal, .rule = error.what()});
  } catch (...) {
    return fail({.code = ErrorCode::Internal, .rule = "an exception of an unknown kind"});
  }
}

void kiln::capi::demand(const void *pointer, const char *call, const char *argument) {
  if (pointer) return;
  throw Error({.code = ErrorCode::Usage,
               .op = call,
               .rule = fmt::format("`{}` must point at something", argument),
               .found = "null"});
}

static Described describe(const PlanBuffer &b) {
  Described d{b.name, {}, {}};
  for (const Expr &extent : b.shape) d.shape.push_back(extent.constant());
  d.info = {.name = nullptr,
            .dtype = static_cast<kiln_dtype>(b.dtype),
            .rank = static_cast<int32_t>(d.shape.size()),
            .shape = nullptr,
            .bytes = static_cast<size_t>(byteSize(b.dtype, elementCount(d.shape)).value_or(0))};
  return d;
}

kiln_executable::kiln_executable(CompiledGraph graph, std::shared_ptr<Device> runsOn, int32_t ordinal)
    : bound(std::move(graph.plan), std::move(graph.kernels), std::move(runsOn)), ordinal(ordinal),
      version(std::move(graph.kiln)), device(std::move(graph.device)), report(std::move(graph.report)),
      plan(toJson(bound.plan)) {
  const LaunchPlan &p = bound.plan;
  if (!p.extents.empty())
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = p.name,
                 .rule = "a graph that is run from C has shapes that are fixed",
                 .found = fmt::format("the extent `{}`", p.extents.front().name)});
  auto at = [&](BufferId id) -> const PlanBuffer & { return p.buffers[static_cast<size_t>(id)]; };
  for (BufferId id : p.inputs) tensors[KILN_INPUT].push_back(describe(at(id)));
  for (BufferId id : p.outputs) tensors[KILN_OUTPUT].push_back(describe(at(id)));
  for (const PlanBuffer &b : p.buffers)
    if (b.kind == BufferKind::Parameter) tensors[KILN_PARAMETER].push_back(describe(b));
  for (std::vector<Described> &list : tensors)
    for (Described &d : list) d.info.name = d.name.c_str(), d.info.shape = d.shape.data(); // they move no more
}

const kiln_error *kiln_last_error(void) { return &lastError().view; }
int kiln_abi_version(void) { return KILN_ABI_VERSION; }
const char *kiln_version(void) { return version(); }
