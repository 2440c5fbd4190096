#include "passes/plan/Planner.h"

#include "ir/DTypes.h"
#include "ir/layout/IndexMap.h"
#include "passes/kernel/KernelForm.h"
#include "ir/layout/Arena.h"
#include "passes/plan/Constants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

#include <fmt/format.h>

using namespace mlir;

namespace kiln {
using graph::KernelOp;

namespace {

/// The value whose memory a value is: reshapes are aliases.
Value rootOf(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>()) value = reshape.getX();
  return value;
}

/// Whether each element of the kernel's only result needs no element of an operand but the one at the same place, so
/// that the result may take the operand's memory.
bool mayOverwrite(KernelOp kernel, unsigned operand) {
  if (kernel.getNumResults() != 1 || kernel.getInputLayouts() || kernel.getResultLayouts()) return false;
  std::string reason;
  FailureOr<graph::KernelForm> form = graph::analyzeKernel(kernel, reason);
  if (failed(form) || form->kind != graph::KernelKind::Pointwise) return false;
  Value argument = kernel.getBody().getArgument(operand);
  auto type = cast<RankedTensorType>(argument.getType()),
       result = cast<RankedTensorType>(kernel.getResult(0).getType());
  if (type.getNumElements() != result.getNumElements() ||
      type.getElementTypeBitWidth() != result.getElementTypeBitWidth())
    return false;
  SmallVector<int64_t> strides = layout::rowMajorStrides(type.getShape());
  auto place = layout::linearOffset(form->outputs[0].store, layout::rowMajorStrides(result.getShape()), form->extents);
  bool samePlace = true;
  graph::walkDemands(graph::Demand{form->outputs[0].value, form->outputs[0].store}, form->extents,
                     [&](const graph::Demand &demand) {
                       if (demand.value == argument)
                         samePlace &= layout::linearOffset(demand.map, strides, form->extents) == place;
                       return samePlace;
                     });
  return samePlace;
}

class PlanBuilder {
public:
  PlanBuilder(func::FuncOp function, const PlanOptions &options) : function(function), options(options) {}

  FailureOr<LaunchPlan> run() {
    if (!function.getBody().hasOneBlock()) return function.emitError("a plan needs a function of one block");
    plan.name = function.getName().str();
    plan.target = options.target;
    findLastUses();
    if (failed(addArguments()) || failed(addOutputs())) return failure();
    for (Operation &op : block().without_terminator())
      if (failed(addOp(&op))) return failure();
    if (failed(addCopies())) return failure();
    if (failed(placeTemporaries(plan, function.getLoc()))) return failure();
    return std::move(plan);
  }

private:
  func::FuncOp function;
  const PlanOptions &options;
  LaunchPlan plan;
  llvm::DenseMap<Value, BufferId> bufferOf;   ///< by root
  llvm::DenseMap<Value, BufferId> claimed;    ///< results of kernels that are written to an output
  llvm::DenseMap<Value, Operation *> lastUse; ///< by root; the return counts
  struct Copy {
    Value from;
    BufferId to;
  };
  SmallVector<Copy> copies;

  Block &block() { return function.getBody().front(); }
  PlanBuffer &buffer(BufferId id) { return plan.buffers[static_cast<size_t>(id)]; }
  BufferId memoryOf(BufferId id) { return buffer(id).aliasOf == kNoBuffer ? id : buffer(id).aliasOf; }

  void findLastUses() {
    for (Operation &op : block())
      if (!isa<graph::ReshapeOp>(op))
        for (Value operand : op.getOperands()) lastUse[rootOf(operand)] = &op;
  }

  //===- Buffers --------------------------------------------------------------------------------------------------===//

  FailureOr<BufferId> addBuffer(Location loc, BufferKind kind, std::string name, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    std::optional<int64_t> bytes = tensor ? ir::bytesOf(tensor) : std::nullopt;
    if (!bytes) return emitError(loc) << "no buffer can hold " << type;
    PlanBuffer b;
    b.id = static_cast<BufferId>(plan.buffers.size());
    b.name = std::move(name);
    b.kind = kind;
    b.dtype = *ir::dtypeOf(tensor);
    for (int64_t extent : tensor.getShape()) b.shape.emplace_back(extent);
    b.bytes = *bytes;
    plan.buffers.push_back(std::move(b));
    return plan.buffers.back().id;
  }

  FailureOr<std::string> nameOf(Attribute attribute, StringRef otherwise, size_t index, llvm::StringSet<> &seen) {
    auto given = dyn_cast_or_null<StringAttr>(attribute);
    std::string name = given ? given.str() : fmt::format("{}{}", otherwise.str(), index);
    if (!seen.insert(name).second) return function.emitError() << "a second tensor is named `" << name << "`";
    return name;
  }

  LogicalResult addArguments() {
    llvm::StringSet<> seen;
    for (BlockArgument argument : block().getArguments()) {
      unsigned i = argument.getArgNumber();
      FailureOr<std::string> name = nameOf(function.getArgAttr(i, "graph.name"), "x", i, seen);
      if (failed(name)) return failure();
      BufferKind kind = function.getArgAttr(i, "graph.param") ? BufferKind::Parameter : BufferKind::Input;
      FailureOr<BufferId> id = addBuffer(argument.getLoc(), kind, *name, argument.getType());
      if (failed(id)) return failure();
      if (kind == BufferKind::Input) plan.inputs.push_back(*id);
      bufferOf[argument] = *id;
    }
    return success();
  }

  LogicalResult addOutputs() {
    llvm::StringSet<> seen;
    for (OpOperand &operand : block().getTerminator()->getOpOperands()) {
      unsigned i = operand.getOperandNumber();
      FailureOr<std::string> name = nameOf(function.getResultAttr(i, "graph.name"), "y", i, seen);
      if (failed(name)) return failure();
      FailureOr<BufferId> id = addBuffer(function.getLoc(), BufferKind::Output, *name, operand.get().getType());
      if (failed(id)) return failure();
      plan.outputs.push_back(*id);
      Value root = rootOf(operand.get());
      bool direct = root.getDefiningOp<KernelOp>() && claimed.try_emplace(root, *id).second;
      if (!direct) copies.push_back({root, *id});
    }
    return success();
  }

  /// The buffer that holds a value; constants get theirs when first asked for.
  FailureOr<BufferId> lookup(Value value) {
    Value root = rootOf(value);
    if (auto it = bufferOf.find(root); it != bufferOf.end()) return it->second;
    auto constant = root.getDefiningOp<arith::ConstantOp>();
    auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
    if (!elements) return emitError(root.getLoc(), "no step of the plan computes this");
    FailureOr<BufferId> id =
        addBuffer(root.getLoc(), BufferKind::Constant, fmt::format("constant{}", plan.buffers.size()), root.getType());
    if (failed(id)) return failure();
    buffer(*id).constant = hostTensor(elements, buffer(*id).dtype);
    return bufferOf[root] = *id;
  }

  //===- Layouts --------------------------------------------------------------------------------------------------===//

  /// The strides that a kernel gives its operand or result `i`; empty where it is dense.
  static FailureOr<SmallVector<int64_t>> stridesOf(KernelOp kernel, Value value, std::optional<ArrayAttr> layouts,
                                                   size_t i) {
    if (!layouts) return SmallVector<int64_t>();
    auto layout = cast<graph::LayoutAttr>((*layouts)[i]);
    if (layout.getOffset() != 0 || llvm::any_of(layout.getStrides(), [](int64_t stride) { return stride < 0; }))
      return kernel.emitError("a buffer starts at its first element and runs upwards");
    SmallVector<int64_t> strides(layout.getStrides());
    if (strides == layout::rowMajorStrides(graph::shapeOf(value))) strides.clear();
    return strides;
  }

  /// Lays a buffer that a kernel writes out as the kernel says.
  LogicalResult layOut(KernelOp kernel, size_t result, BufferId id) {
    Value value = kernel.getOutputs()[result];
    FailureOr<SmallVector<int64_t>> strides = stridesOf(kernel, value, kernel.getResultLayouts(), result);
    if (failed(strides)) return failure();
    PlanBuffer &b = buffer(id);
    if (strides->empty() || b.bytes == Expr(0)) return success();
    if (b.kind != BufferKind::Temporary)
      return kernel.emitError() << "result " << result << " is an output of the graph, which is dense";
    b.strides.assign(strides->begin(), strides->end());
    int64_t last = 0;
    for (auto [extent, stride] : llvm::zip(graph::shapeOf(value), *strides)) last += (extent - 1) * stride;
    b.bytes = (last + 1) * *byteSize(b.dtype, 1);
    return success();
  }

  /// Fails where a kernel reads a value otherwise than it lies.
  LogicalResult checkLayout(KernelOp kernel, size_t operand, BufferId id) {
    Value value = kernel.getInputs()[operand];
    FailureOr<SmallVector<int64_t>> strides = stridesOf(kernel, value, kernel.getInputLayouts(), operand);
    if (failed(strides)) return failure();
    auto same = [](const Expr &l, int64_t r) { return l == Expr(r); };
    const PlanBuffer &b = buffer(id);
    bool fits = b.strides.empty() || rootOf(value).getType() == value.getType(); // else a reshape is no alias
    if (fits && std::ranges::equal(b.strides, *strides, same)) return success();
    return kernel.emitError() << "operand " << operand << " does not lie as its layout says";
  }

  //===- Steps ----------------------------------------------------------------------------------------------------===//

  LogicalResult addOp(Operation *op) {
    if (auto kernel = dyn_cast<KernelOp>(op)) return addKernel(kernel);
    if (isa<graph::ReshapeOp, arith::ConstantOp>(op)) return success();
    return op->emitError() << "'" << op->getName() << "' is no step of a plan; run graph-fuse first";
  }

  LogicalResult addKernel(KernelOp kernel) {
    if (!kernel.getSymbol()) return kernel.emitError("the kernel has no symbol; run graph-name-kernels first");
    FailureOr<KernelLaunches> launches = options.launches(kernel);
    if (failed(launches)) return failure();
    SmallVector<BufferId> operands, results;
    for (auto [i, operand] : llvm::enumerate(kernel.getInputs())) {
      FailureOr<BufferId> id = lookup(operand);
      if (failed(id) || failed(checkLayout(kernel, i, *id))) return failure();
      operands.push_back(*id);
    }
    for (auto [i, result] : llvm::enumerate(kernel.getOutputs())) {
      FailureOr<BufferId> id = addResult(kernel, result);
      if (failed(id) || failed(layOut(kernel, i, *id))) return failure();
      bufferOf[result] = *id;
      results.push_back(*id);
    }
    return addLaunches(plan, kernel, *launches, operands, results);
  }

  FailureOr<BufferId> addResult(KernelOp kernel, Value result) {
    if (auto output = claimed.find(result); output != claimed.end()) return output->second;
    FailureOr<BufferId> id =
        addBuffer(result.getLoc(), BufferKind::Temporary,
                  fmt::format("t{}.{}", plan.steps.size(), cast<OpResult>(result).getResultNumber()), result.getType());
    if (failed(id) || !options.inPlace) return id;
    for (Value operand : kernel.getInputs()) {
      Value root = rootOf(operand);
      BufferId from = bufferOf.lookup_or(root, kNoBuffer);
      if (from == kNoBuffer || buffer(from).kind != BufferKind::Temporary || lastUse.lookup(root) != kernel) continue;
      // A reshape can bring the same memory in as another operand.
      bool everywhere = llvm::all_of(llvm::enumerate(kernel.getInputs()), [&](auto other) {
        return rootOf(other.value()) != root || mayOverwrite(kernel, other.index());
      });
      if (!everywhere) continue;
      buffer(*id).aliasOf = memoryOf(from);
      break;
    }
    return id;
  }

  /// What the kernels did not write into an output themselves.
  LogicalResult addCopies() {
    for (const Copy &copy : copies) {
      if (buffer(copy.to).bytes == Expr(0)) continue;
      FailureOr<BufferId> from = lookup(copy.from);
      if (failed(from)) return failure();
      if (!buffer(*from).strides.empty()) return emitError(copy.from.getLoc(), "what is returned must be dense");
      plan.steps.push_back(CopyStep{{*from, 0, Access::Read}, {copy.to, 0, Access::Write}, buffer(copy.to).bytes});
    }
    return success();
  }
};

} // namespace

LogicalResult placeTemporaries(LaunchPlan &plan, Location loc) {
  llvm::DenseMap<BufferId, Lifetime> lifetimes; // buffers, and again the memory they are in
  for (auto [index, step] : llvm::enumerate(plan.steps))
    for (const BufferArg &arg : bufferArgs(step)) {
      BufferId root = plan.buffers[static_cast<size_t>(arg.buffer)].aliasOf;
      for (BufferId id : {arg.buffer, root == kNoBuffer ? arg.buffer : root}) {
        auto at = static_cast<int32_t>(index);
        lifetimes.try_emplace(id, Lifetime{at, at}).first->second.lastStep = at;
      }
    }
  std::vector<ArenaRequest> requests;
  SmallVector<BufferId> ids;
  for (PlanBuffer &b : plan.buffers) {
    if (b.kind != BufferKind::Temporary) continue;
    b.lifetime = lifetimes.lookup(b.id);
    if (b.aliasOf != kNoBuffer) continue;
    requests.push_back({b.bytes.constant(), b.lifetime.firstStep, b.lifetime.lastStep});
    ids.push_back(b.id);
  }
  int64_t arena = packArena(requests);
  if (arena > kMostArenaBytes)
    return ir::violate(loc, "func.func",
                       {"", "what lives between the kernels of a graph must fit in memory", "at most 2^47 bytes",
                        fmt::format("{} bytes or more", arena), "smaller tensors"});
  plan.arenaBytes = arena;
  for (auto [id, request] : llvm::zip(ids, requests)) plan.buffers[static_cast<size_t>(id)].offset = request.offset;
  return success();
}

FailureOr<LaunchPlan> planGraph(func::FuncOp function, const PlanOptions &options) {
  return PlanBuilder(function, options).run();
}

} // namespace kiln
