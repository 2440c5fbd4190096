// Judges every kernel by the interpreter, fed with that kernel's own inputs.
#include "compiler/CompilerImpl.h"
#include "compiler/dsl/Diagnostics.h"
#include "compiler/dsl/GraphImpl.h"
#include "passes/interp/Interpreter.h"
#include "passes/plan/Constants.h"
#include "passes/plan/Layouts.h"

#include "llvm/ADT/StringSet.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;

namespace {

/// A plan that launches one kernel: its operands are the inputs, its results the outputs.
FailureOr<LaunchPlan> planOf(graph::KernelOp kernel, const Target &target, const CompiledKernelInfo &compiled) {
  LaunchPlan plan;
  plan.name = kernel.getSymbol().value_or("").str();
  plan.target = target.cpu() ? "cpu" : target.name();
  auto add = [&](const HostTensor &like, BufferKind kind, std::vector<BufferId> &list) {
    PlanBuffer buffer;
    buffer.id = static_cast<BufferId>(plan.buffers.size());
    buffer.name = fmt::format("{}{}", kind == BufferKind::Input ? "in" : "out", list.size());
    buffer.kind = kind;
    buffer.dtype = like.dtype();
    buffer.shape.assign(like.shape().begin(), like.shape().end());
    buffer.bytes = static_cast<int64_t>(like.byteSize());
    list.push_back(buffer.id);
    plan.buffers.push_back(std::move(buffer));
  };
  for (size_t i = 0; i < kernel.getInputs().size(); ++i) add(operandMemory(kernel, i), BufferKind::Input, plan.inputs);
  for (size_t i = 0; i < kernel.getNumResults(); ++i) add(resultMemory(kernel, i), BufferKind::Output, plan.outputs);
  if (failed(addLaunches(plan, kernel, compiled.launches(), plan.inputs, plan.outputs)) ||
      failed(placeTemporaries(plan, kernel.getLoc())))
    return failure();
  return plan;
}

/// Runs the kernels of a function in order, on the device, and keeps every value.
class Walk {
public:
  Walk(ExecutableImpl &executable, const NamedTensors &inputs, CheckScope scope);
  CheckReport run(const NamedTensors &planOutputs);

private:
  void runKernel(graph::KernelOp kernel);
  void judge(graph::KernelOp kernel, ArrayRef<HostTensor> inputs, ArrayRef<HostTensor> outputs);
  void compareOutputs(func::ReturnOp end, const NamedTensors &planOutputs);

  ExecutableImpl &executable;
  llvm::DenseMap<Value, HostTensor> values;
  CheckReport report;
  CheckScope scope;
  llvm::StringSet<> judged; ///< symbols
  int launch = 0;
};

} // namespace

Walk::Walk(ExecutableImpl &executable, const NamedTensors &inputs, CheckScope scope)
    : executable(executable), scope(scope) {
  func::FuncOp function = executable.function();
  NamedTensors parameters = executable.bound->parameters();
  for (BlockArgument argument : function.getArguments()) {
    std::string name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name").str();
    auto input = inputs.find(name);
    values[argument] = input != inputs.end() ? input->second : parameters.find(name)->second;
  }
}

void Walk::judge(graph::KernelOp kernel, ArrayRef<HostTensor> inputs, ArrayRef<HostTensor> outputs) {
  if (graph::CustomKernelOp call = kernel.getCustom(); call && !call.getReferenceBlock()) {
    report.unjudged.push_back(fmt::format("#{} {}: nothing to judge it by; @{} has no reference", launch,
                                          kernel.getSymbol()->str(), call.getProgram().str()));
    return;
  }
  std::vector<interp::OracleTensor> exact;
  for (const HostTensor &input : inputs) exact.push_back(interp::OracleTensor::fromHost(input));
  auto expected = interp::interpretKernel(kernel, exact);
  if (failed(expected)) throw Error({.op = "interpreter", .rule = "the kernel cannot be interpreted"});
  for (auto [i, output] : llvm::enumerate(outputs)) {
    interp::Comparison verdict = interp::compare((*expected)[i], output);
    report.kernels.push_back({kernel.getSymbol()->str(), launch, static_cast<int>(i), verdict.mismatches == 0,
                              verdict.worstErrorOverBound, verdict.elements, verdict.summary()});
  }
}

void Walk::runKernel(graph::KernelOp kernel) {
  const CompiledKernelInfo &compiled = executable.kernels.find(*kernel.getSymbol())->second;
  std::vector<HostTensor> inputs, operands, outputs; // operands and outputs as the kernel's layouts say
  for (auto [i, input] : llvm::enumerate(kernel.getInputs())) {
    inputs.push_back(values.at(input));
    operands.push_back(toOperandMemory(kernel, i, inputs.back()));
  }
  for (size_t i = 0; i < kernel.getNumResults(); ++i) {
    outputs.push_back(resultMemory(kernel, i));
    for (std::byte &byte : outputs.back().bytes()) byte = std::byte(0xFF); // an element not written must show
  }
  std::vector<KernelImage> images;
  for (const CompiledProgram &program : compiled.programs) images.push_back(program.image);
  FailureOr<LaunchPlan> plan = planOf(kernel, executable.compiler->target, compiled);
  if (failed(plan)) throw Error({.op = kernel.getSymbol()->str(), .rule = "the kernel cannot be launched alone"});
  PlanExecutable(std::move(*plan), executable.compiler->device, images).runInto(operands, outputs);
  for (auto [i, output] : llvm::enumerate(outputs)) output = fromResultMemory(kernel, i, output);
  const bool first = judged.insert(*kernel.getSymbol()).second;
  if (first || scope == CheckScope::EveryLaunch) judge(kernel, inputs, outputs);
  for (auto [result, output] : llvm::zip(kernel.getResults(), outputs)) values[result] = output;
  ++launch;
}

void Walk::compareOutputs(func::ReturnOp end, const NamedTensors &planOutputs) {
  func::FuncOp function = executable.function();
  for (auto [i, operand] : llvm::enumerate(end.getOperands())) {
    std::string name = function.getResultAttrOfType<StringAttr>(i, "graph.name").str();
    const HostTensor &stepwise = values.at(operand), &planned = planOutputs.find(name)->second;
    if (auto at = firstDifference(stepwise, planned, NaNs::AllEqual))
      report.planDifferences.push_back(
          fmt::format("output \"{}\": the plan gives {} at element {}, its kernels one by one {}", name,
                      planned.get(*at), *at, stepwise.get(*at)));
  }
}

CheckReport Walk::run(const NamedTensors &planOutputs) {
  for (Operation &op : executable.function().getBody().front()) {
    if (auto kernel = dyn_cast<graph::KernelOp>(op)) {
      runKernel(kernel);
    } else if (auto end = dyn_cast<func::ReturnOp>(op)) {
      compareOutputs(end, planOutputs);
    } else if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
      values[reshape.getResult()] = values.at(reshape.getX()).reshape(Shape(graph::shapeOf(reshape.getResult())));
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      values[constant.getResult()] =
          hostTensor(cast<DenseElementsAttr>(constant.getValue()), dsl::dtypeOf(constant.getType()));
    } else {
      throw Error({.op = op.getName().getStringRef().str(), .rule = "the op stands between kernels"});
    }
  }
  return std::move(report);
}

CheckReport Executable::check(const NamedTensors &inputs, CheckScope scope) const {
  NamedTensors outputs = run(inputs);
  std::lock_guard guard(impl->compiler->lock);
  dsl::ErrorCatcher catcher(impl->compiler->context.get());
  return Walk(*impl, inputs, scope).run(outputs);
}
