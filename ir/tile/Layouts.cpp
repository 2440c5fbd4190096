// What fragments a layout allows, and layouts as index maps.
#include "ir/Violation.h"
#include "ir/tile/Tile.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::tile;
using kiln::ir::violate;
using kiln::layout::Fragment;
using kiln::layout::FragmentKind;

using EmitError = function_ref<InFlightDiagnostic()>;

/// Bytes of a word of `#tile.wgmma_a`.
static constexpr int64_t kWord = 4;

bool kiln::tile::isLayout(Attribute encoding) {
  return isa<SimdAttr, SimdColumnAttr, BlockedAttr, MmaAccAttr, MmaAAttr, MmaBAttr, OuterAttr, OuterAAttr, OuterBAttr,
             WgmmaAttr, WgmmaAAttr, WgmmaRowsAttr, WgmmaColumnsAttr>(encoding);
}

std::optional<Fragment> kiln::tile::distributionOf(Type type) {
  auto fragment = dyn_cast<RankedTensorType>(type);
  if (!fragment || !fragment.getEncoding()) return std::nullopt;
  int64_t columns = fragment.getRank() ? fragment.getShape().back() : 1;
  int64_t rows = fragment.getRank() == 2 ? fragment.getDimSize(0) : 1;
  using Result = std::optional<Fragment>;
  return llvm::TypeSwitch<Attribute, Result>(fragment.getEncoding())
      .Case([&](BlockedAttr l) -> Result {
        return Fragment{FragmentKind::Blocked, rows, columns, l.getVec(), l.getThreads()};
      })
      .Case([&](MmaAccAttr l) -> Result {
        return Fragment{FragmentKind::MmaAcc, rows, columns, l.getWarpsM(), l.getWarpsN()};
      })
      .Case([&](MmaAAttr l) -> Result {
        return Fragment{FragmentKind::MmaA, rows, columns, l.getWarpsM(), l.getWarpsN()};
      })
      .Case([&](MmaBAttr l) -> Result {
        return Fragment{FragmentKind::MmaB, rows, columns, l.getWarpsM(), l.getWarpsN()};
      })
      .Case([&](OuterAttr l) -> Result {
        return Fragment{FragmentKind::Outer, rows, columns, l.getRows(), l.getColumns()};
      })
      .Case([&](OuterAAttr l) -> Result {
        return Fragment{FragmentKind::OuterA, rows, columns, l.getRows(), l.getColumns()};
      })
      .Case([&](OuterBAttr l) -> Result {
        return Fragment{FragmentKind::OuterB, rows, columns, l.getRows(), l.getColumns()};
      })
      .Case([&](WgmmaAttr) -> Result { return Fragment{FragmentKind::WgmmaAcc, rows, columns}; })
      .Case([&](WgmmaAAttr) -> Result {
        return Fragment{FragmentKind::WgmmaA, rows, columns, kWord / bytesOf(fragment.getElementType())};
      })
      .Case([&](WgmmaRowsAttr) -> Result { return Fragment{FragmentKind::WgmmaRows, rows, columns}; })
      .Case([&](WgmmaColumnsAttr) -> Result { return Fragment{FragmentKind::WgmmaColumns, rows, columns}; })
      .Default([](Attribute) -> Result { return std::nullopt; });
}

//===- What they allow --------------------------------------------------------------------------------------------===//

static std::string spellExtent(int64_t extent) { return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent); }

static LogicalResult verifyRank(EmitError emitError, StringRef layout, ArrayRef<int64_t> shape, size_t rank,
                                const char *rule) {
  if (shape.size() == rank) return success();
  return violate(emitError, layout, {"C1", rule, fmt::format("rank {}", rank), fmt::format("rank {}", shape.size())});
}

/// (C3): `extent` is a positive multiple of `unit`.
static LogicalResult verifyMultiple(EmitError emitError, StringRef layout, const char *what, int64_t extent,
                                    int64_t unit) {
  if (!ShapedType::isDynamic(extent) && extent > 0 && extent % unit == 0) return success();
  return violate(emitError, layout,
                 {"C3", fmt::format("{} must be dealt out evenly", what), fmt::format("a multiple of {}", unit),
                  spellExtent(extent)});
}

LogicalResult SimdAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element, EmitError emitError) const {
  if (shape.size() != 1 && shape.size() != 2)
    return violate(
        emitError, "#tile.simd",
        {"C1", "a fragment must be a vector, or rows of one", "rank 1 or 2", fmt::format("rank {}", shape.size())});
  for (int64_t extent : shape)
    if (extent < 1)
      return violate(emitError, "#tile.simd",
                     {"C2", "a fragment must hold something", "static extents of at least 1", spellExtent(extent)});
  return success();
}

LogicalResult SimdColumnAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element, EmitError emitError) const {
  if (failed(verifyRank(emitError, "#tile.simd_column", shape, 1, "a column must have rows and nothing else")))
    return failure();
  if (shape[0] < 1)
    return violate(emitError, "#tile.simd_column",
                   {"C2", "a fragment must hold something", "a static extent of at least 1", spellExtent(shape[0])});
  return success();
}

LogicalResult BlockedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element, EmitError emitError) const {
  if (failed(verifyRank(emitError, "#tile.blocked", shape, 1, "runs lie along one dimension"))) return failure();
  if (!llvm::isPowerOf2_64(getVec()) || getVec() > 16 || getThreads() < 32 || getThreads() > 1024 ||
      getThreads() % 32 != 0)
    return violate(emitError, "#tile.blocked",
                   {"C2", "runs and threads must be those of hardware",
                    "vec a power of two up to 16, threads a multiple of 32 up to 1024",
                    fmt::format("vec = {}, threads = {}", getVec(), getThreads())});
  return verifyMultiple(emitError, "#tile.blocked", "elements", shape[0], getVec() * getThreads());
}

//===- Grids of warps ---------------------------------------------------------------------------------------------===//

namespace {
/// What the three MMA layouts differ in.
struct WarpGrid {
  StringRef layout;
  int64_t warpsM, warpsN, rowUnit, columnUnit;
  bool sixteenBits;
};
} // namespace

static LogicalResult verifyWarpGrid(EmitError emitError, const WarpGrid &grid, ArrayRef<int64_t> shape, Type element) {
  if (failed(verifyRank(emitError, grid.layout, shape, 2, "atoms have rows and columns"))) return failure();
  if (grid.warpsM < 1 || grid.warpsN < 1 || grid.warpsM > 32 || grid.warpsN > 32 || grid.warpsM * grid.warpsN > 32)
    return violate(
        emitError, grid.layout,
        {"C2", "warps must be those of a CTA", "1 to 32 in all", fmt::format("[{}, {}]", grid.warpsM, grid.warpsN)});
  if (failed(verifyMultiple(emitError, grid.layout, "rows", shape[0], grid.rowUnit)) ||
      failed(verifyMultiple(emitError, grid.layout, "columns", shape[1], grid.columnUnit)))
    return failure();
  if (!grid.sixteenBits || (element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 16)) return success();
  return violate(emitError, grid.layout,
                 {"C4", "elements must be those of the atom", "16 bits", llvm::formatv("{0}", element)});
}

LogicalResult MmaAccAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element, EmitError emitError) const {
  return verifyWarpGrid(
      emitError, {"#tile.mma_acc", getWarpsM(), getWarpsN(), 16 * getWarpsM(), 8 * getWarpsN(), false}, shape, element);
}
LogicalResult MmaAAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element, EmitError emitError) const {
  return verifyWarpGrid(emitError, {"#tile.mma_a", getWarpsM(), getWarpsN(), 16 * getWarpsM(), 16, true}, shape,
                        element);
}
LogicalResult MmaBAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element, EmitError emitError) const {
  return verifyWarpGrid(emitError, {"#tile.mma_b", getWarpsM(), getWarpsN(), 16, 8 * getWarpsN(), true}, shape,
                        element);
}

//===- Grids of threads -------------------------------------------------------------------------------------------===//

static LogicalResult verifyThreadGrid(EmitError emitError, StringRef layout, int64_t rows, int64_t columns) {
  int64_t threads = rows * columns;
  if (rows >= 1 && columns >= 1 && rows <= 1024 && columns <= 1024 && threads % 32 == 0 && threads <= 1024)
    return success();
  return violate(emitError, layout,
                 {"C2", "threads must be those of a CTA", "a multiple of 32 up to 1024 in all",
                  fmt::format("[{}, {}]", rows, columns)});
}

LogicalResult OuterAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element, EmitError emitError) const {
  StringRef layout = "#tile.outer";
  if (failed(verifyRank(emitError, layout, shape, 2, "an outer product has rows and columns")) ||
      failed(verifyThreadGrid(emitError, layout, getRows(), getColumns())) ||
      failed(verifyMultiple(emitError, layout, "rows", shape[0], 4 * getRows())))
    return failure();
  return verifyMultiple(emitError, layout, "columns", shape[1], 4 * getColumns());
}
LogicalResult OuterAAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element, EmitError emitError) const {
  StringRef layout = "#tile.outer_a";
  if (failed(verifyRank(emitError, layout, shape, 1, "a slice has one dimension")) ||
      failed(verifyThreadGrid(emitError, layout, getRows(), getColumns())))
    return failure();
  return verifyMultiple(emitError, layout, "elements", shape[0], 4 * getRows());
}
LogicalResult OuterBAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element, EmitError emitError) const {
  StringRef layout = "#tile.outer_b";
  if (failed(verifyRank(emitError, layout, shape, 1, "a slice has one dimension")) ||
      failed(verifyThreadGrid(emitError, layout, getRows(), getColumns())))
    return failure();
  return verifyMultiple(emitError, layout, "elements", shape[0], 4 * getColumns());
}

//===- Warpgroups -------------------------------------------------------------------------------------------------===//

/// (C2) of a warpgroup's layouts.
static LogicalResult verifyUnit(EmitError emitError, StringRef layout, const char *what, int64_t extent, int64_t unit) {
  if (!ShapedType::isDynamic(extent) && extent > 0 && extent % unit == 0) return success();
  return violate(
      emitError, layout,
      {"C2", fmt::format("{} must be whole atoms", what), fmt::format("a multiple of {}", unit), spellExtent(extent)});
}

LogicalResult WgmmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  StringRef layout = "#tile.wgmma";
  if (failed(verifyRank(emitError, layout, shape, 2, "an accumulator has rows and columns")) ||
      failed(verifyUnit(emitError, layout, "rows", shape[0], 64)))
    return failure();
  return verifyUnit(emitError, layout, "columns", shape[1], 8);
}
LogicalResult WgmmaAAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element, EmitError emitError) const {
  StringRef layout = "#tile.wgmma_a";
  if (failed(verifyRank(emitError, layout, shape, 2, "an operand has rows and columns")) ||
      failed(verifyUnit(emitError, layout, "rows", shape[0], 64)))
    return failure();
  if (!element.isIntOrFloat() || !llvm::is_contained({8u, 16u, 32u}, element.getIntOrFloatBitWidth()))
    return violate(emitError, layout,
                   {"C3", "elements must be those of the atom", "8, 16 or 32 bits", llvm::formatv("{0}", element)});
  return verifyUnit(emitError, layout, "columns", shape[1], 8 * kWord / bytesOf(element));
}
LogicalResult WgmmaRowsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  if (failed(verifyRank(emitError, "#tile.wgmma_rows", shape, 1, "a slice has one dimension"))) return failure();
  return verifyUnit(emitError, "#tile.wgmma_rows", "rows", shape[0], 64);
}
LogicalResult WgmmaColumnsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, EmitError emitError) const {
  if (failed(verifyRank(emitError, "#tile.wgmma_columns", shape, 1, "a slice has one dimension"))) return failure();
  return verifyUnit(emitError, "#tile.wgmma_columns", "columns", shape[0], 8);
}
