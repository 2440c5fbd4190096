// Kernels on this machine's processor: in fenced and poisoned memory, where a touch of what lies behind is a verdict.
#include "tests/numeric/Executor.h"
#include "tests/numeric/FencedMemory.h"

#include "passes/plan/Layouts.h"
#include "runtime/host/HostDevice.h"

#include <cstring>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

namespace {

/// The buffers of one run.
struct Arena {
  std::vector<FencedBuffer> inputs, outputs, workspaces;
  std::vector<const void *> tensors;
};

size_t elementBytes(const HostTensor &tensor) { return bitWidth(tensor.dtype()) / 8; }

Arena place(graph::KernelOp kernel, const BuiltKernel &built, std::span<const HostTensor> inputs, Flush flush,
            uint8_t poison) {
  Arena arena;
  for (const HostTensor &input : inputs) {
    arena.inputs.emplace_back(input.byteSize(), elementBytes(input), flush, poison);
    if (input.byteSize()) std::memcpy(arena.inputs.back().data(), input.raw(), input.byteSize());
    arena.tensors.push_back(arena.inputs.back().data());
  }
  for (size_t i = 0; i < kernel.getNumResults(); ++i) {
    HostTensor like = resultMemory(kernel, i);
    arena.outputs.emplace_back(like.byteSize(), elementBytes(like), flush, poison);
    arena.tensors.push_back(arena.outputs.back().data());
  }
  for (size_t bytes : workspacesOf(kernel, built)) {
    arena.workspaces.emplace_back(bytes, kBufferAlignment, flush, poison);
    arena.tensors.push_back(arena.workspaces.back().data());
  }
  return arena;
}

std::string findDamage(const Arena &arena, const FencedBuffer &scratch, std::span<const HostTensor> inputs) {
  for (size_t i = 0; i < arena.inputs.size(); ++i) {
    if (auto damage = arena.inputs[i].damage()) return fmt::format("wrote {} of input {}", *damage, i);
    if (inputs[i].byteSize() && std::memcmp(arena.inputs[i].data(), inputs[i].raw(), inputs[i].byteSize()) != 0)
      return fmt::format("wrote to input {}", i);
  }
  for (size_t i = 0; i < arena.outputs.size(); ++i)
    if (auto damage = arena.outputs[i].damage()) return fmt::format("wrote {} of output {}", *damage, i);
  for (auto [i, buffer] : llvm::enumerate(arena.workspaces))
    if (auto damage = buffer.damage()) return fmt::format("wrote {} of workspace {}", *damage, i);
  if (auto damage = scratch.damage()) return fmt::format("wrote {} of the scratch memory", *damage);
  return "";
}

enum class Order { AtOnce, BackwardsOneByOne };

KernelRun runOnce(graph::KernelOp kernel, const BuiltKernel &built, std::span<const HostTensor> inputs, Flush flush,
                  uint8_t poison, Order order) {
  Arena arena = place(kernel, built, inputs, flush, poison);
  KernelRun run;
  for (const BuiltLaunch &one : built.launches) {
    FencedBuffer scratch(static_cast<size_t>(one.launch.scratchBytes), kBufferAlignment, flush, poison);
    HostKernelFn fn = std::get<HostKernelImage>(one.image).fn;
    std::vector<const void *> slots;
    for (size_t tensor : passedBy(kernel, one.launch)) slots.push_back(arena.tensors[tensor]);
    auto fault = callGuarded([&] {
      if (order == Order::AtOnce) return fn(slots.data(), 0, one.grid(), scratch.data());
      for (int64_t cta = one.grid(); cta-- > 0;) fn(slots.data(), cta, cta + 1, scratch.data());
    });
    run.fault = fault ? *fault : findDamage(arena, scratch, inputs);
    if (!run.fault.empty()) break;
  }
  for (auto [i, buffer] : llvm::enumerate(arena.outputs)) {
    HostTensor output = resultMemory(kernel, i);
    if (output.byteSize()) std::memcpy(output.raw(), buffer.data(), output.byteSize());
    run.outputs.push_back(output);
  }
  return denseRun(kernel, std::move(run));
}

class HostExecutor final : public Executor {
public:
  HostExecutor(const Target &target, codegen::JitEffort effort) : code(target, effort) {}

  void makeCode(ModuleOp module, BuiltKernel &built) override { code.make(module, built); }

  KernelRun run(graph::KernelOp kernel, const BuiltKernel &built, std::span<const HostTensor> inputs) override {
    std::vector<HostTensor> operands = operandsOf(kernel, inputs);
    KernelRun first = runOnce(kernel, built, operands, Flush::End, 0xFF, Order::AtOnce);
    if (!first.fault.empty()) return first;
    return sameTwice(std::move(first), runOnce(kernel, built, operands, Flush::Start, 0xA5, Order::BackwardsOneByOne));
  }

  std::shared_ptr<Device> device() override { return host; }

private:
  ImageMaker code;
  std::shared_ptr<Device> host = makeHostDevice({.threads = 2, .poisonMemory = true});
};

} // namespace

std::unique_ptr<Executor> kiln::numeric::makeHostExecutor(const Target &target, codegen::JitEffort effort) {
  return std::make_unique<HostExecutor>(target, effort);
}
