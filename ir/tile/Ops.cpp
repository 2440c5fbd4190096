// The ops of the tile dialect: generated definitions; constraints of the ops in Tile.td but for tile.kernel.
#include "ir/DTypes.h"
#include "ir/tile/Rules.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "ir/tile/Tile.cpp.inc"

//===- Memory -----------------------------------------------------------------------------------------------------===//

/// (C1) and (C2) of loads and stores.
static LogicalResult checkAccess(Operation *op, Value memory, Type value, Value mask) {
  Type element = getElementTypeOrSelf(value), expected = elementTypeOf(memory.getType());
  if (element != expected)
    return violate(op, {"C1", "the value's element type must be the memory's", spell(expected), spell(element)});
  if (!mask) return success();
  auto fragment = dyn_cast<RankedTensorType>(value);
  Type wanted =
      fragment ? Type(fragment.clone(IntegerType::get(op->getContext(), 1))) : IntegerType::get(op->getContext(), 1);
  if (mask.getType() != wanted)
    return violate(op, {"C2", "a mask must match the value", spell(wanted), spell(mask.getType())});
  return success();
}

/// `aligned`, where it is given, of a load, store or mask.
static LogicalResult checkAligned(Operation *op, StringRef constraint, std::optional<int64_t> aligned) {
  if (aligned.value_or(1) >= 1) return success();
  return violate(op, {constraint, "`aligned` must count elements", "1 or more", std::to_string(*aligned)});
}

/// (C3): which fragments name a row stride; (C4).
static LogicalResult checkRows(Operation *op, Type value, bool hasStride, bool hasMask,
                               std::optional<int64_t> aligned) {
  if (failed(checkAligned(op, "C4", aligned))) return failure();
  auto fragment = dyn_cast<RankedTensorType>(value);
  bool rows = fragment && (fragment.getRank() == 2 || isa<SimdColumnAttr>(fragment.getEncoding()));
  if (rows != hasStride)
    return violate(op,
                   {"C3", "rows are read and written at a stride, single vectors and scalars without",
                    fmt::format("{} row stride for {}", rows ? "a" : "no", spell(value)), hasStride ? "one" : "none"});
  if (rows && hasMask)
    return violate(op, {"C3", "rows take no mask", fmt::format("no mask for {}", spell(value)), "one"});
  return success();
}

/// (C5): what can be shifted, `inShared` too.
static LogicalResult checkShifted(Operation *op, Type value, Value memory, bool shifted, bool inShared) {
  if (!shifted) return success();
  auto fragment = dyn_cast<RankedTensorType>(value);
  auto blocked = fragment ? dyn_cast_or_null<BlockedAttr>(fragment.getEncoding()) : BlockedAttr();
  int64_t bytes = bytesOf(getElementTypeOrSelf(value));
  auto tile = dyn_cast<SharedType>(memory.getType());
  bool isRun = isa<GlobalType>(memory.getType()) || (inShared && tile && !tile.getSwizzle());
  if (blocked && isRun && bytes <= 4 && blocked.getVec() * bytes % 16 == 0) return success();
  return violate(
      op, {"C5",
           fmt::format("`shifted` are runs of whole 16-byte words in global memory{}, of elements of 1, 2 or 4 bytes",
                       inShared ? " or a tile without a swizzle" : ""),
           "a #tile.blocked fragment of such runs", fmt::format("{} in {}", spell(value), spell(memory.getType()))});
}

LogicalResult LoadOp::verify() {
  if (failed(checkAccess(*this, getSource(), getValue().getType(), getMask()))) return failure();
  if (failed(checkShifted(*this, getValue().getType(), getSource(), getShifted(), /*inShared=*/true))) return failure();
  return checkRows(*this, getValue().getType(), getRowStride().has_value(), !!getMask(), getAligned());
}

LogicalResult StoreOp::verify() {
  if (failed(checkAccess(*this, getTarget(), getValue().getType(), getMask()))) return failure();
  if (failed(checkShifted(*this, getValue().getType(), getTarget(), getShifted(), /*inShared=*/false)))
    return failure();
  return checkRows(*this, getValue().getType(), getRowStride().has_value(), !!getMask(), getAligned());
}

/// (C3) of gathers and scatters.
static LogicalResult checkOffsets(Operation *op, Value offsets, Type value) {
  int64_t lanes = cast<RankedTensorType>(offsets.getType()).getDimSize(0);
  int64_t expected = cast<RankedTensorType>(value).getDimSize(0);
  if (lanes == expected) return success();
  return violate(op, {"C3", "one offset per lane", std::to_string(expected), std::to_string(lanes)});
}

LogicalResult GatherOp::verify() {
  if (failed(checkOffsets(*this, getOffsets(), getValue().getType()))) return failure();
  return checkAccess(*this, getSource(), getValue().getType(), getMask());
}

LogicalResult ScatterOp::verify() {
  if (failed(checkOffsets(*this, getOffsets(), getValue().getType()))) return failure();
  return checkAccess(*this, getTarget(), getValue().getType(), getMask());
}

//===- Fragments --------------------------------------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  Type element = cast<RankedTensorType>(getType()).getElementType();
  if (element == getScalar().getType()) return success();
  return violate(*this, {"C1", "the scalar must have the element type", spell(element), spell(getScalar().getType())});
}

LogicalResult LaneMaskOp::verify() { return checkAligned(*this, "C1", getAligned()); }

LogicalResult FoldUnitsOp::verify() {
  auto x = cast<RankedTensorType>(getX().getType()), acc = cast<RankedTensorType>(getAcc().getType());
  int64_t elements = x.getDimSize(0);
  if (elements % 8 != 0 || acc.getDimSize(0) != elements / 8 || acc.getElementType() != x.getElementType())
    return violate(*this, {"C1", "acc must hold one lane per unit of 8",
                           fmt::format("8 elements of {} per lane", spell(acc.getElementType())),
                           fmt::format("{} into {}", spell(x), spell(acc))});
  if (getType() != acc) return violate(*this, {"C2", "the result must have acc's type", spell(acc), spell(getType())});
  return success();
}

LogicalResult FoldOp::verify() {
  auto x = cast<RankedTensorType>(getX().getType());
  if (!llvm::isPowerOf2_64(x.getDimSize(0)))
    return violate(*this, {"C1", "lanes must halve down to one", "a power of two", std::to_string(x.getDimSize(0))});
  if (getType() != x.getElementType())
    return violate(*this,
                   {"C2", "the result must be of the element type", spell(x.getElementType()), spell(getType())});
  auto blocked = dyn_cast<BlockedAttr>(x.getEncoding());
  bool needed = blocked && blocked.getThreads() > 32;
  Type wanted = SharedType::get(getContext(), {x.getDimSize(0)}, x.getElementType(), 0);
  if (needed != !!getScratch() || (needed && getScratch().getType() != wanted))
    return violate(*this, {"C3", "several warps meet through a shared tile", needed ? spell(wanted) : "no scratch",
                           getScratch() ? spell(getScratch().getType()) : "none"});
  return success();
}

namespace {
/// An MMA atom by the layouts of its fragments, and the element types it takes.
struct MmaRule {
  bool (*layouts)(RankedTensorType a, RankedTensorType b, RankedTensorType acc);
  bool (*types)(Type a, Type b, Type acc);
};
} // namespace

static bool oneFloatType(Type a, Type b, Type acc) { return isa<FloatType>(acc) && a == acc && b == acc; }
static bool widenedFloats(Type a, Type b, Type acc) {
  return a == b && kiln::ir::isWidened(a) && acc == kiln::ir::accumulatorOf(a);
}
/// The accumulator's grid of warps or threads is that of both operands.
template <class A, class B, class Acc>
static bool sameGrid(RankedTensorType a, RankedTensorType b, RankedTensorType acc) {
  if (!isa<A>(a.getEncoding()) || !isa<B>(b.getEncoding()) || !isa<Acc>(acc.getEncoding())) return false;
  auto x = distributionOf(a), y = distributionOf(b), z = distributionOf(acc);
  return x->p == z->p && x->q == z->q && y->p == z->p && y->q == z->q;
}
static bool simdFragments(RankedTensorType a, RankedTensorType b, RankedTensorType acc) {
  return isa<SimdColumnAttr>(a.getEncoding()) && isa<SimdAttr>(b.getEncoding()) && isa<SimdAttr>(acc.getEncoding());
}

LogicalResult MmaOp::verify() {
  static const MmaRule rules[] = {
      {simdFragments, oneFloatType},
      {sameGrid<OuterAAttr, OuterBAttr, OuterAttr>, oneFloatType},
      {sameGrid<MmaAAttr, MmaBAttr, MmaAccAttr>, widenedFloats},
  };
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  auto *rule = llvm::find_if(rules, [&](const MmaRule &r) { return r.layouts(a, b, acc); });
  bool inner = a.getRank() == 1 ? b.getRank() == 1 : b.getRank() == 2 && a.getShape().back() == b.getDimSize(0);
  bool extents =
      acc.getRank() == 2 && inner && a.getDimSize(0) == acc.getDimSize(0) && b.getShape().back() == acc.getDimSize(1);
  if (rule == std::end(rules) || !extents)
    return violate(*this, {"C1", "the extents must match",
                           "a column of M, a row of N and an MxN accumulator of one atom", spell({a, b, acc})});
  if (!rule->types(a.getElementType(), b.getElementType(), acc.getElementType()))
    return violate(*this, {"C2", "the element types must be the atom's",
                           rule == std::end(rules) - 1 ? "f16 or bf16 operands, f32 sums" : "one float type",
                           spell({a, b, acc})});
  return success();
}

//===- What functions are made of ---------------------------------------------------------------------------------===//

LogicalResult LookupOp::verify() {
  auto table = dyn_cast<DenseElementsAttr>(getTable());
  auto matrix = table ? dyn_cast<RankedTensorType>(table.getType()) : RankedTensorType();
  Type element = matrix ? matrix.getElementType() : Type();
  if (!matrix || matrix.getRank() != 2 || matrix.getDimSize(0) < 1 || !(element.isF32() || element.isInteger(32)))
    return violate(*this, {"C1", "the table must be a matrix", "`dense` rows of f32 or i32",
                           spell(cast<ElementsAttr>(getTable()).getType())});
  Type wanted = element;
  if (auto shaped = dyn_cast<ShapedType>(getIndex().getType())) wanted = shaped.clone(element);
  if (static_cast<int64_t>(getNumResults()) != matrix.getDimSize(1))
    return violate(*this, {"C2", "there must be one result per column", std::to_string(matrix.getDimSize(1)),
                           std::to_string(getNumResults())});
  for (Type type : getResultTypes())
    if (type != wanted) return violate(*this, {"C2", "a result must match the index", spell(wanted), spell(type)});
  return success();
}

LogicalResult ApproxOp::verify() {
  Type element = getElementTypeOrSelf(getX().getType());
  if (element.isF32()) return success();
  return violate(*this, {"C1", "the elements must be f32", "f32", spell(element)});
}
