// The mainloop of 16-bit matmuls on a gpu: MMA atoms on fragments that warps read from a ring of shared tiles.
//
//   the first stages - 1 blocks along k are on their way
//   for each block:
//     wait for it; barrier: everyone's part is there, and the slot of the block before is free
//     start the copy of the block that comes stages - 1 later; emit what goes through registers one block ahead
//     for each k16: the next k16's fragments are read, then this one's atoms run; k ascending
//     what went through registers is stored
//   the sums go through shared memory to the epilogue
//
// Every element is one chain of atoms over ascending k, from zero: absent k's are zero in both operands. With 64 × 64
// sums a warp the shared memory is read for 2/3 of the time that the atoms take, so that those stay the limit; two CTAs
// of 128 × 128 or one of 128 × 256 fill the registers of an SM.
#include "passes/tiling/sm80/MatmulFeed.h"
#include "passes/tiling/sm80/MatmulSchedule.h"

#include "passes/tiling/sm80/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
        feeds{MatmulFeed(frame, Left, feedOf(problem, s, Left)), MatmulFeed(frame, Right, feedOf(problem, s, Right))},
        b(frame.b), loc(frame.loc), index(frame.index), slices(slicesOf(problem, s)) {}

  FailureOr<int64_t> run() {
    frame.begin();
    if (frame.grid() == 0) return 0;
    SmallVector<Value> sums(slices, zeroSums());
    if (frame.blocks != 0) {
      FailureOr<SmallVector<Value>> computed = mainloop(sums);
      if (failed(computed)) return failure();
      sums = *computed;
    }
    if (failed(frame.finish(sums))) return failure();
    return frame.grid();
  }

private:
  const MatmulProblem &problem;
  const MmaSchedule s;
  MatmulFrame frame;
  std::array<MatmulFeed, 2> feeds;
  OpBuilder &b;
  Location loc;
  IndexBuilder &index;
  int64_t slices; ///< of the tile's rows: what the epilogue has in shared memory at a time

  bool anyAsync() const { return feeds[Left].isAsync() || feeds[Right].isAsync(); }

  Value zeroSums() {
    auto layout = tile::MmaAccAttr::get(b.getContext(), s.warpsM, s.warpsN);
    auto type = RankedTensorType::get({s.bm / slices, s.bn}, problem.sum, layout);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(problem.sum));
    return tile::SplatOp::create(b, loc, type, zero);
  }

  void copyAndCommit(Value block) {
    for (MatmulFeed &feed : feeds)
      if (feed.isAsync()) feed.copy(block);
  }

  /// What goes through registers of a block: loads now, stores when the returned fragments are handed back.
  using InFlight = std::array<SmallVector<Value>, 2>;
  FailureOr<InFlight> load(Value block) {
    InFlight fragments;
    for (Side side : {Left, Right}) {
      if (feeds[side].isAsync()) continue;
      FailureOr<SmallVector<Value>> loaded = feeds[side].load(block);
      if (failed(loaded)) return failure();
      fragments[side] = *loaded;
    }
    return fragments;
  }
  LogicalResult store(const InFlight &fragments, Value existing, Value block) {
    for (Side side : {Left, Right})
      if (!feeds[side].isAsync() && failed(feeds[side].store(fragments[side], existing, block))) return failure();
    return success();
  }

  FailureOr<SmallVector<Value>> mainloop(ArrayRef<Value> zeros) {
    for (MatmulFeed &feed : feeds) feed.allocate(s.stages);
    for (int64_t block = 0; anyAsync() && block < s.stages - 1; ++block) {
      if (block < frame.blocks) copyAndCommit(index.constant(block));
      tile::AsyncCommitOp::create(b, loc);
    }
    Value zeroth = index.constant(0);
    FailureOr<InFlight> first = load(zeroth);
    if (failed(first) || failed(store(*first, zeroth, zeroth))) return failure();
    auto sums = forLoop(b, loc, index.constant(0), index.constant(frame.blocks), 1, zeros,
                        [&](Value block, ValueRange carried) { return step(block, carried); });
    if (anyAsync()) tile::AsyncWaitOp::create(b, loc, b.getI64IntegerAttr(0));
    frame.barrier();
    return sums;
  }

  FailureOr<SmallVector<Value>> step(Value block, ValueRange carried) {
    if (anyAsync()) tile::AsyncWaitOp::create(b, loc, b.getI64IntegerAttr(s.stages - 2));
    frame.barrier();
    if (anyAsync()) {
      if (frame.blocks >= s.stages) {
        Value ahead = index.add(block, index.constant(s.stages - 1));
        (void)ifElse(frame.context, less(frame.context, ahead, index.constant(frame.blocks)), [&] {
          copyAndCommit(ahead);
          return success();
        });
      }
      tile::AsyncCommitOp::create(b, loc);
    }
    if (frame.blocks == 1) return multiply(block, carried);
    // One block ahead; behind the last it is read once more, into a slot that nobody reads.
    Value following = index.add(block, index.constant(1));
    Value existing = index.min(following, index.constant(frame.blocks - 1));
    FailureOr<InFlight> next = load(existing);
    if (failed(next)) return failure();
    SmallVector<Value> sums = multiply(block, carried);
    if (failed(store(*next, existing, following))) return failure();
    return sums;
  }

  SmallVector<Value> multiply(Value block, ValueRange carried) {
    SmallVector<Value> sums(carried);
    std::array<Value, 2> tiles{feeds[Left].slot(block), feeds[Right].slot(block)};
    Operands operands = read(tiles, 0);
    for (int64_t k = 0; k < s.bk; k += kAtomK) {
      Operands next = k + kAtomK < s.bk ? read(tiles, k + kAtomK) : Operands();
      for (int64_t slice = 0; slice < slices; ++slice)
        sums[slice] = tile::MmaOp::create(b, loc, operands.a[slice], operands.b, sums[slice]);
      operands = std::move(next);
    }
    return sums;
  }

  struct Operands {
    SmallVector<Value, 4> a; ///< by slice
    Value b;
  };
  Operands read(const std::array<Value, 2> &tiles, int64_t k) {
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

FailureOr<int64_t> kiln::tiling::sm80::buildMma(SkeletonContext &context, const MatmulProblem &problem) {
  FailureOr<MmaSchedule> schedule =
      mmaSchedule(context.loc, context.kernel.getScheduleAttr(), problem, *context.target.gpu());
  if (failed(schedule)) return failure();
  return MmaBuilder(context, problem, *schedule).run();
}
