// The concatenated table of lowerings and the types they agree on.
#include "codegen/cpu/Rows.h"

#include "codegen/cpu/Halves.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

const RowTableOf<Lowering> &kiln::codegen::cpuRows() {
  static const auto table = concatenate<Lowering>(
      std::initializer_list<ArrayRef<Row>>{memoryRows(), fragmentRows(), tableRows(), elementwiseRows()});
  return table;
}

SmallVector<Unit> kiln::codegen::unitsOf(Type type, int64_t unitLanes) {
  if (!tile::isFragment(type)) return {{heldAs(type), 0, 0}};
  auto fragment = cast<RankedTensorType>(type);
  Type element = heldAs(fragment.getElementType());
  bool column = isa<tile::SimdColumnAttr>(fragment.getEncoding());
  int64_t rows = column || fragment.getRank() == 2 ? fragment.getDimSize(0) : 1;
  SmallVector<Unit> units;
  for (int64_t row = 0; row < rows; ++row) {
    if (column) {
      units.push_back({element, row, 0});
      continue;
    }
    int64_t lanes = fragment.getShape().back();
    for (int64_t lane = 0; lane < lanes; lane += unitLanes)
      units.push_back({VectorType::get({std::min(unitLanes, lanes - lane)}, element), row, lane});
  }
  return units;
}

CpuTypeConverter::CpuTypeConverter(int64_t unitLanes) {
  addConversion([](Type type) { return heldAs(type); });
  addConversion([](tile::GlobalType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext()); });
  addConversion([](tile::SharedType type) -> Type { return LLVM::LLVMPointerType::get(type.getContext()); });
  addConversion([unitLanes](RankedTensorType type, SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
    if (!tile::isFragment(type)) return std::nullopt;
    for (const Unit &unit : unitsOf(type, unitLanes)) types.push_back(unit.type);
    return success();
  });
}
