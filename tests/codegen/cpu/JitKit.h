// Compiles tile programs written as text and runs them: shared by the tests of the cpu code generator.
#ifndef KILN_TESTS_CODEGEN_CPU_JITKIT_H
#define KILN_TESTS_CODEGEN_CPU_JITKIT_H

#include "codegen/Passes.h"
#include "codegen/cpu/Jit.h"
#include "ir/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cstring>
#include <gtest/gtest.h>

namespace kiln {
inline void PrintTo(const CpuTarget &target, std::ostream *os) { *os << target.name; }
} // namespace kiln

namespace kiln::codegen {

/// One program, lowered for a target and compiled for the same.
class TileProgram {
public:
  explicit TileProgram(const std::string &text, const CpuTarget &target = detectHostCpu(),
                       JitEffort effort = JitEffort::Full)
      : target(target), effort(effort) {
    mlir::DialectRegistry registry;
    registry.insert<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect>();
    registerCpuTranslations(registry);
    context.appendDialectRegistry(registry);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) return;
    mlir::PassManager passes(&context);
    passes.addPass(createCpuLower(CpuLowerOptions{target.name}));
    lowered = mlir::succeeded(passes.run(*module));
  }

  /// The program's kernels, compiled; null, with a test failure, where something went wrong.
  const std::vector<CompiledKernel> &kernels() {
    if (!compiled.empty() || !lowered) return compiled;
    auto jit = CpuJit::create(target, effort);
    if (!jit) {
      ADD_FAILURE() << llvm::toString(jit.takeError());
      return compiled;
    }
    for (auto function : module->getOps<mlir::LLVM::LLVMFuncOp>()) {
      auto kernel = (*jit)->compile(function);
      if (!kernel) {
        ADD_FAILURE() << llvm::toString(kernel.takeError());
        return compiled;
      }
      compiled.push_back(std::move(*kernel));
    }
    return compiled;
  }

  /// Runs CTAs begin .. end - 1 of the only kernel.
  void run(std::vector<const void *> slots, int64_t begin, int64_t end, void *scratch = nullptr) {
    ASSERT_EQ(kernels().size(), 1u);
    kernels()[0].fn(slots.data(), begin, end, scratch);
  }

  mlir::LLVM::LLVMFuncOp function() { return *module->getOps<mlir::LLVM::LLVMFuncOp>().begin(); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  bool lowered = false;

private:
  CpuTarget target;
  JitEffort effort;
  std::vector<CompiledKernel> compiled;
};

/// The bits of a float, so that -0 and NaN compare as they are.
inline uint32_t bitsOf(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}

/// The targets that this machine runs, so that each test runs on all of them.
inline std::vector<CpuTarget> hostTargets() {
  std::vector<CpuTarget> targets;
  for (const CpuTarget &row : cpuTargets())
    if (machineFor(row).isHost) targets.push_back(row);
  return targets;
}

} // namespace kiln::codegen

#endif
