#include "ir/Violation.h"
#include "ir/tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::tile;
using kiln::ir::violate;

#include "ir/tile/TileDialect.cpp.inc"
#include "ir/tile/TileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/tile/TileAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/tile/TileTypes.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/tile/TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/tile/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/tile/Tile.cpp.inc"
      >();
}

bool kiln::tile::isFragment(Type type, int64_t rank) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding() || !isLayout(tensor.getEncoding())) return false;
  return rank < 0 || tensor.getRank() == rank;
}

bool kiln::tile::isMask(Type type) {
  return type.isInteger(1) || (isFragment(type) && cast<RankedTensorType>(type).getElementType().isInteger(1));
}

bool kiln::tile::isOffsets(Type type) {
  return isFragment(type, 1) && cast<RankedTensorType>(type).getElementType().isInteger(64);
}

Type kiln::tile::elementTypeOf(Type memory) {
  return llvm::TypeSwitch<Type, Type>(memory)
      .Case<GlobalType, SharedType>([](auto type) { return type.getElementType(); })
      .Default(Type());
}

RankedTensorType kiln::tile::blocked(Type element, int64_t extent, int64_t vec, int64_t threads) {
  return RankedTensorType::get({extent}, element, BlockedAttr::get(element.getContext(), vec, threads));
}
RankedTensorType kiln::tile::simd(Type element, int64_t lanes) {
  return RankedTensorType::get({lanes}, element, SimdAttr::get(element.getContext()));
}
RankedTensorType kiln::tile::simd(Type element, int64_t rows, int64_t lanes) {
  return RankedTensorType::get({rows, lanes}, element, SimdAttr::get(element.getContext()));
}
RankedTensorType kiln::tile::simdColumn(Type element, int64_t rows) {
  return RankedTensorType::get({rows}, element, SimdColumnAttr::get(element.getContext()));
}

int64_t kiln::tile::bytesOf(Type element) {
  if (element.isIndex()) return 8;
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

int64_t kiln::tile::bytesOf(SharedType type) {
  int64_t bytes = bytesOf(type.getElementType());
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(bytes, extent, bytes)) return INT64_MAX;
  return bytes;
}

int64_t kiln::tile::alignmentOf(SharedType type) { return type.getSwizzle() ? 1024 : 16; }

int64_t kiln::tile::slotBytes(RingType type) {
  int64_t unit = alignmentOf(type.getTile()), bytes = bytesOf(type.getTile());
  return bytes > INT64_MAX - unit ? INT64_MAX : static_cast<int64_t>(llvm::alignTo(bytes, unit));
}

//===- Types ------------------------------------------------------------------------------------------------------===//

/// (C1) of both memories, and what their syntax cannot even say.
static LogicalResult verifyMemory(function_ref<InFlightDiagnostic()> emitError, StringRef type, ArrayRef<int64_t> shape,
                                  Type element) {
  if (!element.isIntOrFloat())
    return violate(emitError, type,
                   {"C1", "elements must be numbers", "an integer or a float", llvm::formatv("{0}", element)});
  for (int64_t extent : shape)
    if (extent < 0)
      return violate(emitError, type, {"", "extents must not be negative", "0 or more", std::to_string(extent)});
  return success();
}

static ParseResult parseShapeAndElement(AsmParser &parser, SmallVectorImpl<int64_t> &shape, Type &element) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element));
}

static void printShapeAndElement(AsmPrinter &p, ArrayRef<int64_t> shape, Type element) {
  for (int64_t extent : shape) p << extent << 'x';
  p << element;
}

LogicalResult GlobalType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, Type element,
                                 ArrayRef<int64_t> strides) {
  if (!strides.empty() && strides.size() != shape.size())
    return violate(emitError, "!tile.global",
                   {"C2", "one stride per dimension", std::to_string(shape.size()), std::to_string(strides.size())});
  return verifyMemory(emitError, "!tile.global", shape, element);
}

Type GlobalType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type element;
  if (parser.parseLess() || parseShapeAndElement(parser, shape, element)) return {};
  if (succeeded(parser.parseOptionalComma())) {
    auto one = [&] { return parser.parseInteger(strides.emplace_back()); };
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
    llvm::interleaveComma(getStrides(), p);
    p << ']';
  }
  p << '>';
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, Type element,
                                 int64_t swizzle) {
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return violate(emitError, "!tile.shared",
                   {"C2", "a swizzle must be a row of chunks", "0, 32, 64 or 128 bytes", std::to_string(swizzle)});
  int64_t rowBytes = shape.empty() || !element.isIntOrFloat() ? 0 : shape.back() * bytesOf(element);
  if (swizzle && rowBytes > 128 && rowBytes % swizzle != 0)
    return violate(emitError, "!tile.shared",
                   {"C3", "a swizzle must not reach into the next row", fmt::format("a multiple of {} bytes", swizzle),
                    fmt::format("rows of {} bytes", rowBytes)});
  return verifyMemory(emitError, "!tile.shared", shape, element);
}

Type SharedType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  int64_t swizzle = 0;
  if (parser.parseLess() || parseShapeAndElement(parser, shape, element)) return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("swizzle") || parser.parseEqual() || parser.parseInteger(swizzle)))
    return {};
  if (parser.parseGreater()) return {};
  return parser.getChecked<SharedType>(parser.getContext(), shape, element, swizzle);
}

void SharedType::print(AsmPrinter &p) const {
  p << '<';
  printShapeAndElement(p, getShape(), getElementType());
  if (getSwizzle()) p << ", swizzle = " << getSwizzle();
  p << '>';
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t stages, SharedType) {
  if (stages >= 1) return success();
  return violate(emitError, "!tile.ring", {"C1", "a ring must have a stage", "1 or more", std::to_string(stages)});
}
