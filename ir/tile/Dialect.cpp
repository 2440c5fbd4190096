// The tile dialect's attributes and types, and what is asked of types everywhere.
#include "ir/tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::tile;

#include "ir/tile/TileDialect.cpp.inc"
#include "ir/tile/TileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/tile/TileAttrs.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/tile/TileAttrs.cpp.inc"
      >();
  registerTypes();
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
      .Case([](RemoteType type) { return type.getTile().getElementType(); })
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
