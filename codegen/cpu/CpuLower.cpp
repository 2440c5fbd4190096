// cpu-lower: tile programs to the LLVM dialect, in two conversions. The first takes fragments apart by the rows; what
// it leaves, arith, math and scf on vectors and scalars, the second gives to upstream's patterns.
#include "codegen/Passes.h"
#include "codegen/cpu/DepthFirst.h"
#include "codegen/cpu/LevelSpec.h"
#include "codegen/cpu/Rows.h"
#include "codegen/cpu/Structure.h"
#include "ir/target/Cpu.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/Threading.h"

namespace kiln::codegen {
#define GEN_PASS_DEF_CPULOWER
#include "codegen/Passes.h.inc"
} // namespace kiln::codegen

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

/// The one pattern of the first conversion: looks the op up.
class RowPattern final : public ConversionPattern {
public:
  RowPattern(const TypeConverter &types, MLIRContext *context, int64_t unitLanes)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, context), unitLanes(unitLanes) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    auto row = cpuRows().find(op->getName().getStringRef());
    if (row == cpuRows().end()) return rewriter.notifyMatchFailure(op, "no row");
    Lowering to{rewriter, unitLanes, op->getLoc()};
    return row->second(op, operands, to);
  }

private:
  int64_t unitLanes;
};

/// Types, patterns and targets of both conversions; made once, then shared by all functions of a module.
class CpuLowering {
public:
  CpuLowering(MLIRContext *context, int64_t unitLanes)
      : tileTypes(unitLanes), llvmTypes(context), tileTarget(*context), llvmTarget(*context) {
    RewritePatternSet tilePatterns(context);
    tilePatterns.add<RowPattern>(tileTypes, context, unitLanes);
    scf::populateSCFStructuralTypeConversionsAndLegality(tileTypes, tilePatterns, tileTarget);
    tileTarget.addIllegalDialect<tile::TileDialect>();
    tileTarget.addLegalOp<UnrealizedConversionCastOp>();
    tileTarget.markUnknownOpDynamicallyLegal([this](Operation *op) { return tileTypes.isLegal(op); });
    tileRows = FrozenRewritePatternSet(std::move(tilePatterns));

    RewritePatternSet patterns(context);
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(llvmTypes, patterns);
    arith::populateArithToLLVMConversionPatterns(llvmTypes, patterns);
    populateMathToLLVMConversionPatterns(llvmTypes, patterns);
    llvmTarget.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect, math::MathDialect, scf::SCFDialect>();
    llvmTarget.addLegalOp<UnrealizedConversionCastOp>();
    upstream = FrozenRewritePatternSet(std::move(patterns));
  }

  LogicalResult run(LLVM::LLVMFuncOp function) const {
    if (failed(applyPartialConversion(function, tileTarget, tileRows))) return failure();
    if (failed(applyPartialConversion(function, llvmTarget, upstream))) return failure();
    SmallVector<UnrealizedConversionCastOp> casts;
    function.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
    reconcileUnrealizedCasts(casts);
    if (failed(verifyThreadLevel(function))) return failure();
    orderDepthFirst(function);
    return success();
  }

private:
  CpuTypeConverter tileTypes;
  LLVMTypeConverter llvmTypes;
  ConversionTarget tileTarget;
  LLVMConversionTarget llvmTarget;
  FrozenRewritePatternSet tileRows, upstream;
};

struct CpuLowerPass : kiln::codegen::impl::CpuLowerBase<CpuLowerPass> {
  using CpuLowerBase::CpuLowerBase;

  void runOnOperation() override {
    const CpuTarget *row = findCpuTarget(target);
    if (!row) {
      getOperation().emitError() << "unknown cpu target `" << target << "`";
      return signalPassFailure();
    }
    SmallVector<tile::KernelOp> kernels(getOperation().getOps<tile::KernelOp>());
    if (failed(failableParallelForEach(&getContext(), kernels, verifyTileLevel))) return signalPassFailure();
    for (tile::KernelOp kernel : kernels) declareTables(kernel);
    SmallVector<LLVM::LLVMFuncOp> functions;
    for (tile::KernelOp kernel : kernels) functions.push_back(outlineKernel(kernel));
    CpuLowering lowering(&getContext(), row->lanes(/*elementBytes=*/4));
    if (failed(failableParallelForEach(&getContext(), functions, [&](auto f) { return lowering.run(f); })))
      signalPassFailure();
  }
};

} // namespace
