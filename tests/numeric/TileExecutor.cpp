// Kernels of gpu targets without a GPU, interpreted in memory with bounds: as tile programs, on whole fragments, or as
// thread-level functions, thread by thread.
#include "tests/numeric/Executor.h"
#include "tests/numeric/threads/Machine.h"
#include "tests/numeric/tiles/Machine.h"

#include "compiler/Pipeline.h"
#include "passes/plan/Layouts.h"

#include <cstring>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

namespace {

/// Runs one CTA.
using RunCta = std::function<void(int64_t)>;
/// Makes what runs CTAs of a launch on the bytes of its arguments.
using MakeMachine = llvm::function_ref<RunCta(const BuiltLaunch &, std::vector<std::span<std::byte>>)>;

KernelRun runOnce(MakeMachine make, const BuiltKernel &built, graph::KernelOp kernel,
                  std::span<const HostTensor> inputs, uint8_t poison, bool backwards) {
  KernelRun run;
  std::vector<std::vector<std::byte>> memory;
  for (const HostTensor &input : inputs) {
    auto *bytes = static_cast<const std::byte *>(input.raw());
    memory.emplace_back(bytes, bytes + input.byteSize());
  }
  for (size_t i = 0; i < kernel.getNumResults(); ++i) {
    run.outputs.push_back(resultMemory(kernel, i));
    memory.emplace_back(run.outputs.back().byteSize(), std::byte(poison));
  }
  size_t tensors = memory.size();
  for (size_t bytes : workspacesOf(kernel, built)) memory.emplace_back(bytes, std::byte(poison));
  try {
    for (const BuiltLaunch &launch : built.launches) {
      std::vector<std::span<std::byte>> passed;
      for (size_t tensor : passedBy(kernel, launch.launch)) passed.emplace_back(memory[tensor]);
      RunCta runCta = make(launch, std::move(passed));
      for (int64_t cta = 0, grid = launch.grid(); cta < grid; ++cta) runCta(backwards ? grid - 1 - cta : cta);
    }
  } catch (const tiles::Fault &fault) {
    run.fault = fault.what();
  }
  for (size_t i = 0; i < tensors; ++i) {
    if (memory[i].empty()) continue;
    if (i >= inputs.size())
      std::memcpy(run.outputs[i - inputs.size()].raw(), memory[i].data(), memory[i].size());
    else if (std::memcmp(memory[i].data(), inputs[i].raw(), memory[i].size()) != 0)
      run.fault = fmt::format("wrote to input {}", i);
  }
  return denseRun(kernel, std::move(run));
}

KernelRun runTwice(MakeMachine make, const BuiltKernel &built, graph::KernelOp kernel,
                   std::span<const HostTensor> inputs) {
  KernelRun first = runOnce(make, built, kernel, inputs, 0xFF, /*backwards=*/false);
  if (!first.fault.empty()) return first;
  return sameTwice(std::move(first), runOnce(make, built, kernel, inputs, 0xA5, /*backwards=*/true));
}

/// A module and one of the ops in it that are launched.
template <typename Op> struct Launched {
  std::shared_ptr<OwningOpRef<ModuleOp>> module;
  Op op;
};

/// Keeps a copy of the module, and with every launch its op.
template <typename Op> void keep(ModuleOp module, BuiltKernel &built) {
  auto copy = std::make_shared<OwningOpRef<ModuleOp>>(module.clone());
  for (BuiltLaunch &launch : built.launches)
    launch.own = std::make_shared<Launched<Op>>(copy, (*copy)->lookupSymbol<Op>(launch.launch.symbol));
}

class TileExecutor final : public Executor {
public:
  void makeCode(ModuleOp module, BuiltKernel &built) override { keep<tile::KernelOp>(module, built); }

  KernelRun run(graph::KernelOp kernel, const BuiltKernel &built, std::span<const HostTensor> inputs) override {
    auto make = [&](const BuiltLaunch &launch, std::vector<std::span<std::byte>> memory) -> RunCta {
      tile::KernelOp program = std::static_pointer_cast<Launched<tile::KernelOp>>(launch.own)->op;
      auto m = std::make_shared<tiles::Machine>(program, tiles::Launch{.memory = std::move(memory)});
      return [m](int64_t cta) { m->run(cta); }; // graphs' programs have no clusters
    };
    return runTwice(make, built, kernel, operandsOf(kernel, inputs));
  }

  std::shared_ptr<Device> device() override { return nullptr; }
};

class ThreadExecutor final : public Executor {
public:
  explicit ThreadExecutor(const Target &target) : target(target) {}

  void makeCode(ModuleOp module, BuiltKernel &built) override {
    if (failed(runLevel(kThreadLevel, module, {.target = target}, nullptr)))
      throw std::runtime_error("no thread-level function");
    keep<LLVM::LLVMFuncOp>(module, built);
  }

  KernelRun run(graph::KernelOp kernel, const BuiltKernel &built, std::span<const HostTensor> inputs) override {
    auto make = [&](const BuiltLaunch &launch, std::vector<std::span<std::byte>> memory) -> RunCta {
      LLVM::LLVMFuncOp function = std::static_pointer_cast<Launched<LLVM::LLVMFuncOp>>(launch.own)->op;
      return [m = std::make_shared<threads::Machine>(function, std::move(memory))](int64_t cta) { m->run(cta); };
    };
    return runTwice(make, built, kernel, operandsOf(kernel, inputs));
  }

  std::shared_ptr<Device> device() override { return nullptr; }

private:
  Target target;
};

} // namespace

std::unique_ptr<Executor> kiln::numeric::makeTileExecutor() { return std::make_unique<TileExecutor>(); }
std::unique_ptr<Executor> kiln::numeric::makeThreadExecutor(const Target &target) {
  return std::make_unique<ThreadExecutor>(target);
}
