//===- Rows.h - how each op of a tile program is lowered on the gpu targets ---------------------------------------===//
//
// One row per op: its name and the function that replaces it by what one thread does. The families each return their
// rows; the engine in GpuLower.cpp and the level spec read the concatenation and know no op.
//
// A fragment becomes a thread's registers, two by two: `vector<2xT>`, register 2u in lane 0 of unit u. Where a thread
// holds an odd number of elements they stay scalars.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_GPU_ROWS_H
#define KILN_CODEGEN_GPU_ROWS_H

#include "codegen/gpu/Frame.h"
#include "codegen/lower/Rows.h"
#include "ir/tile/Tile.h"

namespace kiln::codegen::gpu {

/// The types of a fragment's units; of another type, itself.
llvm::SmallVector<mlir::Type> unitTypesOf(mlir::Type type);

/// What a row is given beside the op. Values it creates are at `loc`, before the op.
struct Lowering {
  mlir::ConversionPatternRewriter &rewriter;
  const Frame &frame;
  mlir::Location loc;

  mlir::Value i32(int64_t value) const;
  mlir::Value i64(int64_t value) const;
  /// The low 32 bits of an index or integer.
  mlir::Value low32(mlir::Value value) const;
  /// The thread's number among those that hold a fragment of `threads` threads: in the warp, or in the CTA.
  mlir::Value threadOf(int64_t threads) const { return threads == 32 ? frame.lane : frame.thread; }
  /// Replaces a fragment by its units.
  llvm::LogicalResult replace(mlir::Operation *op, llvm::ArrayRef<mlir::Value> units) const;
};

/// Operands come as their units.
using Row = RowOf<Lowering>;

/// Loads, stores, gathers, scatters and shared tiles.
llvm::ArrayRef<Row> memoryRows();
/// Ids, splats, lanes, masks.
llvm::ArrayRef<Row> fragmentRows();
/// Reductions, within a thread, a warp and a CTA.
llvm::ArrayRef<Row> foldRows();
/// Rings, asynchronous copies, matrix loads, MMA atoms.
llvm::ArrayRef<Row> matrixRows();
/// What functions are made of: lookups in constant tables, the special function unit.
llvm::ArrayRef<Row> functionRows();
/// arith and math ops that work element by element, and constants.
llvm::ArrayRef<Row> elementwiseRows();

/// Every row by op name.
const RowTableOf<Lowering> &gpuRows();

/// Converts the types of tile programs: fragments 1:N to their units, memory to pointers, the rest unchanged.
class TileTypes : public mlir::TypeConverter {
public:
  TileTypes();
};

} // namespace kiln::codegen::gpu

#endif
