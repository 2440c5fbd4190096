// Rings of shared tiles: their memory and barriers, stages and phases of an iteration, fills and releases.
#include "codegen/gpu/Arithmetic.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen::gpu;

namespace {

//===- Memory and barriers ----------------------------------------------------------------------------------------===//

/// Arrivals that complete a phase of *empty*: of each reader, in each CTA that a fill reaches.
int64_t releasesOf(tile::AllocRingOp alloc, const Frame &frame) {
  auto readers = static_cast<int64_t>(*alloc.getReaders());
  return readers * (alloc.getMulticast() ? frame.cluster : 1);
}

void initBarriers(tile::AllocRingOp alloc, Value base, Lowering &to) {
  OpBuilder &b = to.rewriter;
  Arithmetic a{to};
  tile::RingType ring = alloc.getRing().getType();
  Value first = a.equal(to.frame.thread, 0);
  auto one = scf::IfOp::create(b, to.loc, first, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(one.thenBlock());
  int64_t releases = releasesOf(alloc, to.frame);
  for (int64_t s = 0; s < ring.getStages(); ++s) {
    int64_t at = tile::barriersOffset(ring) + s * tile::kSlotBarriers;
    NVVM::MBarrierInitOp::create(b, to.loc, a.past(base, at), a.c(1), Value());
    NVVM::MBarrierInitOp::create(b, to.loc, a.past(base, at + 8), a.c(releases), Value());
  }
  NVVM::FenceMbarrierInitOp::create(b, to.loc);
}

LogicalResult lowerAllocRing(tile::AllocRingOp alloc, ArrayRef<ValueRange>, Lowering &to) {
  Arithmetic a{to};
  Value base = a.past(to.frame.shared, static_cast<int64_t>(*alloc.getOffset()));
  if (to.frame.roleOf(alloc) == Role::Consumer) base = a.past(base, a.mul(to.frame.consumer, tile::copyStride(alloc)));
  if (alloc.getReaders()) {
    initBarriers(alloc, base, to);
    if (to.frame.readyBehind.contains(alloc)) to.meetAll();
  }
  to.rewriter.replaceOp(alloc, base);
  return success();
}

//===- Iterations -------------------------------------------------------------------------------------------------===//

/// The slot of an iteration.
class Slot {
public:
  Slot(Lowering &to, tile::RingType ring, Value base, Value iteration)
      : a{to}, ring(ring), base(base), iteration(to.low32(iteration)), stage(a.rem(this->iteration, ring.getStages())) {
  }

  /// 0 or 1 in turn, each time the ring has been gone through.
  Value phase() { return a.band(a.div(iteration, ring.getStages()), 1); }
  SmallVector<Value> tiles() {
    Value slot = a.past(base, a.mul(stage, tile::slotBytes(ring)));
    SmallVector<Value> result;
    for (unsigned i = 0; i < ring.getTiles().size(); ++i) result.push_back(a.past(slot, tile::slotOffset(ring, i)));
    return result;
  }
  Value full() { return barrier(0); }
  Value empty() { return barrier(8); }

private:
  Arithmetic a;
  tile::RingType ring;
  Value base, iteration, stage;

  Value barrier(int64_t offset) {
    Value barriers = a.past(base, a.mul(stage, tile::kSlotBarriers));
    return a.past(barriers, tile::barriersOffset(ring) + offset);
  }
};

LogicalResult lowerSlot(tile::SlotOp slot, ArrayRef<ValueRange> operands, Lowering &to) {
  to.rewriter.replaceOp(slot, Slot(to, slot.getRing().getType(), operands[0][0], operands[1][0]).tiles());
  return success();
}

int64_t bytesOfTiles(tile::RingType ring) {
  int64_t bytes = 0;
  for (tile::SharedType tile : ring.getTiles()) bytes += tile::bytesOf(tile);
  return bytes;
}

/// The wait is everyone's, so that nothing branches; the copies are one thread's, by their predicate.
LogicalResult lowerFill(tile::FillOp fill, ArrayRef<ValueRange> operands, Lowering &to) {
  tile::RingType ring = fill.getRing().getType();
  Arithmetic a{to};
  Slot slot(to, ring, operands[0][0], operands[1][0]);
  ptx::MBarrierWaitOp::create(to.rewriter, to.loc, slot.empty(), a.bxor(slot.phase(), 1));
  ptx::MBarrierArriveOp::create(to.rewriter, to.loc, slot.full(), a.c(bytesOfTiles(ring)), Value(), to.one());
  SmallVector<Value> arguments = slot.tiles();
  arguments.push_back(slot.full());
  Block &body = fill.getBody().front();
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
    value = UnrealizedConversionCastOp::create(to.rewriter, to.loc, argument.getType(), value).getResult(0);
  to.rewriter.inlineBlockBefore(&body, fill, arguments);
  return success();
}

LogicalResult lowerRingWait(tile::RingWaitOp wait, ArrayRef<ValueRange> operands, Lowering &to) {
  Slot slot(to, wait.getRing().getType(), operands[0][0], operands[1][0]);
  ptx::MBarrierWaitOp::create(to.rewriter, to.loc, slot.full(), slot.phase());
  to.rewriter.replaceOp(wait, slot.tiles());
  return success();
}

/// One thread of the warpgroup arrives at each CTA that fills the slot: a product is done for all warps at once, and
/// where threads read the slot they have met.
LogicalResult lowerRingRelease(tile::RingReleaseOp release, ArrayRef<ValueRange> operands, Lowering &to) {
  auto alloc = release.getRing().getDefiningOp<tile::AllocRingOp>();
  if (!alloc) return release.emitOpError("the ring must be one that stands in the kernel's own block");
  Arithmetic a{to};
  Slot slot(to, release.getRing().getType(), operands[0][0], operands[1][0]);
  Value condition = release.getCondition() ? operands[2][0] : Value();
  Value who = to.frame.groupThread;
  bool everywhere = alloc.getMulticast() && to.frame.cluster > 1;
  Value chosen = everywhere ? a.below(who, to.frame.cluster) : a.equal(who, 0);
  ptx::MBarrierArriveOp::create(to.rewriter, to.loc, slot.empty(), Value(), everywhere ? who : Value(),
                                a.both(chosen, condition));
  return success();
}

} // namespace

ArrayRef<Row> kiln::codegen::gpu::ringRows() {
  static const Row rows[] = {
      {"tile.alloc_ring", typed<lowerAllocRing>},
      {"tile.slot", typed<lowerSlot>},
      {"tile.fill", typed<lowerFill>, GpuFeature::BulkCopies},
      {"tile.ring_wait", typed<lowerRingWait>, GpuFeature::BulkCopies},
      {"tile.ring_release", typed<lowerRingRelease>, GpuFeature::BulkCopies},
  };
  return rows;
}
