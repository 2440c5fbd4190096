// Constraints of the ops in Ring.td.
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

static std::string spell(TypeRange types) {
  std::string text;
  for (Type type : types) text += (text.empty() ? "" : ", ") + llvm::formatv("{0}", type).str();
  return text.empty() ? "none" : text;
}

/// What names a slot's tiles: they are the ring's.
static LogicalResult checkTiles(Operation *op, const char *constraint, const char *rule, RingType ring,
                                TypeRange found) {
  SmallVector<Type> expected(ring.getTiles());
  if (TypeRange(expected) == found) return success();
  return violate(op, {constraint, rule, spell(expected), spell(found)});
}

LogicalResult SlotOp::verify() {
  return checkTiles(*this, "C1", "a slot is the ring's tiles", getRing().getType(), getTiles().getTypes());
}

LogicalResult RingWaitOp::verify() {
  return checkTiles(*this, "C2", "a slot is the ring's tiles", getRing().getType(), getTiles().getTypes());
}
