#include "compiler/Pipeline.h"

#include "codegen/Passes.h"
#include "passes/Decisions.h"
#include "passes/graph/Passes.h"
#include "passes/tile/Passes.h"
#include "passes/tiling/Passes.h"

#include "ir/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace kiln;

// No canonicalisation before the functions are expanded: it would fold them with the build host's libm.
void kiln::addGraphPasses(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(graph::createVerify());
  pm.addPass(reporting(graph::createChoosePrograms({.target = options.target->name()}), options.decisions));
  pm.addNestedPass<func::FuncOp>(graph::createDecompose());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addPass(graph::createVerify({.decomposed = true}));
}

void kiln::addFusedPasses(OpPassManager &pm, const PipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(
      reporting(graph::createFusePass({.fuse = options.fuse, .target = options.target->name()}, options.sizes),
                options.decisions));
}

// Which schedule is the default depends on where rows start, so that padding is judged first: over the schedules that
// were asked for, else over the best one of each layout.
void kiln::addScheduledPasses(OpPassManager &pm, const PipelineOptions &options) {
  if (options.target->gpu())
    pm.addNestedPass<func::FuncOp>(
        reporting(graph::createAlign({.target = options.target->name()}), options.decisions));
  pm.addPass(tiling::createTileSchedule({.target = options.target->name()}));
}

void kiln::addNamePasses(OpPassManager &pm, const PipelineOptions &) {
  pm.addNestedPass<func::FuncOp>(graph::createNameKernels());
}

/// Upstream's canonicalizer without its patterns that make one rounding of two: a cast to f32 that the graph names is
/// kept, whatever narrower type comes after it.
static std::unique_ptr<Pass> createRoundingCanonicalizer() {
  const std::string disabled[] = {"(anonymous namespace)::TruncFSIToFPToSIToFP",
                                  "(anonymous namespace)::TruncFUIToFPToUIToFP"};
  return createCanonicalizerPass(GreedyRewriteConfig(), disabled);
}

void kiln::addTilePasses(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(tiling::createTileGraph({.target = options.target->name()}));
  addProgramPasses(pm, options);
}

void kiln::addProgramPasses(OpPassManager &pm, const PipelineOptions &options) {
  pm.addNestedPass<tile::KernelOp>(tile::createTileExpand());
  pm.addNestedPass<tile::KernelOp>(tile::createTileUnroll());
  tile::addVerifyPasses(pm.nest<tile::KernelOp>());
  pm.addPass(tile::createTileExpandFunctions({.target = options.target->name()}));
  pm.addPass(createRoundingCanonicalizer());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addNestedPass<tile::KernelOp>(tile::createTileAssignShared({.target = options.target->name()}));
}

void kiln::addThreadPasses(OpPassManager &pm, const PipelineOptions &options) {
  const std::string &target = options.target->name();
  if (options.target->cpu())
    pm.addPass(codegen::createCpuLower({.target = target}));
  else
    pm.addPass(codegen::createGpuLower({.target = target}));
}

namespace {
/// Records after every pass; adaptors, which have no name of their own, are passed over.
class Recording : public PassInstrumentation {
public:
  Recording(IrRecorder &recorder, const Level &level, unsigned part) : recorder(recorder), level(level), part(part) {}

  void runAfterPass(Pass *pass, Operation *op) override { record(pass->getArgument(), op); }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    if (!pass->getArgument().empty()) record((pass->getArgument() + "-failed").str(), op);
  }

private:
  void record(StringRef pass, Operation *op) {
    if (pass.empty()) return;
    auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
    recorder.record(level, ++step, pass, part, module);
  }

  IrRecorder &recorder;
  const Level &level;
  unsigned part, step = 0;
};
} // namespace

LogicalResult kiln::runLevel(const Level &level, ModuleOp module, const PipelineOptions &options, IrRecorder *recorder,
                             unsigned part) {
  PassManager pm(module.getContext());
  level.addPasses(pm, options);
  if (recorder) pm.addInstrumentation(std::make_unique<Recording>(*recorder, level, part));
  return pm.run(module);
}
