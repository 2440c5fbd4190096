//===- Assembly.h - one piece of inline assembly ------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_PTX_ASSEMBLY_H
#define KILN_CODEGEN_PTX_ASSEMBLY_H

#include "mlir/Target/LLVMIR/ModuleTranslation.h"

#include "llvm/IR/IRBuilder.h"

#include <string>

namespace kiln::codegen {

/// What a piece of assembly does beside its registers.
enum class Effect {
  None,    ///< nothing: it may be dropped or moved
  Memory,  ///< touches memory: it stays, in order
  Threads, ///< waits for, or works with, other threads: it may not become control dependent on more than it is, either
};

/// Builds one piece of assembly: outputs first, then inputs, then `emit`. Registers are numbered in this order: "$0".
class Assembly {
public:
  Assembly(llvm::IRBuilderBase &b, mlir::LLVM::ModuleTranslation &translation) : b(b), translation(translation) {}

  /// A register that the text writes, before it has read the inputs; its number.
  unsigned output(mlir::Type type) { return output(type, "=&"); }
  /// A register that the text reads; outputs come first.
  unsigned input(mlir::Value value);
  /// A register that the text changes: an output for each value, in order, the first ones of the piece. Their inputs
  /// are added by `emit`.
  void tied(mlir::ValueRange values);
  /// "@$n " of a predicate, nothing where there is none.
  std::string guard(mlir::Value predicate);

  /// Makes the call; `results` are the outputs, in order.
  void emit(const std::string &text, mlir::ResultRange results, Effect effect);

private:
  llvm::IRBuilderBase &b;
  mlir::LLVM::ModuleTranslation &translation;
  std::string constraints;
  llvm::SmallVector<llvm::Type *> outputs;
  llvm::SmallVector<llvm::Value *> inputs;
  mlir::SmallVector<mlir::Value> ties; ///< what outputs 0, 1, … start as
  unsigned count = 0;

  unsigned output(mlir::Type type, llvm::StringRef modifier);
  llvm::Value *held(mlir::Value value);
};

/// "{$first, …}" of `count` registers, or "$first" where there is one and `single` says so.
std::string registerList(unsigned first, size_t count, bool single = true);

/// How one op becomes LLVM IR: its text, and what that does.
struct PtxRow {
  llvm::StringRef op;
  /// Of an op whose inputs are its operands, in order, but for an i1 at their end, which guards it; where it has
  /// results, operands are tied to them.
  llvm::StringRef text;
  std::string (*textOf)(mlir::Operation *, Assembly &) = nullptr; ///< of any other op, which names its registers
  bool isArchSpecific = false;                                    ///< only "a" targets have its instruction
  Effect effect = Effect::Threads;
};

/// Barriers, asynchronous copies.
llvm::ArrayRef<PtxRow> asyncPtxRows();
/// Warpgroup products.
llvm::ArrayRef<PtxRow> wgmmaPtxRows();

} // namespace kiln::codegen

#endif
