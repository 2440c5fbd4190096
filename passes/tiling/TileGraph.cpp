// tile-graph: turns each distinct graph kernel into a tile program.
#include "passes/tiling/Passes.h"

#include "ir/graph/Programs.h"
#include "passes/kernel/KernelChecks.h"
#include "passes/tiling/Skeleton.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

#include <fmt/format.h>

namespace kiln::tiling {
#define GEN_PASS_DEF_TILEGRAPH
#include "passes/tiling/Passes.h.inc"

using namespace mlir;

namespace {

Type globalType(Value tensor, std::optional<ArrayAttr> layouts, size_t i) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> strides;
  if (layouts)
    strides.assign(cast<graph::LayoutAttr>((*layouts)[i]).getStrides().begin(),
                   cast<graph::LayoutAttr>((*layouts)[i]).getStrides().end());
  return tile::GlobalType::get(type.getContext(), type.getShape(), type.getElementType(), strides);
}

/// The tile program that a kernel calls, under the kernel's name.
LogicalResult copyProgram(OpBuilder &b, graph::KernelOp kernel, graph::CustomKernelOp call) {
  tile::KernelOp program = graph::findProgram(call, call.getProgramAttr());
  if (!program) return call.emitError() << "there is no tile.kernel @" << call.getProgram();
  cast<tile::KernelOp>(b.clone(*program)).setSymName(*kernel.getSymbol());
  return success();
}

/// Begins a program on `tensors`: the kernel's operands, results and workspaces.
void beginProgram(SkeletonContext &context, const Twine &symbol, TypeRange tensors) {
  OpBuilder &b = context.builder;
  OperationState state(context.loc, tile::KernelOp::getOperationName());
  state.addRegion();
  state.addAttribute("sym_name", b.getStringAttr(symbol));
  state.addAttribute("function_type", TypeAttr::get(b.getFunctionType(tensors, {})));
  state.addAttribute("grid", b.getI64IntegerAttr(0));
  context.program = cast<tile::KernelOp>(b.create(state));
  Block *block =
      b.createBlock(&context.program.getBody(), {}, tensors, SmallVector<Location>(tensors.size(), context.loc));
  size_t own = context.kernel.getInputs().size() + context.kernel.getNumResults();
  KernelMemory memory = memoryOf(context.kernel, block->getArguments().take_front(own));
  context.memories = memory.inputs;
  context.outputs = memory.outputs;
  context.workspaces.assign(block->args_begin() + own, block->args_end());
}

void endProgram(SkeletonContext &context, int64_t grid) {
  tile::ReturnOp::create(context.builder, context.loc);
  context.program.setGrid(grid);
  context.builder.setInsertionPointAfter(context.program);
}

/// Leaves a program of several the tensors that it uses, and says which they are.
void keepUsed(tile::KernelOp program) {
  llvm::BitVector unused(program.getNumArguments());
  for (BlockArgument argument : program.getArguments()) {
    unsigned i = argument.getArgNumber();
    program.setArgAttr(i, tile::kTensor, IntegerAttr::get(IntegerType::get(program.getContext(), 64), i));
    unused[i] = argument.use_empty();
  }
  (void)program.eraseArguments(unused);
}

/// Builds the tile programs of one kernel at the builder's insertion point.
LogicalResult buildPrograms(OpBuilder &b, graph::KernelOp kernel, Target target) {
  if (graph::CustomKernelOp call = kernel.getCustom()) return copyProgram(b, kernel, call);
  FailureOr<KernelCase> which = KernelCase::of(kernel, target);
  if (failed(which)) return failure();
  std::string reason;
  const Family *family = familyOf(*which, kernel.getScheduleAttr(), reason);
  if (!family) return kernel.emitError() << reason;
  if (!kernel.getScheduleAttr() && family->schedules(*which, reason).empty())
    return kernel.emitError() << "has no legal schedule on '" << target.name() << "': " << reason;
  if (!kernel.getScheduleAttr()) return kernel.emitError("has no schedule: run tile-schedule first");
  SmallVector<Type> types;
  for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
    types.push_back(globalType(input, kernel.getInputLayouts(), i));
  for (auto [i, output] : llvm::enumerate(kernel.getOutputs()))
    types.push_back(globalType(output, kernel.getResultLayouts(), i));

  OpBuilder::InsertionGuard guard(b);
  SkeletonContext context{kernel, which->form, target, tile::KernelOp(), b, kernel.getLoc(), Memories(), {}};
  beginProgram(context, *kernel.getSymbol(), types);
  tile::KernelOp first = context.program;
  FailureOr<int64_t> grid = family->build(context);
  if (failed(grid)) return failure();
  endProgram(context, *grid);
  if (context.program == first) return success();
  for (Operation *program = first.getOperation(); program; program = program->getNextNode())
    keepUsed(cast<tile::KernelOp>(program));
  return success();
}

struct TileGraph : impl::TileGraphBase<TileGraph> {
  using TileGraphBase::TileGraphBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<Target> row = targetNamed(module, target);
    if (failed(row)) return signalPassFailure();
    llvm::StringSet<> built;
    SmallVector<func::FuncOp> graphs(module.getOps<func::FuncOp>());
    SmallVector<tile::KernelOp> called(module.getOps<tile::KernelOp>());
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    for (func::FuncOp function : graphs) {
      WalkResult walked = function.walk([&](graph::KernelOp kernel) {
        if (!kernel.getSymbolAttr()) {
          kernel.emitError("has no symbol: run graph-name-kernels first");
          return WalkResult::interrupt();
        }
        if (!built.insert(*kernel.getSymbol()).second) return WalkResult::advance();
        return succeeded(buildPrograms(b, kernel, *row)) ? WalkResult::advance() : WalkResult::interrupt();
      });
      if (walked.wasInterrupted()) return signalPassFailure();
    }
    for (func::FuncOp function : graphs) function.erase();
    for (tile::KernelOp program : called) program.erase(); // its copies stay, under the names of the kernels
  }
};

} // namespace

void nextLaunch(SkeletonContext &context, int64_t grid) {
  OpBuilder &b = context.builder;
  SmallVector<Type> tensors(context.program.getBody().getArgumentTypes());
  // Where a gpu can, it starts the next launch early: CTAs of that one are resident when the last of this one ends.
  bool early = context.target.gpu() && has(*context.target.gpu(), GpuFeature::BulkCopies);
  if (early) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&context.program.getBody().front());
    tile::GridReleaseOp::create(b, context.loc);
  }
  endProgram(context, grid);
  beginProgram(context, fmt::format("{}_{}", context.kernel.getSymbol()->str(), ++context.launch), tensors);
  if (early) tile::GridWaitOp::create(b, context.loc);
}

size_t addWorkspace(SkeletonContext &context, ArrayRef<int64_t> shape, Type element) {
  auto type = tile::GlobalType::get(element.getContext(), shape, element, {});
  tile::KernelOp program = context.program;
  (void)program.insertArgument(program.getNumArguments(), type, {}, context.loc);
  context.workspaces.push_back(program.getArguments().back());
  return context.workspaces.size() - 1;
}

} // namespace kiln::tiling
