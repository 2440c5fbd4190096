// Lowers tile programs written as text to PTX and assembles it: shared by the tests of the gpu code generator.
#ifndef KILN_TESTS_CODEGEN_GPU_PTXKIT_H
#define KILN_TESTS_CODEGEN_GPU_PTXKIT_H

#include "codegen/Backend.h"
#include "codegen/Passes.h"
#include "codegen/ptx/Assemble.h"
#include "codegen/ptx/EmitPtx.h"
#include "ir/ptx/Ptx.h"
#include "ir/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

namespace kiln::codegen {

/// One program for one target.
class GpuProgram {
public:
  /// `before` adds passes that come before gpu-lower.
  GpuProgram(const std::string &text, const std::string &targetName,
             llvm::function_ref<void(mlir::PassManager &)> before = nullptr)
      : target(*findGpuTarget(targetName)) {
    mlir::DialectRegistry registry;
    registry.insert<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect>();
    registerTranslations(registry);
    context.appendDialectRegistry(registry);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) return;
    mlir::ScopedDiagnosticHandler handler(&context, [this](mlir::Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "\n";
      for (mlir::Diagnostic &note : diagnostic.getNotes()) diagnostics += note.str() + "\n";
    });
    mlir::PassManager passes(&context);
    if (before) before(passes);
    passes.addPass(createGpuLower({.target = target.name}));
    lowered = mlir::succeeded(passes.run(*module));
  }

  mlir::LLVM::LLVMFuncOp function() { return *module->getOps<mlir::LLVM::LLVMFuncOp>().begin(); }

  /// The only kernel's PTX; empty, with a test failure, where something went wrong.
  std::string ptx() { return print(GpuText::Ptx); }
  std::string llvmIr() { return print(GpuText::LlvmIr); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  const GpuTarget &target;
  bool lowered = false;
  std::string diagnostics; ///< of the passes

private:
  std::string print(GpuText what) {
    EXPECT_TRUE(lowered);
    if (!lowered) return "";
    auto text = PtxEmitter(target).print(function(), what);
    if (text) return *text;
    ADD_FAILURE() << llvm::toString(text.takeError());
    return "";
  }
};

/// How often `what` stands in `text`.
inline size_t countOf(const std::string &text, const std::string &what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

/// This machine's assembler, or null.
inline std::shared_ptr<const Assembler> assembler() {
  auto found = Assembler::find();
  if (found) return *found;
  llvm::consumeError(found.takeError());
  return nullptr;
}

} // namespace kiln::codegen

#endif
