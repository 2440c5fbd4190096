// gpu-lower: tile programs to what one thread does, one kernel at a time.
#include "codegen/Passes.h"
#include "codegen/gpu/LevelSpec.h"
#include "codegen/gpu/Loops.h"
#include "codegen/gpu/Narrow.h"
#include "codegen/gpu/Rows.h"
#include "codegen/lower/Conversions.h"
#include "codegen/lower/DepthFirst.h"
#include "codegen/lower/Tables.h"
#include "ir/ptx/Ptx.h"
#include "ir/target/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Threading.h"
#include "mlir/Transforms/CSE.h"

namespace kiln::codegen {
#define GEN_PASS_DEF_GPULOWER
#include "codegen/Passes.h.inc"
} // namespace kiln::codegen

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;

namespace {

/// Each function's frame; complete before the functions are lowered.
using Frames = DenseMap<Operation *, Frame>;

class GpuLowering {
public:
  GpuLowering(MLIRContext *context, const Frames &frames) : conversions(context, types, rows(context, frames)) {}

  LogicalResult run(LLVM::LLVMFuncOp function) const {
    if (failed(conversions.run(function, improveLoops)) || failed(verifyThreadLevel(function))) return failure();
    IRRewriter rewriter(function.getContext());
    DominanceInfo dominance(function);
    eliminateCommonSubExpressions(rewriter, dominance, function);
    orderDepthFirst(function, [](Operation *op) { return isa<ptx::WgmmaWaitOp, ptx::MBarrierWaitOp>(op); });
    return success();
  }

private:
  TileTypes types;
  Conversions conversions;

  RewritePatternSet rows(MLIRContext *context, const Frames &frames) {
    RewritePatternSet patterns(context);
    patterns.add<RowPattern<Lowering>>(
        types, context, gpuRows(), [&frames](Operation *op, ConversionPatternRewriter &rewriter) -> Lowering {
          const Frame &frame = frames.find(op->getParentOfType<LLVM::LLVMFuncOp>())->second;
          return {rewriter, frame, op->getLoc(), frame.roleOf(op)};
        });
    return patterns;
  }
};

struct GpuLowerPass : kiln::codegen::impl::GpuLowerBase<GpuLowerPass> {
  using GpuLowerBase::GpuLowerBase;

  void runOnOperation() override {
    const GpuTarget *row = findGpuTarget(target);
    if (!row) {
      getOperation().emitError() << "unknown gpu target `" << target << "`: " << nearestTarget(target.getValue());
      return signalPassFailure();
    }
    SmallVector<tile::KernelOp> kernels(getOperation().getOps<tile::KernelOp>());
    auto prepare = [&](tile::KernelOp kernel) -> LogicalResult {
      if (failed(verifyTileLevel(kernel, *row))) return failure();
      narrowIterations(kernel);
      return narrowIndices(kernel);
    };
    if (failed(failableParallelForEach(&getContext(), kernels, prepare))) return signalPassFailure();
    for (tile::KernelOp kernel : kernels) declareTables(kernel, ptx::Global);
    SmallVector<LLVM::LLVMFuncOp> functions;
    Frames frames;
    for (tile::KernelOp kernel : kernels) {
      Frame frame;
      functions.push_back(outlineKernel(kernel, frame));
      frames[functions.back()] = std::move(frame);
    }
    GpuLowering lowering(&getContext(), frames);
    if (failed(failableParallelForEach(&getContext(), functions, [&](auto f) { return lowering.run(f); })))
      signalPassFailure();
  }
};

} // namespace
