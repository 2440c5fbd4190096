// The concatenated table of lowerings and the types they agree on.
#include "codegen/cpu/Rows.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

const llvm::StringMap<LowerFn> &kiln::codegen::cpuRows() {
  static const llvm::StringMap<LowerFn> table = [] {
    llvm::StringMap<LowerFn> rows;
    for (ArrayRef<Row> family : {memoryRows(), fragmentRows(), elementwiseRows()})
      for (const Row &row : family) rows[row.op] = row.lower;
    return rows;
  }();
  return table;
}

SmallVector<Type> Lowering::unitTypes(Type type) const {
  SmallVector<Type> units;
  if (failed(types.convertType(type, units))) units.clear();
  return units;
}

CpuTypeConverter::CpuTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](tile::GlobalType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext()); });
  addConversion([](tile::SharedType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext()); });
  addConversion([](RankedTensorType type, SmallVectorImpl<Type> &units) -> std::optional<LogicalResult> {
    if (!tile::isFragment(type)) return std::nullopt;
    bool column = isa<tile::SimdColumnAttr>(type.getEncoding());
    Type unit = column ? type.getElementType() : VectorType::get(type.getShape().take_back(), type.getElementType());
    units.append(column || type.getRank() == 2 ? type.getDimSize(0) : 1, unit);
    return success();
  });
}
