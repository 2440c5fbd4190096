// The interpreter's rows: one per op, by family, joined in one table.
#pragma once

#include "ir/Typed.h"
#include "passes/interp/Value.h"

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace kiln::interp {

/// The operands of an op, in order.
using Operands = mlir::ArrayRef<const OracleTensor *>;

/// Computes an op's results, which come allocated (zeros, of the right shape and dtype; `zeroSigns` as the operands').
/// Fails, with a diagnostic on the op, on values for which the op is undefined.
using InterpFunction = mlir::LogicalResult (*)(mlir::Operation *op, Operands operands,
                                               mlir::MutableArrayRef<OracleTensor> results);

struct InterpRow {
  llvm::StringRef op; ///< "arith.addf"
  InterpFunction function;
  llvm::StringRef bound; ///< what a result's error bound is, beyond what its operands' bounds bring
};

/// The families.
mlir::ArrayRef<InterpRow> arithRows();     ///< arithmetic, comparisons, logic, choice
mlir::ArrayRef<InterpRow> mathRows();      ///< functions
mlir::ArrayRef<InterpRow> castRows();      ///< between element types
mlir::ArrayRef<InterpRow> shapeRows();     ///< constants, indices, moves
mlir::ArrayRef<InterpRow> reduceRows();    ///< reductions
mlir::ArrayRef<InterpRow> matmulRows();    ///< matrix products
mlir::ArrayRef<InterpRow> compositeRows(); ///< softmax, norms
mlir::ArrayRef<InterpRow> programRows();   ///< tile programs

/// All of them.
std::vector<InterpRow> interpRows();

} // namespace kiln::interp
