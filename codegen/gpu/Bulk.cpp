// Copies by the tensor memory accelerator. One thread starts them; nothing branches.
#include "codegen/gpu/Access.h"
#include "codegen/gpu/Arithmetic.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;

namespace {

/// Where a tile's panel lies in the tensor and in the tile.
struct PanelCopy {
  SmallVector<Value> coordinates; ///< i32, innermost first, as tensor maps count
  Value tile;                     ///< pointer
};

/// A copy for each panel of a tile.
SmallVector<PanelCopy> panelsOf(tile::SharedType type, Value pointer, ValueRange coordinates, Lowering &to) {
  Arithmetic a{to};
  SmallVector<Value> first;
  for (Value coordinate : llvm::reverse(coordinates)) first.push_back(to.low32(coordinate));
  layout::SharedTile shape = tile::tileOf(type);
  SmallVector<PanelCopy> panels;
  for (int64_t p = 0; p < shape.panels(); ++p) {
    SmallVector<Value> at = first;
    at[0] = a.add(at[0], p * shape.panel);
    panels.push_back({std::move(at), a.past(pointer, p * shape.panelBytes())});
  }
  return panels;
}

/// The values of several operands, one each.
SmallVector<Value> valuesOf(ArrayRef<ValueRange> operands) {
  return SmallVector<Value>(llvm::map_range(operands, [](ValueRange range) { return range[0]; }));
}

LogicalResult lowerTmaLoad(tile::TmaLoadOp load, ArrayRef<ValueRange> operands, Lowering &to) {
  size_t rank = load.getCoordinates().size();
  SmallVector<Value> coordinates = valuesOf(operands.slice(1, rank));
  Value pointer = operands[1 + rank][0], barrier = operands[2 + rank][0];
  Value multicast = load.getMulticast() ? operands[3 + rank][0] : Value();
  for (PanelCopy &panel : panelsOf(load.getTarget().getType(), pointer, coordinates, to))
    ptx::TmaLoadOp::create(to.rewriter, to.loc, panel.tile, to.frame.launchValues.lookup(load), panel.coordinates,
                           barrier, multicast, to.one());
  return success();
}

LogicalResult lowerProxyFence(Operation *, ArrayRef<ValueRange>, Lowering &to) {
  NVVM::FenceProxyOp::create(to.rewriter, to.loc, NVVM::ProxyKind::async_shared,
                             NVVM::SharedSpaceAttr::get(to.rewriter.getContext(), NVVM::SharedSpace::shared_cta));
  return success();
}

/// What the group's threads wrote to shared memory is there for a copy that one of them starts.
void showToCopies(Lowering &to) {
  (void)lowerProxyFence(nullptr, {}, to);
  to.meet();
}

LogicalResult lowerTmaStore(tile::TmaStoreOp store, ArrayRef<ValueRange> operands, Lowering &to) {
  SmallVector<Value> coordinates = valuesOf(operands.drop_front(2));
  showToCopies(to);
  Value one = to.one();
  for (PanelCopy &panel : panelsOf(store.getSource().getType(), operands[0][0], coordinates, to))
    ptx::TmaStoreOp::create(to.rewriter, to.loc, panel.tile, to.frame.launchValues.lookup(store), panel.coordinates,
                            store.getAdd(), one);
  ptx::BulkCommitOp::create(to.rewriter, to.loc, one);
  return success();
}

/// Every thread waits for its own copies, of which all but one have none.
LogicalResult lowerTmaStoreWait(tile::TmaStoreWaitOp wait, ArrayRef<ValueRange>, Lowering &to) {
  NVVM::CpAsyncBulkWaitGroupOp::create(to.rewriter, to.loc,
                                       to.rewriter.getI32IntegerAttr(static_cast<int32_t>(wait.getPending())),
                                       wait.getWritten() ? UnitAttr() : to.rewriter.getUnitAttr());
  to.meet();
  return success();
}

//===- Runs of bytes ----------------------------------------------------------------------------------------------===//

Value bytesOfRun(tile::SharedType tile, Value count, Lowering &to) {
  Arithmetic a{to};
  if (!count) return a.c(tile::bytesOf(tile));
  return a.mul(to.low32(count), tile::bytesOf(tile.getElementType()));
}

Value globalAt(Value memory, Value pointer, Value offset, Lowering &to) {
  Memory global(to, memory, pointer);
  global.startAt(offset, Value());
  return global.at(0).pointer;
}

/// The barrier expects the whole tile: what is not copied is told it as if it had come.
LogicalResult lowerBulkLoad(tile::BulkLoadOp load, ArrayRef<ValueRange> operands, Lowering &to) {
  tile::SharedType tile = load.getTarget().getType();
  Value barrier = operands[3][0], one = to.one();
  Value bytes = bytesOfRun(tile, load.getCount() ? operands[4][0] : Value(), to);
  ptx::BulkLoadOp::create(to.rewriter, to.loc, operands[2][0],
                          globalAt(load.getSource(), operands[0][0], operands[1][0], to), bytes, barrier, one);
  if (load.getCount()) {
    Arithmetic a{to};
    ptx::MBarrierCompleteOp::create(to.rewriter, to.loc, barrier, a.sub(a.c(tile::bytesOf(tile)), bytes), one);
  }
  return success();
}

LogicalResult lowerBulkStore(tile::BulkStoreOp store, ArrayRef<ValueRange> operands, Lowering &to) {
  Value bytes = bytesOfRun(store.getSource().getType(), store.getCount() ? operands[3][0] : Value(), to);
  Value target = globalAt(store.getTarget(), operands[1][0], operands[2][0], to);
  showToCopies(to);
  Value one = to.one();
  ptx::BulkStoreOp::create(to.rewriter, to.loc, operands[0][0], target, bytes, one);
  ptx::BulkCommitOp::create(to.rewriter, to.loc, one);
  return success();
}

} // namespace

ArrayRef<Row> kiln::codegen::gpu::bulkRows() {
  static const Row rows[] = {
      {"tile.tma_load", typed<lowerTmaLoad>, GpuFeature::BulkCopies},
      {"tile.tma_store", typed<lowerTmaStore>, GpuFeature::BulkCopies},
      {"tile.tma_store_wait", typed<lowerTmaStoreWait>, GpuFeature::BulkCopies},
      {"tile.bulk_load", typed<lowerBulkLoad>, GpuFeature::BulkCopies},
      {"tile.bulk_store", typed<lowerBulkStore>, GpuFeature::BulkCopies},
      {"tile.proxy_fence", lowerProxyFence, GpuFeature::BulkCopies},
  };
  return rows;
}
