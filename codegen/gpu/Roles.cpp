// Who does what: roles of warpgroups, turns, clusters, launches; and where a persistent loop is.
#include "codegen/gpu/Arithmetic.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;

namespace {

//===- Roles ------------------------------------------------------------------------------------------------------===//

void setRegisters(OpBuilder &b, Location loc, int64_t registers, int64_t before) {
  if (registers == before) return;
  auto action = registers > before ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
  NVVM::SetMaxRegisterOp::create(b, loc, static_cast<int32_t>(registers), action);
}

class Roles {
public:
  Roles(tile::SpecializeOp op, Lowering &to) : op(op), to(to), b(to.rewriter), a{to} {}

  LogicalResult run() {
    int64_t before = to.frame.registersAtLaunch;
    auto roles = scf::IfOp::create(b, to.loc, a.equal(to.frame.warpgroup, 0), /*withElseRegion=*/true);
    b.setInsertionPointToStart(roles.thenBlock());
    setRegisters(b, to.loc, static_cast<int64_t>(op.getProducerRegisters()), before);
    produce();
    b.setInsertionPointToStart(roles.elseBlock());
    setRegisters(b, to.loc, static_cast<int64_t>(op.getConsumerRegisters()), before);
    consume(roles.elseBlock());
    b.setInsertionPoint(op);
    if (to.frame.cluster > 1) to.meetAll(); // no CTA is left while another may still reach it
    return success();
  }

private:
  tile::SpecializeOp op;
  Lowering &to;
  ConversionPatternRewriter &b;
  Arithmetic a;

  void produce() {
    Value elected = NVVM::ElectSyncOp::create(b, to.loc, b.getI1Type(), Value());
    Value one = a.band(a.equal(to.frame.warp, 0), elected);
    auto body = scf::IfOp::create(b, to.loc, one, /*withElseRegion=*/false);
    b.inlineBlockBefore(&op.getProducer().front(), body.thenYield(), {});
    b.setInsertionPoint(body.thenYield());
    finishCopies();
  }

  void consume(Block *block) {
    for (auto [turns, id] : to.frame.turns) giveFirst(cast<tile::AllocTurnsOp>(turns), id);
    Block &body = op.getConsumer().front();
    Value group =
        UnrealizedConversionCastOp::create(b, to.loc, b.getIndexType(), a.index(to.frame.consumer)).getResult(0);
    b.inlineBlockBefore(&body, block->getTerminator(), group);
    b.setInsertionPoint(block->getTerminator());
    finishCopies();
  }

  /// The last consumer passes the first turn to the first.
  void giveFirst(tile::AllocTurnsOp turns, int64_t id) {
    int64_t groups = turns.getTurns().getType().getGroups();
    auto last = scf::IfOp::create(b, to.loc, a.equal(to.frame.consumer, groups - 1), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(last.thenBlock());
    ptx::BarrierArriveOp::create(b, to.loc, a.c(id), a.c(2 * kWarpgroup));
  }

  /// Shared memory is the CTA's until copies have read it.
  void finishCopies() {
    if (to.frame.storesInBulk) NVVM::CpAsyncBulkWaitGroupOp::create(b, to.loc, b.getI32IntegerAttr(0), b.getUnitAttr());
  }
};

LogicalResult lowerSpecialize(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  return Roles(cast<tile::SpecializeOp>(op), to).run();
}

//===- Turns ------------------------------------------------------------------------------------------------------===//

LogicalResult lowerAllocTurns(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  to.rewriter.replaceOp(op, to.i32(to.frame.turns.lookup(op)));
  return success();
}

/// Half of the threads that meet at a warpgroup's barrier are its own.
LogicalResult lowerTakeTurn(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  Arithmetic a{to};
  NVVM::BarrierOp::create(to.rewriter, to.loc, TypeRange(), a.add(operands[0][0], to.frame.consumer),
                          a.c(2 * kWarpgroup), NVVM::BarrierReductionAttr(), Value());
  return success();
}

LogicalResult lowerPassTurn(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  Arithmetic a{to};
  int64_t groups = cast<tile::PassTurnOp>(op).getTurns().getType().getGroups();
  Value after = a.add(to.frame.consumer, 1);
  Value next = groups == 2 ? a.bxor(to.frame.consumer, 1) : a.select(a.below(after, groups), after, a.c(0));
  ptx::BarrierArriveOp::create(to.rewriter, to.loc, a.add(operands[0][0], next), a.c(2 * kWarpgroup));
  return success();
}

//===- Clusters and launches --------------------------------------------------------------------------------------===//

template <typename RegisterOp> LogicalResult lowerRegister(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  Value value = RegisterOp::create(to.rewriter, to.loc, to.rewriter.getI32Type(), LLVM::ConstantRangeAttr());
  to.rewriter.replaceOp(op, Arithmetic{to}.index(value));
  return success();
}

LogicalResult lowerClusterBarrier(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  to.meetAll(to.frame.relaxed.contains(op));
  return success();
}

LogicalResult lowerRemote(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  Type type = LLVM::LLVMPointerType::get(op->getContext(), ptx::SharedCluster);
  to.rewriter.replaceOpWithNewOp<NVVM::MapaOp>(op, type, operands[0][0], to.low32(operands[1][0]));
  return success();
}

template <NVVM::GridDepActionKind action> LogicalResult lowerGrid(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  NVVM::GriddepcontrolOp::create(to.rewriter, to.loc, action);
  return success();
}

//===- The order of tiles -----------------------------------------------------------------------------------------===//

LogicalResult lowerLaunchValue(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  to.rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, to.rewriter.getIndexType(), to.frame.launchValues.lookup(op));
  return success();
}

/// In 32 bits: a grid has no more tiles.
LogicalResult lowerRasterize(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  Arithmetic a{to};
  auto group = static_cast<int64_t>(cast<tile::RasterizeOp>(op).getGroup());
  Value tile = to.low32(operands[0][0]), rows = to.low32(operands[1][0]), columns = to.low32(operands[2][0]);
  Value perGroup = a.mul(columns, group), number = a.div(tile, perGroup), first = a.mul(number, group);
  Value within = a.sub(tile, a.mul(number, perGroup)), here = a.min(a.sub(rows, first), a.c(group));
  Value column = a.div(within, here), row = a.add(first, a.sub(within, a.mul(column, here)));
  to.rewriter.replaceOp(op, {a.index(row), a.index(column)});
  return success();
}

} // namespace

ArrayRef<Row> kiln::codegen::gpu::roleRows() {
  static const Row rows[] = {
      {"tile.specialize", lowerSpecialize, GpuFeature::Wgmma},
      {"tile.alloc_turns", lowerAllocTurns},
      {"tile.take_turn", lowerTakeTurn},
      {"tile.pass_turn", lowerPassTurn},
      {"tile.cluster_rank", lowerRegister<NVVM::ClusterId>, GpuFeature::BulkCopies},
      {"tile.cluster_barrier", lowerClusterBarrier, GpuFeature::BulkCopies},
      {"tile.remote", lowerRemote, GpuFeature::BulkCopies},
      {"tile.grid_wait", lowerGrid<NVVM::GridDepActionKind::wait>, GpuFeature::BulkCopies},
      {"tile.grid_release", lowerGrid<NVVM::GridDepActionKind::launch_dependents>, GpuFeature::BulkCopies},
      {"tile.cta_count", lowerRegister<NVVM::GridDimXOp>},
      {"tile.extent", lowerLaunchValue},
      {"tile.stride", lowerLaunchValue},
      {"tile.rasterize", lowerRasterize},
  };
  return rows;
}
