// Runs: on device memory, on host memory, into buffers of Kiln's own, and as replays.
#include "runtime/capi/Handle.h"

#include <fmt/format.h>
#include <span>
#include <utility>

using namespace kiln;
using namespace kiln::capi;

namespace {

/// An array of addresses, which may be null only if it has none.
template <typename Pointer>
std::span<Pointer const> addresses(Pointer const *first, size_t count, const char *call, const char *argument) {
  if (count) demand(first, call, argument);
  return {first, count};
}

void checkCount(const std::vector<Described> &tensors, size_t count, const char *call, const char *what) {
  if (tensors.size() == count) return;
  throw Error({.code = ErrorCode::Usage,
               .op = call,
               .rule = fmt::format("a run takes every one of the graph's {}", what),
               .expected = std::to_string(tensors.size()),
               .found = std::to_string(count)});
}

/// Tensors over the caller's memory.
template <typename Pointer>
std::vector<HostTensor> over(const std::vector<Described> &tensors, std::span<Pointer const> memory) {
  std::vector<HostTensor> result;
  for (size_t i = 0; i < tensors.size(); ++i) {
    auto nothing = [](void *) {};
    std::shared_ptr<void> storage(const_cast<void *>(static_cast<const void *>(memory[i])), nothing);
    result.emplace_back(tensors[i].shape, static_cast<DType>(tensors[i].info.dtype), std::move(storage));
  }
  return result;
}

} // namespace

kiln_status kiln_run(kiln_executable *executable, void *const *inputs, size_t input_count, void *const *outputs,
                     size_t output_count, void *stream) {
  return guarded([&] {
    demand(executable, "kiln_run", "executable");
    auto in = addresses(inputs, input_count, "kiln_run", "inputs");
    auto out = addresses(outputs, output_count, "kiln_run", "outputs");
    executable->bound.loaded()->runDevice(in, out, {}, {.stream = {stream}});
  });
}

kiln_status kiln_run_host(kiln_executable *executable, const void *const *inputs, size_t input_count,
                          void *const *outputs, size_t output_count) {
  return guarded([&] {
    const char *call = "kiln_run_host";
    demand(executable, call, "executable");
    std::span<const void *const> from = addresses(inputs, input_count, call, "inputs");
    std::span<void *const> to = addresses(outputs, output_count, call, "outputs");
    checkCount(executable->tensors[KILN_INPUT], input_count, call, "inputs");
    checkCount(executable->tensors[KILN_OUTPUT], output_count, call, "outputs");
    std::vector<HostTensor> in = over(executable->tensors[KILN_INPUT], from);
    std::vector<HostTensor> out = over(executable->tensors[KILN_OUTPUT], to);
    executable->bound.loaded()->runInto(in, out);
  });
}

kiln_status kiln_synchronize(kiln_executable *executable, void *stream) {
  return guarded([&] {
    demand(executable, "kiln_synchronize", "executable");
    executable->bound.device->synchronize({stream});
  });
}

kiln_status kiln_run_owned(kiln_executable *executable, void *const *inputs, size_t input_count, kiln_buffer **outputs,
                           size_t output_count, void *stream) {
  return guarded([&] {
    const char *call = "kiln_run_owned";
    demand(executable, call, "executable");
    if (output_count) demand(outputs, call, "outputs");
    checkCount(executable->tensors[KILN_OUTPUT], output_count, call, "outputs");
    auto in = addresses(inputs, input_count, call, "inputs");
    std::vector<std::unique_ptr<kiln_buffer>> made;
    for (DeviceBuffer &memory : executable->bound.loaded()->runAllocating(in, {}, {.stream = {stream}})) {
      const Described &d = executable->tensors[KILN_OUTPUT][made.size()];
      made.push_back(
          std::make_unique<kiln_buffer>(kiln_buffer{std::move(memory), static_cast<DType>(d.info.dtype), d.shape,
                                                    executable->device == "cpu", executable->ordinal}));
    }
    for (size_t i = 0; i < made.size(); ++i) outputs[i] = made[i].release();
  });
}

void *kiln_buffer_data(const kiln_buffer *buffer) { return buffer ? buffer->memory.data() : nullptr; }
size_t kiln_buffer_bytes(const kiln_buffer *buffer) { return buffer ? buffer->memory.size() : 0; }
void kiln_buffer_release(kiln_buffer *buffer) { delete buffer; }

kiln_status kiln_capture(kiln_executable *executable, void *const *inputs, size_t input_count, void *const *outputs,
                         size_t output_count, kiln_replay **replay) {
  return guarded([&] {
    const char *call = "kiln_capture";
    demand(executable, call, "executable");
    demand(replay, call, "replay");
    auto in = addresses(inputs, input_count, call, "inputs");
    auto out = addresses(outputs, output_count, call, "outputs");
    *replay = new kiln_replay{executable->bound.loaded()->capture(in, out)};
  });
}

kiln_status kiln_replay_run(kiln_replay *replay, void *stream) {
  return guarded([&] {
    demand(replay, "kiln_replay_run", "replay");
    replay->replay.run({stream});
  });
}

void kiln_replay_close(kiln_replay *replay) { delete replay; }
