// Executable's calls on device memory: the runtime's, behind types that programs see.
#include "compiler/CompilerImpl.h"
#include "compiler/kiln/Executable.h"
#include "runtime/Signature.h"

using namespace kiln;

/// `memory` as a tensor that keeps it.
static DeviceTensor tensorOf(DeviceBuffer memory, std::vector<int64_t> shape, DType dtype) {
  auto owner = std::make_shared<DeviceBuffer>(std::move(memory));
  return {std::move(shape), dtype, std::shared_ptr<void>(owner, owner->data())};
}

void Replay::run(void *stream) const { impl->run({stream}); }

void Executable::runDevice(std::span<void *const> inputs, std::span<void *const> outputs, void *stream) const {
  impl->bound->loaded()->runDevice(inputs, outputs, {}, {.stream = {stream}});
}

std::vector<DeviceTensor> Executable::runDevice(std::span<void *const> inputs, void *stream) const {
  std::vector<DeviceBuffer> made = impl->bound->loaded()->runAllocating(inputs, {}, {.stream = {stream}});
  std::vector<DeviceTensor> outputs;
  for (size_t i = 0; i < made.size(); ++i) {
    const PlanBuffer &buffer = impl->plan.buffers[static_cast<size_t>(impl->plan.outputs[i])];
    outputs.push_back(tensorOf(std::move(made[i]), shapeOf(buffer, {}), buffer.dtype));
  }
  return outputs;
}

Replay Executable::capture(std::span<void *const> inputs, std::span<void *const> outputs) const {
  return Replay(std::make_shared<PlanReplay>(impl->bound->loaded()->capture(inputs, outputs)));
}

DeviceTensor Executable::toDevice(const HostTensor &tensor) const {
  Device &device = *impl->bound->device;
  DeviceBuffer memory = device.allocate(tensor.byteSize());
  std::unique_ptr<OwnedStream> stream = device.makeStream();
  device.copyIn(memory.data(), tensor.raw(), tensor.byteSize(), stream->stream);
  device.synchronize(stream->stream);
  return tensorOf(std::move(memory), tensor.shape(), tensor.dtype());
}

HostTensor Executable::toHost(const DeviceTensor &tensor, void *stream) const {
  Device &device = *impl->bound->device;
  HostTensor host = HostTensor::uninitialized(tensor.shape, tensor.dtype);
  device.copyOut(host.raw(), tensor.data(), host.byteSize(), {stream});
  device.synchronize({stream});
  return host;
}

void Executable::synchronize(void *stream) const { impl->bound->device->synchronize({stream}); }
