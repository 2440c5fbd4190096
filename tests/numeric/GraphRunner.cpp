#include "tests/numeric/GraphRunner.h"

#include "compiler/KernelCut.h"
#include "ir/DTypes.h"
#include "passes/plan/Planner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdexcept>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

namespace {

/// The op that is a kernel's reason, or "fused <kind>" if there are several.
std::string ledgerName(graph::KernelOp kernel) {
  std::string name;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<arith::ConstantOp>(op)) continue;
    if (!name.empty()) return "fused " + kernel.getKind().str();
    name = op.getName().getStringRef().str();
  }
  return name.empty() ? "arith.constant" : name;
}

std::string describe(graph::KernelOp kernel, std::span<const HostTensor> inputs, const std::string &failure) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << failure << "\n  in ";
  AsmState names(kernel->getParentOp()); // the operands' names
  kernel->print(os, names);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].size() <= 16) {
      os << "\n  input " << i << ":";
      for (int64_t k = 0; k < inputs[i].size(); ++k) os << ' ' << fmt::format("{:.9g}", inputs[i].get(k));
    }
  return text;
}

/// What runs at the top level of a function of kernels.
class TopLevel {
public:
  void bind(Value value, HostTensor tensor) { values[value] = std::move(tensor); }
  std::vector<HostTensor> of(ValueRange range) const {
    std::vector<HostTensor> all;
    for (Value value : range) all.push_back(values.lookup(value));
    return all;
  }

private:
  DenseMap<Value, HostTensor> values;
};

} // namespace

HostTensor kiln::numeric::toHost(DenseElementsAttr elements) {
  auto type = cast<RankedTensorType>(elements.getType());
  DType dtype = ir::dtypeOf(type).value();
  HostTensor tensor(type.getShape().vec(), dtype);
  int64_t i = 0;
  if (isFloat(dtype))
    for (const APFloat &value : elements.getValues<APFloat>()) tensor.set(i++, value.convertToDouble());
  else
    for (const APInt &value : elements.getValues<APInt>())
      tensor.setInt(i++, dtype == boolean ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue());
  return tensor;
}

GraphRunner::GraphRunner() : context(makeContext()), kernels(*context) {}

std::string GraphOutcome::text() const { return fmt::format("{}", fmt::join(failures, "\n")); }

KernelGraph GraphRunner::cut(const std::string &mlir, bool fuse) {
  Diagnostics diagnostics(*context);
  KernelGraph graph{parseSourceString<ModuleOp>(mlir, &*context)};
  if (!graph.module) throw std::runtime_error("does not parse:\n" + diagnostics.text + mlir);
  for (func::FuncOp function : graph.module->getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if (op != function.getOperation()) ledger.execute(op);
    });
  PipelineOptions pipeline{.target = targetOf(options), .fuse = fuse};
  LogicalResult isCut = runLevel(kGraphLevel, *graph.module, pipeline, nullptr);
  if (succeeded(isCut)) {
    KernelCut cut(*graph.module, pipeline, nullptr);
    isCut = cut.run();
    for (Refusals refusals; succeeded(isCut); isCut = cut.yield(refusals))
      if ((refusals = kernels.refusals(graph.function(), options)).empty()) break;
  }
  if (failed(isCut)) throw std::runtime_error("not cut into kernels:\n" + diagnostics.text + mlir);
  return graph;
}

std::vector<HostTensor> GraphRunner::walk(KernelGraph &graph, const InputSet &inputs, const RunKernel &runKernel) {
  TopLevel top;
  Block &body = graph.function().getBody().front();
  for (auto [argument, input] : llvm::zip_equal(body.getArguments(), inputs.tensors)) top.bind(argument, input);
  for (Operation &op : body.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      top.bind(constant, toHost(cast<DenseElementsAttr>(constant.getValue())));
      continue;
    }
    if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
      top.bind(reshape, top.of(reshape.getX())[0].reshape(graph::shapeOf(reshape.getResult()).vec()));
      continue;
    }
    auto kernel = dyn_cast<graph::KernelOp>(op);
    if (!kernel) throw std::runtime_error("'" + op.getName().getStringRef().str() + "' is left outside the kernels");
    kernel.walk([&](Operation *inner) { ledger.execute(inner); });
    KernelRun run = runKernel(kernel, top.of(kernel.getInputs()));
    for (auto [result, tensor] : llvm::zip_equal(kernel.getResults(), run.outputs)) top.bind(result, tensor);
  }
  return top.of(body.getTerminator()->getOperands());
}

std::vector<HostTensor> GraphRunner::run(KernelGraph &graph, const InputSet &inputs,
                                         std::vector<std::string> &failures) {
  return walk(graph, inputs, [&](graph::KernelOp kernel, std::span<const HostTensor> operands) {
    KernelVerdict verdict = judge(kernel, kernels.run(kernel, operands, options), operands);
    ledger.add(ledgerName(kernel), verdict);
    if (std::string failure = verdict.failure(inputs.wild); !failure.empty())
      failures.push_back(describe(kernel, operands, failure));
    return verdict.run;
  });
}

std::vector<HostTensor> GraphRunner::runUnjudged(KernelGraph &graph, const InputSet &inputs,
                                                 std::vector<std::string> &failures) {
  return walk(graph, inputs, [&](graph::KernelOp kernel, std::span<const HostTensor> operands) {
    KernelRun run = kernels.run(kernel, operands, options);
    if (!run.fault.empty()) failures.push_back(describe(kernel, operands, run.fault));
    return run;
  });
}

std::unique_ptr<PlanExecutable> GraphRunner::plan(KernelGraph &graph, std::shared_ptr<Device> on, bool poison) {
  Diagnostics diagnostics(*context);
  std::map<std::string, KernelImage> images;
  PlanOptions planning;
  if (Target target = targetOf(options); target.gpu()) planning.target = target.name();
  planning.launches = [&](graph::KernelOp kernel) -> FailureOr<KernelLaunches> {
    KernelLaunches launches;
    for (const BuiltLaunch &built : kernels.build(kernel, options)->launches) {
      launches.push_back(built.launch);
      images[built.launch.symbol] = built.image;
    }
    return launches;
  };
  FailureOr<LaunchPlan> plan = planGraph(graph.function(), planning);
  if (failed(plan)) throw std::runtime_error("no plan: " + diagnostics.text);
  std::vector<KernelImage> code;
  for (auto &[symbol, image] : images) code.push_back(image);
  return std::make_unique<PlanExecutable>(*plan, std::move(on), code, NamedTensors{},
                                          ExecutableOptions{.poisonArena = poison});
}

std::vector<HostTensor> GraphRunner::runPlanned(KernelGraph &graph, const InputSet &inputs) {
  return plan(graph, kernels.executor(options).device(), true)->run(inputs.tensors);
}

void GraphRunner::checkOnce(KernelGraph &fused, KernelGraph &single, const InputSet &inputs, GraphOutcome &outcome) {
  outcome.outputs = run(fused, inputs, outcome.failures);
  auto expectSame = [&](const std::vector<HostTensor> &others, const char *how) {
    for (size_t i = 0; i < others.size(); ++i)
      if (auto at = firstDifference(outcome.outputs[i], others[i], NaNs::AllEqual))
        outcome.failures.push_back(fmt::format("output {}, element {}: {:.9g} fused, {:.9g} {}", i, *at,
                                               outcome.outputs[i].get(*at), others[i].get(*at), how));
  };
  expectSame(run(single, inputs, outcome.failures), "with one kernel per op");
  if (!outcome.passed() || !kernels.executor(options).device()) return;
  expectSame(runPlanned(fused, inputs), "as planned");
  expectSame(runPlanned(single, inputs), "as planned with one kernel per op");
}

void GraphRunner::skim(const Graph &graph) {
  for (bool fuse : {true, false})
    cut(graph.mlir(), fuse).function().walk([&](graph::KernelOp kernel) {
      kernel.walk([&](Operation *inner) { ledger.execute(inner); });
    });
}

GraphOutcome GraphRunner::check(const Graph &graph, const std::vector<InputSet> &inputSets) {
  GraphOutcome outcome;
  ledger.countCase();
  try {
    KernelGraph fused = cut(graph.mlir(), true), single = cut(graph.mlir(), false);
    auto count = [](KernelGraph &g) { return llvm::range_size(g.function().getOps<graph::KernelOp>()); };
    outcome.fusedKernels = count(fused);
    outcome.singleKernels = count(single);
    for (const InputSet &inputs : inputSets) checkOnce(fused, single, inputs, outcome);
  } catch (const std::exception &error) {
    outcome.failures.push_back(error.what());
  }
  return outcome;
}
