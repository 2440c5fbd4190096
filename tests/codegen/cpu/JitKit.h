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

/// `body` maps %x and %y (64 lanes at a time, a residue at the end) to %r, over `n` elements.
inline std::string pointwise(int64_t n, const std::string &body, const std::string &in = "f32",
                             const std::string &out = "f32") {
  std::string mem = "!tile.global<" + std::to_string(n) + "x";
  std::string gi = mem + in + ">", go = mem + out + ">";
  std::string fi = "tensor<64x" + in + ", #tile.simd>", fo = "tensor<64x" + out + ", #tile.simd>";
  std::string fm = "tensor<64xi1, #tile.simd>";
  return "tile.kernel @k(%a: " + gi + ", %b: " + gi + ", %c: " + go + ") grid " + std::to_string((n + 63) / 64) +
         " {\n" + "%c64 = arith.constant 64 : index\n%n = arith.constant " + std::to_string(n) + " : index\n" +
         "%id = tile.cta_id\n%o = arith.muli %id, %c64 : index\n%left = arith.subi %n, %o : index\n" +
         "%m = tile.lane_mask %left : " + fm + "\n" + "%x = tile.load %a[%o] mask %m : " + fm + " : " + gi + " -> " +
         fi + "\n" + "%y = tile.load %b[%o] mask %m : " + fm + " : " + gi + " -> " + fi + "\n" + body + "\n" +
         "tile.store %r, %c[%o] mask %m : " + fm + " : " + fo + ", " + go + "\ntile.return\n}\n";
}

} // namespace kiln::codegen

#endif
