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
/// The most bytes of shared tiles a CTA may have: each worker has a workspace of that size.
constexpr int64_t kMost = int64_t(1) << 30;

/// Bytes of a tile; more than kMost if they cannot be counted.
int64_t boundedBytes(SharedType type) {
  int64_t bytes = bytesOf(type.getElementType());
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(bytes, extent, bytes)) return kMost + 1;
  return bytes;
}

struct TileAssignShared : impl::TileAssignSharedBase<TileAssignShared> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    mlir::Builder b(&getContext());
    int64_t offset = 0;
    kernel.walk([&](AllocOp alloc) {
      int64_t bytes = boundedBytes(alloc.getTile().getType());
      alloc.setOffsetAttr(b.getI64IntegerAttr(offset));
      offset =
          std::min(static_cast<int64_t>(llvm::alignTo(offset + std::min(bytes, kMost + 1), kAlignment)), 2 * kMost);
      ++tiles;
    });
    if (offset > kMost) {
      mlir::InFlightDiagnostic diag = kernel.emitError() << "the workspace of one thread is too large for these shapes";
      diag.attachNote() << "expected: at most " << kMost << " bytes";
      diag.attachNote() << "found: " << (offset == 2 * kMost ? "at least " : "") << offset;
      diag.attachNote() << "try: a smaller reduced extent, or a reduction in two steps";
      return signalPassFailure();
    }
    kernel.setSharedBytesAttr(b.getI64IntegerAttr(offset));
  }
};

} // namespace
} // namespace kiln::tile
