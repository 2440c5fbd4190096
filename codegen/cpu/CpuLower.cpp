// cpu-lower: tile programs to the LLVM dialect, one kernel at a time.
#include "codegen/Passes.h"
#include "codegen/cpu/LevelSpec.h"
#include "codegen/cpu/Rows.h"
#include "codegen/cpu/Structure.h"
#include "codegen/lower/Conversions.h"
#include "codegen/lower/DepthFirst.h"
#include "codegen/lower/Tables.h"
#include "ir/target/Cpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Threading.h"

namespace kiln::codegen {
#define GEN_PASS_DEF_CPULOWER
#include "codegen/Passes.h.inc"
} // namespace kiln::codegen

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

/// Made once, then shared by all functions of a module.
class CpuLowering {
public:
  CpuLowering(MLIRContext *context, int64_t unitLanes)
      : types(unitLanes), conversions(context, types, rows(context, unitLanes)) {}

  LogicalResult run(LLVM::LLVMFuncOp function) const {
    if (failed(conversions.run(function)) || failed(verifyThreadLevel(function))) return failure();
    orderDepthFirst(function);
    return success();
  }

private:
  CpuTypeConverter types;
  Conversions conversions;

  RewritePatternSet rows(MLIRContext *context, int64_t unitLanes) {
    RewritePatternSet patterns(context);
    patterns.add<RowPattern<Lowering>>(types, context, cpuRows(),
                                       [=](Operation *op, ConversionPatternRewriter &rewriter) -> Lowering {
                                         return {rewriter, unitLanes, op->getLoc()};
                                       });
    return patterns;
  }
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
    for (tile::KernelOp kernel : kernels) declareTables(kernel, /*addressSpace=*/0);
    SmallVector<LLVM::LLVMFuncOp> functions;
    for (tile::KernelOp kernel : kernels) functions.push_back(outlineKernel(kernel));
    CpuLowering lowering(&getContext(), row->lanes(/*elementBytes=*/4));
    if (failed(failableParallelForEach(&getContext(), functions, [&](auto f) { return lowering.run(f); })))
      signalPassFailure();
  }
};

} // namespace
