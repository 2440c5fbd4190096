#include "compiler/report/KernelCosts.h"

#include "compiler/dsl/Diagnostics.h"
#include "compiler/dsl/GraphImpl.h"
#include "ir/DTypes.h"
#include "ir/graph/AcceptedOps.h"
#include "passes/cost/Ops.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::report;
using graph::OpClass;

static int64_t bytesOf(Type type) { return ir::bytesOf(cast<RankedTensorType>(type)).value_or(0); }

static OpClass classOf(Operation *op) {
  const graph::AcceptedOp *row = graph::findAcceptedOp(op->getName().getStringRef());
  return row ? row->opClass : OpClass::Structure;
}

/// The value a chain of views reads.
static Value throughViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (classOf(op) != OpClass::View) break;
    value = op->getOperand(0);
  }
  return value;
}

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getName().getStringRef() == "arith.constant";
}

/// What the op would move as a kernel of its own: each distinct operand once, looked at through views, and its result.
static int64_t bytesAlone(Operation *op) {
  int64_t bytes = 0;
  llvm::SmallSetVector<Value, 4> read;
  for (Value operand : op->getOperands()) read.insert(throughViews(operand));
  for (Value value : read)
    if (!isConstant(value)) bytes += bytesOf(value.getType());
  for (Type type : op->getResultTypes()) bytes += bytesOf(type);
  return bytes;
}

static double flopsOf(Operation *op) {
  if (auto matmul = dyn_cast<graph::MatmulOp>(op)) {
    ArrayRef<int64_t> a = graph::shapeOf(matmul.getA());
    return 2.0 * static_cast<double>(matmul.getType().getNumElements()) *
           static_cast<double>(matmul.getTransposeA() ? a[a.size() - 2] : a.back());
  }
  if (auto call = dyn_cast<graph::CustomKernelOp>(op)) {
    double flops = 0; // what the reference says it computes
    for (Region &region : call->getRegions())
      for (Operation &inner : region.getOps()) flops += inner.getNumResults() ? flopsOf(&inner) : 0;
    return flops;
  }
  if (!cost::hasOpCost(op->getName().getStringRef())) return 0;
  Value counted = isa<graph::ReduceOp>(op) ? op->getOperand(0) : op->getResult(0);
  auto type = cast<RankedTensorType>(counted.getType());
  return isa<FloatType>(type.getElementType()) ? cost::costOf(op).flops * static_cast<double>(type.getNumElements())
                                               : 0;
}

KernelReport kiln::report::describe(graph::KernelOp kernel) {
  KernelReport row;
  row.symbol = kernel.getSymbol().value_or("").str();
  row.kind = kernel.getKind().str();
  if (auto schedule = kernel.getScheduleAttr())
    for (NamedAttribute knob : schedule.getKnobs()) {
      std::string value;
      llvm::raw_string_ostream os(value);
      if (auto integer = dyn_cast<IntegerAttr>(knob.getValue()))
        os << integer.getValue();
      else
        os << knob.getValue();
      row.schedule += (row.schedule.empty() ? "" : " ") + knob.getName().str() + "=" + value;
    }
  std::map<std::string, size_t> index;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    OpClass opClass = classOf(&op);
    if (isConstant(op.getResult(0))) continue;
    auto [at, isNew] = index.try_emplace(op.getName().getStringRef().str(), row.ops.size());
    if (isNew) row.ops.emplace_back(at->first, 0);
    ++row.ops[at->second].second;
    if (row.where.line == 0) row.where = sourceOf(op.getLoc());
    if (opClass == OpClass::View) continue;
    row.bytesBefore += bytesAlone(&op);
    row.flops += flopsOf(&op);
  }
  llvm::SmallSetVector<Value, 4> inputs(kernel.getInputs().begin(), kernel.getInputs().end());
  for (Value input : inputs) row.bytesAfter += bytesOf(input.getType());
  for (Value output : kernel.getOutputs()) row.bytesAfter += bytesOf(output.getType());
  if (kernel.getNumResults()) {
    auto type = cast<RankedTensorType>(kernel.getResultTypes().front());
    row.shape = typeString(dsl::dtypeOf(type), type.getShape());
  }
  row.bytesBefore = std::max(row.bytesBefore, row.bytesAfter); // a kernel of views alone moves what it moves
  return row;
}
