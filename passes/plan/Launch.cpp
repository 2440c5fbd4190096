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

size_t operandsOf(KernelOp kernel) { return kernel.getCustom().getInputs().size(); }

/// The arguments of one launch of a tile program.
class ProgramLaunch {
public:
  ProgramLaunch(KernelOp kernel, ArrayRef<BufferId> operands, ArrayRef<BufferId> results)
      : kernel(kernel), call(kernel.getCustom()), operands(operands), results(results) {}

  LogicalResult bind() {
    tile::KernelOp op = graph::findProgram(call, call.getProgramAttr());
    if (!op) return kernel.emitError("the tile program is not in the module");
    FailureOr<graph::Program> read = graph::programOf(op, kernel.getLoc());
    if (failed(read)) return failure();
    program = std::move(*read);
    SmallVector<Type> types(call.getInputs().getTypes());
    llvm::append_range(types, call.getResultTypes());
    for (Type type : types) tensors.push_back(cast<RankedTensorType>(type));
    FailureOr<Bindings> bound = graph::bindExtents(program, types, kernel.getLoc());
    if (failed(bound)) return failure();
    extents = std::move(*bound);
    return success();
  }

  FailureOr<PlanArg> argument(const KernelArgument &a) {
    switch (a.kind) {
    case KernelArgument::Kind::Buffer:
      return PlanArg(BufferArg{bufferOf(a.argument), 0, accessOf(a.argument)});
    case KernelArgument::Kind::Extent:
      return PlanArg(ExprArg{extents.at(a.name)});
    case KernelArgument::Kind::Stride:
      return PlanArg(ExprArg{strides(a.argument)[static_cast<size_t>(a.dim)]});
    case KernelArgument::Kind::Scalar:
      return scalar(a.argument - program.tensors.size());
    case KernelArgument::Kind::Map:
      return map(a);
    }
    llvm_unreachable("every kind has its argument");
  }

  Bindings extents;

private:
  KernelOp kernel;
  graph::CustomKernelOp call;
  ArrayRef<BufferId> operands, results;
  graph::Program program;
  SmallVector<RankedTensorType> tensors; ///< of the program's memory arguments

  BufferId bufferOf(size_t argument) {
    if (argument >= program.numInputs) return results[argument - program.numInputs];
    return operands[cast<BlockArgument>(call.getInputs()[argument]).getArgNumber()];
  }
  Access accessOf(size_t argument) const { return argument < program.numInputs ? Access::Read : Access::Write; }
  SmallVector<int64_t> strides(size_t argument) { return layout::rowMajorStrides(tensors[argument].getShape()); }

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
      return ir::violate(kernel.getLoc(), "graph.custom_kernel",
                         {"",
                          fmt::format("what `{}` of @{} is taken for: {}", program.tensors[a.argument].name,
                                      call.getProgram().str(), error.rule),
                          error.expected, error.found});
    }
  }

  FailureOr<PlanArg> map(const KernelArgument &a) {
    RankedTensorType type = tensors[a.argument];
    TensorMapArg map{.buffer = bufferOf(a.argument), .dtype = *ir::dtypeOf(type), .access = accessOf(a.argument)};
    for (int64_t extent : type.getShape()) map.extents.emplace_back(extent);
    for (int64_t stride : strides(a.argument)) map.strides.emplace_back(stride);
    if (!a.map.view.empty() && failed(takeAs(a, map))) return failure();
    if (a.map.tf32) map.dtype = DType::TF32;
    map.box.assign(a.map.box.begin(), a.map.box.end());
    map.swizzleBytes = static_cast<int32_t>(a.map.swizzle);
    map.l2Bytes = static_cast<int32_t>(a.map.l2);
    TensorMapRecipe recipe = recipeOf(map, {});
    std::optional<TensorMapFault> fault = faultOfForm(recipe);
    if (!fault && type.getNumElements() > 0) fault = faultOfTensor(recipe, 0);
    if (!fault) return PlanArg(std::move(map));
    return ir::violate(
        kernel.getLoc(), "graph.custom_kernel",
        {"", fmt::format("`{}` of @{}: {}", program.tensors[a.argument].name, call.getProgram().str(), fault->rule),
         fault->expected, fault->found, "a tensor whose rows are padded, or a program without a copy of it by TMA"});
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

FailureOr<LaunchStep> makeLaunch(KernelOp kernel, const KernelLaunch &launch, StringRef target,
                                 ArrayRef<BufferId> operands, ArrayRef<BufferId> results) {
  LaunchStep step;
  step.kernel = kernel.getSymbol()->str();
  step.target = target.str();
  step.label = labelOf(kernel);
  step.grid = launch.grid;
  step.sharedBytes = launch.sharedBytes;
  step.scratchBytes = launch.scratchBytes;
  step.cluster[0] = launch.cluster;
  step.pdl = launch.pdl;
  if (!kernel.getCustom()) {
    for (BufferId id : operands) step.args.push_back(BufferArg{id, 0, Access::Read});
    for (BufferId id : results) step.args.push_back(BufferArg{id, 0, Access::Write});
    return step;
  }
  ProgramLaunch program(kernel, operands, results);
  if (failed(program.bind())) return failure();
  for (Expr &grid : step.grid)
    if (grid = grid.substitute(program.extents); failed(checkGrid(kernel, grid, findGpuTarget(target.str()))))
      return failure();
  SmallVector<KernelArgument> arguments = launch.arguments;
  if (arguments.empty())
    for (unsigned i = 0; i < operandsOf(kernel) + results.size(); ++i)
      arguments.push_back({.kind = KernelArgument::Kind::Buffer, .argument = i});
  for (const KernelArgument &argument : arguments) {
    FailureOr<PlanArg> arg = program.argument(argument);
    if (failed(arg)) return failure();
    step.args.push_back(std::move(*arg));
  }
  return step;
}

} // namespace kiln
