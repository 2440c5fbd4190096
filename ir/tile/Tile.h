//===- Tile.h - the tile dialect --------------------------------------------------------------------------------===//
//
// C++ face of the tile dialect: its ops, types and fragment layouts. The ops are documented in Tile.td.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_TILE_TILE_H
#define KILN_IR_TILE_TILE_H

#include "ir/layout/Fragment.h"
#include "ir/layout/SharedTile.h"
#include "ir/tile/MachineModel.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::tile {
/// A builtin tensor whose encoding is one of this dialect's fragment layouts; of that rank, unless rank is -1.
bool isFragment(mlir::Type type, int64_t rank = -1);
/// One of this dialect's fragment layouts.
bool isLayout(mlir::Attribute encoding);
/// i1, or a fragment of it.
bool isMask(mlir::Type type);
/// A rank-1 fragment of i64.
bool isOffsets(mlir::Type type);
} // namespace kiln::tile

#include "ir/tile/TileDialect.h.inc"
#include "ir/tile/TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/tile/TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/tile/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "ir/tile/Tile.h.inc"

namespace kiln::tile {

/// Element type of a `!tile.global`, `!tile.shared` or `!tile.remote`; null for another type.
mlir::Type elementTypeOf(mlir::Type memory);
/// The fragment `tensor<lanesxelement, #tile.simd>`.
mlir::RankedTensorType simd(mlir::Type element, int64_t lanes);
/// The fragment `tensor<rowsxlanesxelement, #tile.simd>`.
mlir::RankedTensorType simd(mlir::Type element, int64_t rows, int64_t lanes);
/// The fragment `tensor<rowsxelement, #tile.simd_column>`.
mlir::RankedTensorType simdColumn(mlir::Type element, int64_t rows);
/// The fragment `tensor<extentxelement, #tile.blocked<vec, threads>>`.
mlir::RankedTensorType blocked(mlir::Type element, int64_t extent, int64_t vec, int64_t threads);
/// The attribute of a kernel's argument that names its dimensions: an array of one string per dimension.
inline constexpr llvm::StringLiteral kDims = "tile.dims";
/// The attribute that says which elements rows of an argument start at multiples of.
inline constexpr llvm::StringLiteral kAligned = "tile.aligned";
/// The attribute that says which of a kernel's tensors an argument is, where the kernel is several launches: its operands,
/// results and workspaces are counted in this order.
inline constexpr llvm::StringLiteral kTensor = "tile.tensor";
/// The attribute of an scf.for that `tile-unroll` unrolls fully.
inline constexpr llvm::StringLiteral kUnroll = "tile.unroll";
/// The names that `tile.dims` gives the dimensions of a kernel's argument; empty if it has none.
llvm::SmallVector<llvm::StringRef> dimsOf(KernelOp kernel, unsigned argument);
/// Threads that run `op` together: those of a warpgroup in a role, else the kernel's; 0 for one thread of execution.
int64_t threadsAround(mlir::Operation *op);
/// Which thread holds which element, for a fragment of many threads; nullopt for one of the cpu target.
std::optional<layout::Fragment> distributionOf(mlir::Type type);
/// Bytes one element takes in memory (bool: 1).
int64_t bytesOf(mlir::Type element);
/// Where the elements of a shared tile lie; of rank 1 it is one row, of higher ranks the last dimension's rows.
layout::SharedTile tileOf(SharedType type);
/// Bytes that the place of a shared tile of a CTA is a multiple of: 16, or a whole period of its swizzle.
int64_t alignmentOf(SharedType type);
/// Bytes of a shared tile; INT64_MAX where an i64 does not hold them.
int64_t bytesOf(SharedType type);
/// Bytes that the place of a ring is a multiple of: the most that one of its tiles asks for.
int64_t alignmentOf(RingType type);
/// Byte offset of tile number `tile` in a slot of a ring: behind the tiles before it, each up to its own alignment.
/// INT64_MAX where an i64 does not hold it.
int64_t slotOffset(RingType type, unsigned tile);
/// Bytes from one slot of a ring to the next: all of its tiles, up to the ring's alignment.
int64_t slotBytes(RingType type);
/// Bytes of a slot's two barriers: *full*, then *empty*, 8 each. They lie behind the tiles of all slots, slot by slot.
inline constexpr int64_t kSlotBarriers = 16;
/// Byte offset of the barriers of a ring that has them: where the tiles of the last slot end.
int64_t barriersOffset(RingType type);
/// How many tiles or rings an alloc makes: one for each consumer in a `consumers` region, else one.
int64_t copiesOf(mlir::Operation *alloc);
/// Bytes from one consumer's tile or ring to the next one's: with its barriers, up to its alignment.
int64_t copyStride(AllocOp alloc);
int64_t copyStride(AllocRingOp alloc);
/// Bytes of all of them; INT64_MAX where an i64 does not hold them.
int64_t bytesOf(AllocOp alloc);
int64_t bytesOf(AllocRingOp alloc);

} // namespace kiln::tile

#endif
