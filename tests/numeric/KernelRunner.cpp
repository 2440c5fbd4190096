#include "tests/numeric/KernelRunner.h"

#include "compiler/Pipeline.h"
#include "ir/DTypes.h"
#include "ir/graph/Programs.h"
#include "ir/tile/Tile.h"
#include "passes/interp/Interpreter.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"

#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

namespace {

std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream(text) << *op;
  return text;
}

/// A module with one function that holds a copy of the kernel and nothing else.
OwningOpRef<ModuleOp> isolate(graph::KernelOp kernel, const std::string &schedule) {
  Location loc = kernel.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  if (graph::CustomKernelOp call = kernel.getCustom()) b.clone(*graph::findProgram(call, call.getProgramAttr()));
  auto type = b.getFunctionType(kernel.getInputs().getTypes(), kernel.getOutputs().getTypes());
  auto function = func::FuncOp::create(b, loc, "main", type);
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto copy = cast<graph::KernelOp>(b.clone(*kernel));
  for (auto [operand, argument] : llvm::zip_equal(copy->getOpOperands(), entry->getArguments())) operand.set(argument);
  if (!copy.getSymbolAttr()) copy.setSymbolAttr(b.getStringAttr(copy.getKind() + "_test"));
  if (!schedule.empty()) copy.setScheduleAttr(cast<graph::ScheduleAttr>(parseAttribute(schedule, b.getContext())));
  func::ReturnOp::create(b, loc, copy.getResults());
  return module;
}

} // namespace

std::unique_ptr<MLIRContext> kiln::numeric::makeContext() {
  DialectRegistry registry;
  registry.insert<graph::GraphDialect, tile::TileDialect, affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect>();
  codegen::registerTranslations(registry);
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

Diagnostics::Diagnostics(MLIRContext &context)
    : handler(&context, [this](Diagnostic &diagnostic) {
        llvm::raw_string_ostream os(text);
        os << diagnostic << '\n';
        for (Diagnostic &note : diagnostic.getNotes()) os << "  " << note << '\n';
        return success();
      }) {}

Part &kiln::numeric::part() {
  static Part whole;
  return whole;
}

std::string &kiln::numeric::defaultTarget() {
  static std::string name = codegen::detectHostCpu().name;
  return name;
}

bool &kiln::numeric::interpretsTiles() {
  static bool interprets = false;
  return interprets;
}

bool &kiln::numeric::interpretsThreads() {
  static bool interprets = false;
  return interprets;
}

Target kiln::numeric::targetOf(const BuildOptions &options) {
  std::string name = options.target.empty() ? defaultTarget() : options.target;
  if (std::optional<Target> row = findTarget(name)) return *row;
  throw std::runtime_error("no target is called " + name);
}

/// What must be equal for two builds to share an executor.
static std::string keyOf(const Target &target, const BuildOptions &options) {
  return target.name() + (options.effort == codegen::JitEffort::Fast ? " fast " : " full ") +
         (options.interpret ? "interpreted " : "");
}

Executor &KernelRunner::executor(const BuildOptions &options) {
  Target target = targetOf(options);
  std::unique_ptr<Executor> &known = executors[keyOf(target, options)];
  if (!known)
    known = !options.interpret    ? makeExecutor(target, options.effort)
            : interpretsThreads() ? makeThreadExecutor(target)
                                  : makeTileExecutor();
  return *known;
}

void KernelRunner::setExecutor(const BuildOptions &options, std::unique_ptr<Executor> executor) {
  executors[keyOf(targetOf(options), options)] = std::move(executor);
}

Refusals KernelRunner::refusals(func::FuncOp function, const BuildOptions &options) {
  Refusals found;
  Target target = targetOf(options);
  function.walk([&](graph::KernelOp kernel) {
    std::string symbol = kernel.getSymbol()->str(), key = keyOf(target, options) + symbol, refusal;
    if (kernel.getCustom() || fitting.contains(key) || found.contains(symbol)) return;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (refusal.empty()) refusal = refusalOf(diagnostic);
      return success(); // of another fault, building it tells
    });
    OwningOpRef<ModuleOp> module = isolate(kernel, "");
    (void)runLevel(kTileLevel, *module, {target}, nullptr);
    if (refusal.empty())
      fitting.insert(key);
    else
      found.emplace(symbol, refusal);
  });
  return found;
}

std::shared_ptr<const BuiltKernel> KernelRunner::build(graph::KernelOp kernel, const BuildOptions &options) {
  Target target = targetOf(options);
  Diagnostics diagnostics(context);
  OwningOpRef<ModuleOp> module = isolate(kernel, options.schedule);
  std::string text = print(*module);
  std::string key = keyOf(target, options) + text;
  if (auto known = kernels.find(key); known != kernels.end() && !options.edit) return known->second;

  // A tile program is one kernel for all shapes that it takes.
  if (auto symbol = kernel.getSymbol(); symbol && options.schedule.empty() && !kernel.getCustom())
    if (auto [other, isNew] = symbols.try_emplace(symbol->str(), text); !isNew && other->second != text)
      throw std::runtime_error("two kernels share a symbol:\n" + text + other->second);
  auto start = std::chrono::steady_clock::now();
  auto built = std::make_shared<BuiltKernel>();
  built->text = text;
  PipelineOptions pipeline{.target = target};
  if (failed(verify(*module)) || failed(runLevel(kTileLevel, *module, pipeline, nullptr)))
    throw std::runtime_error("no tile program:\n" + diagnostics.text + text);
  if (options.edit && !options.edit(*module)) throw std::runtime_error("nothing to change in\n" + print(*module));
  for (auto program : module->getOps<tile::KernelOp>()) {
    built->launches.push_back({launchOf(program)});
    if (options.keepTileProgram) built->tileProgram += print(program);
  }
  try {
    executor(options).makeCode(*module, *built);
  } catch (const std::exception &error) {
    throw std::runtime_error(error.what() + ("\n" + diagnostics.text) + text);
  }
  ++compiledCount;
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.edit) kernels[key] = built;
  return built;
}

KernelVerdict kiln::numeric::judge(graph::KernelOp kernel, KernelRun run, std::span<const HostTensor> inputs) {
  KernelVerdict verdict;
  verdict.run = std::move(run);
  std::vector<interp::OracleTensor> exact;
  for (const HostTensor &input : inputs) exact.push_back(interp::OracleTensor::fromHost(input));
  Diagnostics diagnostics(*kernel.getContext());
  auto expected = interp::interpretKernel(kernel, exact);
  if (failed(expected)) throw std::runtime_error("the interpreter refused: " + diagnostics.text);
  for (size_t i = 0; i < expected->size(); ++i) {
    const interp::OracleTensor &want = (*expected)[i];
    verdict.elements += want.size();
    for (double bound : want.bounds) verdict.unknown += std::isinf(bound);
    verdict.comparisons.push_back(interp::compare(want, verdict.run.outputs[i]));
  }
  return verdict;
}

KernelRun KernelRunner::run(graph::KernelOp kernel, std::span<const HostTensor> inputs, const BuildOptions &options) {
  return executor(options).run(kernel, *build(kernel, options), inputs);
}

std::string KernelVerdict::failure(bool wild) const {
  if (!run.fault.empty()) return run.fault;
  for (size_t i = 0; i < comparisons.size(); ++i)
    if (comparisons[i].mismatches || !(wild || comparisons[i].passed()))
      return fmt::format("output {}: {}", i, comparisons[i].summary());
  return "";
}

double KernelVerdict::worstErrorOverBound() const {
  double worst = 0;
  for (const interp::Comparison &comparison : comparisons) worst = std::max(worst, comparison.worstErrorOverBound);
  return worst;
}
