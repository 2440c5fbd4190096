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

/// Builds the tile program of one kernel at the builder's insertion point.
LogicalResult buildProgram(OpBuilder &b, graph::KernelOp kernel, Target target) {
  if (graph::CustomKernelOp call = kernel.getCustom()) return copyProgram(b, kernel, call);
  FailureOr<KernelCase> which = KernelCase::of(kernel, target);
  if (failed(which)) return failure();
  std::string reason;
  const Family *family = familyOf(*which, kernel.getScheduleAttr(), reason);
  if (!family) return kernel.emitError() << reason;
  if (!kernel.getScheduleAttr() && family->schedules(*which, reason).empty())
    return kernel.emitError() << "has no legal schedule on '" << target.name() << "': " << reason;
  if (!kernel.getScheduleAttr()) return kernel.emitError("has no schedule: run tile-schedule first");
  StringAttr symbol = kernel.getSymbolAttr();
  SmallVector<Type> types;
  for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
    types.push_back(globalType(input, kernel.getInputLayouts(), i));
  for (auto [i, output] : llvm::enumerate(kernel.getOutputs()))
    types.push_back(globalType(output, kernel.getResultLayouts(), i));

  OperationState state(kernel.getLoc(), tile::KernelOp::getOperationName());
  state.addRegion();
  state.addAttribute("sym_name", symbol);
  state.addAttribute("function_type", TypeAttr::get(b.getFunctionType(types, {})));
  state.addAttribute("grid", b.getI64IntegerAttr(0));
  auto program = cast<tile::KernelOp>(b.create(state));
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&program.getBody(), {}, types, SmallVector<Location>(types.size(), kernel.getLoc()));

  KernelMemory memory = memoryOf(kernel, block->getArguments());
  SkeletonContext context{kernel, which->form, target, program, b, kernel.getLoc(), memory.inputs, memory.outputs};
  FailureOr<int64_t> grid = family->build(context);
  if (failed(grid)) return failure();
  tile::ReturnOp::create(b, kernel.getLoc());
  program.setGrid(*grid);
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
        return succeeded(buildProgram(b, kernel, *row)) ? WalkResult::advance() : WalkResult::interrupt();
      });
      if (walked.wasInterrupted()) return signalPassFailure();
    }
    for (func::FuncOp function : graphs) function.erase();
    for (tile::KernelOp program : called) program.erase(); // its copies stay, under the names of the kernels
  }
};

} // namespace
} // namespace kiln::tiling
