//===- Elementwise.h - ops that work element by element, on any target --------------------------------------------===//
#ifndef KILN_CODEGEN_LOWER_ELEMENTWISE_H
#define KILN_CODEGEN_LOWER_ELEMENTWISE_H

#include "mlir/Transforms/DialectConversion.h"

namespace kiln::codegen {

/// What is made of one unit: from its operands' values, a result of that type.
using UnitFn = llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>, mlir::Type)>;

/// Replaces op(fragments, scalars) unit by unit, the result's units being of `types`; a scalar operand (select's
/// condition, say) is given to each.
llvm::LogicalResult perUnit(mlir::Operation *op, llvm::ArrayRef<mlir::ValueRange> operands,
                            llvm::ArrayRef<mlir::Type> types, mlir::ConversionPatternRewriter &rewriter, UnitFn build);

/// The same op on other values, with a result of another type.
mlir::Value cloneOnto(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands, mlir::Type type, mlir::OpBuilder &b);

} // namespace kiln::codegen

#endif
