// What a consumer is said to need is what the assembler gives it: programs that people wrote, each consumer compiled
// alone, as a kernel of one warpgroup that may have as many registers as it likes.
#include "tests/codegen/gpu/PtxKit.h"

#include "passes/tile/Passes.h"
#include "passes/tile/RegisterNeed.h"

#include "mlir/Transforms/Passes.h"

#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <sstream>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

std::string readProgram(const std::string &name) {
  std::ifstream file(KILN_SOURCE_DIR "/examples/tile/" + name);
  EXPECT_TRUE(file) << name;
  return (std::ostringstream() << file.rdbuf()).str();
}

/// A program as it is before its ops are lowered; null where it has no such form.
OwningOpRef<ModuleOp> prepare(MLIRContext &context, const std::string &text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) return {};
  PassManager passes(&context);
  passes.addNestedPass<tile::KernelOp>(tile::createTileExpand());
  passes.addPass(createCanonicalizerPass());
  passes.addNestedPass<tile::KernelOp>(tile::createTileUnroll());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addNestedPass<tile::KernelOp>(tile::createTileAssignShared({.target = "sm_90a"}));
  return succeeded(passes.run(*module)) ? std::move(module) : OwningOpRef<ModuleOp>();
}

/// PTX of a kernel as if its threads were one warpgroup's, which may have so many registers each: no role's share of
/// them, no launch's. What a producer needs is always less.
std::string alone(std::string ptx, int64_t registers) {
  ptx = std::regex_replace(ptx, std::regex(".*setmaxnreg[^\n]*\n"), "");
  ptx = std::regex_replace(ptx, std::regex("\\.minnctapersm[^\n]*\n"), "");
  return std::regex_replace(ptx, std::regex("\\.reqntid [0-9]+, 1, 1"),
                            fmt::format(".reqntid 128, 1, 1\n.maxnreg {}", registers));
}

struct RegisterNeedOf : testing::TestWithParam<const char *> {
  MLIRContext context{registry(), MLIRContext::Threading::DISABLED};
  int64_t need = 0;
  std::string ptx;

  static DialectRegistry registry() {
    DialectRegistry registry;
    registry.insert<tile::TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
    registerTranslations(registry);
    return registry;
  }

  /// The program's need, and its PTX.
  void lower(const std::string &name) {
    OwningOpRef<ModuleOp> module = prepare(context, readProgram(name));
    ASSERT_TRUE(module && !module->getOps<tile::KernelOp>().empty()) << name;
    auto kernel = *module->getOps<tile::KernelOp>().begin();
    Region *region = &kernel.getBody();
    for (auto roles : kernel.getBody().getOps<tile::SpecializeOp>()) region = &roles.getConsumer();
    need = tile::registerNeed(*region).total();
    PassManager passes(&context);
    passes.addPass(createGpuLower({.target = "sm_90a"}));
    ASSERT_TRUE(succeeded(passes.run(*module)));
    auto text = PtxEmitter(*findGpuTarget("sm_90a")).print(*module->getOps<LLVM::LLVMFuncOp>().begin(), GpuText::Ptx);
    ASSERT_TRUE(!!text) << llvm::toString(text.takeError());
    ptx = *text;
  }

  /// Whether an assembler makes do with so many registers: no spills, nor an instruction that has no room.
  bool fits(const Assembler &tool, int64_t registers) const {
    std::string text = alone(ptx, registers);
    auto made = tool.assemble({.code = {text.begin(), text.end()}, .symbol = "k", .target = "sm_90a", .threads = 128},
                              "sm_90a");
    if (made) return made->report.spillBytes == 0;
    std::string words = llvm::toString(made.takeError());
    EXPECT_NE(words.find("nsufficient register"), std::string::npos) << words;
    return false;
  }
};

TEST_P(RegisterNeedOf, AConsumerIsTheFewestThatDoNotSpillWithinATenth) {
  auto tool = Assembler::findPtxas();
  if (!tool) {
    llvm::consumeError(tool.takeError());
    GTEST_SKIP() << "no ptxas on this machine";
  }
  ASSERT_NO_FATAL_FAILURE(lower(GetParam()));
  // An assembler deals registers out in eights. The fewest are at most need / 0.9, and at least need / 1.1.
  int64_t above = need * 10 / 9 / 8 * 8, below = (need * 10 / 11 - 1) / 8 * 8;
  EXPECT_TRUE(fits(**tool, above)) << need << " said, more than " << above << " needed";
  EXPECT_FALSE(fits(**tool, below)) << need << " said, at most " << below << " needed";
}

// Programs that fill their registers: where there is room, an assembler makes use of it, or not.
INSTANTIATE_TEST_SUITE_P(Programs, RegisterNeedOf,
                         testing::Values("matmul_cooperative.mlir", "matmul_pingpong.mlir", "matmul_odd.mlir",
                                         "attention.mlir", "attention_causal.mlir", "decode.mlir",
                                         "steps/matmul_1_plain.mlir", "steps/attention_1_plain.mlir"),
                         [](auto &info) {
                           return std::regex_replace(std::string(info.param), std::regex("[^a-z0-9_]|mlir"), "");
                         });

} // namespace
