// Rings of the programs by hand, gone through: none is found wrong or lost sight of, and whatever is planted is found.
#include "passes/tile/RingReplay.h"
#include "passes/tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln::tile;

namespace {

/// A program of examples/tile as `tile-verify` sees it.
class Program {
public:
  explicit Program(const std::string &path) {
    context.loadDialect<TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
    module = parseSourceFile<ModuleOp>(path, &context);
    PassManager passes(&context);
    passes.addNestedPass<KernelOp>(createTileExpand());
    passes.addNestedPass<KernelOp>(createTileUnroll());
    isRead = module && succeeded(passes.run(*module));
  }

  bool isRead = false;
  KernelOp kernel() { return *module->getOps<KernelOp>().begin(); }
  std::vector<PipelineTrace> traces() { return tracePipelines(kernel(), sampleLaunch(kernel(), 1536, 23), 0); }
  /// Rings of which a slot is filled more than once.
  std::vector<AllocRingOp> rings() {
    std::vector<AllocRingOp> rings;
    for (const PipelineTrace &trace : traces())
      for (const PipelineEvent &step : trace.steps) {
        auto fill = dyn_cast<FillOp>(step.op);
        if (!fill || step.number < fill.getRing().getType().getStages()) continue;
        auto ring = fill.getRing().getDefiningOp<AllocRingOp>();
        if (!llvm::is_contained(rings, ring)) rings.push_back(ring);
      }
    return rings;
  }
  bool isRefused() {
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
    return failed(replayLaunches(kernel()));
  }

private:
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

std::vector<std::string> programs() {
  std::vector<std::string> paths;
  for (const char *folder : {"/examples/tile", "/examples/tile/steps", "/tests/numeric/programs"})
    for (const auto &entry : std::filesystem::directory_iterator(std::string(KILN_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".mlir") paths.push_back(entry.path());
  return paths;
}

TEST(RingReplay, GoesThroughProgramsByHand) {
  int64_t gone = 0;
  for (const std::string &path : programs()) {
    SCOPED_TRACE(path);
    Program program(path);
    if (!program.isRead) continue; // of another dialect
    EXPECT_FALSE(program.isRefused());
    for (const PipelineTrace &trace : program.traces()) {
      EXPECT_TRUE(trace.isWhole || trace.steps.size() > 300) << trace.name << " stops at " << trace.steps.size();
      gone += !trace.steps.empty();
    }
  }
  EXPECT_GT(gone, 30);
}

/// An edit of one op; false where it is none.
using Edit = bool (*)(Operation *);

template <int64_t more> bool countReaders(Operation *op) {
  auto ring = dyn_cast<AllocRingOp>(op);
  if (ring) ring.setReaders(*ring.getReaders() + more);
  return !!ring;
}
/// Behind loops it is the last iteration's: nobody waits for it.
bool isLastRelease(Operation *op) { return isa<RingReleaseOp>(op) && !op->getParentOfType<scf::ForOp>(); }
template <typename Op> bool erase(Operation *op) {
  if (!isa<Op>(op) || isLastRelease(op)) return false;
  op->erase();
  return true;
}
template <typename Op, int64_t more> bool shift(Operation *op) {
  if (!isa<Op>(op) || (more > 0 && isLastRelease(op))) return false;
  OpBuilder b(op);
  Value by = arith::ConstantIndexOp::create(b, op->getLoc(), 1);
  Value number = op->getOperand(1);
  op->setOperand(1, more > 0 ? arith::AddIOp::create(b, op->getLoc(), number, by).getResult()
                             : arith::SubIOp::create(b, op->getLoc(), number, by).getResult());
  return true;
}
bool always(Operation *op) {
  auto release = dyn_cast<RingReleaseOp>(op);
  if (!release || !release.getCondition()) return false;
  release.getConditionMutable().clear();
  return true;
}
/// The loop around a fill starts with its second turn.
bool startLate(Operation *op) {
  auto loop = isa<FillOp>(op) ? op->getParentOfType<scf::ForOp>() : nullptr;
  if (!loop) return false;
  OpBuilder b(loop);
  loop.getLowerBoundMutable().assign(
      arith::AddIOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getStep()).getResult());
  return true;
}

const std::pair<const char *, Edit> kEdits[] = {
    {"a reader more", countReaders<1>},
    {"a reader less", countReaders<-1>},
    {"no release", erase<RingReleaseOp>},
    {"no fill", erase<FillOp>},
    {"a fill of the next", shift<FillOp, 1>},
    {"a fill of the one before", shift<FillOp, -1>},
    {"a wait for the next", shift<RingWaitOp, 1>},
    {"a wait for the one before", shift<RingWaitOp, -1>},
    {"a release of the next", shift<RingReleaseOp, 1>},
    {"a release of the one before", shift<RingReleaseOp, -1>},
    {"a release always", always},
    {"a fill's loop starts late", startLate},
};

TEST(RingReplay, FindsWhatIsPlanted) {
  int64_t planted = 0;
  for (const std::string &path : programs()) {
    size_t count = 1;
    for (size_t i = 0; i < count; ++i)
      for (auto [name, edit] : kEdits) {
        Program program(path);
        if (!program.isRead) break;
        std::vector<Operation *> ops;
        for (AllocRingOp ring : program.rings()) {
          ops.push_back(ring);
          llvm::append_range(ops, ring.getRing().getUsers());
        }
        count = ops.size();
        if (i >= count || !edit(ops[i])) continue;
        ++planted;
        EXPECT_TRUE(program.isRefused()) << path << ": " << name << ", use " << i;
      }
  }
  EXPECT_GT(planted, 200);
}

} // namespace
