//===- Conversions.h - from a function of tile ops to the LLVM dialect, on any target -----------------------------===//
//
// In two conversions. The first takes fragments apart by a target's rows; what it leaves, arith, math and scf on
// vectors and scalars, the second gives to upstream's patterns.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_LOWER_CONVERSIONS_H
#define KILN_CODEGEN_LOWER_CONVERSIONS_H

#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace kiln::codegen {

/// Types, patterns and targets of both conversions; made once, then shared by all functions of a module, which may be
/// lowered at the same time.
class Conversions {
public:
  /// `types` takes fragments apart and must outlive this; `rows` are the patterns that replace tile ops.
  Conversions(mlir::MLIRContext *context, mlir::TypeConverter &types, mlir::RewritePatternSet rows);

  /// Leaves ops of the LLVM dialect and of the target's own, or fails with a diagnostic. `between` sees the function
  /// when its tile ops are gone and its loops are still there.
  llvm::LogicalResult run(mlir::LLVM::LLVMFuncOp function,
                          llvm::function_ref<void(mlir::LLVM::LLVMFuncOp)> between = nullptr) const;

private:
  mlir::LLVMTypeConverter llvmTypes;
  mlir::ConversionTarget tileTarget;
  mlir::LLVMConversionTarget llvmTarget;
  mlir::FrozenRewritePatternSet tileRows, upstream;
};

} // namespace kiln::codegen

#endif
