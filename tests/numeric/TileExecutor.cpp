// Tile programs of gpu targets without a GPU: interpreted on whole fragments, in memory with bounds.
#include "tests/numeric/Executor.h"
#include "tests/numeric/tiles/Machine.h"

#include "passes/plan/Layouts.h"

#include <cstring>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

namespace {

KernelRun runOnce(tile::KernelOp program, graph::KernelOp kernel, std::span<const HostTensor> inputs, uint8_t poison,
                  bool backwards) {
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
  tiles::Machine machine(program, {memory.begin(), memory.end()});
  auto grid = static_cast<int64_t>(program.getGrid());
  try {
    for (int64_t cta = 0; cta < grid; ++cta) machine.run(backwards ? grid - 1 - cta : cta);
  } catch (const tiles::Fault &fault) {
    run.fault = fault.what();
  }
  for (size_t i = 0; i < memory.size(); ++i) {
    if (memory[i].empty()) continue;
    if (i >= inputs.size())
      std::memcpy(run.outputs[i - inputs.size()].raw(), memory[i].data(), memory[i].size());
    else if (std::memcmp(memory[i].data(), inputs[i].raw(), memory[i].size()) != 0)
      run.fault = fmt::format("wrote to input {}", i);
  }
  return denseRun(kernel, std::move(run));
}

class TileExecutor final : public Executor {
public:
  void makeCode(ModuleOp module, BuiltKernel &built) override {
    built.own = std::make_shared<OwningOpRef<ModuleOp>>(module.clone());
  }

  KernelRun run(graph::KernelOp kernel, const BuiltKernel &built, std::span<const HostTensor> inputs) override {
    auto module = std::static_pointer_cast<OwningOpRef<ModuleOp>>(built.own);
    auto program = *(*module)->getOps<tile::KernelOp>().begin();
    std::vector<HostTensor> operands = operandsOf(kernel, inputs);
    KernelRun first = runOnce(program, kernel, operands, 0xFF, /*backwards=*/false);
    if (!first.fault.empty()) return first;
    return sameTwice(std::move(first), runOnce(program, kernel, operands, 0xA5, /*backwards=*/true));
  }

  std::shared_ptr<Device> device() override { return nullptr; }
};

} // namespace

std::unique_ptr<Executor> kiln::numeric::makeTileExecutor() { return std::make_unique<TileExecutor>(); }
