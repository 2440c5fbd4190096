#include "passes/tiling/Loops.h"

#include "ir/layout/IndexMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

Value IndexBuilder::constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
Value IndexBuilder::add(Value l, Value r) { return arith::AddIOp::create(b, loc, l, r); }
Value IndexBuilder::sub(Value l, Value r) { return arith::SubIOp::create(b, loc, l, r); }
Value IndexBuilder::mul(Value l, int64_t r) { return r == 1 ? l : arith::MulIOp::create(b, loc, l, constant(r)); }
Value IndexBuilder::div(Value l, int64_t r) { return r == 1 ? l : arith::DivUIOp::create(b, loc, l, constant(r)); }
Value IndexBuilder::rem(Value l, int64_t r) {
  return r == 1 ? constant(0) : arith::RemUIOp::create(b, loc, l, constant(r));
}
Value IndexBuilder::min(Value l, Value r) { return arith::MinSIOp::create(b, loc, l, r); }

FailureOr<SmallVector<Value>>
kiln::tiling::forLoop(OpBuilder &b, Location loc, Value low, Value high, int64_t step, ValueRange init,
                      llvm::function_ref<FailureOr<SmallVector<Value>>(Value, ValueRange)> body) {
  Value by = arith::ConstantIndexOp::create(b, loc, step);
  auto loop = scf::ForOp::create(b, loc, low, high, by, init);
  OpBuilder::InsertionGuard guard(b);
  Block *block = loop.getBody();
  if (!block->empty()) block->getTerminator()->erase(); // made only when nothing is carried
  b.setInsertionPointToEnd(block);
  FailureOr<SmallVector<Value>> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (failed(next)) return failure();
  scf::YieldOp::create(b, loc, *next);
  return SmallVector<Value>(loop.getResults());
}

LogicalResult kiln::tiling::forLoop(OpBuilder &b, Location loc, Value low, Value high, int64_t step,
                                    llvm::function_ref<LogicalResult(Value)> body) {
  return forLoop(b, loc, low, high, step, ValueRange(), [&](Value i, ValueRange) -> FailureOr<SmallVector<Value>> {
    if (failed(body(i))) return failure();
    return SmallVector<Value>();
  });
}

void kiln::tiling::delinearize(AffineExpr linear, ArrayRef<int64_t> dims, ArrayRef<int64_t> extents,
                               SmallVectorImpl<AffineExpr> &results) {
  int64_t stride = 1;
  for (int64_t dim : llvm::reverse(dims)) {
    int64_t extent = std::max<int64_t>(extents[dim], 1);
    results[dim] = linear.floorDiv(stride);
    if (dim != dims.front()) results[dim] = results[dim] % extent;
    stride *= extent;
  }
}

SmallVector<int64_t> kiln::tiling::sequence(int64_t first, int64_t last) {
  SmallVector<int64_t> numbers;
  for (int64_t i = first; i < last; ++i) numbers.push_back(i);
  return numbers;
}

/// The values of the outputs that have an element per point or per row, in their order.
static FailureOr<SmallVector<Value>> emitOutputs(SkeletonContext &context, Emitter &emitter, bool perRow) {
  SmallVector<Value> values;
  for (const graph::OutputForm &output : context.form.outputs) {
    if (output.perRow != perRow) continue;
    FailureOr<Value> value = emitter.emit(output.value, output.store);
    if (failed(value)) return failure();
    values.push_back(*value);
  }
  return values;
}

static LogicalResult storeEmitted(SkeletonContext &context, Emitter &emitter, ArrayRef<Value> values, bool perRow) {
  for (auto [output, memory] : llvm::zip_equal(context.form.outputs, context.outputs)) {
    if (output.perRow != perRow) continue;
    if (failed(emitter.store(values.front(), memory, output.store))) return failure();
    values = values.drop_front();
  }
  return success();
}

LogicalResult kiln::tiling::storeOutputs(SkeletonContext &context, Emitter &emitter, bool perRow) {
  FailureOr<SmallVector<Value>> values = emitOutputs(context, emitter, perRow);
  return failed(values) ? failure() : storeEmitted(context, emitter, *values, perRow);
}

LogicalResult OutputsOfPoints::emit(Emitter emitter) {
  FailureOr<SmallVector<Value>> values = emitOutputs(context, emitter, /*perRow=*/false);
  if (failed(values)) return failure();
  emitted.emplace_back(std::move(emitter), std::move(*values));
  return success();
}

LogicalResult OutputsOfPoints::store() {
  for (auto &[emitter, values] : emitted)
    if (failed(storeEmitted(context, emitter, values, /*perRow=*/false))) return failure();
  return success();
}

Value kiln::tiling::allocShared(SkeletonContext &context, ArrayRef<int64_t> shape, Type element) {
  auto type = tile::SharedType::get(context.builder.getContext(), shape, element, 0);
  return tile::AllocOp::create(context.builder, context.loc, type, IntegerAttr());
}
