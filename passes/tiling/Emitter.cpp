#include "passes/tiling/Emitter.h"

#include "ir/layout/IndexMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

Emitter::Emitter(OpBuilder &builder, Location loc, const Memories &memories, const Anchors &anchors, Point point)
    : builder(builder), loc(loc), memories(memories), anchors(anchors), point(std::move(point)), scopes(1) {}

FailureOr<Value> Emitter::emit(Value value, AffineMap map) {
  return emitAt(value, layout::compose(map, point.iteration, point.extents));
}

FailureOr<Value> Emitter::emitFragment(Value value, AffineMap map) {
  FailureOr<Value> emitted = emit(value, map);
  if (failed(emitted) || point.lanes == 0 || tile::isFragment((*emitted).getType())) return emitted;
  return splat(*emitted);
}

FailureOr<Value> Emitter::emitAt(Value value, AffineMap map) {
  if (Value anchor = anchors.lookup(value)) return anchor;
  for (const Scope &scope : llvm::reverse(scopes))
    if (Value known = scope.memo.lookup({value, map})) return known;
  FailureOr<Value> result = failure();
  if (auto memory = memories.find(value); memory != memories.end()) {
    result = load(memory->second, map);
  } else if (Operation *op = value.getDefiningOp()) {
    const EmissionRow *row = findEmissionRow(op->getName().getStringRef());
    if (!row) return op->emitError() << "'" << op->getName() << "' has no emission row";
    result = row->emit(*this, op, map);
  } else {
    return emitError(loc) << "a kernel's value is neither computed nor in memory";
  }
  if (succeeded(result)) scopes.back().memo[{value, map}] = *result;
  return result;
}

FailureOr<Value> Emitter::emitGuarded(Value value, AffineMap map, Value condition) {
  Scope scope;
  scope.scalar = scopes.back().scalar;
  scope.lanes = scopes.back().lanes;
  Value &part = tile::isFragment(condition.getType()) ? scope.lanes : scope.scalar;
  part = both(part, condition);
  scopes.push_back(std::move(scope));
  FailureOr<Value> result = emitAt(value, map);
  scopes.pop_back();
  return result;
}

//===- Scalars and fragments --------------------------------------------------------------------------------------===//

Value Emitter::splat(Value scalar) {
  Type element = scalar.getType();
  if (element.isIndex()) {
    element = builder.getI64Type();
    scalar = arith::IndexCastOp::create(builder, loc, element, scalar);
  }
  return tile::SplatOp::create(builder, loc, fragmentOf(element), scalar);
}

RankedTensorType Emitter::fragmentOf(Type element) const {
  Attribute layout = point.layout ? point.layout : Attribute(tile::SimdAttr::get(builder.getContext()));
  return RankedTensorType::get({point.lanes}, element, layout);
}

void Emitter::unify(SmallVectorImpl<Value> &values) {
  if (llvm::none_of(values, [](Value v) { return tile::isFragment(v.getType()); })) return;
  for (Value &value : values)
    if (!tile::isFragment(value.getType())) value = splat(value);
}

Value Emitter::both(Value a, Value b) {
  if (!a || !b) return a ? a : b;
  SmallVector<Value> values{a, b};
  unify(values);
  return arith::AndIOp::create(builder, loc, values[0], values[1]);
}

//===- Index expressions ------------------------------------------------------------------------------------------===//

AffineExpr Emitter::newSymbol(Value value) {
  symbols.push_back(value);
  return getAffineSymbolExpr(symbols.size() - 1, builder.getContext());
}

bool Emitter::varies(AffineExpr expr) const {
  if (point.lanes == 0) return false;
  if (expr.isFunctionOfDim(point.extents.size() - 1)) return true;
  for (auto [i, value] : llvm::enumerate(symbols))
    if (tile::isFragment(value.getType()) && expr.isFunctionOfSymbol(i)) return true;
  return false;
}

Value Emitter::expand(AffineExpr expr) { return varies(expr) ? expandLanes(expr) : expandScalar(expr); }

namespace {

/// Whether an index expression is surely not negative. Dimensions are not, and neither are symbols: indices that a
/// gather has clamped.
bool isNonNegative(AffineExpr expr, layout::Extents extents) {
  if (std::optional<layout::Bounds> bounds = layout::boundsOf(expr, extents)) return bounds->low >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) return true; // constants have bounds
  if (expr.getKind() == AffineExprKind::Mod) return true;
  return isNonNegative(binary.getLHS(), extents) && isNonNegative(binary.getRHS(), extents);
}

/// Division of indices by a constant b > 0, rounded down, and what it leaves.
struct IndexDivision {
  OpBuilder &builder;
  Location loc;
  Value x, y, one; ///< one: of their type
  bool nonNegative;

  Value quotient() {
    if (nonNegative) return arith::DivUIOp::create(builder, loc, x, y);
    Value towardsZero = arith::DivSIOp::create(builder, loc, x, y);
    Value back = arith::MulIOp::create(builder, loc, towardsZero, y);
    Value above = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, x, back);
    Value less = arith::SubIOp::create(builder, loc, towardsZero, one);
    return arith::SelectOp::create(builder, loc, above, less, towardsZero);
  }
  Value remainder() {
    if (nonNegative) return arith::RemUIOp::create(builder, loc, x, y);
    return arith::SubIOp::create(builder, loc, x, arith::MulIOp::create(builder, loc, quotient(), y));
  }
};

/// One op of an index expression on its operands, as scalars or lanes.
Value expandBinary(AffineBinaryOpExpr expr, layout::Extents extents, OpBuilder &builder, Location loc, Value l, Value r,
                   llvm::function_ref<Value()> one) {
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, l, r);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, l, r);
  default:
    break;
  }
  bool nonNegative = isNonNegative(expr.getLHS(), extents);
  IndexDivision division{builder, loc, l, r, nonNegative ? Value() : one(), nonNegative};
  return expr.getKind() == AffineExprKind::FloorDiv ? division.quotient() : division.remainder();
}

} // namespace

Value Emitter::expandScalar(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) return point.coords[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value l = expandScalar(binary.getLHS()), r = expandScalar(binary.getRHS());
  return expandBinary(binary, point.extents, builder, loc, l, r,
                      [&] { return arith::ConstantIndexOp::create(builder, loc, 1).getResult(); });
}

Value Emitter::expandLanes(AffineExpr expr) {
  if (!varies(expr)) return splat(expandScalar(expr));
  RankedTensorType type = fragmentOf(builder.getI64Type());
  if (isa<AffineDimExpr>(expr)) return tile::LanesOp::create(builder, loc, type);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value l = expandLanes(binary.getLHS()), r = expandLanes(binary.getRHS());
  return expandBinary(binary, point.extents, builder, loc, l, r,
                      [&] { return splat(arith::ConstantIndexOp::create(builder, loc, 1)); });
}

//===- Memory -----------------------------------------------------------------------------------------------------===//

Value Emitter::loadScalar(const Memory &memory, AffineExpr offset) {
  Type element = tile::elementTypeOf(memory.base.getType());
  return tile::LoadOp::create(builder, loc, element, memory.base, expandScalar(offset), scopes.back().scalar,
                              IntegerAttr());
}

Value Emitter::load(const Memory &memory, AffineMap map) {
  AffineExpr offset = layout::linearOffset(map, memory.strides, point.extents) + memory.offset;
  if (Value known = provided.lookup({memory.base, offset})) return known;
  // A condition that varies along the lanes may be false for all of them, and the scalar's address be anywhere then.
  if (!varies(offset) && !scopes.back().lanes) return loadScalar(memory, offset);
  RankedTensorType type = fragmentOf(tile::elementTypeOf(memory.base.getType()));
  Value mask = both(both(point.residue, scopes.back().lanes), scopes.back().scalar);
  if (mask && !tile::isFragment(mask.getType())) mask = splat(mask);
  std::optional<layout::Linear> linear = layout::linearIn(offset, point.extents.size() - 1, point.extents);
  if (linear && linear->coefficient == 1 && !varies(linear->rest)) {
    IntegerAttr aligned = alignmentOf(linear->rest);
    auto load =
        tile::LoadOp::create(builder, loc, type, memory.base, expandScalar(linear->rest), mask, IntegerAttr(), aligned);
    load.setShifted(isShifted(memory, aligned, mask));
    return load;
  }
  return tile::GatherOp::create(builder, loc, type, memory.base, expandLanes(offset), mask);
}

/// What is known to divide an offset, as far as a run of a thread can use it; null on the cpu target, where it does not
/// matter.
IntegerAttr Emitter::alignmentOf(AffineExpr offset) {
  auto blocked = dyn_cast_or_null<tile::BlockedAttr>(point.layout);
  if (!blocked) return {};
  int64_t aligned = std::gcd(blocked.getVec(), offset.getLargestKnownDivisor());
  return aligned > 1 ? builder.getI64IntegerAttr(aligned) : IntegerAttr();
}

/// Only under masks of first lanes: others are read lane by lane.
bool Emitter::isShifted(const Memory &memory, IntegerAttr aligned, Value mask) const {
  auto blocked = dyn_cast_or_null<tile::BlockedAttr>(point.layout);
  if (point.shifted == 0 || !blocked || mask != point.residue || !isa<tile::GlobalType>(memory.base.getType()))
    return false;
  constexpr int64_t kWord = 16, kWidest = 4;
  int64_t bytes = tile::bytesOf(tile::elementTypeOf(memory.base.getType()));
  return bytes <= kWidest && blocked.getVec() * bytes % kWord == 0 &&
         (aligned ? aligned.getInt() : 1) * bytes < point.shifted;
}

void Emitter::provide(Value fragment, const Memory &memory, AffineMap map) {
  AffineMap at = layout::compose(map, point.iteration, point.extents);
  provided[{memory.base, layout::linearOffset(at, memory.strides, point.extents) + memory.offset}] = fragment;
}

LogicalResult Emitter::store(Value emitted, const Memory &memory, AffineMap map) {
  AffineMap at = layout::compose(map, point.iteration, point.extents);
  AffineExpr offset = layout::linearOffset(at, memory.strides, point.extents) + memory.offset;
  bool fragment = tile::isFragment(emitted.getType());
  if (!fragment && !varies(offset)) {
    tile::StoreOp::create(builder, loc, emitted, memory.base, expandScalar(offset), Value(), IntegerAttr());
    return success();
  }
  if (!fragment) emitted = splat(emitted);
  std::optional<layout::Linear> linear = layout::linearIn(offset, point.extents.size() - 1, point.extents);
  // An offset that does not vary means that only lane 0 exists, so that it may count as contiguous.
  if (linear && linear->coefficient <= 1 && !varies(linear->rest)) {
    IntegerAttr aligned = alignmentOf(linear->rest);
    auto store = tile::StoreOp::create(builder, loc, emitted, memory.base, expandScalar(linear->rest), point.residue,
                                       IntegerAttr(), aligned);
    store.setShifted(isShifted(memory, aligned, point.residue));
  } else {
    tile::ScatterOp::create(builder, loc, emitted, memory.base, expandLanes(offset), point.residue);
  }
  return success();
}
