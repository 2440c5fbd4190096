// Constraints of the ops in Cta.td.
#include "ir/tile/Arguments.h"
#include "ir/tile/Rules.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::tile;

/// Rank 2 with rows of whole 16-byte chunks.
static bool hasChunkedRows(SharedType type) {
  return type.getShape().size() == 2 && type.getShape()[1] * bytesOf(type.getElementType()) % 16 == 0;
}

/// (C1) and (C2) of asynchronous copies.
template <class Copy> static LogicalResult checkChunks(Copy op) {
  SharedType target = op.getTarget().getType();
  if (!hasChunkedRows(target))
    return violate(op, {"C1", "the copy moves rows of 16-byte chunks", "rank 2, rows a multiple of 16 bytes",
                        spell(target), "tile.load and tile.store"});
  Type element = op.getSource().getType().getElementType();
  if (element == target.getElementType()) return success();
  return violate(op, {"C2", "a copy changes no element", spell(element), spell(target.getElementType())});
}

LogicalResult AsyncCopyOp::verify() {
  if (failed(checkChunks(*this))) return failure();
  if (getRowStride().has_value() == !!getStride())
    return violate(*this, {"C4", "rows have one stride", "`rows` or `stride`", getStride() ? "both" : "neither"});
  int64_t chunk = 16 / bytesOf(getTarget().getType().getElementType());
  auto stride = static_cast<int64_t>(getRowStride().value_or(0));
  if (stride % chunk == 0) return success();
  return violate(*this, {"C3", "rows in global memory must start at 16 bytes", fmt::format("a multiple of {}", chunk),
                         std::to_string(stride), "tile.load and tile.store"});
}

/// (C4): rows start at multiples of 16 bytes, by the stride or by what the argument says.
static LogicalResult checkRows(AsyncLoadOp op, unsigned argument) {
  auto kernel = op->getParentOfType<KernelOp>();
  int64_t chunk = std::max<int64_t>(16 / bytesOf(op.getTarget().getType().getElementType()), 1);
  StrideSource stride = strideOf(kernel, argument, 0);
  auto aligned = kernel.getArgAttrOfType<IntegerAttr>(argument, kAligned);
  // A dense stride is a multiple of the factor that is known of it.
  bool known = (!stride.isParameter && stride.factor % chunk == 0) || (aligned && aligned.getInt() % chunk == 0);
  if (!known)
    return violate(
        op,
        {"C4", "rows in global memory must start at 16 bytes", fmt::format("a multiple of {} elements", chunk),
         stride.isParameter || !stride.extents.empty() ? "a stride that is not known" : std::to_string(stride.factor),
         fmt::format("`{} = {}` on the argument", kAligned.str(), chunk)});
  if (std::optional<int64_t> column = constantOf(op.getColumn()); column && *column % chunk != 0)
    return violate(op, {"C4", "chunks in global memory must start at 16 bytes",
                        fmt::format("a multiple of {} elements", chunk), std::to_string(*column)});
  return success();
}

LogicalResult AsyncLoadOp::verify() {
  if (failed(checkChunks(*this))) return failure();
  std::optional<unsigned> argument = argumentNumber(getSource());
  bool matrix = getSource().getType().getShape().size() == 2;
  StrideSource last;
  if (argument && matrix) last = strideOf((*this)->getParentOfType<KernelOp>(), *argument, 1);
  if (!argument || !matrix || last.isParameter || last.factor != 1)
    return violate(*this, {"C3", "extents and strides are those of a matrix that a launch passes",
                           "an argument of rank 2 with a last stride of 1",
                           argument ? spell(getSource().getType()) : "another value"});
  return checkRows(*this, *argument);
}

LogicalResult AsyncWaitOp::verify() {
  if (static_cast<int64_t>(getPending()) >= 0 && getPending() <= 31) return success();
  return violate(*this,
                 {"C1", "groups in flight are few", "0 to 31", std::to_string(static_cast<int64_t>(getPending()))});
}

LogicalResult LoadMatrixOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  SharedType source = getSource().getType();
  if (!isa<MmaAAttr, MmaBAttr>(value.getEncoding()) || source.getElementType() != value.getElementType())
    return violate(*this, {"C1", "it reads MMA operands of the tile's elements",
                           "a #tile.mma_a or #tile.mma_b fragment of " + spell(source.getElementType()), spell(value)});
  if (hasChunkedRows(source)) return success();
  return violate(
      *this, {"C2", "the tile must have rows of 16-byte chunks", "rank 2, rows a multiple of 16 bytes", spell(source)});
}
