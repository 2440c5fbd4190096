// The table of mathematical functions: how each is expanded into elementary arithmetic, and how accurate that is.
//
// One expansion serves every device, so a function has the same bits everywhere, but for what rows of f16 and bf16
// leave to a GPU's special function unit. It is branch-free, flushes nothing and relies on nothing being contracted or
// reassociated. Expand before anything may fold a function of a constant with the
// build host's libm.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/ValueRange.h"

namespace kiln::functions {

/// What a target has beside arithmetic.
struct Facilities {
  bool approx = false; ///< `tile.approx`, a special function unit
};

/// One function of one element type.
struct FunctionRow {
  llvm::StringLiteral op;   ///< the operation's full name, such as "math.exp"
  mlir::TypeID elementType; ///< of its operands and result
  double maxUlp;            ///< the largest error over all inputs, in units of the last place of the exact result
  bool isApproximate;       ///< bits differ between targets with and without Facilities::approx, within that bound

  /// Emits the expansion and returns its value. `op` is read for attributes only (gelu's form); `operands` are
  /// scalars, vectors or ranked tensors of the element type, all of one type, which is also the result's, encoding
  /// included. They need not be op's own operands.
  mlir::Value (*emit)(mlir::OpBuilder &builder, mlir::Location loc, mlir::Operation *op, mlir::ValueRange operands,
                      Facilities facilities);
};

/// All rows.
llvm::ArrayRef<FunctionRow> functionRows();

/// The row of an operation for an element type, or null.
const FunctionRow *findFunction(llvm::StringRef opName, mlir::Type elementType);

} // namespace kiln::functions
