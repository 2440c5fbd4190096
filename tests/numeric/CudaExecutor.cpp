// Kernels on a GPU: in fenced and poisoned device memory, each launch waited for.
#include "tests/numeric/Executor.h"

#include "passes/plan/Layouts.h"
#include "runtime/cuda/CudaDevice.h"

#include <cstring>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

namespace {

/// What a CTA of a small kernel might write too much.
constexpr size_t kFenceBytes = 8192;
constexpr uint8_t kFence = 0xC3;
/// Launches on the same memory that must give the same bits.
constexpr int kRepeats = 20;

/// Bytes of the device between two fences.
class DeviceMemory {
public:
  DeviceMemory(Device &device, size_t bytes, uint8_t fill)
      : device(device), bytes(bytes), memory(device.allocate(bytes + 2 * kFenceBytes)) {
    device.memset(memory.data(), kFence, bytes + 2 * kFenceBytes);
    if (bytes) device.memset(data(), fill, bytes);
  }

  void *data() const { return static_cast<std::byte *>(memory.data()) + kFenceBytes; }
  void copyIn(const HostTensor &from) {
    if (bytes) device.copyIn(data(), from.raw(), bytes);
  }
  /// The bytes as they are now; `damage` says where a fence was overwritten.
  std::vector<std::byte> copyOut(std::string &damage) const {
    std::vector<std::byte> all(bytes + 2 * kFenceBytes);
    device.copyOut(all.data(), memory.data(), all.size());
    device.synchronize();
    for (size_t i = 0; i < kFenceBytes; ++i) {
      if (all[i] != std::byte(kFence)) damage = fmt::format("byte {} before the start", kFenceBytes - i);
      if (all[kFenceBytes + bytes + i] != std::byte(kFence)) damage = fmt::format("byte {} behind the end", i + 1);
    }
    return {all.begin() + kFenceBytes, all.end() - kFenceBytes};
  }

private:
  Device &device;
  size_t bytes;
  DeviceBuffer memory;
};

class CudaExecutor final : public Executor {
public:
  explicit CudaExecutor(const Target &target)
      : gpu(makeCudaDevice({.poisonMemory = true, .checkLaunches = true})), code(target) {}

  void makeCode(ModuleOp module, BuiltKernel &built) override {
    code.make(module, built);
    for (BuiltLaunch &launch : built.launches) launch.own = std::make_shared<KernelHandle>(gpu->load(launch.image));
  }

  KernelRun run(graph::KernelOp kernel, const BuiltKernel &built, std::span<const HostTensor> inputs) override {
    std::vector<HostTensor> operands = operandsOf(kernel, inputs);
    KernelRun first = runOnce(kernel, built, operands, 0xFF);
    if (!first.fault.empty()) return first;
    return sameTwice(std::move(first), runOnce(kernel, built, operands, 0xA5, kRepeats));
  }

  std::shared_ptr<Device> device() override { return gpu; }

private:
  KernelRun runOnce(graph::KernelOp kernel, const BuiltKernel &built, std::span<const HostTensor> inputs,
                    uint8_t poison, int launches = 1) {
    KernelRun run;
    std::vector<DeviceMemory> memories;
    for (const HostTensor &input : inputs) {
      memories.emplace_back(*gpu, input.byteSize(), poison).copyIn(input);
    }
    for (size_t i = 0; i < kernel.getNumResults(); ++i) {
      run.outputs.push_back(resultMemory(kernel, i));
      memories.emplace_back(*gpu, run.outputs.back().byteSize(), poison);
    }
    for (size_t bytes : workspacesOf(kernel, built)) memories.emplace_back(*gpu, bytes, poison);
    auto launch = [&] {
      for (const BuiltLaunch &one : built.launches) {
        std::vector<const void *> slots;
        for (size_t tensor : passedBy(kernel, one.launch)) slots.push_back(memories[tensor].data());
        if (one.grid() > 0)
          gpu->launch(**std::static_pointer_cast<KernelHandle>(one.own),
                      {.grid = {one.grid(), 1, 1}, .sharedBytes = one.launch.sharedBytes}, slots);
      }
    };
    launch();
    for (size_t i = 0; i < memories.size(); ++i) {
      std::string damage;
      std::vector<std::byte> bytes = memories[i].copyOut(damage);
      bool isInput = i < inputs.size();
      size_t output = i - inputs.size();
      if (output >= run.outputs.size() && !isInput) {
        if (!damage.empty()) run.fault = fmt::format("wrote {} of workspace {}", damage, output - run.outputs.size());
        continue;
      }
      if (!damage.empty())
        run.fault = fmt::format("wrote {} of {} {}", damage, isInput ? "input" : "output", isInput ? i : output);
      if (bytes.empty()) continue;
      if (!isInput)
        std::memcpy(run.outputs[output].raw(), bytes.data(), bytes.size());
      else if (std::memcmp(bytes.data(), inputs[i].raw(), bytes.size()) != 0)
        run.fault = fmt::format("wrote to input {}", i);
    }
    for (int repeat = 1; repeat < launches && run.fault.empty(); ++repeat) {
      launch();
      for (size_t i = 0; i < run.outputs.size(); ++i) {
        std::vector<std::byte> bytes = memories[inputs.size() + i].copyOut(run.fault);
        if (!bytes.empty() && std::memcmp(bytes.data(), run.outputs[i].raw(), bytes.size()) != 0)
          run.fault = fmt::format("output {} of launch {} has other bits than the first", i, repeat + 1);
      }
    }
    return denseRun(kernel, std::move(run));
  }

  std::shared_ptr<Device> gpu;
  ImageMaker code;
};

} // namespace

std::unique_ptr<Executor> kiln::numeric::makeCudaExecutor(const Target &target) {
  return std::make_unique<CudaExecutor>(target);
}
