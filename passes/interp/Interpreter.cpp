// The engine: runs a block's ops in order through their rows.
#include "passes/interp/Interpreter.h"

#include "passes/interp/Rows.h"

#include "ir/DTypes.h"
#include "ir/graph/AcceptedOps.h"
#include "ir/graph/Graph.h"

#include "mlir/IR/Verifier.h"

#include <new>

using namespace mlir;

namespace kiln::interp {
namespace {

using Result = FailureOr<std::vector<OracleTensor>>;

/// More than a test has use for: beyond it memory runs out before anything is computed.
constexpr uint64_t kMostElements = uint64_t{1} << 30;

/// A zero tensor of a value's type, or an error on `op`.
FailureOr<OracleTensor> allocate(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<DType> dtype = tensor ? ir::dtypeOf(tensor) : std::nullopt;
  if (!dtype || !graph::elementBit(tensor.getElementType()) || !tensor.hasStaticShape()) {
    InFlightDiagnostic diag = op->emitError() << "the interpreter does not take this type";
    diag.attachNote() << "expected: a static tensor of f32, f16, bf16, i32, i64, i1, i8 or an 8-bit float";
    diag.attachNote() << "found: " << type;
    return diag;
  }
  uint64_t elements = 1;
  for (int64_t extent : tensor.getShape()) elements = llvm::SaturatingMultiply<uint64_t>(elements, extent);
  if (elements > kMostElements && !llvm::is_contained(tensor.getShape(), 0))
    return op->emitError() << "the interpreter takes at most " << kMostElements << " elements, found " << type;
  return OracleTensor(tensor.getShape().vec(), *dtype);
}

/// Runs blocks. One engine serves a whole call: rows are looked up once.
class Engine {
public:
  Engine() {
    for (const InterpRow &row : interpRows()) rows.try_emplace(row.op, row.function);
  }

  /// `owner` holds the block; `depth` counts the kernels round it.
  Result run(Operation *owner, Block &block, ArrayRef<OracleTensor> inputs, int depth = 0);

private:
  using Environment = llvm::DenseMap<Value, OracleTensor>;
  LogicalResult runOp(Operation *op, Environment &values, int depth);
  LogicalResult runKernel(graph::KernelOp kernel, Operands operands, std::vector<OracleTensor> &results, int depth);

  llvm::StringMap<InterpFunction> rows;
};

LogicalResult checkInputs(Operation *owner, Block &block, ArrayRef<OracleTensor> inputs) {
  if (inputs.size() != block.getNumArguments())
    return owner->emitError() << "expected " << block.getNumArguments() << " inputs, found " << inputs.size();
  for (auto [i, input, argument] : llvm::enumerate(inputs, block.getArguments())) {
    FailureOr<OracleTensor> wanted = allocate(owner, argument.getType());
    if (failed(wanted)) return failure();
    if (wanted->shape != input.shape || wanted->dtype != input.dtype || input.size() != wanted->size()) {
      InFlightDiagnostic diag = owner->emitError() << "input " << i << " does not fit";
      diag.attachNote() << "expected: " << typeString(wanted->dtype, wanted->shape);
      diag.attachNote() << "found: " << typeString(input.dtype, input.shape);
      return diag;
    }
  }
  return success();
}

Result Engine::run(Operation *owner, Block &block, ArrayRef<OracleTensor> inputs, int depth) {
  if (failed(checkInputs(owner, block, inputs))) return failure();
  Environment values;
  llvm::DenseMap<Value, int64_t> uses; // those still to come
  for (Operation &op : block)
    for (Value operand : op.getOperands()) ++uses[operand];
  for (auto [argument, input] : llvm::zip(block.getArguments(), inputs))
    if (uses.contains(argument)) values.try_emplace(argument, input);

  for (Operation &op : block.without_terminator()) {
    if (failed(runOp(&op, values, depth))) return failure();
    for (Value result : op.getResults())
      if (!uses.contains(result)) values.erase(result);
    for (Value operand : op.getOperands())
      if (--uses[operand] == 0) values.erase(operand);
  }

  std::vector<OracleTensor> results;
  for (Value result : block.getTerminator()->getOperands()) results.push_back(values.at(result));
  return results;
}

LogicalResult Engine::runOp(Operation *op, Environment &values, int depth) {
  SmallVector<const OracleTensor *> operands;
  for (Value operand : op->getOperands()) {
    auto found = values.find(operand);
    if (found == values.end()) return op->emitError() << "an operand of `" << op->getName() << "` has no value";
    operands.push_back(&found->second);
  }
  std::vector<OracleTensor> results;
  for (Type type : op->getResultTypes()) {
    FailureOr<OracleTensor> result = allocate(op, type);
    if (failed(result)) return failure();
    result->zeroSigns = llvm::all_of(operands, [](const OracleTensor *x) { return x->zeroSigns; });
    results.push_back(std::move(*result));
  }
  auto row = rows.find(op->getName().getStringRef());
  if (auto kernel = dyn_cast<graph::KernelOp>(op)) {
    if (failed(runKernel(kernel, operands, results, depth))) return failure();
  } else if (row == rows.end()) {
    return op->emitError() << "the interpreter has no row for `" << op->getName() << "`";
  } else if (failed(row->second(op, operands, results))) {
    return failure();
  }
  for (auto [value, result] : llvm::zip(op->getResults(), results)) values.try_emplace(value, std::move(result));
  return success();
}

LogicalResult Engine::runKernel(graph::KernelOp kernel, Operands operands, std::vector<OracleTensor> &results,
                                int depth) {
  if (depth > 0) return kernel.emitError() << "a kernel may not stand in a kernel";
  std::vector<OracleTensor> inputs;
  for (const OracleTensor *operand : operands) inputs.push_back(*operand);
  Result outputs = run(kernel, kernel.getBody().front(), inputs, depth + 1);
  if (failed(outputs)) return failure();
  results = std::move(*outputs);
  return success();
}

/// Runs a verified region, and turns a lack of memory into an error.
Result runRegion(Operation *owner, Region &region, ArrayRef<OracleTensor> inputs) {
  if (failed(verify(owner))) return failure();
  if (!region.hasOneBlock()) return owner->emitError() << "expected one block to interpret";
  try {
    return Engine().run(owner, region.front(), inputs);
  } catch (const std::bad_alloc &) {
    return owner->emitError() << "not enough memory to interpret this";
  }
}

} // namespace

Result interpret(func::FuncOp function, ArrayRef<OracleTensor> inputs) {
  return runRegion(function, function.getBody(), inputs);
}

Result interpretKernel(graph::KernelOp kernel, ArrayRef<OracleTensor> inputs) {
  return runRegion(kernel, kernel.getBody(), inputs);
}

Result interpretReference(graph::CustomKernelOp call, ArrayRef<OracleTensor> inputs) {
  return Engine().run(call, *call.getReferenceBlock(), inputs, /*depth=*/1);
}

} // namespace kiln::interp
