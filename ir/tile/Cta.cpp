// Constraints of the ops in Cta.td.
#include "ir/Violation.h"
#include "ir/tile/Tile.h"

#include "llvm/Support/FormatVariadic.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::tile;
using kiln::ir::Violation;

static LogicalResult violate(Operation *op, const Violation &violation) {
  return kiln::ir::violate(op->getLoc(), op->getName().getStringRef(), violation);
}
static std::string spell(Type type) { return llvm::formatv("{0}", type).str(); }

/// Rank 2 with rows of whole 16-byte chunks.
static bool hasChunkedRows(SharedType type) {
  return type.getShape().size() == 2 && type.getShape()[1] * bytesOf(type.getElementType()) % 16 == 0;
}

LogicalResult AsyncCopyOp::verify() {
  SharedType target = getTarget().getType();
  if (!hasChunkedRows(target))
    return violate(*this, {"C1", "the copy moves rows of 16-byte chunks", "rank 2, rows a multiple of 16 bytes",
                           spell(target), "tile.load and tile.store"});
  if (getSource().getType().getElementType() != target.getElementType())
    return violate(*this, {"C2", "a copy changes no element", spell(getSource().getType().getElementType()),
                           spell(target.getElementType())});
  int64_t chunk = 16 / bytesOf(target.getElementType());
  if (static_cast<int64_t>(getRowStride()) % chunk == 0) return success();
  return violate(*this, {"C3", "rows in global memory must start at 16 bytes", fmt::format("a multiple of {}", chunk),
                         std::to_string(static_cast<int64_t>(getRowStride())), "tile.load and tile.store"});
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
