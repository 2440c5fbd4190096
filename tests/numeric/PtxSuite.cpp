// PTX of every kernel of the numeric cases, fused and not: it assembles for old and new GPUs without spilling, every
// float operation says that it rounds once, and no branch of a pointwise kernel hangs on the data.
#include "tests/numeric/GraphRunner.h"
#include "tests/numeric/OpCases.h"

#include "codegen/ptx/Assemble.h"
#include "codegen/ptx/EmitPtx.h"
#include "compiler/Pipeline.h"
#include "tests/fuzz/RandomGraph.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/SourceMgr.h"

#include <atomic>
#include <cstdio>
#include <gtest/gtest.h>
#include <regex>
#include <thread>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric;

namespace {

/// One distinct module.
struct Emitted {
  CodeImage ptx;
  std::string llvmIr;
  std::string kernel; ///< the graph.kernel's text
};

/// Keeps what kernels become instead of running them.
class Collector final : public Executor {
public:
  explicit Collector(const GpuTarget &target) : target(target), emitter(target) {}

  void makeCode(ModuleOp module, BuiltKernel &built) override {
    if (failed(runLevel(kThreadLevel, module, {.target = target}, nullptr)))
      throw std::runtime_error("no thread-level function");
    for (auto function : codegen::functionsOf(module)) add(function, built);
  }
  KernelRun run(graph::KernelOp, const BuiltKernel &, std::span<const HostTensor>) override { return {}; }
  std::shared_ptr<Device> device() override { return nullptr; }

  std::vector<Emitted> all;

private:
  void add(LLVM::LLVMFuncOp function, const BuiltKernel &built) {
    auto code = emitter.emit(function);
    if (!code) throw std::runtime_error(llvm::toString(code.takeError()));
    // Distinct but for the name.
    std::string text(code->code.begin(), code->code.end());
    for (size_t at; (at = text.find(code->symbol)) != std::string::npos;) text.replace(at, code->symbol.size(), "_");
    if (!texts.insert(text).second) return;
    auto ir = emitter.print(function, codegen::GpuText::LlvmIr);
    if (!ir) throw std::runtime_error(llvm::toString(ir.takeError()));
    all.push_back({std::move(*code), std::move(*ir), built.text});
  }

  const GpuTarget &target;
  codegen::PtxEmitter emitter;
  std::set<std::string> texts;
};

/// Every distinct module of the cases, made once.
const std::vector<Emitted> &modules() {
  static std::vector<Emitted> made = [] {
    GraphRunner runner;
    runner.options.target = "sm_80";
    auto owned = std::make_unique<Collector>(*findGpuTarget("sm_80"));
    Collector &collector = *owned;
    runner.runner().setExecutor(runner.options, std::move(owned));
    auto add = [&](const Graph &graph, const std::string &name) {
      for (bool fuse : {true, false}) {
        try {
          KernelGraph cut = runner.cut(graph.mlir(), fuse);
          cut.function().walk([&](graph::KernelOp kernel) { runner.runner().build(kernel, runner.options); });
        } catch (const std::exception &error) {
          ADD_FAILURE() << name << ": " << error.what();
        }
      }
    };
    for (auto family : {elementwiseCases, broadcastCases, moveCases, reduceCases, compositeCases, matmulCases})
      for (const OpCase &opCase : family()) {
        Graph graph;
        opCase.build(graph);
        add(graph, opCase.name);
      }
    for (uint64_t seed = 1; seed <= 40; ++seed)
      add(fuzz::makeRandomGraph(seed, {.anchored = seed % 2 == 0}).graph, "random graph " + std::to_string(seed));
    return std::move(collector.all);
  }();
  return made;
}

TEST(Ptx, OfEveryCaseAssemblesWithoutSpilling) {
  auto found = codegen::Assembler::find();
  if (!found) GTEST_SKIP() << llvm::toString(found.takeError());
  const codegen::Assembler &assembler = **found;
  std::atomic<size_t> next = 0;
  std::atomic<int> most = 0;
  std::mutex lock;
  std::vector<std::string> complaints;
  auto work = [&] {
    for (size_t i; (i = next++) < modules().size();)
      for (const char *target : {"sm_80", "sm_90a"}) {
        const Emitted &emitted = modules()[i];
        auto made = assembler.assemble(emitted.ptx, target);
        std::string wrong;
        if (!made)
          wrong = llvm::toString(made.takeError());
        else if (made->report.spillBytes)
          wrong = std::to_string(made->report.spillBytes) + " bytes spilled";
        else if (!made->report.remarks.empty())
          wrong = made->report.remarks[0].text;
        else
          most = std::max<int>(most, made->report.registers);
        if (wrong.empty()) continue;
        std::lock_guard guard(lock);
        complaints.push_back(std::string(target) + ": " + wrong + "\n" + emitted.kernel);
      }
  };
  std::thread second(work);
  work();
  second.join();
  for (size_t i = 0; i < std::min<size_t>(complaints.size(), 10); ++i) ADD_FAILURE() << complaints[i];
  std::printf("%zu distinct modules assembled by %s for two targets, at most %d registers, %zu complaints\n",
              modules().size(), assembler.name().c_str(), most.load(), complaints.size());
  EXPECT_EQ(complaints.size(), 0u);
  EXPECT_GE(modules().size(), 150u);
}

TEST(Ptx, SaysThatEveryFloatOperationRoundsOnce) {
  const std::regex unsaid(R"(\b(add|sub|mul|fma|div|sqrt)\.(?!rn\b)([a-z]+\.)*(f32|f64|f16|bf16|f16x2|bf16x2)\b)");
  const std::regex flushed(R"([\s;](?!(ex2|rcp|rsqrt)\.approx\.ftz\b)\w[\w.]*\.ftz\b)"); // but for what tile.approx is
  const std::regex said(R"(\b(add|sub|mul|fma|div|sqrt)\.rn\.)");
  int64_t operations = 0;
  int bad = 0;
  for (const Emitted &emitted : modules()) {
    std::string text(emitted.ptx.code.begin(), emitted.ptx.code.end());
    operations += std::distance(std::sregex_iterator(text.begin(), text.end(), said), std::sregex_iterator());
    std::smatch match;
    if (std::regex_search(text, match, unsaid) && ++bad <= 5)
      ADD_FAILURE() << match.str() << " in the code of\n" << emitted.kernel;
    if (std::regex_search(text, match, flushed) && ++bad <= 5)
      ADD_FAILURE() << match.str() << " in the code of\n" << emitted.kernel;
  }
  EXPECT_EQ(bad, 0);
  EXPECT_GT(operations, 1000);
}

/// Whether a value comes from memory, by way of whatever instructions.
bool dependsOnData(const llvm::Value *value) {
  llvm::SmallVector<const llvm::Value *> work = {value};
  llvm::SmallPtrSet<const llvm::Value *, 32> seen;
  while (!work.empty()) {
    const llvm::Value *now = work.pop_back_val();
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(now);
    if (!instruction || !seen.insert(now).second) continue;
    auto *call = llvm::dyn_cast<llvm::CallInst>(instruction);
    if (llvm::isa<llvm::LoadInst>(instruction) || (call && call->isInlineAsm() && call->mayReadFromMemory()))
      return true;
    for (const llvm::Value *operand : instruction->operands()) work.push_back(operand);
  }
  return false;
}

TEST(Ptx, OfPointwiseKernelsBranchesOnNoData) {
  int kernels = 0;
  for (const Emitted &emitted : modules()) {
    if (!llvm::StringRef(emitted.ptx.symbol).starts_with("pointwise")) continue;
    ++kernels;
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    auto module = llvm::parseAssemblyString(emitted.llvmIr, error, context);
    ASSERT_TRUE(module) << error.getMessage().str();
    int branches = 0;
    for (llvm::Function &function : *module)
      for (llvm::Instruction &instruction : llvm::instructions(function)) {
        EXPECT_FALSE(llvm::isa<llvm::SwitchInst>(instruction)) << emitted.kernel;
        auto *branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
        if (!branch || !branch->isConditional()) continue;
        ++branches;
        EXPECT_FALSE(dependsOnData(branch->getCondition())) << emitted.kernel;
      }
    EXPECT_LE(branches, 1) << "more than the choice of the full tile's path\n" << emitted.kernel;
  }
  std::printf("%d pointwise modules\n", kernels);
  EXPECT_GT(kernels, 50);
}

} // namespace
