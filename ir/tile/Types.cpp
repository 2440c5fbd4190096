// The types of the tile dialect: their syntax, their constraints, and how many bytes they take.
#include "ir/DTypes.h"
#include "ir/tile/Rules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::tile;

#define GET_TYPEDEF_CLASSES
#include "ir/tile/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/tile/TileTypes.cpp.inc"
      >();
}

using EmitError = function_ref<InFlightDiagnostic()>;

//===- Sizes ------------------------------------------------------------------------------------------------------===//

/// a·b, INT64_MAX where an i64 does not hold it.
static int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  return llvm::MulOverflow(a, b, product) ? INT64_MAX : product;
}

int64_t kiln::tile::bytesOf(Type element) {
  return element.isIndex() ? 8 : ir::storageOf(element).getIntOrFloatBitWidth() / 8;
}

int64_t kiln::tile::bytesOf(SharedType type) {
  int64_t bytes = bytesOf(type.getElementType());
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(bytes, extent, bytes)) return INT64_MAX;
  return bytes;
}

kiln::layout::SharedTile kiln::tile::tileOf(SharedType type) {
  ArrayRef<int64_t> shape = type.getShape();
  int64_t columns = shape.empty() ? 1 : shape.back(), rows = 1;
  for (int64_t extent : shape.drop_back(shape.empty() ? 0 : 1)) rows = times(rows, extent);
  return {rows, columns, bytesOf(type.getElementType()), type.getSwizzle(),
          type.getPanel() ? type.getPanel() : columns};
}

int64_t kiln::tile::alignmentOf(SharedType type) { return type.getSwizzle() ? 1024 : 16; }

int64_t kiln::tile::alignmentOf(RingType type) {
  int64_t most = 0;
  for (SharedType tile : type.getTiles()) most = std::max(most, alignmentOf(tile));
  return most;
}

/// `bytes` up to a multiple of `unit`; INT64_MAX where an i64 does not hold it.
static int64_t upTo(int64_t bytes, int64_t unit) {
  return bytes > INT64_MAX - unit ? INT64_MAX : static_cast<int64_t>(llvm::alignTo(bytes, unit));
}

int64_t kiln::tile::slotOffset(RingType type, unsigned tile) {
  int64_t offset = 0;
  for (auto [i, one] : llvm::enumerate(type.getTiles())) {
    offset = upTo(offset, alignmentOf(one));
    if (i == tile) return offset;
    if (llvm::AddOverflow(offset, bytesOf(one), offset)) return INT64_MAX;
  }
  return offset;
}

int64_t kiln::tile::slotBytes(RingType type) {
  return upTo(slotOffset(type, type.getTiles().size()), alignmentOf(type));
}

int64_t kiln::tile::barriersOffset(RingType type) { return times(slotBytes(type), type.getStages()); }

int64_t kiln::tile::copiesOf(Operation *alloc) {
  SpecializeOp roles = consumersAround(alloc);
  return roles ? std::max<int64_t>(static_cast<int64_t>(roles.getConsumers()), 1) : 1;
}

/// Bytes of one ring.
static int64_t ringBytes(AllocRingOp alloc) {
  RingType type = alloc.getRing().getType();
  int64_t tiles = barriersOffset(type), barriers = alloc.getReaders() ? times(kSlotBarriers, type.getStages()) : 0;
  return llvm::AddOverflow(tiles, barriers, tiles) ? INT64_MAX : tiles;
}

int64_t kiln::tile::copyStride(AllocOp alloc) {
  SharedType type = alloc.getTile().getType();
  return upTo(bytesOf(type), alignmentOf(type));
}
int64_t kiln::tile::copyStride(AllocRingOp alloc) {
  return upTo(ringBytes(alloc), alignmentOf(alloc.getRing().getType()));
}

/// Bytes of so many copies, of which the last needs no room behind it.
static int64_t allBytes(int64_t one, int64_t stride, int64_t copies) {
  int64_t before = times(stride, copies - 1);
  return llvm::AddOverflow(before, one, before) ? INT64_MAX : before;
}
int64_t kiln::tile::bytesOf(AllocOp alloc) {
  return allBytes(bytesOf(alloc.getTile().getType()), copyStride(alloc), copiesOf(alloc));
}
int64_t kiln::tile::bytesOf(AllocRingOp alloc) {
  return allBytes(ringBytes(alloc), copyStride(alloc), copiesOf(alloc));
}

//===- Memory -----------------------------------------------------------------------------------------------------===//

/// (C1) of both memories, and what their syntax cannot even say.
static LogicalResult verifyMemory(EmitError emitError, StringRef type, ArrayRef<int64_t> shape, Type element,
                                  bool dynamic) {
  if (!element.isIntOrFloat())
    return violate(emitError, type,
                   {"C1", "elements must be numbers", "an integer or a float", llvm::formatv("{0}", element)});
  for (int64_t extent : shape)
    if (extent < 0 && !(dynamic && ShapedType::isDynamic(extent)))
      return violate(emitError, type, {"", "extents must not be negative", "0 or more", std::to_string(extent)});
  return success();
}

static void printExtent(AsmPrinter &p, int64_t extent) {
  if (ShapedType::isDynamic(extent))
    p << '?';
  else
    p << extent;
}

static void printShapeAndElement(AsmPrinter &p, ArrayRef<int64_t> shape, Type element) {
  for (int64_t extent : shape) {
    printExtent(p, extent);
    p << 'x';
  }
  p << element;
}

LogicalResult GlobalType::verify(EmitError emitError, ArrayRef<int64_t> shape, Type element,
                                 ArrayRef<int64_t> strides) {
  if (!strides.empty() && strides.size() != shape.size())
    return violate(emitError, "!tile.global",
                   {"C2", "one stride per dimension", std::to_string(shape.size()), std::to_string(strides.size())});
  return verifyMemory(emitError, "!tile.global", shape, element, /*dynamic=*/true);
}

Type GlobalType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type element;
  if (parser.parseLess() || parser.parseDimensionList(shape) || parser.parseType(element)) return {};
  if (succeeded(parser.parseOptionalComma())) {
    auto one = [&]() -> ParseResult {
      if (succeeded(parser.parseOptionalQuestion())) return strides.push_back(ShapedType::kDynamic), success();
      return parser.parseInteger(strides.emplace_back());
    };
    if (parser.parseKeyword("strides") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, one))
      return {};
  }
  if (parser.parseGreater()) return {};
  return parser.getChecked<GlobalType>(parser.getContext(), shape, element, strides);
}

void GlobalType::print(AsmPrinter &p) const {
  p << '<';
  printShapeAndElement(p, getShape(), getElementType());
  if (!getStrides().empty()) {
    p << ", strides = [";
    llvm::interleaveComma(getStrides(), p, [&](int64_t stride) { printExtent(p, stride); });
    p << ']';
  }
  p << '>';
}

/// (C4) of shared tiles.
static LogicalResult verifyPanels(EmitError emitError, ArrayRef<int64_t> shape, int64_t elementBytes, int64_t swizzle,
                                  int64_t panel) {
  bool divides = shape.size() == 2 && panel > 0 && shape[1] % panel == 0;
  bool isWide = swizzle > 0 && swizzle % elementBytes == 0 && panel == swizzle / elementBytes;
  if (panel == 0 || (divides && isWide)) return success();
  std::string rows = shape.size() == 2 ? fmt::format("{} columns", shape[1]) : fmt::format("rank {}", shape.size());
  return violate(emitError, "!tile.shared",
                 {"C4", "a panel must be as wide as the swizzle, and divide the columns",
                  swizzle ? fmt::format("panels of {} columns of a matrix of them", swizzle / elementBytes)
                          : "no panels without a swizzle",
                  fmt::format("panel = {} of {}", panel, rows)});
}

LogicalResult SharedType::verify(EmitError emitError, ArrayRef<int64_t> shape, Type element, int64_t swizzle,
                                 int64_t panel) {
  if (failed(verifyMemory(emitError, "!tile.shared", shape, element, /*dynamic=*/false))) return failure();
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return violate(emitError, "!tile.shared",
                   {"C2", "a swizzle must be a row of chunks", "0, 32, 64 or 128 bytes", std::to_string(swizzle)});
  int64_t rowBytes = shape.empty() ? 0 : times(shape.back(), bytesOf(element));
  if (swizzle && rowBytes > 128 && rowBytes % swizzle != 0)
    return violate(emitError, "!tile.shared",
                   {"C3", "a swizzle must not reach into the next row", fmt::format("a multiple of {} bytes", swizzle),
                    fmt::format("rows of {} bytes", rowBytes)});
  return verifyPanels(emitError, shape, bytesOf(element), swizzle, panel);
}

Type SharedType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  int64_t swizzle = 0, panel = 0;
  auto option = [&](StringRef name, int64_t &value) -> ParseResult {
    return failure(parser.parseKeyword(name) || parser.parseEqual() || parser.parseInteger(value));
  };
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (option("swizzle", swizzle)) return {};
    if (succeeded(parser.parseOptionalComma()) && option("panel", panel)) return {};
  }
  if (parser.parseGreater()) return {};
  return parser.getChecked<SharedType>(parser.getContext(), shape, element, swizzle, panel);
}

void SharedType::print(AsmPrinter &p) const {
  p << '<';
  printShapeAndElement(p, getShape(), getElementType());
  if (getSwizzle() || getPanel()) p << ", swizzle = " << getSwizzle();
  if (getPanel()) p << ", panel = " << getPanel();
  p << '>';
}

//===- Rings, turns and sums in flight ----------------------------------------------------------------------------===//

LogicalResult RingType::verify(EmitError emitError, int64_t stages, ArrayRef<SharedType> tiles) {
  if (stages < 1)
    return violate(emitError, "!tile.ring", {"C1", "a ring must have a stage", "1 or more", std::to_string(stages)});
  if (tiles.empty()) return violate(emitError, "!tile.ring", {"", "a stage must have a tile", "1 or more", "none"});
  return success();
}

// !tile.ring<4 x !tile.shared<…>, !tile.shared<…>>
Type RingType::parse(AsmParser &parser) {
  int64_t stages = 0;
  SmallVector<SharedType> tiles;
  if (parser.parseLess() || parser.parseInteger(stages) || parser.parseKeyword("x") ||
      parser.parseCommaSeparatedList([&] { return parser.parseCustomTypeWithFallback(tiles.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<RingType>(parser.getContext(), stages, tiles);
}

void RingType::print(AsmPrinter &p) const {
  p << '<' << getStages() << " x ";
  llvm::interleaveComma(getTiles(), p, [&](SharedType tile) { p.printStrippedAttrOrType(tile); });
  p << '>';
}

LogicalResult TurnsType::verify(EmitError emitError, int64_t groups) {
  if (groups >= 2 && groups <= 4) return success();
  return violate(emitError, "!tile.turns",
                 {"C1", "turns are taken by several warpgroups", "2 to 4", std::to_string(groups)});
}

LogicalResult PendingType::verify(EmitError emitError, RankedTensorType fragment) {
  if (isa_and_nonnull<WgmmaAttr>(fragment.getEncoding())) return success();
  return violate(emitError, "!tile.pending",
                 {"C1", "what is in flight is a warpgroup's accumulator", "a #tile.wgmma fragment",
                  llvm::formatv("{0}", fragment)});
}
