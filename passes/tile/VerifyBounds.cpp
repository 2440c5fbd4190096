// Where programs read and write: numbers that are known to be taken, at which an op reaches out of its tile, or which
// it does not take.
#include "ir/tile/Rules.h"
#include "ir/tile/analysis/IndexRange.h"
#include "passes/tile/VerifyRule.h"

#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>
#include <numeric>

namespace kiln::tile {

using namespace mlir;

//===- Matrices in tiles ------------------------------------------------------------------------------------------===//

namespace {
/// A box of a shared tile that an op reads, writes or names.
struct Box {
  Value row, column;
  int64_t rows, columns;
  layout::SharedTile tile;
  int64_t rowUnit = 8, columnUnit = 8; ///< it starts at multiples of
};
} // namespace

static Box boxOf(Operation *op, Value row, Value column, RankedTensorType matrix, bool transpose, SharedType tile) {
  return {row, column, matrix.getDimSize(transpose ? 1 : 0), matrix.getDimSize(transpose ? 0 : 1), tileOf(tile)};
}

static std::optional<Box> boxOf(Operation *op) {
  if (auto load = dyn_cast<LoadMatrixOp>(op))
    return boxOf(op, load.getRow(), load.getColumn(), cast<RankedTensorType>(load.getValue().getType()),
                 load.getTranspose(), load.getSource().getType());
  if (auto store = dyn_cast<StoreMatrixOp>(op))
    return boxOf(op, store.getRow(), store.getColumn(), cast<RankedTensorType>(store.getValue().getType()),
                 store.getTranspose(), store.getTarget().getType());
  auto part = dyn_cast<SubtileOp>(op);
  if (!part) return std::nullopt;
  layout::SharedTile whole = tileOf(part.getSource().getType()), shape = tileOf(part.getType());
  int64_t unit = whole.swizzle ? std::lcm<int64_t>(8, whole.periodRows()) : 1;
  return Box{
      part.getRow(), part.getColumn(), shape.rows, shape.columns, whole, unit, std::max<int64_t>(whole.panel, 1)};
}

/// One side of a box: where it starts, how long it and its tile's are, what it starts at multiples of.
static LogicalResult checkSide(Operation *op, const char *what, Value start, int64_t extent, int64_t whole,
                               int64_t unit) {
  for (int64_t number : numbersTaken(op, start)) {
    if (number >= 0 && number <= whole - extent && number % unit == 0) continue;
    std::string by = unit > 1 ? fmt::format(", a multiple of {}", unit) : "";
    return violate(op, {"", fmt::format("its {} {}s lie in the tile, which has {}", extent, what, whole),
                        fmt::format("the first {} from 0 to {}{}", what, whole - extent, by), std::to_string(number),
                        number % unit == 0 ? std::string("a larger tile, or a smaller part of it")
                                           : fmt::format("{}", std::clamp<int64_t>(number, 0, whole) / unit * unit)});
  }
  return success();
}

static LogicalResult checkBox(Operation *op, const Box &box) {
  if (failed(checkSide(op, "row", box.row, box.rows, box.tile.rows, box.rowUnit))) return failure();
  return checkSide(op, "column", box.column, box.columns, box.tile.columns, box.columnUnit);
}

//===- Runs of elements -------------------------------------------------------------------------------------------===//

/// The shared tile behind a memory of this CTA or another one; null for global memory.
static SharedType sharedOf(Type memory) {
  if (auto remote = dyn_cast<RemoteType>(memory)) return remote.getTile();
  return dyn_cast<SharedType>(memory);
}

/// A load's or store's elements, which lie row by row at a stride, or in one row.
static LogicalResult checkRun(Operation *op, Type value, SharedType tile, Value offset, int64_t stride, bool writes) {
  auto fragment = dyn_cast<RankedTensorType>(value);
  int64_t rows = fragment && fragment.getRank() == 2 ? fragment.getDimSize(0) : 1;
  int64_t columns = fragment ? fragment.getShape().back() : 1, elements = 1;
  for (int64_t extent : tile.getShape())
    if (llvm::MulOverflow(elements, extent, elements)) return success();
  if (fragment && isa<SimdColumnAttr>(fragment.getEncoding())) return success();
  if (writes && rows > 1 && stride > -columns && stride < columns)
    return violate(op, {"", "rows that are written do not overlap", fmt::format("a row stride of at least {}", columns),
                        std::to_string(stride), fmt::format("`rows {}`", columns)});
  int64_t last = 0;
  if (llvm::MulOverflow(rows - 1, stride, last) || !llvm::isInt<62>(last)) return success();
  int64_t least = -std::min<int64_t>(last, 0), most = elements - columns - std::max<int64_t>(last, 0);
  for (int64_t number : numbersTaken(op, offset))
    if (number < least || number > most)
      return violate(op, {"", fmt::format("its elements lie in {}", spell(tile)),
                          most < least ? fmt::format("at most {} elements, from first to last", elements)
                                       : fmt::format("an offset from {} to {}", least, most),
                          most < least ? std::to_string(std::abs(last) + columns) : std::to_string(number),
                          "a larger tile, or fewer elements"});
  return success();
}

//===- Ranks ------------------------------------------------------------------------------------------------------===//

static LogicalResult checkRank(RemoteOp remote) {
  auto kernel = remote->getParentOfType<KernelOp>();
  auto cluster = static_cast<int64_t>(kernel.getCluster().value_or(1));
  for (int64_t rank : numbersTaken(remote, remote.getRank()))
    if (rank < 0 || rank >= cluster)
      return violate(remote, {"", "the cluster has a CTA of that rank", fmt::format("0 to {}", cluster - 1),
                              std::to_string(rank),
                              fmt::format("`cluster {}` on the kernel",
                                          llvm::PowerOf2Ceil(static_cast<uint64_t>(std::max<int64_t>(rank, 0)) + 1))});
  return success();
}

static LogicalResult checkPlaces(KernelOp kernel) {
  return checkEach(kernel, [](Operation *op) {
    auto run = [&](auto access, Value memory, bool writes) {
      SharedType tile = sharedOf(memory.getType());
      if (!tile || access.getMask()) return success(); // what a mask leaves out is nowhere
      auto stride = static_cast<int64_t>(access.getRowStride().value_or(0));
      return checkRun(op, access.getValue().getType(), tile, access.getOffset(), stride, writes);
    };
    if (std::optional<Box> box = boxOf(op)) return checkBox(op, *box);
    if (auto remote = dyn_cast<RemoteOp>(op)) return checkRank(remote);
    if (auto load = dyn_cast<LoadOp>(op)) return run(load, load.getSource(), /*writes=*/false);
    auto store = dyn_cast<StoreOp>(op);
    return store ? run(store, store.getTarget(), /*writes=*/true) : success();
  });
}

#define GEN_PASS_DEF_TILEVERIFYBOUNDS
#include "passes/tile/Passes.h.inc"
namespace {
struct TileVerifyBounds : Rule<impl::TileVerifyBoundsBase<TileVerifyBounds>, checkPlaces> {};
} // namespace

} // namespace kiln::tile
