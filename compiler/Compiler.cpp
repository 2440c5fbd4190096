#include "compiler/CompilerImpl.h"

#include "codegen/cpu/HostCpu.h"
#include "compiler/dsl/Diagnostics.h"
#include "compiler/dsl/GraphImpl.h"
#include "ir/tile/Tile.h"
#include "passes/plan/Planner.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/StringSet.h"

#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>

using namespace mlir;
using namespace kiln;

namespace {
/// Seconds since its construction.
class Clock {
public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};
} // namespace

/// What there is of the device. Throws Error if nothing is, and the graph is not to run elsewhere.
static DeviceInfo findDevice(const std::string &name, bool portable) {
  for (const DeviceInfo &device : devices()) {
    if (device.name != name) continue;
    if (device.present || portable) return device;
    throw Error({.code = ErrorCode::NoDevice,
                 .op = name,
                 .rule = "the device is not present",
                 .found = device.detail,
                 .hint = "--device cpu"});
  }
  throw Error({.code = ErrorCode::Usage,
               .op = name,
               .rule = "the device is not known",
               .expected = "cpu or cuda",
               .found = name});
}

/// The row that a name asks for: the best that the device at hand runs; where there is none, the one that most run.
static std::string defaultTarget(const DeviceInfo &device) {
  return device.targets.empty() ? gpuTargets().front().name : device.targets.front();
}

static Target chooseTarget(const CompileOptions &options) {
  DeviceInfo device = findDevice(options.device, options.portable);
  const std::string name = options.target.empty() ? defaultTarget(device) : options.target;
  std::string host = codegen::detectHostCpu().name;
  std::optional<Target> row = findTarget(name);
  if (row && !row->cpu() != (device.name != "cpu"))
    throw Error({.code = ErrorCode::Usage,
                 .op = name,
                 .rule = "the target is not one of the device's",
                 .expected = fmt::format("a target of {}", device.name),
                 .hint = row->cpu() ? "--device cpu" : "--device cuda"});
  if (!row)
    throw Error({.code = ErrorCode::Usage,
                 .op = name,
                 .rule = "the target is not known",
                 .expected = fmt::format("one of {}", fmt::join(targetNames(), ", ")),
                 .hint = nearestTarget(name) + "; `kiln devices` lists those that run here"});
  if (row->cpu() && !codegen::machineFor(*row->cpu()).isHost)
    throw Error({.code = ErrorCode::NoDevice,
                 .op = name,
                 .rule = "this machine cannot run the target's code",
                 .expected = host + " or older",
                 .found = name});
  return *row;
}

static void checkThreads(int threads) {
  // Beyond this a process runs out of stacks and address space, which LLVM answers with an abort.
  int most = std::max(256, static_cast<int>(std::thread::hardware_concurrency()));
  if (threads < 0 || threads > most)
    throw Error({.code = ErrorCode::Usage,
                 .op = "threads",
                 .rule = "the number of threads must be within bounds",
                 .expected = fmt::format("0 (one per hardware thread) to {}", most),
                 .found = std::to_string(threads)});
}

static std::shared_ptr<const codegen::Assembler> findAssembler(const Target &target) {
  if (!target.gpu())
    throw Error({.code = ErrorCode::Usage,
                 .op = "assemble",
                 .rule = "PTX is made for GPUs",
                 .found = "the target " + target.name(),
                 .hint = "--device cuda"});
  auto found = codegen::Assembler::find();
  if (found) return *found;
  throw Error({.code = ErrorCode::NoDevice,
               .op = "assemble",
               .rule = "machine code is made by NVIDIA's assembler",
               .found = llvm::toString(found.takeError()),
               .hint = "--emit ptx, which every driver assembles by itself"});
}

CompilerImpl::CompilerImpl(CompileOptions given) : options(std::move(given)), target(chooseTarget(options)) {
  checkThreads(options.threads);
  DialectRegistry registry;
  registry.insert<graph::GraphDialect, tile::TileDialect, affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                  vector::VectorDialect>();
  codegen::registerTranslations(registry);
  // Its own workers compile kernels, each with a module to itself, so that MLIR's pool would only stand by; but its
  // locks are needed.
  context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::ENABLED);
  context->loadAllAvailableDialects();
  context->printOpOnDiagnostic(false);
  auto machines = options.portable ? codegen::CodeFor::AnyOfTarget : codegen::CodeFor::ThisMachine;
  if (options.assemble) assembler = findAssembler(target);
  auto made = codegen::makeBackend(target, codegen::JitEffort::Full, machines, /*lines=*/options.assemble);
  if (!made) throw Error({.op = target.name(), .rule = llvm::toString(made.takeError())});
  backend = *made;
  if (findDevice(options.device, options.portable).present)
    device = makeDevice(options.device, {.threads = options.threads, .poisonMemory = options.poison});
}

namespace {
/// One compile call: the executable in the making, and what its stages share.
class Compilation {
public:
  Compilation(const std::shared_ptr<CompilerImpl> &compiler, const Graph &graph);
  std::shared_ptr<ExecutableImpl> run();

private:
  void lowerGraph();
  void readSchedules();
  void compile(KernelCut &cut);
  void makePlan();
  /// Throws what was caught, as `code` says whose fault it is. A diagnostic that says what to try is always about the
  /// input: of its own faults the compiler has no advice.
  void demand(LogicalResult result, const char *what, ErrorCode code = ErrorCode::Internal) {
    if (succeeded(result) && !catcher.caught()) return;
    catcher.raise(catcher.fields().hint.empty() ? code : ErrorCode::InvalidInput, "", what);
  }
  /// Whose fault it is when tiling or its spec refuses: the user's, if the schedules or the programs are.
  ErrorCode scheduleFault() const {
    auto isProgram = [](graph::KernelOp kernel) { return bool(kernel.getCustom()); };
    bool given =
        !compiler.options.schedules.empty() || llvm::any_of(made->function().getOps<graph::KernelOp>(), isProgram);
    return given ? ErrorCode::InvalidInput : ErrorCode::Internal;
  }
  void writeDump();

  CompilerImpl &compiler;
  std::shared_ptr<ExecutableImpl> made = std::make_shared<ExecutableImpl>();
  dsl::ErrorCatcher catcher;
  Decisions decisions;
  PipelineOptions options;
  IrRecorder *recorder = nullptr;
};
} // namespace

Compilation::Compilation(const std::shared_ptr<CompilerImpl> &owner, const Graph &graph)
    : compiler(*owner), catcher(owner->context.get()), options{.target = owner->target,
                                                               .fuse = owner->options.fuse,
                                                               .decisions = &decisions} {
  made->compiler = owner;
  if (owner->options.keepIr || !owner->options.dumpIr.empty()) recorder = &made->recorder;
  std::string bytes = dsl::Access::impl(graph).bytecode();
  made->fused = parseSourceString<ModuleOp>(bytes, ParserConfig(owner->context.get()), "graph");
  demand(success(bool(made->fused)), "the graph's bytecode does not read back");
}

/// The graph as decomposed ops.
void Compilation::lowerGraph() {
  demand(runLevel(kGraphLevel, *made->fused, options, recorder), "the graph passes failed", ErrorCode::InvalidInput);
  made->opsInGraph = llvm::range_size(made->function().getBody().front().without_terminator());
}

/// The schedules that the user wants for families of kernels.
void Compilation::readSchedules() {
  for (const auto &[family, knobs] : compiler.options.schedules) {
    auto text = fmt::format("#graph.schedule<\"{}\", {}>", family, knobs);
    auto schedule = dyn_cast_or_null<graph::ScheduleAttr>(parseAttribute(text, compiler.context.get()));
    if (!schedule) catcher.raise(ErrorCode::Usage, "schedule " + family, "the knobs are not a dictionary");
    options.schedules[family] = schedule;
  }
}

/// The kernels' code; of other kernels where programs ask for too much.
void Compilation::compile(KernelCut &cut) {
  for (;;) {
    auto refusals = compileKernels(compiler, made->function(), options, recorder, made->kernels);
    demand(refusals, "a kernel could not be compiled", scheduleFault());
    if (refusals->empty()) break;
    demand(cut.yield(*refusals), "the graph could not be cut into kernels", ErrorCode::InvalidInput);
  }
  llvm::StringSet<> used;
  made->function().walk([&](graph::KernelOp kernel) { used.insert(*kernel.getSymbol()); });
  std::erase_if(made->kernels, [&](auto &kernel) { return !used.contains(kernel.first); });
}

void Compilation::writeDump() {
  if (!compiler.options.dumpIr.empty())
    made->recorder.write(compiler.options.dumpIr, made->plan.buffers.empty() ? "" : toJson(made->plan));
}

void Compilation::makePlan() {
  PlanOptions planning{.target = compiler.target.cpu() ? "cpu" : compiler.target.name()};
  planning.launches = [&](graph::KernelOp kernel) -> FailureOr<KernelLaunches> {
    return made->kernels.find(*kernel.getSymbol())->second.launches();
  };
  FailureOr<LaunchPlan> plan = planGraph(made->function(), planning);
  demand(plan, "the plan failed", scheduleFault());
  made->plan = std::move(*plan);
}

std::shared_ptr<ExecutableImpl> Compilation::run() {
  Clock total, graphClock;
  CompileTimes times;
  try {
    lowerGraph();
    readSchedules();
    KernelCut cut(*made->fused, options, recorder);
    demand(cut.run(), "the graph could not be cut into kernels", scheduleFault());
    times.graph = graphClock.seconds();
    Clock kernelClock;
    compile(cut);
    times.kernels = kernelClock.seconds();
    Clock planClock;
    makePlan();
    times.plan = planClock.seconds();
  } catch (...) {
    writeDump(); // how far it came is what a reader of the error wants to see
    throw;
  }
  writeDump();
  std::vector<KernelImage> images;
  for (const auto &[symbol, kernel] : made->kernels)
    for (const CompiledProgram &program : kernel.programs) images.push_back(program.image);
  made->bound = std::make_unique<BoundPlan>(made->plan, std::move(images), compiler.device,
                                            ExecutableOptions{.poisonArena = compiler.options.poison});
  made->report = makeReport(compiler, *made, decisions);
  times.total = total.seconds();
  times.threads = compiler.threads();
  made->report.times = times;
  return made;
}

Compiler::Compiler(CompileOptions options) : impl(std::make_shared<CompilerImpl>(std::move(options))) {}

int CompilerImpl::threads() const {
  return options.threads > 0 ? options.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

Executable Compiler::compile(const Graph &graph) const {
  std::lock_guard guard(impl->lock);
  return Executable(Compilation(impl, graph).run());
}

Executable kiln::compile(const Graph &graph, const CompileOptions &options) { return Compiler(options).compile(graph); }
