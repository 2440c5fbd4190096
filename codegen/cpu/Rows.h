//===- Rows.h - how each op of a tile program is lowered on the cpu target ----------------------------------------===//
//
// One row per op: its name and the function that replaces it by ops on vectors, scalars and pointers. The families
// (Memory.cpp, Fragments.cpp, Elementwise.cpp) each return their rows; the engine in CpuLower.cpp and the level spec
// read the concatenation and know no op.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_CPU_ROWS_H
#define KILN_CODEGEN_CPU_ROWS_H

#include "ir/target/Cpu.h"
#include "ir/tile/Tile.h"

#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringMap.h"

namespace kiln::codegen {

/// What a row is given beside the op. Values it creates are at `loc`, before the op.
struct Lowering {
  mlir::ConversionPatternRewriter &rewriter;
  const mlir::TypeConverter &types; ///< fragments to their units, memory to pointers
  const CpuTarget &target;
  mlir::Location loc;

  /// The types of one value after lowering: a vector per row of a fragment, a scalar per row of a column.
  llvm::SmallVector<mlir::Type> unitTypes(mlir::Type type) const;
};

/// Replaces `op`. operands[i] holds the units of operand i: one value for a scalar or a pointer, one per row for a
/// fragment. Fails with a diagnostic on the op.
using LowerFn = llvm::LogicalResult (*)(mlir::Operation *op, llvm::ArrayRef<mlir::ValueRange> operands, Lowering &to);

struct Row {
  llvm::StringRef op;
  LowerFn lower;
};

/// Loads, stores, gathers, scatters and shared tiles.
llvm::ArrayRef<Row> memoryRows();
/// Ops of the tile dialect on fragments: splats, lanes, masks, folds, mma.
llvm::ArrayRef<Row> fragmentRows();
/// arith and math ops that work element by element, and constants.
llvm::ArrayRef<Row> elementwiseRows();

/// Every row by op name.
const llvm::StringMap<LowerFn> &cpuRows();

/// Converts the types of tile programs: fragments 1:N, memory to `!llvm.ptr`, the rest unchanged.
class CpuTypeConverter : public mlir::TypeConverter {
public:
  CpuTypeConverter();
};

} // namespace kiln::codegen

#endif
