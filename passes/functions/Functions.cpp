#include "passes/functions/Functions.h"

#include "passes/functions/Rows.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace kiln::functions {

llvm::ArrayRef<FunctionRow> functionRows() {
  static const llvm::SmallVector<FunctionRow> rows = [] {
    llvm::SmallVector<FunctionRow> all(floatRows());
    llvm::append_range(all, bfloat16Rows());
    llvm::append_range(all, float16Rows());
    return all;
  }();
  return rows;
}

const FunctionRow *findFunction(llvm::StringRef opName, Type elementType) {
  for (const FunctionRow &row : functionRows())
    if (row.op == opName && row.elementType == elementType.getTypeID()) return &row;
  return nullptr;
}

} // namespace kiln::functions
