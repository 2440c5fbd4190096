// The ops of the tile dialect: generated definitions, syntax of tile.kernel, constraints.
#include "ir/tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "ir/tile/Tile.cpp.inc"

//===- tile.kernel ------------------------------------------------------------------------------------------------===//

// tile.kernel @name(%x: !tile.global<…>, …) grid N attributes {…} { … }
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  int64_t grid = 0;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseKeyword("grid") || parser.parseInteger(grid) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> types;
  for (auto &argument : arguments) types.push_back(argument.type);
  Builder &b = parser.getBuilder();
  result.addAttribute(getFunctionTypeAttrName(result.name), TypeAttr::get(b.getFunctionType(types, {})));
  result.addAttribute(getGridAttrName(result.name), b.getI64IntegerAttr(grid));
  return parser.parseRegion(*result.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << '(';
  llvm::interleaveComma(getBody().getArguments(), p, [&](BlockArgument a) { p.printRegionArgument(a); });
  p << ") grid " << getGrid();
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                     {getSymNameAttrName(), getFunctionTypeAttrName(), getGridAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult KernelOp::verify() {
  for (Type type : getArgumentTypes())
    if (!isa<GlobalType>(type)) return emitOpError() << "arguments must be `!tile.global`, found " << type;
  if (!getResultTypes().empty()) return emitOpError("returns nothing: results are arguments");
  if (static_cast<int64_t>(getGrid()) < 0) return emitOpError() << "grid must not be negative, found " << getGrid();
  return success();
}

//===- Memory -----------------------------------------------------------------------------------------------------===//

/// (C1) and (C2) of loads and stores.
static LogicalResult checkAccess(Operation *op, Value memory, Type value, Value mask) {
  Type element = getElementTypeOrSelf(value), expected = elementTypeOf(memory.getType());
  if (element != expected)
    return op->emitOpError() << "(C1): the value's element type must be the memory's" << ", expected " << expected
                             << ", found " << element;
  if (!mask) return success();
  auto fragment = dyn_cast<RankedTensorType>(value);
  Type wanted = fragment ? Type(fragment.clone(IntegerType::get(op->getContext(), 1))) : IntegerType::get(op->getContext(), 1);
  if (mask.getType() != wanted)
    return op->emitOpError() << "(C2): a mask must match the value, expected " << wanted << ", found " << mask.getType();
  return success();
}

/// (C3): which fragments name a row stride.
static LogicalResult checkRows(Operation *op, Type value, bool hasStride, bool hasMask) {
  auto fragment = dyn_cast<RankedTensorType>(value);
  bool rows = fragment && (fragment.getRank() == 2 || isa<SimdColumnAttr>(fragment.getEncoding()));
  if (rows != hasStride)
    return op->emitOpError() << "(C3): " << value << (rows ? " needs" : " takes no") << " row stride";
  if (rows && hasMask) return op->emitOpError() << "(C3): " << value << " takes no mask";
  return success();
}

LogicalResult LoadOp::verify() {
  if (failed(checkAccess(*this, getSource(), getValue().getType(), getMask()))) return failure();
  return checkRows(*this, getValue().getType(), getRowStride().has_value(), !!getMask());
}

LogicalResult StoreOp::verify() {
  if (failed(checkAccess(*this, getTarget(), getValue().getType(), getMask()))) return failure();
  return checkRows(*this, getValue().getType(), getRowStride().has_value(), !!getMask());
}

static LogicalResult checkOffsets(Operation *op, Value offsets, Type value) {
  int64_t lanes = cast<RankedTensorType>(offsets.getType()).getDimSize(0);
  int64_t expected = cast<RankedTensorType>(value).getDimSize(0);
  if (lanes == expected) return success();
  return op->emitOpError() << "one offset per lane, expected " << expected << ", found " << lanes;
}

LogicalResult GatherOp::verify() {
  if (failed(checkOffsets(*this, getOffsets(), getValue().getType()))) return failure();
  return checkAccess(*this, getSource(), getValue().getType(), getMask());
}

LogicalResult ScatterOp::verify() {
  if (failed(checkOffsets(*this, getOffsets(), getValue().getType()))) return failure();
  return checkAccess(*this, getTarget(), getValue().getType(), getMask());
}

//===- Fragments --------------------------------------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  Type element = cast<RankedTensorType>(getType()).getElementType();
  if (element == getScalar().getType()) return success();
  return emitOpError() << "(C1): the scalar must have the element type, expected " << element << ", found "
                       << getScalar().getType();
}

LogicalResult FoldUnitsOp::verify() {
  auto x = cast<RankedTensorType>(getX().getType()), acc = cast<RankedTensorType>(getAcc().getType());
  if (acc.getDimSize(0) * 8 != x.getDimSize(0) || acc.getElementType() != x.getElementType() || getType() != acc)
    return emitOpError() << "(C1): acc and result must hold one lane per unit of 8, found " << x << " into " << acc;
  return success();
}

LogicalResult FoldOp::verify() {
  auto x = cast<RankedTensorType>(getX().getType());
  if (!llvm::isPowerOf2_64(x.getDimSize(0)))
    return emitOpError() << "(C1): the extent must be a power of two, found " << x.getDimSize(0);
  if (getType() != x.getElementType())
    return emitOpError() << "(C2): expected " << x.getElementType() << ", found " << getType();
  return success();
}

LogicalResult MmaOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  bool shapes = acc.getRank() == 2 && a.getRank() == 1 && b.getRank() == 1 && isa<SimdColumnAttr>(a.getEncoding()) &&
                isa<SimdAttr>(b.getEncoding()) && a.getDimSize(0) == acc.getDimSize(0) &&
                b.getDimSize(0) == acc.getDimSize(1);
  if (!shapes)
    return emitOpError() << "(C1): expected a column of M, a row of N and an MxN accumulator, found " << a << ", " << b
                         << ", " << acc;
  if (!isa<FloatType>(acc.getElementType()) || a.getElementType() != acc.getElementType() ||
      b.getElementType() != acc.getElementType())
    return emitOpError() << "(C2): expected one float element type, found " << a << ", " << b << ", " << acc;
  return success();
}
