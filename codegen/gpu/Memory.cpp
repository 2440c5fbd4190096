// Loads, stores, gathers, scatters and shared tiles.
#include "codegen/gpu/Arithmetic.h"
#include "codegen/gpu/Masks.h"
#include "codegen/gpu/Shifted.h"
#include "codegen/gpu/Words.h"
#include "codegen/lower/Vectors.h"
#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;

namespace {

/// The largest power of two, up to 16, that an offset is known to be a multiple of.
int64_t alignmentOf(Value offset, std::optional<uint64_t> aligned) {
  APInt constant;
  if (matchPattern(offset, m_ConstantInt(&constant))) return powerOfTwoIn(constant.getSExtValue());
  return powerOfTwoIn(static_cast<int64_t>(aligned.value_or(1)));
}

/// A fragment in memory: where its runs start, how long they are.
struct FragmentAccess {
  layout::Fragment fragment;
  int64_t rowStride;
  int64_t aligned; ///< elements that divide where the fragment starts
  int64_t width;   ///< of a run, in elements

  FragmentAccess(Type type, std::optional<uint64_t> rowStride, int64_t alignment, int64_t most)
      : fragment(*tile::distributionOf(type)), rowStride(static_cast<int64_t>(rowStride.value_or(0))),
        aligned(alignment),
        width(std::min({contiguousRegisters(fragment), alignment, powerOfTwoIn(this->rowStride), most})) {}

  /// Whether runs may start within a 16-byte word.
  bool isCut(const Memory &memory) const { return aligned * memory.bytes < 16; }
  int64_t column(int64_t r) const { return fragment.registerPlace(r).column; }
  int64_t offset(int64_t r) const { return fragment.registerPlace(r).row * rowStride + column(r); }

  /// Names the thread's first register of a fragment that begins at `first` as the one that offsets count from.
  void start(Memory &memory, Value first, Lowering &to) const {
    ThreadPlace place = threadPlaceOf(fragment, to);
    if (fragment.rows == 1) return memory.startAt(first, place.column);
    int64_t reach = 0;
    for (int64_t r = 0; r < fragment.registers(); ++r) reach = std::max(reach, offset(r));
    memory.startAt(first, place, rowStride, reach);
  }
};

LogicalResult loadScalar(tile::LoadOp load, ArrayRef<ValueRange> operands, Lowering &to) {
  Memory memory(to, load.getSource(), operands[0][0]);
  memory.startAt(operands[1][0], Value());
  Registers result(to.rewriter, to.loc, 1);
  Words(to, memory).load(result, 0, 0, 1, load.getMask() ? operands[2][0] : Value());
  return to.replace(load, result.units());
}

/// A run that a prefix cuts is still read whole, as whatever it holds lies in words that hold an element that takes
/// part; what does not is zero.
LogicalResult lowerLoad(tile::LoadOp load, ArrayRef<ValueRange> operands, Lowering &to) {
  if (!tile::isFragment(load.getType())) return loadScalar(load, operands, to);
  Memory memory(to, load.getSource(), operands[0][0]);
  Words words(to, memory);
  FragmentAccess access(load.getType(), load.getRowStride(), alignmentOf(load.getOffset(), load.getAligned()),
                        words.most());
  RunMask mask(load.getMask(), load.getMask() ? operands[2] : ValueRange(), to);
  access.start(memory, operands[1][0], to);
  if (load.getShifted() && access.isCut(memory) && ShiftedRuns::takes(mask)) {
    Registers result(to.rewriter, to.loc, access.fragment.registers());
    ShiftedRuns(to, memory, access.fragment, mask, operands[1][0], access.aligned).load(result);
    return to.replace(load, result.units());
  }
  if (!mask.isPrefix()) access.width = std::min(access.width, mask.granule());
  Registers result(to.rewriter, to.loc, access.fragment.registers());
  for (int64_t r = 0; r < result.size(); r += access.width) {
    words.load(result, r, access.offset(r), access.width, mask.at(r, access.column(r)));
    if (access.width <= mask.granule()) continue;
    zeroWhereAbsent(result, r, access.width, mask, access.fragment, to);
  }
  return to.replace(load, result.units());
}

/// One thread of those that hold a scalar: of the warp, where warps may hold different ones.
Value elected(Operation *op, Lowering &to) {
  if (!to.frame.perWarp.contains(op)) return to.one();
  return LLVM::ICmpOp::create(to.rewriter, to.loc, LLVM::ICmpPredicate::eq, to.frame.lane, to.i32(0));
}

LogicalResult storeScalar(tile::StoreOp store, ArrayRef<ValueRange> operands, Lowering &to) {
  Memory memory(to, store.getTarget(), operands[1][0]);
  memory.startAt(operands[2][0], Value());
  Registers value(to.rewriter, to.loc, operands[0]);
  Arithmetic a{to};
  Words(to, memory).store(value, 0, 0, 1, a.both(elected(store, to), store.getMask() ? operands[3][0] : Value()));
  return success();
}

/// Whether this thread is the one that writes what several hold; null if each element has one.
Value writer(const layout::Fragment &f, Lowering &to) {
  if (f.copies() == 1) return {};
  Arithmetic a{to};
  switch (f.kind) {
  case layout::FragmentKind::MmaA:
    return a.equal(a.rem(to.warp(), f.q), 0);
  case layout::FragmentKind::MmaB:
    return a.equal(a.div(to.warp(), f.q), 0);
  case layout::FragmentKind::OuterB:
    return a.equal(a.div(to.thread(), f.q), 0);
  case layout::FragmentKind::WgmmaRows: // a quad's four threads
    return a.equal(a.rem(to.frame.lane, 4), 0);
  case layout::FragmentKind::WgmmaColumns: // the first quad of the first warp
    return a.below(to.frame.groupThread, 4);
  default:
    return a.equal(a.rem(to.thread(), f.q), 0);
  }
}

/// A run that a prefix may cut is written whole where it does not, and element by element where it does.
LogicalResult lowerStore(tile::StoreOp store, ArrayRef<ValueRange> operands, Lowering &to) {
  if (!tile::isFragment(store.getValue().getType())) return storeScalar(store, operands, to);
  Memory memory(to, store.getTarget(), operands[1][0]);
  Words words(to, memory);
  FragmentAccess access(store.getValue().getType(), store.getRowStride(),
                        alignmentOf(store.getOffset(), store.getAligned()), words.most());
  RunMask mask(store.getMask(), store.getMask() ? operands[3] : ValueRange(), to);
  access.start(memory, operands[2][0], to);
  if (store.getShifted() && access.isCut(memory) && ShiftedRuns::takes(mask)) {
    Registers value(to.rewriter, to.loc, operands[0]);
    ShiftedRuns(to, memory, access.fragment, mask, operands[2][0], access.aligned).store(value);
    return success();
  }
  if (!mask.isPrefix()) access.width = std::min(access.width, mask.granule());
  Registers value(to.rewriter, to.loc, operands[0]);
  Arithmetic a{to};
  Value mine = writer(access.fragment, to);
  for (int64_t r = 0; r < value.size(); r += access.width) {
    int64_t last = r + access.width - 1;
    bool cut = access.width > mask.granule();
    Value whole = mask.at(cut ? last : r, access.column(cut ? last : r));
    words.store(value, r, access.offset(r), access.width, a.both(mine, whole));
    if (!cut) continue;
    Value partly = LLVM::XOrOp::create(
        to.rewriter, to.loc, whole,
        LLVM::ConstantOp::create(to.rewriter, to.loc, to.rewriter.getI1Type(), to.rewriter.getBoolAttr(true)));
    for (int64_t i = r; i < last; ++i)
      words.store(value, i, access.offset(i), 1, a.both(a.both(mine, partly), mask.at(i, access.column(i))));
  }
  return success();
}

//===- One offset per lane ----------------------------------------------------------------------------------------===//

LogicalResult lowerGather(tile::GatherOp gather, ArrayRef<ValueRange> operands, Lowering &to) {
  Memory memory(to, gather.getSource(), operands[0][0]);
  Words words(to, memory);
  RunMask mask(gather.getMask(), gather.getMask() ? operands[2] : ValueRange(), to);
  layout::Fragment fragment = *tile::distributionOf(gather.getType());
  Registers offsets(to.rewriter, to.loc, operands[1]), result(to.rewriter, to.loc, fragment.registers());
  for (int64_t r = 0; r < result.size(); ++r) {
    memory.startAt(offsets.get(r), Value());
    words.load(result, r, 0, 1, mask.at(r, fragment.registerPlace(r).column));
  }
  return to.replace(gather, result.units());
}

LogicalResult lowerScatter(tile::ScatterOp scatter, ArrayRef<ValueRange> operands, Lowering &to) {
  Memory memory(to, scatter.getTarget(), operands[1][0]);
  Words words(to, memory);
  RunMask mask(scatter.getMask(), scatter.getMask() ? operands[3] : ValueRange(), to);
  layout::Fragment fragment = *tile::distributionOf(scatter.getValue().getType());
  Registers offsets(to.rewriter, to.loc, operands[2]), value(to.rewriter, to.loc, operands[0]);
  Arithmetic a{to};
  Value mine = writer(fragment, to);
  for (int64_t r = 0; r < value.size(); ++r) {
    memory.startAt(offsets.get(r), Value());
    words.store(value, r, 0, 1, a.both(mine, mask.at(r, fragment.registerPlace(r).column)));
  }
  return success();
}

//===- Shared tiles -----------------------------------------------------------------------------------------------===//

LogicalResult lowerAlloc(tile::AllocOp alloc, ArrayRef<ValueRange>, Lowering &to) {
  Arithmetic a{to};
  Value place = a.past(to.frame.shared, static_cast<int64_t>(*alloc.getOffset()));
  if (to.frame.roleOf(alloc) == Role::Consumer)
    place = a.past(place, a.mul(to.frame.consumer, tile::copyStride(alloc)));
  to.rewriter.replaceOp(alloc, place);
  return success();
}

LogicalResult lowerBarrier(Operation *op, ArrayRef<ValueRange>, Lowering &to) {
  to.meet();
  return success();
}

} // namespace

ArrayRef<Row> kiln::codegen::gpu::memoryRows() {
  static const Row rows[] = {
      {"tile.load", typed<lowerLoad>},       {"tile.store", typed<lowerStore>}, {"tile.gather", typed<lowerGather>},
      {"tile.scatter", typed<lowerScatter>}, {"tile.alloc", typed<lowerAlloc>}, {"tile.barrier", lowerBarrier},
  };
  return rows;
}
