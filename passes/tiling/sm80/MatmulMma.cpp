// The mainloop of 16-bit matmuls on a gpu: MMA atoms on fragments that warps read from a ring of shared tiles.
//
//   the first stages - 1 blocks along k are on their way; the first is there
//   for each block:
//     what goes through registers is emitted one block ahead
//     for each k16: the next k16's fragments are read, then this one's atoms run; k ascending. In between, copies start
//     of the block that comes stages - 1 later: of one operand in the first k16, of the other one in the second
//     before the last k16: what went through registers is stored; wait for the next block; barrier: everyone's part of
//     it is there, and nobody reads this one any more
//   the sums go through shared memory to the epilogue
//
// Every element is one chain of atoms over ascending k, from zero: absent k's are zero in both operands. With 64 × 64
// sums a warp the shared memory is read for 2/3 of the time that the atoms take, so that those stay the limit; two CTAs
// of 128 × 128 or one of 128 × 256 fill the registers of an SM.
#include "passes/tiling/sm80/MatmulFeed.h"
#include "passes/tiling/sm80/MatmulSchedule.h"
#include "passes/tiling/sm80/Schedule.h"

#include "passes/tiling/sm80/Lanes.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

namespace {

constexpr int64_t kAtomK = 16;

class MmaBuilder {
public:
  MmaBuilder(SkeletonContext &context, const MatmulProblem &problem, const MmaSchedule &s)
      : problem(problem), s(s), frame(context, problem, {{s.bm, s.bn}, s.bk, s.warpsM * s.warpsN, s.group}),
        feeds(frame, feedOf(problem, s, Left), feedOf(problem, s, Right)), b(frame.b), loc(frame.loc),
        index(frame.index), slices(slicesOf(problem, s)) {}

  FailureOr<int64_t> run() {
    auto layout = tile::MmaAccAttr::get(b.getContext(), s.warpsM, s.warpsN);
    auto type = RankedTensorType::get({s.bm / slices, s.bn}, problem.sum, layout);
    return frame.build(type, slices, [&](ArrayRef<Value> zeros) { return mainloop(zeros); });
  }

private:
  const MatmulProblem &problem;
  const MmaSchedule s;
  MatmulFrame frame;
  MatmulFeeds feeds;
  OpBuilder &b;
  Location loc;
  IndexBuilder &index;
  int64_t slices; ///< of the tile's rows: what the epilogue has in shared memory at a time

  struct Operands {
    SmallVector<Value, 4> a; ///< by slice
    Value b;
  };

  /// Every warp's part of the oldest block on its way is there for all.
  void arrive() {
    if (feeds.anyAsync()) tile::AsyncWaitOp::create(b, loc, b.getI64IntegerAttr(s.stages - 2));
    frame.barrier();
  }

  FailureOr<SmallVector<Value>> mainloop(ArrayRef<Value> zeros) {
    feeds.allocate(s.stages);
    for (int64_t block = 0; feeds.anyAsync() && block < s.stages - 1; ++block) {
      if (block < frame.blocks) feeds.copy(index.constant(block));
      tile::AsyncCommitOp::create(b, loc);
    }
    Value zeroth = index.constant(0);
    FailureOr<MatmulFeeds::InFlight> first = feeds.load(zeroth);
    if (failed(first) || failed(feeds.store(*first, zeroth, zeroth))) return failure();
    arrive();
    Operands operands = read(zeroth, 0);
    SmallVector<Value> carried(zeros);
    carried.append(operands.a);
    carried.push_back(operands.b);
    auto last = forLoop(b, loc, zeroth, index.constant(frame.blocks), 1, carried,
                        [&](Value block, ValueRange values) { return step(block, values); });
    if (failed(last)) return failure();
    if (feeds.anyAsync()) tile::AsyncWaitOp::create(b, loc, b.getI64IntegerAttr(0));
    frame.barrier();
    return SmallVector<Value>(ArrayRef<Value>(*last).take_front(slices));
  }

  /// The products of a block: `carried` are the sums, then the fragments of its first k16.
  FailureOr<SmallVector<Value>> step(Value block, ValueRange carried) {
    SmallVector<Value> sums(carried.take_front(slices));
    Operands operands{SmallVector<Value, 4>(carried.slice(slices, slices)), carried.back()};
    auto [following, existing] = frame.following(block);
    MatmulFeeds::InFlight inFlight;
    if (frame.blocks > 1) {
      FailureOr<MatmulFeeds::InFlight> loaded = feeds.load(existing);
      if (failed(loaded)) return failure();
      inFlight = std::move(*loaded);
    }
    bool isShort = s.bk <= 2 * kAtomK; // behind whose second k16 everyone meets
    for (int64_t k = 0; k < s.bk; k += kAtomK) {
      bool isFirst = k == 0, isLast = k + kAtomK == s.bk;
      if (isLast) {
        if (isFirst) startCopies(block, {Left, Right});
        if (feeds.anyAsync()) tile::AsyncCommitOp::create(b, loc);
        if (frame.blocks > 1 && failed(feeds.store(inFlight, existing, following))) return failure();
        arrive();
      }
      Operands next = isLast ? read(existing, 0) : read(block, k + kAtomK);
      if (isFirst && !isLast) startCopies(block, isShort ? ArrayRef<Side>{Left, Right} : ArrayRef<Side>{Left});
      if (k == kAtomK && !isShort) startCopies(block, {Right});
      for (int64_t slice = 0; slice < slices; ++slice)
        sums[slice] = tile::MmaOp::create(b, loc, operands.a[slice], operands.b, sums[slice]);
      operands = std::move(next);
    }
    sums.append(operands.a);
    sums.push_back(operands.b);
    return sums;
  }

  /// Starts copies of the block that comes stages - 1 later. They stand behind the loads of fragments that are needed
  /// first, since shared memory serves what it is asked in turn, and one operand's behind a k16's products each.
  void startCopies(Value block, ArrayRef<Side> sides) {
    bool any = llvm::any_of(sides, [&](Side side) { return feeds[side].isAsync(); });
    if (!any || frame.blocks < s.stages) return;
    Value ahead = index.add(block, index.constant(s.stages - 1));
    (void)ifElse(frame.context, less(frame.context, ahead, index.constant(frame.blocks)), [&] {
      for (Side side : sides)
        if (feeds[side].isAsync()) feeds[side].copy(ahead);
      return success();
    });
  }

  /// This warp's fragments of 16 k's of a block, from `k` on.
  Operands read(Value block, int64_t k) {
    std::array<Value, 2> tiles = feeds.slots(block);
    MLIRContext *context = b.getContext();
    int64_t rows = s.bm / slices;
    auto aType =
        RankedTensorType::get({rows, kAtomK}, problem.element, tile::MmaAAttr::get(context, s.warpsM, s.warpsN));
    auto bType =
        RankedTensorType::get({kAtomK, s.bn}, problem.element, tile::MmaBAttr::get(context, s.warpsM, s.warpsN));
    bool aAlongK = feeds[Left].shape().alongK, bAlongK = feeds[Right].shape().alongK;
    Operands operands;
    for (int64_t slice = 0; slice < slices; ++slice) {
      Value row = index.constant(slice * rows), column = index.constant(k);
      if (!aAlongK) std::swap(row, column);
      operands.a.push_back(tile::LoadMatrixOp::create(b, loc, aType, tiles[Left], row, column, !aAlongK));
    }
    Value row = index.constant(bAlongK ? 0 : k), column = index.constant(bAlongK ? k : 0);
    operands.b = tile::LoadMatrixOp::create(b, loc, bType, tiles[Right], row, column, bAlongK);
    return operands;
  }
};

} // namespace

FailureOr<int64_t> sm80::buildMma(SkeletonContext &context) {
  MatmulProblem problem = matmulProblem(context.form, {context.memories, context.outputs});
  auto schedule =
      matmulSchedule<MmaSchedule>(context.loc, context.kernel.getScheduleAttr(), problem, *context.target.gpu());
  if (failed(schedule)) return failure();
  return MmaBuilder(context, problem, *schedule).run();
}
