// Compiles the distinct kernels of a graph, each as a module of its own, over the compiler's threads.
#include "compiler/CompilerImpl.h"
#include "compiler/dsl/Diagnostics.h"
#include "ir/graph/Programs.h"
#include "ir/tile/Tile.h"
#include "runtime/host/ThreadPool.h"

#include "llvm/ADT/MapVector.h"

#include <chrono>

using namespace mlir;
using namespace kiln;

namespace {
struct Job {
  graph::KernelOp kernel;
  OwningOpRef<ModuleOp> module;
  CompiledKernelInfo result;
  SourceLoc where;   ///< of the kernel: of a tile program, where it is written
  std::string error; ///< LLVM's words; MLIR's are diagnostics
  bool failed = false;
  std::vector<Diagnostic> said; ///< MLIR's errors
};

/// What this thread compiles.
thread_local Job *current = nullptr;

/// Keeps errors of workers for their jobs.
LogicalResult keep(Diagnostic &diagnostic) {
  if (!current || diagnostic.getSeverity() != DiagnosticSeverity::Error) return failure();
  current->said.push_back(std::move(diagnostic));
  return success();
}
} // namespace

KernelLaunches CompiledKernelInfo::launches() const {
  KernelLaunches all;
  for (const CompiledProgram &program : programs) all.push_back(program.launch);
  return all;
}

/// `func.func @main` that holds one kernel and returns its results.
static OwningOpRef<ModuleOp> isolate(graph::KernelOp kernel) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  if (graph::CustomKernelOp call = kernel.getCustom()) b.clone(*graph::findProgram(call, call.getProgramAttr()));
  auto type = b.getFunctionType(kernel.getInputs().getTypes(), kernel.getResultTypes());
  auto function = func::FuncOp::create(b, kernel.getLoc(), "main", type);
  b.setInsertionPointToEnd(function.addEntryBlock());
  IRMapping mapping;
  // An operand that stands twice keeps its two arguments: each clone's operand is set by position.
  auto clone = cast<graph::KernelOp>(b.clone(*kernel, mapping));
  clone.getInputsMutable().assign(function.getArguments());
  func::ReturnOp::create(b, kernel.getLoc(), clone.getResults());
  return module;
}

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// PTX to machine code, and what the assembler says of it.
static void assemble(const codegen::Assembler &assembler, CompiledProgram &program, Job &job) {
  auto start = std::chrono::steady_clock::now();
  auto made = assembler.assemble(std::get<CodeImage>(program.image));
  if (!made) {
    job.error = llvm::toString(made.takeError());
    job.failed = true;
    return;
  }
  program.image = std::move(made->image);
  const codegen::AssembleReport &said = made->report;
  AssemblyReport report{said.registers, said.spillBytes, said.stackBytes, {}};
  for (const codegen::AssemblerNote &note : said.remarks)
    report.notes.push_back({note.text, note.line ? SourceLoc{note.file, note.line} : job.where});
  report.seconds = secondsSince(start);
  program.assembly = std::move(report);
}

static void compileOne(const CompilerImpl &compiler, const PipelineOptions &options, IrRecorder *recorder,
                       unsigned part, Job &job) {
  auto start = std::chrono::steady_clock::now();
  job.failed = failed(runLevel(kTileLevel, *job.module, options, recorder, part));
  if (job.failed) return;
  for (auto program : job.module->getOps<tile::KernelOp>()) job.result.programs.push_back({{}, launchOf(program), {}});
  job.failed = failed(runLevel(kThreadLevel, *job.module, options, recorder, part));
  if (job.failed) return;
  for (auto [program, function] : llvm::zip_equal(job.result.programs, codegen::functionsOf(*job.module))) {
    auto compiled = compiler.backend->compile(function);
    if (!compiled) {
      job.error = llvm::toString(compiled.takeError());
      job.failed = true;
      return;
    }
    program.image = std::move(*compiled);
  }
  job.module = {}; // the IR is not needed again, and a large graph has many kernels
  job.result.seconds = secondsSince(start);
  for (CompiledProgram &program : job.result.programs)
    if (compiler.assembler && !job.failed) assemble(*compiler.assembler, program, job);
}

/// Why a kernel that the compiler tiled asks for too much; empty where something else failed.
static std::string excessOf(Job &job, const PipelineOptions &options) {
  bool isOurs = !job.kernel.getCustom() && !options.schedules.contains(job.kernel.getKind());
  return job.failed && isOurs && !job.said.empty() ? refusalOf(job.said.front()) : "";
}

FailureOr<Refusals> kiln::compileKernels(const CompilerImpl &compiler, func::FuncOp function,
                                         const PipelineOptions &options, IrRecorder *recorder,
                                         CompiledKernels &kernels) {
  llvm::MapVector<StringRef, Job> jobs;
  function.walk([&](graph::KernelOp kernel) {
    if (kernels.contains(kernel.getSymbol().value_or(""))) return;
    auto [job, isNew] = jobs.insert({kernel.getSymbol().value_or(""), Job()});
    if (!isNew) return;
    job->second.kernel = kernel;
    job->second.module = isolate(kernel);
    graph::CustomKernelOp call = kernel.getCustom();
    job->second.where = sourceOf(call ? graph::findProgram(call, call.getProgramAttr()).getLoc() : kernel.getLoc());
  });
  ThreadPool pool(compiler.options.threads);
  SmallVector<Job *> list;
  for (auto &entry : jobs) list.push_back(&entry.second);
  {
    ScopedDiagnosticHandler handler(function.getContext(), keep);
    pool.run(static_cast<int64_t>(list.size()), [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        current = list[i];
        compileOne(compiler, options, recorder, i, *list[i]);
        current = nullptr;
      }
    });
  }
  Refusals refusals;
  for (auto &[symbol, job] : jobs) {
    if (std::string excess = excessOf(job, options); !excess.empty()) {
      refusals.emplace(symbol.str(), std::move(excess));
      continue;
    }
    for (Diagnostic &diagnostic : job.said) function.getContext()->getDiagEngine().emit(std::move(diagnostic));
    if (!job.error.empty()) job.kernel.emitError() << "kernel '" << symbol << "': " << job.error;
    if (job.failed) return failure();
    kernels.emplace(symbol.str(), std::move(job.result));
  }
  return refusals;
}
