#include "codegen/cpu/LevelSpec.h"
#include "codegen/cpu/Halves.h"
#include "codegen/cpu/Rows.h"
#include "codegen/lower/LevelSpec.h"
#include "ir/Violation.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

/// The widest vector a fragment may ask for, in bits: 128 lanes of i64 offsets, twice over. Wider ones take the backend
/// minutes.
constexpr int64_t kMaxVectorBits = 16384;
constexpr int64_t kMaxRows = 256;
/// All rows together: an accumulator far beyond any register file, yet a few hundred values.
constexpr int64_t kMaxFragmentBits = 1 << 18;
constexpr int64_t kMaxScratch = int64_t(1) << 30;

bool isComputable(Type element) { return element.isIndex() || isNumber(element); }

/// Empty if a value may have this type, else what is wrong with it.
StringRef whyNot(Type type) {
  if (Type element = tile::elementTypeOf(type)) {
    auto shared = dyn_cast<tile::SharedType>(type);
    if (shared && shared.getSwizzle()) return "a shared tile on the cpu target is not swizzled";
    return isComputable(element) && !element.isIndex() ? "" : "the cpu target has no such elements in memory";
  }
  if (!tile::isFragment(type)) return isComputable(type) ? "" : "the cpu target computes with no such type";
  auto fragment = cast<RankedTensorType>(type);
  if (!isComputable(fragment.getElementType())) return "the cpu target computes with no such elements";
  bool column = isa<tile::SimdColumnAttr>(fragment.getEncoding());
  int64_t rows = column || fragment.getRank() == 2 ? fragment.getDimSize(0) : 1;
  int64_t lanes = column ? 1 : fragment.getShape().back();
  if (rows > kMaxRows) return "a fragment has at most 256 rows";
  int64_t rowBits = lanes * 8 * tile::bytesOf(fragment.getElementType());
  if (rowBits > kMaxVectorBits) return "a fragment's row takes at most 16384 bits";
  return rows * rowBits > kMaxFragmentBits ? "a fragment takes at most 262144 bits" : "";
}

LogicalResult verifyAlloc(tile::AllocOp alloc) {
  std::optional<int64_t> offset = alloc.getOffset();
  if (!offset) return alloc.emitOpError("has no offset; tile-assign-shared sets it");
  int64_t alignment = tile::bytesOf(alloc.getTile().getType().getElementType());
  if (*offset >= 0 && *offset <= kMaxScratch && *offset % alignment == 0) return success();
  return ir::violate(alloc,
                     {"", "cannot lie at this offset",
                      fmt::format("a multiple of {} from 0 to {}", alignment, kMaxScratch), std::to_string(*offset)});
}

bool isKnown(StringRef name) {
  return name == "tile.return" || name == "tile.cta_id" || isControlFlow(name) || cpuRows().contains(name);
}

constexpr TileLevel kLevel{"the cpu target", "codegen/cpu", isKnown, whyNot};

} // namespace

LogicalResult kiln::codegen::verifyTileLevel(tile::KernelOp kernel) {
  for (Type type : kernel.getArgumentTypes())
    if (failed(verifyType(kernel, type, kLevel))) return failure();
  LogicalResult result = success();
  kernel.getBody().walk([&](Operation *op) {
    auto alloc = dyn_cast<tile::AllocOp>(op);
    if (failed(verifyTileOp(op, kLevel)) || (alloc && failed(verifyAlloc(alloc)))) result = failure();
  });
  return result;
}

LogicalResult kiln::codegen::verifyThreadLevel(LLVM::LLVMFuncOp function) {
  static const llvm::StringSet<> accepted = [] {
    llvm::StringSet<> names{"llvm.intr.masked.load", "llvm.intr.masked.store", "llvm.intr.masked.gather",
                            "llvm.intr.masked.scatter"};
    names.insert_range(commonThreadOps());
    return names;
  }();
  return verifyOps(function, accepted, "the host");
}
