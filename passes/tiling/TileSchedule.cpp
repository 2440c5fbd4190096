// tile-schedule: gives each graph kernel without a schedule the default one of its family and target.
#include "passes/kernel/Family.h"
#include "passes/kernel/KernelChecks.h"
#include "passes/tiling/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace kiln::tiling {
#define GEN_PASS_DEF_TILESCHEDULE
#include "passes/tiling/Passes.h.inc"

using namespace mlir;

namespace {

struct TileSchedule : impl::TileScheduleBase<TileSchedule> {
  using TileScheduleBase::TileScheduleBase;
  void runOnOperation() override {
    FailureOr<Target> row = targetNamed(getOperation(), target);
    if (failed(row)) return signalPassFailure();
    getOperation().walk([&](graph::KernelOp kernel) {
      if (kernel.getScheduleAttr() || kernel.getCustom()) return;
      FailureOr<KernelCase> which = KernelCase::of(kernel, *row);
      if (failed(which)) return signalPassFailure();
      std::string reason; // said where the kernel is built
      SmallVector<graph::ScheduleAttr> legal = schedulesOf(*which, reason);
      if (!legal.empty()) kernel.setScheduleAttr(legal.front());
    });
  }
};

} // namespace
} // namespace kiln::tiling
