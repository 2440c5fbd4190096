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
#include "ir/target/Gpu.h"
#include "ir/tile/Tile.h"

namespace kiln::codegen::gpu {

/// The types of a fragment's units; of another type, itself.
llvm::SmallVector<mlir::Type> unitTypesOf(mlir::Type type);
/// The registers of a sum in flight: f32 or i32, or i32 that hold two 16-bit elements.
llvm::SmallVector<mlir::Type> pendingTypesOf(tile::PendingType type);

/// What a row is given beside the op. Values it creates are at `loc`, before the op.
struct Lowering {
  mlir::ConversionPatternRewriter &rewriter;
  const Frame &frame;
  mlir::Location loc;
  Role role; ///< who runs the op

  mlir::Value i32(int64_t value) const;
  mlir::Value i64(int64_t value) const;
  /// The low 32 bits of an index or integer.
  mlir::Value low32(mlir::Value value) const;
  /// Threads that run the op together: of the CTA, or of a role's warpgroup.
  int64_t threads() const { return role == Role::Cta ? frame.threads : kWarpgroup; }
  /// The thread's number among them.
  mlir::Value thread() const { return role == Role::Cta ? frame.thread : frame.groupThread; }
  /// The warp's number among theirs.
  mlir::Value warp() const { return role == Role::Cta ? frame.warp : frame.groupWarp; }
  /// The thread's number among those that hold a fragment of `count` threads: in the warp, or of `threads()`.
  mlir::Value threadOf(int64_t count) const { return count == 32 ? frame.lane : thread(); }
  /// True in one of the threads that run the op; null where one alone runs it.
  mlir::Value one() const;
  /// Those threads meet, and see what each wrote to shared memory.
  void meet() const;
  /// The CTA's threads meet; the cluster's, where there is one: `relaxed` if they have written nothing that others
  /// read.
  void meetAll(bool relaxed = false) const;
  /// Replaces a fragment by its units.
  llvm::LogicalResult replace(mlir::Operation *op, llvm::ArrayRef<mlir::Value> units) const;
};

/// Operands come as their units.
struct Row : RowOf<Lowering> {
  GpuFeature needs;
  Row(llvm::StringRef op, LowerFnOf<Lowering> lower, GpuFeature needs = GpuFeature::None)
      : RowOf<Lowering>{op, lower}, needs(needs) {}
};

/// Loads, stores, gathers, scatters and shared tiles.
llvm::ArrayRef<Row> memoryRows();
/// Ids, splats, lanes, masks.
llvm::ArrayRef<Row> fragmentRows();
/// Reductions, within a thread, a warp and a CTA.
llvm::ArrayRef<Row> foldRows();
/// Asynchronous copies by threads, matrix loads, MMA atoms.
llvm::ArrayRef<Row> matrixRows();
/// Rings of shared tiles.
llvm::ArrayRef<Row> ringRows();
/// Copies by the tensor memory accelerator.
llvm::ArrayRef<Row> bulkRows();
/// Warpgroup products.
llvm::ArrayRef<Row> wgmmaRows();
/// Roles, turns, clusters, extents, the order of tiles.
llvm::ArrayRef<Row> roleRows();
/// Parts, slices and other layouts of fragments, parts of tiles, matrix stores.
llvm::ArrayRef<Row> partRows();
/// What functions are made of: lookups in constant tables, the special function unit.
llvm::ArrayRef<Row> functionRows();
/// arith and math ops that work element by element, and constants.
llvm::ArrayRef<Row> elementwiseRows();

/// Every row by op name.
const RowTableOf<Lowering> &gpuRows();
/// What a target must have for an op that has a row: its row says, or, of conversions, its types.
GpuFeature featureOf(mlir::Operation *op);

/// Converts the types of tile programs: fragments and sums in flight 1:N to registers, memory and barriers to pointers,
/// turns to the number of their first barrier, the rest unchanged.
class TileTypes : public mlir::TypeConverter {
public:
  TileTypes();
};

} // namespace kiln::codegen::gpu

#endif
