// The one place where the families meet.
#include "passes/interp/Rows.h"

namespace kiln::interp {

std::vector<InterpRow> interpRows() {
  std::vector<InterpRow> rows;
  for (mlir::ArrayRef<InterpRow> family :
       {arithRows(), mathRows(), castRows(), shapeRows(), reduceRows(), matmulRows(), compositeRows(), programRows()})
    rows.insert(rows.end(), family.begin(), family.end());
  return rows;
}

} // namespace kiln::interp
