//===- Arguments.h - what a launch of a tile program passes
//--------------------------------------------------------===//
//
// The parameters of a kernel, in order, as its machine code takes them and as a plan's launch step gives them: one
// list, read by code generation and by the planner, so that the two cannot disagree.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_TILE_ARGUMENTS_H
#define KILN_IR_TILE_ARGUMENTS_H

#include "ir/tile/Tile.h"

#include "llvm/ADT/SetVector.h"

namespace kiln::tile {

/// What a tensor map is encoded from: a tensor, the box that one copy moves, and how it lies in shared memory.
struct MapRecipe {
  unsigned argument = 0;                    ///< of the kernel: a `!tile.global`
  llvm::SmallVector<int64_t, 5> box = {};   ///< elements in each dimension of the tensor, outermost first
  int64_t swizzle = 0;                      ///< bytes: 0, 32, 64 or 128
  int64_t l2 = 0;                           ///< bytes that L2 fetches at once: 0, 64, 128 or 256
  llvm::SmallVector<std::string> view = {}; ///< extents of the dense tensor that it is taken for; none: its own
  bool tf32 = false;                        ///< elements are rounded to it on the way

  bool operator==(const MapRecipe &) const = default;
};

/// One parameter.
struct KernelArgument {
  enum class Kind {
    Buffer, ///< a pointer: `argument`
    Extent, ///< an i64: the extent that `tile.dims` calls `name`
    Stride, ///< an i64: elements along dimension `dim` of `argument`
    Scalar, ///< a number: `argument`
    Map,    ///< 128 bytes: the tensor map of `map`
  };
  Kind kind = Kind::Buffer;
  unsigned argument = 0; ///< of the kernel, counted over all of its arguments
  unsigned dim = 0;
  std::string name = {};
  MapRecipe map = {};

  bool operator==(const KernelArgument &) const = default;
};

/// The parameters of a program's kernel: a pointer per `!tile.global`; an i64 per named extent that the program asks
/// for (tile.extent, a dense stride, tile.async_load) and that no argument's type tells, in the order in which
/// `tile.dims` first names them; an i64 per stride that it asks for and that is `?`, by argument and dimension; the
/// scalars; a map per distinct recipe, in the order of first use.
llvm::SmallVector<KernelArgument> argumentsOf(KernelOp kernel);

/// The list as an attribute, `[{buffer = 0}, {extent = "M"}, {stride = [0, 0]}, {scalar = 4}, {map = {argument = 0,
/// box = [128, 64], swizzle = 128, l2 = 256}}]`: what a lowered function carries as `ptx.arguments`.
mlir::ArrayAttr toAttribute(llvm::ArrayRef<KernelArgument> arguments, mlir::MLIRContext *context);
/// The list that such an attribute says; fails on anything else.
llvm::FailureOr<llvm::SmallVector<KernelArgument>> argumentsFrom(mlir::Attribute attribute);

/// On tile.kernel: the least and the most that extents are in a launch, `{K = [64, 1024]}`.
inline constexpr llvm::StringLiteral kRanges = "tile.ranges";
/// The names that `tile.dims` gives extents, in the order in which arguments have them.
llvm::SetVector<llvm::StringRef> extentNames(KernelOp kernel);
/// The least and the most that an extent is in a launch: what a type tells, what `tile.ranges` declares, or any.
std::pair<int64_t, int64_t> rangeOfExtent(KernelOp kernel, llvm::StringRef name);
/// The extent of that name where the type of some argument tells it; nullopt if a launch does.
std::optional<int64_t> knownExtent(KernelOp kernel, llvm::StringRef name);

/// Elements from one index of a dimension to the next: `factor`, times the extents named (which a launch tells), or,
/// where `isParameter`, what the launch passes.
struct StrideSource {
  int64_t factor = 1;
  llvm::SmallVector<llvm::StringRef> extents;
  bool isParameter = false;
};
StrideSource strideOf(KernelOp kernel, unsigned argument, unsigned dim);

/// The recipe of the tensor map that a copy between a tensor and a tile needs: its box is the op's, or 1s and the
/// tile's extents, of a panel where it has them.
MapRecipe mapOf(TmaLoadOp load);
MapRecipe mapOf(TmaStoreOp store);

} // namespace kiln::tile

#endif
