// Tile programs, by their reference regions.
#include "passes/interp/Interpreter.h"
#include "passes/interp/Rows.h"

#include "ir/graph/Graph.h"

using namespace mlir;

namespace kiln::interp {
namespace {

LogicalResult customKernel(graph::CustomKernelOp call, Operands operands, MutableArrayRef<OracleTensor> results) {
  if (!call.getReferenceBlock()) {
    InFlightDiagnostic diag = call.emitError() << "the interpreter runs the reference of a tile program";
    diag.attachNote() << "expected: a reference region";
    diag.attachNote() << "found: @" << call.getProgram() << " without one";
    return diag;
  }
  std::vector<OracleTensor> inputs;
  for (const OracleTensor *operand : operands) inputs.push_back(*operand);
  FailureOr<std::vector<OracleTensor>> outputs = interpretReference(call, inputs);
  if (failed(outputs)) return failure();
  for (auto [result, output] : llvm::zip(results, *outputs)) result = std::move(output);
  return success();
}

const InterpRow kRows[] = {{"graph.custom_kernel", ir::typed<customKernel>, "of its reference, op by op"}};

} // namespace

ArrayRef<InterpRow> programRows() { return kRows; }

} // namespace kiln::interp
