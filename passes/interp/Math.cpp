// Rows of functions.
#include "passes/interp/RowHelpers.h"
#include "passes/interp/numeric/ElementOps.h"
#include "passes/interp/numeric/Functions.h"

#include "ir/graph/Graph.h"

using namespace mlir;

namespace kiln::interp {
namespace {

/// A function whose zeros may come from underflow, or through an approximation, has no fixed sign of zero.
template <Element (*F)(Element, const Format &)>
LogicalResult approximate(Operation *, Operands x, MutableArrayRef<OracleTensor> results) {
  results[0].zeroSigns = false;
  map(F, *x[0], results[0]);
  return success();
}

LogicalResult fmaRow(Operation *, Operands x, MutableArrayRef<OracleTensor> results) {
  map(fma, *x[0], *x[1], *x[2], results[0]);
  return success();
}

LogicalResult geluRow(Operation *op, Operands x, MutableArrayRef<OracleTensor> results) {
  bool exact = cast<graph::GeluOp>(op).getForm() == graph::GeluForm::exact;
  results[0].zeroSigns = false;
  map(exact ? geluExact : geluTanh, *x[0], results[0]);
  return success();
}

constexpr StringRef kNone = "none";
constexpr StringRef kStep = "none; `either`, covering both sides, where the operand's range crosses a step";
constexpr StringRef kUlps = "the units of its row in functionAccuracies(); the spread over the operand's range";

const InterpRow kRows[] = {
    {"math.absf", unaryRow<abs>, kNone},
    {"math.floor", unaryRow<floor>, kStep},
    {"math.ceil", unaryRow<ceil>, kStep},
    {"math.fma", fmaRow, "half a unit in the last place, once"},
    {"math.sqrt", unaryRow<sqrt>, "half a unit in the last place"},
    {"math.rsqrt", approximate<rsqrt>, kUlps},
    {"math.exp", approximate<exp>, kUlps},
    {"math.log", approximate<log>, kUlps},
    {"math.sin", approximate<sin>, kUlps},
    {"math.cos", approximate<cos>, kUlps},
    {"math.tanh", approximate<tanh>, kUlps},
    {"math.erf", approximate<erf>, kUlps},
    {"graph.relu", unaryRow<relu>, kNone},
    {"graph.sigmoid", approximate<sigmoid>, kUlps},
    {"graph.gelu", geluRow, kUlps},
};

} // namespace

ArrayRef<InterpRow> mathRows() { return kRows; }

} // namespace kiln::interp
