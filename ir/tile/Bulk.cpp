// Constraints of the ops in Bulk.td: what the tensor memory accelerator asks of tensors, boxes and tiles.
#include "ir/tile/Rules.h"

#include "ir/tile/Arguments.h"
#include "kiln/Error.h"
#include "runtime/Expr.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace kiln::tile;

namespace {
constexpr int64_t kChunk = 16;
constexpr int64_t kMostDims = 5, kMostOfSide = 256;

/// What loads and stores by tensor maps have in common.
struct Copy {
  Operation *op;
  GlobalType tensor;
  SharedType tile;
  Value memory;
  size_t coordinates;
  std::optional<ArrayAttr> view;
  std::optional<ArrayRef<int64_t>> box;

  /// Of the tensor, or of what it is taken for.
  size_t rank() const { return view ? view->size() : tensor.getShape().size(); }

  MapRecipe map() const {
    if (auto load = dyn_cast<TmaLoadOp>(op)) return mapOf(load);
    return mapOf(cast<TmaStoreOp>(op));
  }
};
} // namespace

/// (C1): the element types are one, of a whole number of bytes.
static LogicalResult checkElements(Operation *op, Type tensor, Type tile) {
  bool known = llvm::is_contained({8u, 16u, 32u, 64u}, tensor.getIntOrFloatBitWidth());
  if (tensor == tile && known) return success();
  return violate(op, {"C1", "a copy changes no element, and a tensor map knows it",
                      known ? spell(tensor) : "elements of 8, 16, 32 or 64 bits", spell(tile)});
}

/// (C2).
static LogicalResult checkCoordinates(const Copy &copy) {
  size_t rank = copy.rank();
  if (copy.coordinates == rank && rank >= 1 && rank <= kMostDims) return success();
  return violate(copy.op, {"C2", "there is a coordinate per dimension, 1 to 5", std::to_string(rank),
                           std::to_string(copy.coordinates)});
}

/// (C3): a box is the tile, in some of the tensor's dimensions.
static LogicalResult checkBox(const Copy &copy) {
  size_t rank = copy.rank();
  ArrayRef<int64_t> shape = copy.tile.getShape();
  auto sides = [](ArrayRef<int64_t> extents) {
    SmallVector<int64_t> kept;
    llvm::copy_if(extents, std::back_inserter(kept), [](int64_t extent) { return extent != 1; });
    return kept;
  };
  bool fits = copy.box ? copy.box->size() == rank && sides(*copy.box) == sides(shape) : shape.size() <= rank;
  if (fits) return success();
  std::string expected = fmt::format("{} extents, {} without ones", rank, fmt::join(sides(shape), "x"));
  std::string found = copy.box ? fmt::format("{}", fmt::join(*copy.box, "x")) : spell(copy.tile);
  return violate(copy.op, {"C3", "the box has the tile's elements", expected, found});
}

/// (C4): rows and sides.
static LogicalResult checkSides(const Copy &copy) {
  MapRecipe map = copy.map();
  int64_t rowBytes = map.box.back() * bytesOf(copy.tensor.getElementType()), swizzle = copy.tile.getSwizzle();
  if (swizzle && rowBytes != swizzle)
    return violate(copy.op, {"C4", "rows of a tile, or its panels, are as long as the swizzle",
                             fmt::format("{} bytes", swizzle), fmt::format("{} bytes", rowBytes),
                             rowBytes > swizzle ? "panels of the swizzle's bytes" : "a smaller swizzle"});
  if (rowBytes % kChunk != 0)
    return violate(copy.op, {"C4", "rows are whole chunks", fmt::format("a multiple of {} bytes", kChunk),
                             fmt::format("{} bytes", rowBytes)});
  for (int64_t side : map.box)
    if (side < 1 || side > kMostOfSide)
      return violate(copy.op, {"C4", "no side of a box is longer than hardware counts",
                               fmt::format("1 to {} elements", kMostOfSide), std::to_string(side),
                               "several copies to parts of the tile"});
  return success();
}

/// (C5): the strides that are known.
static LogicalResult checkStrides(const Copy &copy, unsigned argument) {
  auto kernel = copy.op->getParentOfType<KernelOp>();
  auto rank = static_cast<unsigned>(copy.tensor.getShape().size());
  int64_t bytes = bytesOf(copy.tensor.getElementType());
  for (unsigned dim = 0; dim < rank; ++dim) {
    StrideSource stride = strideOf(kernel, argument, dim);
    bool known = !stride.isParameter && stride.extents.empty();
    if (dim + 1 == rank && (!known || stride.factor != 1))
      return violate(copy.op, {"C5", "the tensor's last dimension is dense", "a stride of 1",
                               known ? std::to_string(stride.factor) : "?"});
    if (dim + 1 < rank && known && stride.factor * bytes % kChunk != 0)
      return violate(copy.op, {"C5", fmt::format("dimension {} has strides of whole chunks", dim),
                               fmt::format("a multiple of {} elements", kChunk / bytes), std::to_string(stride.factor),
                               "rows padded to 128 bytes"});
  }
  return success();
}

/// (C9): what the tensor is taken for.
static LogicalResult checkView(const Copy &copy) {
  auto kernel = copy.op->getParentOfType<KernelOp>();
  if (!copy.tensor.getStrides().empty())
    return violate(copy.op, {"C9", "what is taken `as` another tensor is dense", "no strides", spell(copy.tensor)});
  llvm::SetVector<StringRef> names = extentNames(kernel);
  for (StringAttr text : copy.view->getAsRange<StringAttr>()) {
    try {
      for (const std::string &name : kiln::Expr::parse(text.str()).extents())
        if (!names.contains(name))
          return violate(copy.op, {"C9", "extents are of names that there are", llvm::join(names, ", "), name});
    } catch (const kiln::Error &error) {
      return violate(copy.op, {"C9", "extents are numbers or expressions", "such as floordiv(M, 8)",
                               error.found.empty() ? text.str() : error.found});
    }
  }
  return success();
}

/// All that loads and stores by tensor maps have in common; `last` is the constraint that they are an argument.
static LogicalResult checkCopy(const Copy &copy, const char *last) {
  if (failed(checkElements(copy.op, copy.tensor.getElementType(), copy.tile.getElementType())) ||
      failed(checkCoordinates(copy)) || failed(checkBox(copy)))
    return failure();
  std::optional<unsigned> argument = argumentNumber(copy.memory);
  if (!argument)
    return violate(copy.op, {last, "a tensor map is of an argument of the kernel", "an argument", "another value"});
  if (failed(checkSides(copy))) return failure();
  return copy.view ? checkView(copy) : checkStrides(copy, *argument);
}

LogicalResult TmaLoadOp::verify() {
  if (auto l2 = static_cast<int64_t>(getL2()); !llvm::is_contained({0, 64, 128, 256}, l2))
    return violate(*this, {"C6", "L2 fetches at once", "0, 64, 128 or 256 bytes", std::to_string(l2)});
  if (getMulticast()) {
    auto fill = (*this)->getParentOfType<FillOp>();
    AllocRingOp ring = fill ? allocOf(fill.getRing()) : AllocRingOp();
    if (!ring || !ring.getMulticast())
      return violate(*this, {"C8", "other CTAs' slots are written where their readers say that they may be",
                             "a fill of a ring with `multicast`", fill ? "a ring without" : "no fill"});
  }
  if (getTf32() && !getSource().getType().getElementType().isF32())
    return violate(*this, {"C10", "`tf32` are rounded from f32", "f32", spell(getSource().getType().getElementType())});
  return checkCopy(
      {*this, getSource().getType(), getTarget().getType(), getSource(), getCoordinates().size(), getView(), getBox()},
      "C7");
}

//===- Stores -----------------------------------------------------------------------------------------------------===//

/// Whether all stores have read their tiles before the op's role, or the kernel, ends.
static bool isWaitedFor(Operation *store) {
  for (Operation *at = store; at && !isa<KernelOp, SpecializeOp>(at); at = at->getParentOp())
    for (Operation *op = at->getNextNode(); op; op = op->getNextNode())
      if (auto wait = dyn_cast<TmaStoreWaitOp>(op); wait && wait.getPending() == 0) return true;
  return false;
}

static LogicalResult checkWaited(Operation *store, const char *constraint) {
  if (isWaitedFor(store)) return success();
  return violate(store, {constraint, "a CTA ends when its stores have read their tiles",
                         "`tile.tma_store_wait 0` behind the last", "none"});
}

LogicalResult TmaStoreOp::verify() {
  Type element = getSource().getType().getElementType();
  bool adds = element.isInteger(32) || element.isInteger(64) || element.isF32() || element.isF16() || element.isBF16();
  if (getAdd() && !adds)
    return violate(*this, {"C6", "memory adds some types", "i32, i64, f16, bf16 or f32", spell(element)});
  if (failed(checkCopy({*this, getTarget().getType(), getSource().getType(), getTarget(), getCoordinates().size(),
                        getView(), getBox()},
                       "C7")))
    return failure();
  for (Value coordinate : getCoordinates())
    if (std::optional<int64_t> known = constantOf(coordinate); known && *known < 0)
      return violate(*this, {"C10", "a store starts in the tensor or behind it", "coordinates from 0 on",
                             std::to_string(*known), "a store where threads ask first"});
  return checkWaited(*this, "C8");
}

LogicalResult TmaStoreWaitOp::verify() {
  constexpr int64_t kMost = 31;
  if (auto pending = static_cast<int64_t>(getPending()); pending < 0 || pending > kMost)
    return violate(*this, {"C1", "stores in flight are few", "0 to 31", std::to_string(pending)});
  return success();
}

//===- Runs of bytes ----------------------------------------------------------------------------------------------===//

/// (C1) to (C3) of copies of one run.
static LogicalResult checkRun(Operation *op, GlobalType memory, SharedType tile, Value offset, Value count) {
  if (memory.getElementType() != tile.getElementType())
    return violate(op,
                   {"C1", "a copy changes no element", spell(memory.getElementType()), spell(tile.getElementType())});
  if (int64_t bytes = bytesOf(tile); tile.getSwizzle() != 0 || bytes % kChunk != 0)
    return violate(op, {"C2", "the tile is one run of whole chunks",
                        fmt::format("no swizzle, a multiple of {} bytes", kChunk), spell(tile)});
  int64_t chunk = kChunk / std::gcd(kChunk, bytesOf(tile.getElementType()));
  for (Value value : {offset, count})
    if (std::optional<int64_t> known = constantOf(value); known && *known % chunk != 0)
      return violate(op, {"C3", "runs start and end at chunks", fmt::format("a multiple of {} elements", chunk),
                          std::to_string(*known)});
  return success();
}

LogicalResult BulkLoadOp::verify() {
  return checkRun(*this, getSource().getType(), getTarget().getType(), getOffset(), getCount());
}

LogicalResult BulkStoreOp::verify() {
  if (failed(checkRun(*this, getTarget().getType(), getSource().getType(), getOffset(), getCount()))) return failure();
  return checkWaited(*this, "C4");
}
