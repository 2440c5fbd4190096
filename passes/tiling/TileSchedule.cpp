// tile-schedule: gives each graph kernel without a schedule the default one for its family and target.
#include "passes/kernel/KernelChecks.h"
#include "passes/tiling/Passes.h"
#include "passes/tiling/Schedule.h"

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
      FailureOr<graph::KernelForm> form = formOf(kernel);
      if (failed(form)) return signalPassFailure();
      if (graph::ScheduleAttr schedule = defaultSchedule(kernel, *form, *row)) kernel.setScheduleAttr(schedule);
    });
  }
};

} // namespace
} // namespace kiln::tiling
