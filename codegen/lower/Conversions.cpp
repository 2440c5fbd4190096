#include "codegen/lower/Conversions.h"
#include "ir/tile/Tile.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

using namespace mlir;
using namespace kiln;

codegen::Conversions::Conversions(MLIRContext *context, TypeConverter &types, RewritePatternSet rows)
    : llvmTypes(context), tileTarget(*context), llvmTarget(*context) {
  scf::populateSCFStructuralTypeConversionsAndLegality(types, rows, tileTarget);
  tileTarget.addIllegalDialect<tile::TileDialect>();
  tileTarget.addLegalOp<UnrealizedConversionCastOp>();
  tileTarget.markUnknownOpDynamicallyLegal([&types](Operation *op) { return types.isLegal(op); });
  tileRows = FrozenRewritePatternSet(std::move(rows));

  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(llvmTypes, patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(llvmTypes, patterns);
  populateMathToLLVMConversionPatterns(llvmTypes, patterns);
  llvmTarget.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect, math::MathDialect, scf::SCFDialect>();
  llvmTarget.addLegalOp<UnrealizedConversionCastOp>();
  upstream = FrozenRewritePatternSet(std::move(patterns));
}

LogicalResult codegen::Conversions::run(LLVM::LLVMFuncOp function,
                                        llvm::function_ref<void(LLVM::LLVMFuncOp)> between) const {
  if (failed(applyPartialConversion(function, tileTarget, tileRows))) return failure();
  if (between) between(function);
  if (failed(applyPartialConversion(function, llvmTarget, upstream))) return failure();
  SmallVector<UnrealizedConversionCastOp> casts;
  function.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
  return success();
}
