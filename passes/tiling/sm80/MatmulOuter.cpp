// The mainloop of f32 matmuls on a gpu: outer products of registers, read from shared tiles that lie k by k.
//
//   for each block along k, which one barrier ago came into shared memory:
//     the next block is loaded into registers
//     for each k of the block, ascending: sums += outer product of a column of a and a row of b, one fma each
//     what was loaded is stored into the other slot
//   the sums go through shared memory to the epilogue
//
// The last block has only the k's that exist: an absent product would turn -0 into 0, and 0 · inf into NaN. So bits are
// those of every other target.
#include "passes/tiling/sm80/MatmulFeed.h"
#include "passes/tiling/sm80/MatmulSchedule.h"
#include "passes/tiling/sm80/Schedule.h"

#include "passes/tiling/sm80/Lanes.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

namespace {

/// k's of the unrolled loop over a block.
constexpr int64_t kUnrolled = 8;

class OuterBuilder {
public:
  OuterBuilder(SkeletonContext &context, const MatmulProblem &problem, const OuterSchedule &s)
      : problem(problem), s(s), frame(context, problem, {{s.bm, s.bn}, s.bk, s.threadsM * s.threadsN / 32, s.group}),
        feeds(frame, feedOf(problem, s, Left), feedOf(problem, s, Right)), b(frame.b), loc(frame.loc),
        index(frame.index) {}

  FailureOr<int64_t> run() {
    MLIRContext *context = b.getContext();
    auto type = RankedTensorType::get({s.bm, s.bn}, problem.sum, tile::OuterAttr::get(context, s.threadsM, s.threadsN));
    aType = RankedTensorType::get({s.bm}, problem.element, tile::OuterAAttr::get(context, s.threadsM, s.threadsN));
    bType = RankedTensorType::get({s.bn}, problem.element, tile::OuterBAttr::get(context, s.threadsM, s.threadsN));
    return frame.build(type, /*slices=*/1, [&](ArrayRef<Value> zeros) { return mainloop(zeros); });
  }

private:
  const MatmulProblem &problem;
  const OuterSchedule s;
  MatmulFrame frame;
  MatmulFeeds feeds;
  OpBuilder &b;
  Location loc;
  IndexBuilder &index;
  RankedTensorType aType, bType;

  FailureOr<SmallVector<Value>> mainloop(ValueRange zeros) {
    feeds.allocate(2);
    Value zeroth = index.constant(0);
    FailureOr<MatmulFeeds::InFlight> first = feeds.load(zeroth);
    if (failed(first) || failed(feeds.store(*first, zeroth, zeroth))) return failure();
    auto sums = forLoop(b, loc, index.constant(0), index.constant(frame.blocks), 1, zeros,
                        [&](Value block, ValueRange carried) { return step(block, carried); });
    frame.barrier();
    return sums;
  }

  FailureOr<SmallVector<Value>> step(Value block, ValueRange carried) {
    frame.barrier();
    if (frame.blocks == 1) return multiply(block, carried[0]);
    auto [following, existing] = frame.following(block);
    FailureOr<MatmulFeeds::InFlight> next = feeds.load(existing);
    if (failed(next)) return failure();
    FailureOr<SmallVector<Value>> sums = multiply(block, carried[0]);
    if (failed(sums) || failed(feeds.store(*next, existing, following))) return failure();
    return sums;
  }

  /// The products of a block: of all its k's, or of those that exist.
  FailureOr<SmallVector<Value>> multiply(Value block, Value sum) {
    int64_t unrolled = std::gcd(kUnrolled, s.bk);
    if (problem.k % s.bk == 0) return products(block, sum, index.constant(s.bk), unrolled);
    Value depth = index.min(index.constant(s.bk), index.sub(index.constant(problem.k), index.mul(block, s.bk)));
    Value whole = index.mul(index.div(depth, unrolled), unrolled);
    FailureOr<SmallVector<Value>> most = products(block, sum, whole, unrolled);
    if (failed(most)) return failure();
    return products(block, (*most)[0], depth, 1, whole);
  }

  FailureOr<SmallVector<Value>> products(Value block, Value sum, Value end, int64_t unrolled, Value begin = Value()) {
    std::array<Value, 2> tiles = feeds.slots(block);
    if (!begin) begin = index.constant(0);
    return forLoop(b, loc, begin, end, unrolled, sum,
                   [&](Value k, ValueRange carried) -> FailureOr<SmallVector<Value>> {
                     Value acc = carried[0];
                     for (int64_t i = 0; i < unrolled; ++i) {
                       Value at = index.add(k, index.constant(i));
                       Value column = read(tiles[Left], Left, aType, at), row = read(tiles[Right], Right, bType, at);
                       acc = tile::MmaOp::create(b, loc, column, row, acc);
                     }
                     return SmallVector<Value>{acc};
                   });
  }

  Value read(Value tile, Side side, RankedTensorType type, Value k) {
    int64_t stride = feeds[side].shape().columns;
    return tile::LoadOp::create(b, loc, type, tile, index.mul(k, stride), Value(), IntegerAttr(),
                                b.getI64IntegerAttr(4));
  }
};

} // namespace

FailureOr<int64_t> sm80::buildOuter(SkeletonContext &context) {
  MatmulProblem problem = matmulProblem(context.form, {context.memories, context.outputs});
  auto schedule =
      matmulSchedule<OuterSchedule>(context.loc, context.kernel.getScheduleAttr(), problem, *context.target.gpu());
  if (failed(schedule)) return failure();
  return OuterBuilder(context, problem, *schedule).run();
}
