// What functions are made of: lookups in constant tables, the special function unit.
#include "codegen/gpu/Registers.h"
#include "codegen/gpu/Rows.h"
#include "codegen/lower/Tables.h"
#include "codegen/lower/Vectors.h"
#include "ir/ptx/Ptx.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using namespace kiln::codegen::gpu;

namespace {

/// One row of the table, as one access where its columns are a power of two.
SmallVector<Value> readRow(Lowering &to, Value base, Value row, int64_t columns, Type element) {
  OpBuilder &b = to.rewriter;
  // Widened before it is scaled: a product of 32 bits would merge with what made `row`, as one instruction more.
  Value first = LLVM::ZExtOp::create(b, to.loc, b.getI64Type(), row);
  first = LLVM::MulOp::create(b, to.loc, first,
                              LLVM::ConstantOp::create(b, to.loc, b.getI64Type(), b.getI64IntegerAttr(columns)));
  Value address = LLVM::GEPOp::create(b, to.loc, base.getType(), element, base, ValueRange{first});
  int64_t width = llvm::isPowerOf2_64(columns) ? std::min<int64_t>(columns, 4) : 1;
  SmallVector<Value> values;
  for (int64_t c = 0; c < columns; c += width) {
    Value place = c == 0 ? address
                         : LLVM::GEPOp::create(b, to.loc, base.getType(), element, address,
                                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(c)})
                               .getResult();
    Type type = width == 1 ? element : VectorType::get({width}, element);
    Value loaded = LLVM::LoadOp::create(b, to.loc, type, place, static_cast<unsigned>(4 * width), /*isVolatile=*/false,
                                        /*isNonTemporal=*/false, /*isInvariant=*/true);
    for (int64_t i = 0; i < width; ++i) values.push_back(width == 1 ? loaded : laneOf(b, to.loc, loaded, i));
  }
  return values;
}

LogicalResult lowerLookup(tile::LookupOp lookup, ArrayRef<ValueRange> operands, Lowering &to) {
  auto table = cast<DenseElementsAttr>(lookup.getTable());
  int64_t columns = lookup.getNumResults();
  Value base = LLVM::AddressOfOp::create(
      to.rewriter, to.loc, LLVM::LLVMPointerType::get(lookup->getContext(), ptx::Global), tableName(table));
  Registers rows(to.rewriter, to.loc, operands[0]);
  SmallVector<Registers> results(columns, Registers(to.rewriter, to.loc, rows.size()));
  for (int64_t r = 0; r < rows.size(); ++r)
    for (auto [result, value] :
         llvm::zip_equal(results, readRow(to, base, rows.get(r), columns, table.getElementType())))
      result.set(r, value);
  SmallVector<SmallVector<Value>> units;
  for (Registers &result : results) units.push_back(result.units());
  to.rewriter.replaceOpWithMultiple(lookup, SmallVector<ValueRange>(units.begin(), units.end()));
  return success();
}

LogicalResult lowerApprox(Operation *op, ArrayRef<ValueRange> operands, Lowering &to) {
  static constexpr ptx::ApproxKind kinds[] = {ptx::ApproxKind::ex2, ptx::ApproxKind::rcp, ptx::ApproxKind::rsqrt};
  auto kind = kinds[static_cast<size_t>(cast<tile::ApproxOp>(op).getKind())];
  Registers x(to.rewriter, to.loc, operands[0]), result(to.rewriter, to.loc, x.size());
  for (int64_t r = 0; r < x.size(); ++r) {
    Value value = x.get(r);
    result.set(r, ptx::ApproxOp::create(to.rewriter, to.loc, value.getType(), kind, value));
  }
  return to.replace(op, result.units());
}

} // namespace

ArrayRef<Row> kiln::codegen::gpu::functionRows() {
  static const Row rows[] = {{"tile.lookup", typed<lowerLookup>}, {"tile.approx", lowerApprox}};
  return rows;
}
