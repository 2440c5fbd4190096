// Constraints of the ops in Fragments.td.
#include "ir/tile/Rules.h"

#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace kiln::tile;
using kiln::layout::SharedTile;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===- Parts ------------------------------------------------------------------------------------------------------===//

LogicalResult ExtractOp::verify() {
  RankedTensorType source = typeOf(getSource()), result = typeOf(getResult());
  bool alike = source.getEncoding() == result.getEncoding() && source.getElementType() == result.getElementType() &&
               source.getRank() == 2 && result.getRank() == 2;
  if (!alike || result.getDimSize(0) > source.getDimSize(0) || result.getDimSize(1) > source.getDimSize(1))
    return violate(*this, {"C1", "a part has the layout and elements of a matrix that is no smaller", spell(source),
                           spell(result)});
  std::optional<int64_t> row = constantOf(getRow()), column = constantOf(getColumn());
  if (!row || !column) return success();
  bool inside = *row >= 0 && *column >= 0 && *row <= source.getDimSize(0) - result.getDimSize(0) &&
                *column <= source.getDimSize(1) - result.getDimSize(1);
  auto whole = distributionOf(source), part = distributionOf(result);
  if (inside && whole && part && registersOf(*whole, *part, {*row, *column})) return success();
  return violate(*this, {"C2", "each thread holds its elements of the part",
                         fmt::format("offsets at which a {} lies in a {}", spell(result), spell(source)),
                         fmt::format("[{}, {}]", *row, *column)});
}

/// (C2): the part lies in memory as its type says.
static LogicalResult checkPart(SubtileOp op, const SharedTile &whole, const SharedTile &part) {
  int64_t unit = whole.swizzle ? std::lcm<int64_t>(8, whole.periodRows()) : 1;
  // Panels of a part are as far from each other as the tile's, which its type says by its rows.
  bool isPart = part.panel == whole.panel && (part.panels() <= 1 || part.rows == whole.rows);
  if (!isPart || part.rows % unit != 0)
    return violate(
        op, {"C2", "a part lies in memory as its type says",
             fmt::format("rows by {} of {} columns, or several panels with all {} rows", unit, whole.panel, whole.rows),
             spell(op.getType())});
  std::optional<int64_t> row = constantOf(op.getRow()), column = constantOf(op.getColumn());
  bool rowFits = !row || (*row >= 0 && *row <= whole.rows - part.rows && *row % unit == 0);
  bool columnFits = !column || (*column >= 0 && *column <= whole.columns - part.columns &&
                                *column % std::max<int64_t>(whole.panel, 1) == 0);
  if (rowFits && columnFits) return success();
  return violate(op,
                 {"C2", "a part lies in its tile, at a row that the swizzle starts again with",
                  fmt::format("rows up to {} by {}, columns up to {} by {}", whole.rows - part.rows, unit,
                              whole.columns - part.columns, whole.panel),
                  fmt::format("[{}, {}]", row ? std::to_string(*row) : "?", column ? std::to_string(*column) : "?")});
}

LogicalResult SubtileOp::verify() {
  SharedType source = getSource().getType(), result = getType();
  bool matrices = source.getShape().size() == 2 && result.getShape().size() == 2;
  if (!matrices || source.getElementType() != result.getElementType() || source.getSwizzle() != result.getSwizzle() ||
      result.getShape()[0] > source.getShape()[0] || result.getShape()[1] > source.getShape()[1])
    return violate(*this, {"C1", "a part has the elements and swizzle of a matrix that is no smaller", spell(source),
                           spell(result)});
  return checkPart(*this, tileOf(source), tileOf(result));
}

//===- Rows and columns -------------------------------------------------------------------------------------------===//

/// Whether `slice` is a vector of `layout` along dimension `dim` of the matrix, with its elements.
template <class Layout> static bool isSlice(RankedTensorType slice, RankedTensorType matrix, unsigned dim) {
  return isa<Layout>(slice.getEncoding()) && isa<WgmmaAttr>(matrix.getEncoding()) &&
         slice.getDimSize(0) == matrix.getDimSize(dim) && slice.getElementType() == matrix.getElementType();
}

LogicalResult ReduceRowsOp::verify() {
  RankedTensorType x = typeOf(getX()), result = typeOf(getResult());
  if (isSlice<WgmmaRowsAttr>(result, x, 0)) return success();
  return violate(*this, {"C1", "rows of an accumulator become one element each",
                         "#tile.wgmma to #tile.wgmma_rows of its rows and elements", spell({x, result})});
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType x = typeOf(getX()), result = typeOf(getResult());
  if (isSlice<WgmmaRowsAttr>(x, result, 0) || isSlice<WgmmaColumnsAttr>(x, result, 1)) return success();
  return violate(*this, {"C1", "an element per row or column becomes an accumulator's",
                         "#tile.wgmma_rows or #tile.wgmma_columns to #tile.wgmma of its rows or columns and elements",
                         spell({x, result})});
}

LogicalResult RelayoutOp::verify() {
  RankedTensorType x = typeOf(getX()), result = typeOf(getResult());
  if (x.getShape() != result.getShape() || x.getElementType() != result.getElementType())
    return violate(*this, {"C1", "another layout changes no element", spell(x), spell(result)});
  auto from = distributionOf(x), to = distributionOf(result);
  if (from && to && registersOf(*from, *to, {})) return success();
  if (isa<WgmmaAttr>(x.getEncoding()) && isa<WgmmaAAttr>(result.getEncoding()) && bytesOf(x.getElementType()) == 1)
    return success();
  return violate(*this, {"C2", "every thread, or of 8-bit elements its quad, holds the elements that it needs",
                         fmt::format("a layout that {} has all elements of", spell(x)), spell(result),
                         "tile.store and tile.load through a shared tile"});
}

LogicalResult CoordinatesOp::verify() {
  RankedTensorType type = typeOf(getResult());
  auto dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim >= type.getRank())
    return violate(
        *this, {"C1", "the fragment has the dimension", fmt::format("below {}", type.getRank()), std::to_string(dim)});
  if (type.getElementType().isInteger(32)) return success();
  return violate(*this, {"C2", "coordinates are 32-bit integers", "i32", spell(type.getElementType())});
}

//===- tile.store_matrix ------------------------------------------------------------------------------------------===//

LogicalResult StoreMatrixOp::verify() {
  RankedTensorType value = typeOf(getValue());
  SharedType target = getTarget().getType();
  bool ofRank2 = value.getRank() == 2;
  int64_t rows = ofRank2 ? value.getDimSize(getTranspose() ? 1 : 0) : 0;
  int64_t columns = ofRank2 ? value.getDimSize(getTranspose() ? 0 : 1) : 0;
  bool matrix = isa<WgmmaAttr, MmaAccAttr>(value.getEncoding()) && bytesOf(value.getElementType()) == 2 &&
                value.getElementType() == target.getElementType();
  if (!matrix || target.getShape().size() != 2 || target.getShape()[0] < rows || target.getShape()[1] < columns)
    return violate(
        *this, {"C1", "an accumulator of 16-bit elements goes to a tile that holds it",
                fmt::format("#tile.wgmma or #tile.mma_acc, a tile of at least {}x{} of its elements", rows, columns),
                spell({value, target})});
  if (tileOf(target).rowBytes() % 16 != 0)
    return violate(*this,
                   {"C2", "the tile must have rows of 16-byte chunks", "rows a multiple of 16 bytes", spell(target)});
  std::optional<int64_t> row = constantOf(getRow()), column = constantOf(getColumn());
  if ((row && *row % 8 != 0) || (column && *column % 8 != 0))
    return violate(*this,
                   {"C3", "matrices of 8x8 are written whole", "a row and column that are multiples of 8",
                    fmt::format("[{}, {}]", row ? std::to_string(*row) : "?", column ? std::to_string(*column) : "?")});
  return success();
}
