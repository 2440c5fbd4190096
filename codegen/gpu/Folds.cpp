// Reductions. The order of a fold is a halving tree over lanes: first over a thread's registers, then across warps
// through shared memory, then across a warp by shuffles, last inside a run. Every thread gets the result: both partners
// of a shuffle combine the same two values, and so does every warp with what it reads.
#include "codegen/gpu/Shuffle.h"
#include "codegen/gpu/Words.h"
#include "ir/Violation.h"
#include "ir/tile/Combine.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;

namespace {

/// A lane of the accumulator has its unit of 8 in the same thread, in order.
LogicalResult lowerFoldUnits(tile::FoldUnitsOp fold, ArrayRef<ValueRange> operands, Lowering &to) {
  layout::Fragment from = *tile::distributionOf(fold.getX().getType());
  layout::Fragment into = *tile::distributionOf(fold.getAcc().getType());
  if (from.kind != layout::FragmentKind::Blocked || into.kind != from.kind || from.p != 8 * into.p || from.q != into.q)
    return ir::violate(fold, {"", "a unit must lie in the thread of its lane",
                              "#tile.blocked with 8 times the accumulator's vec and as many threads",
                              ir::spell(fold.getX().getType()) + " into " + ir::spell(fold.getAcc().getType())});
  Registers x(to.rewriter, to.loc, operands[0]), acc(to.rewriter, to.loc, operands[1]);
  Registers result(to.rewriter, to.loc, acc.size());
  for (int64_t lane = 0; lane < acc.size(); ++lane) {
    Value sum = acc.get(lane);
    for (int64_t i = 0; i < 8; ++i) sum = tile::combine(to.rewriter, to.loc, fold.getKind(), sum, x.get(8 * lane + i));
    result.set(lane, sum);
  }
  return to.replace(fold, result.units());
}

//===- Across warps -----------------------------------------------------------------------------------------------===//

/// Halves over warps. `values` are one run of each thread; all warps read what all have written.
LogicalResult acrossWarps(tile::FoldOp fold, Value scratch, MutableArrayRef<Value> values, Lowering &to,
                          llvm::function_ref<Value(Value, Value)> join) {
  OpBuilder &b = to.rewriter;
  auto vec = static_cast<int64_t>(values.size()), warps = to.threads() / 32;
  if (to.frame.waiting.contains(fold)) to.meet();
  Memory memory(to, fold.getScratch(), scratch);
  Words words(to, memory);
  int64_t width = std::min(vec, words.most());
  auto firstOf = [&](Value thread) { return LLVM::MulOp::create(b, to.loc, thread, to.i32(vec)).getResult(); };
  Registers mine(b, to.loc, vec);
  for (int64_t i = 0; i < vec; ++i) mine.set(i, values[i]);
  memory.startAt(firstOf(to.thread()), Value());
  for (int64_t i = 0; i < vec; i += width) words.store(mine, i, i, width, Value());
  to.meet();
  memory.startAt(firstOf(to.frame.lane), Value());
  Registers all(b, to.loc, warps * vec);
  for (int64_t i = 0; i < warps * vec; i += width) words.load(all, i, i % vec + i / vec * 32 * vec, width, Value());
  for (int64_t half = warps / 2; half > 0; half /= 2)
    for (int64_t i = 0; i < half * vec; ++i) all.set(i, join(all.get(i), all.get(i + half * vec)));
  for (int64_t i = 0; i < vec; ++i) values[i] = all.get(i);
  return success();
}

LogicalResult lowerFold(tile::FoldOp fold, ArrayRef<ValueRange> operands, Lowering &to) {
  layout::Fragment fragment = *tile::distributionOf(fold.getX().getType());
  if (fragment.kind != layout::FragmentKind::Blocked)
    return fold.emitOpError("folds `#tile.blocked` fragments on a gpu");
  auto join = [&](Value l, Value r) { return tile::combine(to.rewriter, to.loc, fold.getKind(), l, r); };
  Registers x(to.rewriter, to.loc, operands[0]);
  SmallVector<Value> values;
  for (int64_t r = 0; r < x.size(); ++r) values.push_back(x.get(r));
  auto halve = [&](int64_t until) {
    while (static_cast<int64_t>(values.size()) > until) {
      size_t half = values.size() / 2;
      for (size_t i = 0; i < half; ++i) values[i] = join(values[i], values[i + half]);
      values.truncate(half);
    }
  };
  halve(fragment.p);
  if (fragment.q > 32 && failed(acrossWarps(fold, operands[1][0], values, to, join))) return failure();
  for (int64_t mask = 16; mask > 0; mask /= 2)
    for (Value &value : values) value = join(value, shuffleXor(to, value, mask));
  halve(1);
  to.rewriter.replaceOp(fold, values[0]);
  return success();
}

} // namespace

ArrayRef<Row> kiln::codegen::gpu::foldRows() {
  static const Row rows[] = {{"tile.fold_units", typed<lowerFoldUnits>}, {"tile.fold", typed<lowerFold>}};
  return rows;
}
