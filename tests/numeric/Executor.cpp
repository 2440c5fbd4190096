#include "tests/numeric/Executor.h"

#include "compiler/Pipeline.h"
#include "ir/layout/IndexMap.h"
#include "passes/plan/Layouts.h"

#include <fmt/format.h>
#include <stdexcept>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

kiln::numeric::ImageMaker::ImageMaker(const Target &target, codegen::JitEffort effort) : target(target) {
  auto made = codegen::makeBackend(target, effort);
  if (!made) throw std::runtime_error(llvm::toString(made.takeError()));
  backend = *made;
}

void kiln::numeric::ImageMaker::make(ModuleOp module, BuiltKernel &built) const {
  if (failed(runLevel(kThreadLevel, module, {.target = target}, nullptr)))
    throw std::runtime_error("no thread-level function");
  for (auto [launch, function] : llvm::zip_equal(built.launches, codegen::functionsOf(module))) {
    auto code = backend->compile(function);
    if (!code) throw std::runtime_error(llvm::toString(code.takeError()));
    launch.image = std::move(*code);
  }
}

std::unique_ptr<Executor> kiln::numeric::makeExecutor(const Target &target, codegen::JitEffort effort) {
  return target.cpu() ? makeHostExecutor(target, effort) : makeCudaExecutor(target);
}

std::vector<HostTensor> kiln::numeric::operandsOf(graph::KernelOp kernel, std::span<const HostTensor> inputs) {
  std::vector<HostTensor> operands;
  for (size_t i = 0; i < inputs.size(); ++i) operands.push_back(toOperandMemory(kernel, i, inputs[i]));
  graph::CustomKernelOp call = kernel.getCustom();
  if (!call) return operands;
  std::vector<HostTensor> arguments; // those of the program, of which two may be one operand
  for (Value operand : call.getInputs()) arguments.push_back(operands[cast<BlockArgument>(operand).getArgNumber()]);
  return arguments;
}

std::vector<size_t> kiln::numeric::passedBy(graph::KernelOp kernel, const KernelLaunch &launch) {
  std::vector<size_t> passed;
  for (auto [i, memory] : llvm::enumerate(launch.memories)) passed.push_back(kernel.getCustom() ? i : memory.tensor);
  return passed;
}

std::vector<size_t> kiln::numeric::workspacesOf(graph::KernelOp kernel, const BuiltKernel &built) {
  size_t first = kernel.getInputs().size() + kernel.getNumResults();
  std::vector<size_t> bytes;
  if (kernel.getCustom()) return bytes;
  for (const BuiltLaunch &one : built.launches)
    for (const LaunchMemory &memory : one.launch.memories) {
      if (memory.tensor < first) continue;
      bytes.resize(std::max(bytes.size(), memory.tensor - first + 1));
      bytes[memory.tensor - first] = static_cast<size_t>(layout::elementCount(memory.type.getShape()) *
                                                         tile::bytesOf(memory.type.getElementType()));
    }
  return bytes;
}

KernelRun kiln::numeric::denseRun(graph::KernelOp kernel, KernelRun run) {
  for (size_t i = 0; i < run.outputs.size(); ++i) run.outputs[i] = fromResultMemory(kernel, i, run.outputs[i]);
  return run;
}

KernelRun kiln::numeric::sameTwice(KernelRun first, const KernelRun &second) {
  if (!second.fault.empty()) return second;
  for (size_t i = 0; i < first.outputs.size(); ++i)
    if (auto at = firstDifference(first.outputs[i], second.outputs[i], NaNs::AllEqual))
      first.fault = fmt::format("element {} of output {} depends on the order of CTAs or on memory never written "
                                "({:.9g} and {:.9g})",
                                *at, i, first.outputs[i].get(*at), second.outputs[i].get(*at));
  return first;
}
