// Constant tables: one constant of the module per table, read by gathers.
#include "codegen/lower/Tables.h"
#include "codegen/cpu/Rows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

/// Element (row, column) of each of a unit's rows.
Value readColumn(Lowering &to, Value base, Value rows, int64_t column, int64_t columns, Type element) {
  OpBuilder &b = to.rewriter;
  auto vector = dyn_cast<VectorType>(rows.getType());
  Type offsets = vector ? Type(vector.clone(b.getI64Type())) : b.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    TypedAttr attr = b.getI64IntegerAttr(value);
    if (vector) attr = DenseElementsAttr::get(cast<ShapedType>(offsets), Attribute(attr));
    return arith::ConstantOp::create(b, to.loc, attr);
  };
  Value offset = arith::ExtUIOp::create(b, to.loc, offsets, rows);
  offset = arith::MulIOp::create(b, to.loc, offset, constant(columns));
  offset = arith::AddIOp::create(b, to.loc, offset, constant(column));
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (!vector) {
    Value address = LLVM::GEPOp::create(b, to.loc, pointer, element, base, ValueRange{offset});
    return LLVM::LoadOp::create(b, to.loc, element, address, /*alignment=*/4, /*isVolatile=*/false,
                                /*isNonTemporal=*/false, /*isInvariant=*/true);
  }
  auto pointers = VectorType::get(vector.getShape(), pointer);
  Value addresses = LLVM::GEPOp::create(b, to.loc, pointers, element, base, ValueRange{offset});
  Value all =
      arith::ConstantOp::create(b, to.loc, DenseElementsAttr::get(cast<ShapedType>(vector.clone(b.getI1Type())), true));
  Type type = vector.clone(element);
  Value none = LLVM::PoisonOp::create(b, to.loc, type);
  return LLVM::masked_gather::create(b, to.loc, type, addresses, all, ValueRange{none}, /*alignment=*/4);
}

LogicalResult lowerLookup(tile::LookupOp lookup, ArrayRef<ValueRange> operands, Lowering &to) {
  auto table = cast<DenseElementsAttr>(lookup.getTable());
  Type element = table.getElementType(), pointer = LLVM::LLVMPointerType::get(lookup->getContext());
  Value base = LLVM::AddressOfOp::create(to.rewriter, to.loc, pointer, tableName(table));
  int64_t columns = lookup.getNumResults();
  SmallVector<SmallVector<Value>> results(columns);
  for (Value rows : operands[0])
    for (int64_t c = 0; c < columns; ++c) results[c].push_back(readColumn(to, base, rows, c, columns, element));
  to.rewriter.replaceOpWithMultiple(lookup, SmallVector<ValueRange>(results.begin(), results.end()));
  return success();
}

} // namespace

ArrayRef<Row> kiln::codegen::tableRows() {
  static const Row rows[] = {{"tile.lookup", typed<lowerLookup>}};
  return rows;
}
