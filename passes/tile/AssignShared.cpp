// tile-assign-shared: gives every shared tile its place in the CTA's memory.
#include "ir/tile/Tile.h"
#include "passes/tile/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEASSIGNSHARED
#include "passes/tile/Passes.h.inc"

namespace {

constexpr int64_t kAlignment = 256; // bytes

struct TileAssignShared : impl::TileAssignSharedBase<TileAssignShared> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    mlir::Builder b(&getContext());
    int64_t offset = 0;
    kernel.walk([&](AllocOp alloc) {
      SharedType type = alloc.getTile().getType();
      int64_t bytes = bytesOf(type.getElementType());
      for (int64_t extent : type.getShape()) bytes *= extent;
      alloc.setOffsetAttr(b.getI64IntegerAttr(offset));
      offset = llvm::alignTo(offset + bytes, kAlignment);
      ++tiles;
    });
    kernel.setSharedBytesAttr(b.getI64IntegerAttr(offset));
  }
};

} // namespace
} // namespace kiln::tile
