// Compiled graphs from and to files, what they are, and their parameters.
#include "runtime/capi/Handle.h"

#include <cstring>
#include <utility>

using namespace kiln;
using namespace kiln::capi;

static kiln_executable *load(CompiledGraph graph, const kiln_load_options *given) {
  kiln_load_options options = optionsOr(given, KILN_LOAD_OPTIONS);
  std::shared_ptr<Device> device = makeDevice(graph.device, {.threads = options.threads, .ordinal = options.ordinal});
  return new kiln_executable(std::move(graph), std::move(device), options.ordinal);
}

kiln_status kiln_load(const char *path, const kiln_load_options *options, kiln_executable **executable) {
  return guarded([&] {
    demand(path, "kiln_load", "path");
    demand(executable, "kiln_load", "executable");
    *executable = load(readCompiledFile(std::string(path)), options);
  });
}

kiln_status kiln_load_bytes(const void *bytes, size_t size, const kiln_load_options *options,
                            kiln_executable **executable) {
  return guarded([&] {
    demand(bytes, "kiln_load_bytes", "bytes");
    demand(executable, "kiln_load_bytes", "executable");
    *executable = load(readCompiledFile({static_cast<const std::byte *>(bytes), size}, "kiln_load_bytes"), options);
  });
}

kiln_status kiln_save(const kiln_executable *executable, const char *path) {
  return guarded([&] {
    demand(executable, "kiln_save", "executable");
    demand(path, "kiln_save", "path");
    const kiln_executable &e = *executable;
    writeCompiledFile(path, {e.version, e.device, e.bound.plan, e.bound.kernels, e.report});
  });
}

void kiln_close(kiln_executable *executable) { delete executable; }

const char *kiln_device(const kiln_executable *executable) { return executable ? executable->device.c_str() : ""; }
const char *kiln_target(const kiln_executable *executable) {
  return executable ? executable->bound.plan.target.c_str() : "";
}
const char *kiln_report(const kiln_executable *executable) { return executable ? executable->report.c_str() : ""; }
const char *kiln_plan(const kiln_executable *executable) { return executable ? executable->plan.c_str() : ""; }

const char *kiln_dtype_name(kiln_dtype dtype) {
  auto number = static_cast<int>(dtype);
  return number < 0 || number >= kDTypeCount ? nullptr : name(static_cast<DType>(number)).data();
}

static bool isRole(kiln_role role) {
  auto number = static_cast<int>(role);
  return number >= KILN_INPUT && number <= KILN_OUTPUT;
}

size_t kiln_count(const kiln_executable *executable, kiln_role role) {
  return executable && isRole(role) ? executable->tensors[role].size() : 0;
}

kiln_status kiln_describe(const kiln_executable *executable, kiln_role role, size_t index, kiln_tensor_info *info) {
  return guarded([&] {
    demand(executable, "kiln_describe", "executable");
    demand(info, "kiln_describe", "info");
    if (size_t count = kiln_count(executable, role); index >= count)
      throw Error({.code = ErrorCode::Usage,
                   .op = "kiln_describe",
                   .rule = "the index must be below the number of tensors",
                   .expected = "below " + std::to_string(count),
                   .found = std::to_string(index)});
    *info = executable->tensors[role][index].info;
  });
}

kiln_status kiln_bind(kiln_executable *executable, const char *name, const void *data, size_t bytes) {
  return guarded([&] {
    demand(executable, "kiln_bind", "executable");
    demand(name, "kiln_bind", "name");
    if (bytes) demand(data, "kiln_bind", "data");
    for (const Described &d : executable->tensors[KILN_PARAMETER]) {
      if (d.name != name) continue;
      HostTensor value = HostTensor::uninitialized(d.shape, static_cast<DType>(d.info.dtype));
      if (value.byteSize() != bytes)
        throw Error({.code = ErrorCode::InvalidInput,
                     .op = name,
                     .rule = "a parameter must have its type in the graph",
                     .expected = value.typeString() + ", " + std::to_string(value.byteSize()) + " bytes",
                     .found = std::to_string(bytes) + " bytes"});
      if (bytes) std::memcpy(value.raw(), data, bytes);
      return executable->bound.bind(name, value);
    }
    throw Error({.code = ErrorCode::InvalidInput, .op = name, .rule = "the graph has no such parameter"});
  });
}

kiln_status kiln_bind_file(kiln_executable *executable, const char *path) {
  return guarded([&] {
    demand(executable, "kiln_bind_file", "executable");
    demand(path, "kiln_bind_file", "path");
    executable->bound.bindFile(path);
  });
}

kiln_status kiln_prepare(kiln_executable *executable) {
  return guarded([&] {
    demand(executable, "kiln_prepare", "executable");
    (void)executable->bound.loaded();
  });
}
