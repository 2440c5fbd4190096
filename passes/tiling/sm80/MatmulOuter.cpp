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

#include "passes/tiling/sm80/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
        feeds{MatmulFeed(frame, Left, feedOf(problem, s, Left)), MatmulFeed(frame, Right, feedOf(problem, s, Right))},
        b(frame.b), loc(frame.loc), index(frame.index) {}

  FailureOr<int64_t> run() {
    frame.begin();
    if (frame.grid() == 0) return 0;
    MLIRContext *context = b.getContext();
    auto type = RankedTensorType::get({s.bm, s.bn}, problem.sum, tile::OuterAttr::get(context, s.threadsM, s.threadsN));
    aType = RankedTensorType::get({s.bm}, problem.element, tile::OuterAAttr::get(context, s.threadsM, s.threadsN));
    bType = RankedTensorType::get({s.bn}, problem.element, tile::OuterBAttr::get(context, s.threadsM, s.threadsN));
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(problem.sum));
    SmallVector<Value> sums{tile::SplatOp::create(b, loc, type, zero)};
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
  const OuterSchedule s;
  MatmulFrame frame;
  std::array<MatmulFeed, 2> feeds;
  OpBuilder &b;
  Location loc;
  IndexBuilder &index;
  RankedTensorType aType, bType;

  using InFlight = std::array<SmallVector<Value>, 2>;
  FailureOr<InFlight> load(Value block) {
    InFlight fragments;
    for (Side side : {Left, Right}) {
      FailureOr<SmallVector<Value>> loaded = feeds[side].load(block);
      if (failed(loaded)) return failure();
      fragments[side] = *loaded;
    }
    return fragments;
  }
  LogicalResult store(const InFlight &fragments, Value existing, Value block) {
    for (Side side : {Left, Right})
      if (failed(feeds[side].store(fragments[side], existing, block))) return failure();
    return success();
  }

  FailureOr<SmallVector<Value>> mainloop(ValueRange zeros) {
    for (MatmulFeed &feed : feeds) feed.allocate(2);
    Value zeroth = index.constant(0);
    FailureOr<InFlight> first = load(zeroth);
    if (failed(first) || failed(store(*first, zeroth, zeroth))) return failure();
    auto sums = forLoop(b, loc, index.constant(0), index.constant(frame.blocks), 1, zeros,
                        [&](Value block, ValueRange carried) { return step(block, carried); });
    frame.barrier();
    return sums;
  }

  FailureOr<SmallVector<Value>> step(Value block, ValueRange carried) {
    frame.barrier();
    if (frame.blocks == 1) return multiply(block, carried[0]);
    // One block ahead; behind the last it is read once more, into a slot that nobody reads.
    Value following = index.add(block, index.constant(1));
    Value existing = index.min(following, index.constant(frame.blocks - 1));
    FailureOr<InFlight> next = load(existing);
    if (failed(next)) return failure();
    FailureOr<SmallVector<Value>> sums = multiply(block, carried[0]);
    if (failed(sums) || failed(store(*next, existing, following))) return failure();
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
    std::array<Value, 2> tiles{feeds[Left].slot(block), feeds[Right].slot(block)};
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

FailureOr<int64_t> kiln::tiling::sm80::buildOuter(SkeletonContext &context, const MatmulProblem &problem) {
  FailureOr<OuterSchedule> schedule =
      outerSchedule(context.loc, context.kernel.getScheduleAttr(), problem, *context.target.gpu());
  if (failed(schedule)) return failure();
  return OuterBuilder(context, problem, *schedule).run();
}
