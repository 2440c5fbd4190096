// Rows of conversions between element types.
#include "passes/interp/RowHelpers.h"
#include "passes/interp/numeric/ElementOps.h"

using namespace mlir;

namespace kiln::interp {
namespace {

int64_t same(int64_t x) {
  return x;
} // bools are 0 and 1, integers are kept sign-extended, results are cut to their width

/// Whatever maps an element rounds it to the result's dtype.
Element identity(Element x) { return x; }

LogicalResult toFloatRow(Operation *, Operands x, MutableArrayRef<OracleTensor> results) {
  mapToFloat(fromInteger, *x[0], results[0]);
  return success();
}

template <Integer (*F)(Element, DType)>
LogicalResult toIntegerRow(Operation *, Operands x, MutableArrayRef<OracleTensor> results) {
  mapToInteger(F, *x[0], results[0]);
  return success();
}

const InterpRow kRows[] = {
    {"arith.extf", unaryRow<identity>, "none"},
    {"arith.truncf", unaryRow<identity>, "half a unit in the last place of the narrow type; none for exact operands"},
    {"arith.sitofp", toFloatRow, "none: rounded once, to nearest even"},
    {"arith.uitofp", toFloatRow, "none"},
    {"arith.extui", integerUnaryRow<same>, "none"},
    {"arith.extsi", integerUnaryRow<same>, "none"},
    {"arith.trunci", integerUnaryRow<same>, "none"},
    {"arith.fptosi", toIntegerRow<toIntegerUnguarded>,
     "none; `either` out of range, and where the range crosses an integer"},
    {"graph.fptosi", toIntegerRow<toInteger>, "none; `either` where the operand's range crosses an integer"},
};

} // namespace

ArrayRef<InterpRow> castRows() { return kRows; }

} // namespace kiln::interp
