// How each op of a kernel region becomes tile code. One row per op that is not elementwise; all elementwise ops share
// one, since they have one spelling at every level.
#include "passes/tiling/Emitter.h"

#include "ir/graph/AcceptedOps.h"
#include "ir/layout/IndexMap.h"
#include "passes/kernel/ViewMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

namespace {

/// The op itself, on scalars or fragments.
FailureOr<Value> emitElementwise(Emitter &e, Operation *op, AffineMap map) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> emitted = e.emitAt(operand, map);
    if (failed(emitted)) return failure();
    operands.push_back(*emitted);
  }
  e.unify(operands);
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (auto fragment = dyn_cast<RankedTensorType>(operands[0].getType())) type = fragment.clone(type);
  OperationState state(op->getLoc(), op->getName(), operands, type, op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return e.builder.create(state)->getResult(0);
}

/// Integer division, whose graph op promises a divisor that is not 0. What a guarded load does not
/// read is 0, and would trap.
FailureOr<Value> emitDivision(Emitter &e, Operation *op, AffineMap map) {
  FailureOr<Value> lhs = e.emitAt(op->getOperand(0), map), rhs = e.emitAt(op->getOperand(1), map);
  if (failed(lhs) || failed(rhs)) return failure();
  auto constant = [&](int64_t value) {
    Value scalar = arith::ConstantIntOp::create(e.builder, e.loc, getElementTypeOrSelf(rhs->getType()), value);
    return tile::isFragment(rhs->getType()) ? e.splat(scalar) : scalar;
  };
  Value absent = arith::CmpIOp::create(e.builder, e.loc, arith::CmpIPredicate::eq, *rhs, constant(0));
  Value divisor = arith::SelectOp::create(e.builder, e.loc, absent, constant(1), *rhs);
  SmallVector<Value> operands{*lhs, divisor};
  e.unify(operands);
  OperationState state(op->getLoc(), op->getName(), operands, operands[0].getType());
  return e.builder.create(state)->getResult(0);
}

FailureOr<Value> emitConstant(Emitter &e, Operation *op, AffineMap) {
  auto elements = dyn_cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  if (!elements || !elements.isSplat())
    return op->emitError("a constant inside a kernel must be one scalar repeated; others are kernel operands");
  return arith::ConstantOp::create(e.builder, e.loc, elements.getSplatValue<TypedAttr>()).getResult();
}

FailureOr<Value> emitView(Emitter &e, Operation *op, AffineMap map) {
  AffineMap inner = layout::compose(layout::viewMap(op), map, e.extents());
  inner = layout::nameLargeResults(inner, [&](AffineExpr expr) { return e.newSymbol(e.expand(expr)); });
  return e.emitAt(op->getOperand(0), inner);
}

FailureOr<Value> emitIota(Emitter &e, Operation *op, AffineMap map) {
  auto iota = cast<graph::IotaOp>(op);
  Value index = e.expand(map.getResult(iota.getAxis()));
  Type element = iota.getType().getElementType();
  if (index.getType().isIndex()) index = arith::IndexCastOp::create(e.builder, e.loc, e.builder.getI64Type(), index);
  auto typed = [&](Type wanted) -> Type {
    if (auto fragment = dyn_cast<RankedTensorType>(index.getType())) return fragment.clone(wanted);
    return wanted;
  };
  if (isa<FloatType>(element)) return arith::SIToFPOp::create(e.builder, e.loc, typed(element), index).getResult();
  if (element.getIntOrFloatBitWidth() < 64)
    return arith::TruncIOp::create(e.builder, e.loc, typed(element), index).getResult();
  return index;
}

/// Each piece guarded by where it lies; a chain of selects picks the right one.
FailureOr<Value> emitConcat(Emitter &e, Operation *op, AffineMap map) {
  auto concat = cast<graph::ConcatOp>(op);
  AffineExpr at = map.getResult(concat.getAxis());
  std::optional<layout::Bounds> bounds = layout::boundsOf(at, e.extents());
  SmallVector<graph::Demand> pieces = graph::operandDemands({op->getResult(0), map}, e.extents());
  auto compare = [&](arith::CmpIPredicate predicate, int64_t limit) -> Value {
    SmallVector<Value> sides{e.expand(at), arith::ConstantIndexOp::create(e.builder, e.loc, limit)};
    e.unify(sides);
    return arith::CmpIOp::create(e.builder, e.loc, predicate, sides[0], sides[1]);
  };
  Value result;
  int64_t end = concat.getType().getDimSize(concat.getAxis());
  for (const graph::Demand &piece : llvm::reverse(pieces)) {
    int64_t start = end - graph::shapeOf(piece.value)[concat.getAxis()];
    bool missed = start == end || (bounds && (bounds->high < start || bounds->low >= end));
    bool whole = bounds && bounds->low >= start && bounds->high < end;
    if (whole) return e.emitAt(piece.value, piece.map);
    if (!missed) {
      Value inside = compare(arith::CmpIPredicate::sge, start);
      if (result) {
        SmallVector<Value> both{inside, compare(arith::CmpIPredicate::slt, end)};
        inside = arith::AndIOp::create(e.builder, e.loc, both[0], both[1]);
      }
      FailureOr<Value> value = e.emitGuarded(piece.value, piece.map, inside);
      if (failed(value)) return failure();
      if (!result) {
        result = *value;
      } else {
        SmallVector<Value> operands{inside, *value, result};
        e.unify(operands);
        result = arith::SelectOp::create(e.builder, e.loc, operands[0], operands[1], operands[2]);
      }
    }
    end = start;
  }
  // Past all pieces are only points that do not exist.
  if (!result)
    result = arith::ConstantOp::create(e.builder, e.loc, e.builder.getZeroAttr(concat.getType().getElementType()));
  return result;
}

FailureOr<Value> emitGather(Emitter &e, Operation *op, AffineMap map) {
  auto gather = cast<graph::GatherOp>(op);
  ArrayRef<AffineExpr> at = map.getResults();
  int64_t axis = gather.getAxis(), rank = graph::shapeOf(gather.getIndices()).size();
  MLIRContext *context = op->getContext();
  FailureOr<Value> index = e.emitAt(
      gather.getIndices(), AffineMap::get(map.getNumDims(), map.getNumSymbols(), at.slice(axis, rank), context));
  if (failed(index)) return failure();
  // Clamp, then widen: an index past either end reads the nearest element.
  Type element = getElementTypeOrSelf(gather.getIndices().getType());
  auto limit = [&](int64_t value) -> Value {
    Value scalar = arith::ConstantIntOp::create(e.builder, e.loc, element, value);
    return tile::isFragment((*index).getType()) ? e.splat(scalar) : scalar;
  };
  int64_t last = graph::shapeOf(gather.getX())[axis] - 1;
  if (element.isInteger(32)) last = std::min<int64_t>(last, INT32_MAX);
  Value clamped = arith::MaxSIOp::create(e.builder, e.loc, *index, limit(0));
  clamped = arith::MinSIOp::create(e.builder, e.loc, clamped, limit(last));
  if (auto fragment = dyn_cast<RankedTensorType>(clamped.getType())) {
    if (!element.isInteger(64))
      clamped = arith::ExtSIOp::create(e.builder, e.loc, fragment.clone(e.builder.getI64Type()), clamped);
  } else {
    clamped = arith::IndexCastOp::create(e.builder, e.loc, e.builder.getIndexType(), clamped);
  }
  SmallVector<AffineExpr> results(at.take_front(axis));
  results.push_back(e.newSymbol(clamped));
  llvm::append_range(results, at.drop_front(axis + rank));
  return e.emitAt(gather.getX(), AffineMap::get(map.getNumDims(), e.numSymbols(), results, context));
}

const EmissionRow kElementwiseRow = {"", emitElementwise};
const EmissionRow kRows[] = {
    {"arith.divsi", emitDivision}, {"arith.remsi", emitDivision}, {"arith.constant", emitConstant},
    {"graph.broadcast", emitView}, {"graph.reshape", emitView},   {"graph.transpose", emitView},
    {"graph.slice", emitView},     {"graph.iota", emitIota},      {"graph.concat", emitConcat},
    {"graph.gather", emitGather},
};

} // namespace

const EmissionRow *kiln::tiling::findEmissionRow(StringRef opName) {
  for (const EmissionRow &row : kRows)
    if (row.op == opName) return &row;
  const graph::AcceptedOp *accepted = graph::findAcceptedOp(opName);
  bool elementwise =
      accepted && accepted->opClass == graph::OpClass::Elementwise && accepted->level != graph::OpLevel::Graph;
  return elementwise ? &kElementwiseRow : nullptr;
}
