//===- LevelSpec.h - what must hold before and after the rows, on any target --------------------------------------===//
//
// The code generator ends the process on an op it cannot select, so nothing reaches it that tables do not name. What a
// target says of itself is in its own LevelSpec; how that is checked, and what all of them compute with, is here.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_LOWER_LEVELSPEC_H
#define KILN_CODEGEN_LOWER_LEVELSPEC_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSet.h"

namespace kiln::codegen {

/// Whether every target has registers of that type: f16, bf16, f32, f64, and integers of 1, 8, 16, 32 or 64 bits.
bool isNumber(mlir::Type type);

/// What a target says of tile programs.
struct TileLevel {
  llvm::StringRef target; ///< ends `cannot be lowered for …`
  llvm::StringRef rows;   ///< the folder that has them
  /// Whether an op has a row there, or is structure that the conversion knows.
  bool (*isKnown)(llvm::StringRef);
  /// Empty if a value may have this type, else what is wrong with it.
  llvm::StringRef (*whyNot)(mlir::Type);
};
/// The type of a value at `op`.
llvm::LogicalResult verifyType(mlir::Operation *op, mlir::Type type, const TileLevel &level);
/// An op is known and asks for no fast maths; the types of its operands, results and blocks are ones that the target
/// computes with. Diagnostics name the op.
llvm::LogicalResult verifyTileOp(mlir::Operation *op, const TileLevel &level);
/// Whether `name` is one of the ops of scf that the conversion rewrites itself.
bool isControlFlow(llvm::StringRef name);

/// Ops of the LLVM dialect that every target selects for every type: numbers, casts, vectors, control.
llvm::ArrayRef<llvm::StringLiteral> commonThreadOps();
/// Refuses every op that is not in `accepted`; `where` ends `may not stand in a function for …`.
llvm::LogicalResult verifyOps(mlir::LLVM::LLVMFuncOp function, const llvm::StringSet<> &accepted,
                              llvm::StringRef where);

} // namespace kiln::codegen

#endif
