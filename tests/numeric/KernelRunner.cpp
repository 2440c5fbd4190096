#include "tests/numeric/KernelRunner.h"
#include "tests/numeric/FencedMemory.h"

#include "compiler/Pipeline.h"
#include "ir/graph/DTypes.h"
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

/// The buffers of one run.
struct Arena {
  std::vector<FencedBuffer> inputs, outputs;
  std::vector<const void *> slots;
};

size_t elementBytes(const HostTensor &tensor) { return bitWidth(tensor.dtype()) / 8; }

Arena place(graph::KernelOp kernel, std::span<const HostTensor> inputs, Flush flush, uint8_t poison) {
  Arena arena;
  for (const HostTensor &input : inputs) {
    arena.inputs.emplace_back(input.byteSize(), elementBytes(input), flush, poison);
    if (input.byteSize()) std::memcpy(arena.inputs.back().data(), input.raw(), input.byteSize());
    arena.slots.push_back(arena.inputs.back().data());
  }
  for (Value output : kernel.getOutputs()) {
    HostTensor like = allocateLike(output);
    arena.outputs.emplace_back(like.byteSize(), elementBytes(like), flush, poison);
    arena.slots.push_back(arena.outputs.back().data());
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
  if (auto damage = scratch.damage()) return fmt::format("wrote {} of the scratch memory", *damage);
  return "";
}

enum class Order { AtOnce, BackwardsOneByOne };

KernelRun runOnce(graph::KernelOp kernel, const BuiltKernel &built, std::span<const HostTensor> inputs, Flush flush,
                  uint8_t poison, Order order) {
  Arena arena = place(kernel, inputs, flush, poison);
  FencedBuffer scratch(built.scratchBytes, kBufferAlignment, flush, poison);
  auto fault = callGuarded([&] {
    if (order == Order::AtOnce) return built.code.fn(arena.slots.data(), 0, built.grid, scratch.data());
    for (int64_t cta = built.grid; cta-- > 0;) built.code.fn(arena.slots.data(), cta, cta + 1, scratch.data());
  });
  KernelRun run;
  run.fault = fault ? *fault : findDamage(arena, scratch, inputs);
  for (auto [value, buffer] : llvm::zip_equal(kernel.getOutputs(), arena.outputs)) {
    HostTensor output = allocateLike(value);
    if (output.byteSize()) std::memcpy(output.raw(), buffer.data(), output.byteSize());
    run.outputs.push_back(output);
  }
  return run;
}

} // namespace

std::unique_ptr<MLIRContext> kiln::numeric::makeContext() {
  DialectRegistry registry;
  registry.insert<graph::GraphDialect, tile::TileDialect, affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect>();
  codegen::registerCpuTranslations(registry);
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

CpuTarget kiln::numeric::targetOf(const BuildOptions &options) {
  CpuTarget host = codegen::detectHostCpu();
  if (options.target.empty() || options.target == host.name) return host;
  if (const CpuTarget *row = findCpuTarget(options.target)) return *row;
  throw std::runtime_error("no cpu target is called " + options.target);
}

std::shared_ptr<codegen::CpuJit> KernelRunner::jitFor(const CpuTarget &target, codegen::JitEffort effort) {
  std::string key = target.name + (effort == codegen::JitEffort::Fast ? " fast" : " full");
  std::shared_ptr<codegen::CpuJit> &jit = jits[key];
  if (jit) return jit;
  auto made = codegen::CpuJit::create(target, effort);
  if (!made) throw std::runtime_error(llvm::toString(made.takeError()));
  return jit = *made;
}

std::shared_ptr<const BuiltKernel> KernelRunner::build(graph::KernelOp kernel, const BuildOptions &options) {
  CpuTarget target = targetOf(options);
  Diagnostics diagnostics(context);
  OwningOpRef<ModuleOp> module = isolate(kernel, options.schedule);
  std::string text = print(*module);
  std::string key = target.name + (options.effort == codegen::JitEffort::Fast ? " fast " : " full ") + text;
  if (auto known = kernels.find(key); known != kernels.end() && !options.edit) return known->second;

  if (auto symbol = kernel.getSymbol(); symbol && options.schedule.empty())
    if (auto [other, isNew] = symbols.try_emplace(symbol->str(), text); !isNew && other->second != text)
      throw std::runtime_error("two kernels share a symbol:\n" + text + other->second);
  auto start = std::chrono::steady_clock::now();
  auto built = std::make_shared<BuiltKernel>();
  built->text = text;
  PipelineOptions pipeline{.target = &target};
  if (failed(verify(*module)) || failed(runLevel(kTileLevel, *module, pipeline, nullptr)))
    throw std::runtime_error("no tile program:\n" + diagnostics.text + text);
  if (options.edit && !options.edit(*module)) throw std::runtime_error("nothing to change in\n" + print(*module));
  auto program = *module->getOps<tile::KernelOp>().begin();
  built->grid = program.getGrid();
  built->scratchBytes = program.getSharedBytes().value_or(0);
  if (options.keepTileProgram) built->tileProgram = print(program);
  if (failed(runLevel(kThreadLevel, *module, pipeline, nullptr)))
    throw std::runtime_error("cpu-lower failed:\n" + diagnostics.text + text);
  auto code = jitFor(target, options.effort)->compile(*module->getOps<LLVM::LLVMFuncOp>().begin());
  if (!code) throw std::runtime_error(llvm::toString(code.takeError()) + "\n" + text);
  built->code = std::move(*code);
  ++compiledCount;
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.edit) kernels[key] = built;
  return built;
}

HostTensor kiln::numeric::allocateLike(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return HostTensor(type.getShape().vec(), graph::dtypeOf(type).value());
}

KernelRun kiln::numeric::runFenced(graph::KernelOp kernel, const BuiltKernel &built,
                                   std::span<const HostTensor> inputs) {
  KernelRun first = runOnce(kernel, built, inputs, Flush::End, 0xFF, Order::AtOnce);
  if (!first.fault.empty()) return first;
  KernelRun second = runOnce(kernel, built, inputs, Flush::Start, 0xA5, Order::BackwardsOneByOne);
  if (!second.fault.empty()) return second;
  for (size_t i = 0; i < first.outputs.size(); ++i)
    if (auto at = firstDifference(first.outputs[i], second.outputs[i], NaNs::AllEqual))
      first.fault = fmt::format("element {} of output {} depends on the order of CTAs or on memory never written "
                                "({:.9g} and {:.9g})",
                                *at, i, first.outputs[i].get(*at), second.outputs[i].get(*at));
  return first;
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

KernelVerdict kiln::numeric::judge(graph::KernelOp kernel, const BuiltKernel &built,
                                   std::span<const HostTensor> inputs) {
  return judge(kernel, runFenced(kernel, built, inputs), inputs);
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
