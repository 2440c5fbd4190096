#include "passes/plan/Launch.h"

#include "ir/DTypes.h"
#include "ir/graph/AcceptedOps.h"
#include "ir/graph/Programs.h"
#include "ir/layout/IndexMap.h"
#include "ir/target/Gpu.h"
#include "kiln/Error.h"

#include "llvm/ADT/SetVector.h"

#include <fmt/format.h>

using namespace mlir;

namespace kiln {
using graph::KernelOp;
using tile::KernelArgument;

namespace {

/// "matmul addf gelu": the ops a kernel computes, each once, for reports; "@name" of a tile program.
std::string labelOf(KernelOp kernel) {
  if (graph::CustomKernelOp call = kernel.getCustom()) return "@" + call.getProgram().str();
  llvm::SetVector<StringRef> names;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    const graph::AcceptedOp *row = graph::findAcceptedOp(op.getName().getStringRef());
    bool computes = row && row->opClass != graph::OpClass::View && op.getNumOperands() > 0;
    if (computes) names.insert(op.getName().stripDialect());
  }
  constexpr size_t kMost = 8;
  std::string label;
  for (StringRef name : names.getArrayRef().take_front(kMost)) label += (label.empty() ? "" : " ") + name.str();
  if (names.size() > kMost) label += " ...";
  return label.empty() ? "copy" : label;
}

/// A tensor of a kernel: an operand, a result or a workspace.
struct KernelTensor {
  BufferId buffer;
  RankedTensorType type;
  SmallVector<int64_t> strides; ///< elements
};

KernelTensor tensorOf(BufferId buffer, Type type, std::optional<ArrayAttr> layouts = {}, size_t i = 0) {
  KernelTensor tensor{buffer, cast<RankedTensorType>(type), {}};
  if (layouts)
    llvm::append_range(tensor.strides, cast<graph::LayoutAttr>((*layouts)[i]).getStrides());
  else
    tensor.strides = layout::rowMajorStrides(tensor.type.getShape());
  return tensor;
}

/// The memory arguments of a program that says nothing of them.
SmallVector<LaunchMemory> allOf(KernelOp kernel) {
  graph::CustomKernelOp call = kernel.getCustom();
  size_t operands = call ? call.getInputs().size() : kernel.getInputs().size();
  SmallVector<LaunchMemory> memories;
  for (unsigned i = 0; i < operands + kernel.getNumResults(); ++i)
    memories.push_back({i, i < operands ? Access::Read : Access::Write, fmt::format("arg{}", i), {}, {}});
  return memories;
}

/// What one launch passes.
class Binder {
public:
  Binder(KernelOp kernel, const KernelLaunch &launch, ArrayRef<KernelTensor> tensors)
      : kernel(kernel), call(kernel.getCustom()), symbol(launch.symbol), memories(launch.memories) {
    if (memories.empty()) memories = allOf(kernel);
    for (auto [i, memory] : llvm::enumerate(memories)) {
      bound.push_back(tensors[call ? tensorOfCall(i) : memory.tensor]);
      for (auto [name, extent] : llvm::zip(memory.dims, bound.back().type.getShape())) extents[name] = extent;
    }
  }

  FailureOr<SmallVector<PlanArg>> bind(ArrayRef<KernelArgument> arguments) {
    SmallVector<PlanArg> all;
    if (arguments.empty())
      for (unsigned i = 0; i < memories.size(); ++i) all.push_back(pointer(i));
    for (const KernelArgument &a : arguments) {
      FailureOr<PlanArg> arg = argument(a);
      if (failed(arg)) return failure();
      all.push_back(std::move(*arg));
    }
    return all;
  }

  Bindings extents;

private:
  KernelOp kernel;
  graph::CustomKernelOp call;
  StringRef symbol;
  SmallVector<LaunchMemory> memories;
  SmallVector<KernelTensor> bound; ///< to each of them

  /// Of a call's operands two may be one of the kernel's.
  size_t tensorOfCall(size_t i) {
    size_t inputs = call.getInputs().size();
    if (i >= inputs) return kernel.getInputs().size() + i - inputs;
    return cast<BlockArgument>(call.getInputs()[i]).getArgNumber();
  }
  std::string nameOf(size_t argument) {
    return fmt::format("`{}` of @{}", memories[argument].name, call ? call.getProgram().str() : symbol.str());
  }
  PlanArg pointer(size_t argument) const { return BufferArg{bound[argument].buffer, 0, memories[argument].access}; }

  FailureOr<PlanArg> argument(const KernelArgument &a) {
    switch (a.kind) {
    case KernelArgument::Kind::Buffer:
      return pointer(a.argument);
    case KernelArgument::Kind::Extent:
      return PlanArg(ExprArg{extents.at(a.name)});
    case KernelArgument::Kind::Stride:
      return PlanArg(ExprArg{bound[a.argument].strides[a.dim]});
    case KernelArgument::Kind::Scalar:
      return scalar(a.argument - memories.size());
    case KernelArgument::Kind::Map:
      return map(a);
    }
    llvm_unreachable("every kind has its argument");
  }

  FailureOr<PlanArg> scalar(size_t i) {
    Attribute value = (*call.getScalars())[i];
    auto number = dyn_cast<IntegerAttr>(value);
    if (number && number.getType().isIndex()) return PlanArg(ExprArg{number.getInt()});
    APInt bits = number ? number.getValue() : cast<FloatAttr>(value).getValue().bitcastToAPInt();
    std::optional<DType> dtype = ir::dtypeOf(cast<TypedAttr>(value).getType());
    if (!dtype || bits.getBitWidth() > 64) return kernel.emitError() << "no launch passes the scalar " << value;
    return PlanArg(ScalarArg{*dtype, bits.getZExtValue()});
  }

  /// Gives a map the extents of what its tensor is taken for, and dense strides.
  LogicalResult takeAs(const KernelArgument &a, TensorMapArg &map) {
    map.extents.clear();
    map.strides.clear();
    Expr stride = 1;
    try {
      for (const std::string &extent : llvm::reverse(a.map.view)) {
        map.extents.insert(map.extents.begin(), Expr::parse(extent).evaluate(extents));
        map.strides.insert(map.strides.begin(), stride);
        stride = (stride * map.extents.front()).evaluate();
      }
      return success();
    } catch (const kiln::Error &error) {
      return ir::violate(
          kernel.getLoc(), "graph.custom_kernel",
          {"", fmt::format("what {} is taken for: {}", nameOf(a.argument), error.rule), error.expected, error.found});
    }
  }

  FailureOr<PlanArg> map(const KernelArgument &a) {
    auto &[buffer, type, strides] = bound[a.argument];
    TensorMapArg map{.buffer = buffer, .dtype = *ir::dtypeOf(type), .access = memories[a.argument].access};
    map.extents.assign(type.getShape().begin(), type.getShape().end());
    map.strides.assign(strides.begin(), strides.end());
    if (!a.map.view.empty() && failed(takeAs(a, map))) return failure();
    if (a.map.tf32) map.dtype = DType::TF32;
    map.box.assign(a.map.box.begin(), a.map.box.end());
    map.swizzleBytes = static_cast<int32_t>(a.map.swizzle);
    map.l2Bytes = static_cast<int32_t>(a.map.l2);
    TensorMapRecipe recipe = recipeOf(map, {});
    std::optional<TensorMapFault> fault = faultOfForm(recipe);
    if (!fault && type.getNumElements() > 0) fault = faultOfTensor(recipe, 0);
    if (!fault) return PlanArg(std::move(map));
    return ir::violate(kernel.getLoc(), "graph.custom_kernel",
                       {"", fmt::format("{}: {}", nameOf(a.argument), fault->rule), fault->expected, fault->found,
                        "a tensor whose rows are padded, or a program without a copy of it by TMA"});
  }
};

/// The grid that a tile program asks for under its extents, other than for as many CTAs as a device runs.
LogicalResult checkGrid(KernelOp kernel, const Expr &grid, bool isGpu) {
  if (!grid.extents().empty() || (grid.isConstant() && (!isGpu || grid.constant() <= kMostCtas))) return success();
  return ir::violate(kernel.getLoc(), "graph.custom_kernel",
                     {"", "a launch has no more CTAs than a gpu counts to, and than fit in 64 bits",
                      fmt::format("at most {}", kMostCtas), grid.toString(), "smaller tensors, or larger tiles"});
}

} // namespace

KernelLaunch launchOf(tile::KernelOp program) {
  KernelLaunch launch{.symbol = program.getSymName().str(), .arguments = tile::argumentsOf(program)};
  launch.grid[0] = program.getGridOf() ? Expr::parse(program.getGridOf()->str())
                                       : Expr(static_cast<int64_t>(program.getGrid().value_or(0)));
  // One thread of execution has its shared tiles in memory.
  (program.getThreads() ? launch.sharedBytes : launch.scratchBytes) =
      static_cast<int64_t>(program.getSharedBytes().value_or(0));
  launch.cluster = static_cast<int32_t>(program.getCluster().value_or(1));
  program.walk([&](tile::GridWaitOp) { launch.pdl = true; });
  for (BlockArgument argument : program.getBody().getArguments()) {
    auto type = dyn_cast<tile::GlobalType>(argument.getType());
    if (!type) continue;
    unsigned i = argument.getArgNumber();
    LaunchMemory &memory = launch.memories.emplace_back();
    auto tensor = program.getArgAttrOfType<IntegerAttr>(i, tile::kTensor);
    auto name = program.getArgAttrOfType<StringAttr>(i, "tile.name");
    memory.tensor = tensor ? static_cast<unsigned>(tensor.getInt()) : i;
    memory.access = graph::isWritten(argument) ? Access::Write : Access::Read;
    memory.name = name ? name.str() : fmt::format("arg{}", i);
    memory.type = type;
    for (StringRef dim : tile::dimsOf(program, i)) memory.dims.push_back(dim.str());
  }
  return launch;
}

/// Adds the workspaces that the launches pass to `tensors`, and to the plan.
static void addWorkspaces(LaunchPlan &plan, KernelOp kernel, ArrayRef<KernelLaunch> launches,
                          SmallVectorImpl<KernelTensor> &tensors) {
  if (kernel.getCustom()) return; // a program's arguments are the call's
  size_t first = tensors.size();
  for (const KernelLaunch &launch : launches)
    for (const LaunchMemory &memory : launch.memories) {
      if (memory.tensor < first) continue;
      while (tensors.size() <= memory.tensor) tensors.push_back({kNoBuffer, {}, {}});
      KernelTensor &tensor = tensors[memory.tensor];
      if (tensor.buffer != kNoBuffer) continue;
      auto type = RankedTensorType::get(memory.type.getShape(), memory.type.getElementType());
      PlanBuffer buffer;
      buffer.id = static_cast<BufferId>(plan.buffers.size());
      buffer.name = fmt::format("t{}.w{}", plan.steps.size(), memory.tensor - first);
      buffer.dtype = *ir::dtypeOf(type);
      buffer.shape.assign(type.getShape().begin(), type.getShape().end());
      buffer.bytes = *ir::bytesOf(type);
      tensor = tensorOf(buffer.id, type);
      plan.buffers.push_back(std::move(buffer));
    }
}

LogicalResult addLaunches(LaunchPlan &plan, KernelOp kernel, ArrayRef<KernelLaunch> launches,
                          ArrayRef<BufferId> operands, ArrayRef<BufferId> results) {
  SmallVector<KernelTensor> tensors;
  for (auto [i, id] : llvm::enumerate(operands))
    tensors.push_back(tensorOf(id, kernel.getInputs()[i].getType(), kernel.getInputLayouts(), i));
  for (auto [i, id] : llvm::enumerate(results))
    tensors.push_back(tensorOf(id, kernel.getOutputs()[i].getType(), kernel.getResultLayouts(), i));
  addWorkspaces(plan, kernel, launches, tensors);
  for (const KernelLaunch &launch : launches) {
    LaunchStep step;
    step.kernel = launch.symbol.empty() ? kernel.getSymbol()->str() : launch.symbol;
    step.target = plan.target;
    step.label = labelOf(kernel);
    step.grid = launch.grid;
    step.sharedBytes = launch.sharedBytes;
    step.scratchBytes = launch.scratchBytes;
    step.cluster[0] = launch.cluster;
    step.pdl = launch.pdl;
    Binder binder(kernel, launch, tensors);
    FailureOr<SmallVector<PlanArg>> args = binder.bind(launch.arguments);
    if (failed(args)) return failure();
    step.args.assign(args->begin(), args->end());
    for (Expr &grid : step.grid)
      if (grid = grid.substitute(binder.extents); failed(checkGrid(kernel, grid, findGpuTarget(plan.target))))
        return failure();
    plan.steps.push_back(std::move(step));
  }
  return success();
}

} // namespace kiln
