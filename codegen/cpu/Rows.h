//===- Rows.h - how each op of a tile program is lowered on the cpu target ----------------------------------------===//
//
// One row per op: its name and the function that replaces it by ops on vectors, scalars and pointers. The families
// (Memory.cpp, Fragments.cpp, Elementwise.cpp, Tables.cpp) each return their rows; the engine in CpuLower.cpp and the
// level spec read the concatenation and know no op.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_CPU_ROWS_H
#define KILN_CODEGEN_CPU_ROWS_H

#include "codegen/lower/Rows.h"
#include "ir/tile/Tile.h"

namespace kiln::codegen {

/// One of the values that a fragment becomes.
struct Unit {
  mlir::Type type; ///< a vector, or a scalar in a column
  int64_t row;     ///< which row of the fragment it lies in
  int64_t lane;    ///< its first lane in that row
};

/// The units of a value: a fragment's rows, each cut into vectors of `unitLanes` lanes and a shorter rest; a column's
/// rows; or the value itself.
llvm::SmallVector<Unit> unitsOf(mlir::Type type, int64_t unitLanes);

/// What a row is given beside the op. Values it creates are at `loc`, before the op.
struct Lowering {
  mlir::ConversionPatternRewriter &rewriter;
  int64_t unitLanes; ///< lanes of a unit: those of a native vector of 32-bit elements, whatever the element
  mlir::Location loc;

  llvm::SmallVector<Unit> units(mlir::Type type) const { return unitsOf(type, unitLanes); }
};

/// Operands come as their units, in the order of unitsOf.
using Row = RowOf<Lowering>;

/// Loads, stores, gathers, scatters and shared tiles.
llvm::ArrayRef<Row> memoryRows();
/// Ops of the tile dialect on fragments: splats, lanes, masks, folds, mma.
llvm::ArrayRef<Row> fragmentRows();
/// Constant tables, and `tile.lookup` in them.
llvm::ArrayRef<Row> tableRows();
/// arith and math ops that work element by element, and constants.
llvm::ArrayRef<Row> elementwiseRows();

/// Every row by op name.
const RowTableOf<Lowering> &cpuRows();

/// Converts the types of tile programs: fragments 1:N to their units, memory to `!llvm.ptr`, the rest unchanged.
///
/// Units are native vectors because wider ones would be cut by the backend, which takes longer for it, spreads masks
/// over lanes it has to shuffle apart again, and gives up on lane counts that are no power of two.
class CpuTypeConverter : public mlir::TypeConverter {
public:
  explicit CpuTypeConverter(int64_t unitLanes);
};

} // namespace kiln::codegen

#endif
