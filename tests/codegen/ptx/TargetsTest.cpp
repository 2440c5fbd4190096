// What PTX says of itself, for every row of ir/target/Gpu.h: a version that knows the target and that old assemblers
// read, and the "a" target only for instructions that no other has.
#include "codegen/ptx/PtxTranslation.h"
#include "tests/codegen/gpu/PtxKit.h"

#include <fmt/format.h>
#include <regex>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

/// y = x + 1 on 1024 elements.
std::string plusOne(const std::string &element) {
  std::string text = R"(tile.kernel @k(%x: !tile.global<1024xE>, %y: !tile.global<1024xE>) grid 4 threads 32 {
    %c256 = arith.constant 256 : index
    %id = tile.cta_id
    %o = arith.muli %id, %c256 : index
    %one = arith.constant dense<1.0> : V
    %a = tile.load %x[%o] aligned 8 : !tile.global<1024xE> -> V
    %r = arith.addf %a, %one : V
    tile.store %r, %y[%o] aligned 8 : V, !tile.global<1024xE>
    tile.return
  })";
  text = std::regex_replace(text, std::regex("xE>"), "x" + element + ">");
  return std::regex_replace(text, std::regex("V"), "tensor<256x" + element + ", #tile.blocked<vec = 8, threads = 32>>");
}

/// "8.6" of `.version 8.6`, "sm_100" of `.target sm_100`.
std::string directive(const CodeImage &ptx, const std::string &name) {
  std::string text(ptx.code.begin(), ptx.code.end());
  std::smatch match;
  EXPECT_TRUE(std::regex_search(text, match, std::regex("\n\\." + name + " ([^\n]*)\n"))) << text;
  return match.empty() ? "" : match[1].str();
}

/// What each target's kernels are made for, and the first PTX that knows it, by NVIDIA's table of releases.
const std::map<std::string, std::pair<std::string, std::string>> kSaid = {
    {"sm_80", {"sm_80", "7.8"}},    {"sm_86", {"sm_86", "7.8"}},   {"sm_89", {"sm_89", "7.8"}},
    {"sm_90", {"sm_90", "8.0"}},    {"sm_90a", {"sm_90", "8.0"}},  {"sm_100", {"sm_100", "8.6"}},
    {"sm_100a", {"sm_100", "8.6"}}, {"sm_120", {"sm_120", "8.7"}}, {"sm_120a", {"sm_120", "8.7"}}};

TEST(PtxTargets, EveryRowSaysItsOwnAndTheOldestVersionThatKnowsIt) {
  auto tool = assembler();
  for (const GpuTarget &row : gpuTargets())
    for (const char *element : {"f32", "bf16", "f16"}) {
      SCOPED_TRACE(row.name + " " + element);
      GpuProgram program(plusOne(element), row.name);
      ASSERT_TRUE(program.lowered);
      auto ptx = emitPtx(program.function(), row);
      ASSERT_TRUE(!!ptx) << llvm::toString(ptx.takeError());
      ASSERT_TRUE(kSaid.contains(row.name)) << "a row that this test does not know";
      auto [target, version] = kSaid.at(row.name);
      EXPECT_EQ(directive(*ptx, "target"), target);
      EXPECT_EQ(directive(*ptx, "version"), version);
      EXPECT_EQ(ptx->target, target);
      if (!tool) continue;
      for (const std::string &chip : {std::string(), row.name}) { // what the PTX names, and the row itself
        auto made = tool->assemble(*ptx, chip);
        ASSERT_TRUE(!!made) << llvm::toString(made.takeError());
        EXPECT_EQ(made->image.target, chip.empty() ? target : row.name);
        EXPECT_EQ(made->report.spillBytes, 0);
      }
    }
}

/// A kernel with an instruction that plain targets lack.
struct ArchSpecific {
  ArchSpecific() {
    DialectRegistry registry;
    registerTranslations(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(R"(
      llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, ptx.shared_bytes = 0 : i64} {
        nvvm.setmaxregister increase 232
        llvm.return
      })",
                                         &context);
  }
  llvm::Expected<CodeImage> emit(const std::string &target) {
    return emitPtx(*module->getOps<LLVM::LLVMFuncOp>().begin(), *findGpuTarget(target));
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST(PtxTargets, AnArchSpecificInstructionIsForItsTargetAlone) {
  ArchSpecific kernel;
  ASSERT_TRUE(kernel.module);
  auto ptx = kernel.emit("sm_90a");
  ASSERT_TRUE(!!ptx) << llvm::toString(ptx.takeError());
  EXPECT_EQ(ptx->target, "sm_90a");
  EXPECT_EQ(directive(*ptx, "target"), "sm_90a");
  EXPECT_EQ(directive(*ptx, "version"), "8.0");
  if (auto tool = assembler()) {
    auto made = tool->assemble(*ptx);
    EXPECT_TRUE(!!made) << llvm::toString(made.takeError());
  }
  for (const char *plain : {"sm_80", "sm_90"}) {
    auto refused = kernel.emit(plain);
    ASSERT_FALSE(!!refused) << plain;
    std::string words = llvm::toString(refused.takeError());
    EXPECT_NE(words.find("'nvvm.setmaxregister' is of targets like sm_90a alone, not of " + std::string(plain)),
              std::string::npos)
        << words;
  }
}

TEST(PtxTargets, WhatIsArchSpecificIsKnownByName) {
  for (const char *op :
       {"nvvm.wgmma.mma_async", "nvvm.wgmma.fence.aligned", "nvvm.setmaxregister", "nvvm.tcgen05.alloc"})
    EXPECT_TRUE(isArchSpecific(op)) << op;
  for (const char *op : {"nvvm.mma.sync", "nvvm.cp.async.bulk.tensor.shared.cluster.global", "ptx.load", "llvm.fadd"})
    EXPECT_FALSE(isArchSpecific(op)) << op;
}

TEST(PtxLines, AreThereWhereAskedFor) {
  const GpuTarget &row = *findGpuTarget("sm_80");
  GpuProgram program(plusOne("f32"), row.name);
  ASSERT_TRUE(program.lowered);
  auto text = [&](bool lines) {
    auto ptx = PtxEmitter(row, lines).emit(program.function());
    if (!ptx) return llvm::toString(ptx.takeError());
    if (auto tool = assembler(); tool && lines) {
      auto made = tool->assemble(*ptx);
      EXPECT_TRUE(!!made) << llvm::toString(made.takeError());
    }
    return std::string(ptx->code.begin(), ptx->code.end());
  };
  // The sum is in the seventh line of the program.
  EXPECT_TRUE(std::regex_search(text(true), std::regex("\\.loc[ \t]+1 7 [^\n]*\n[ \t]+add"))) << text(true);
  EXPECT_EQ(text(false).find(".loc"), std::string::npos);
}

} // namespace
