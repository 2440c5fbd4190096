// The families of gpu targets from sm_80 on.

#include "ir/DTypes.h"
#include "passes/tiling/sm80/MatmulSchedule.h"
#include "passes/tiling/sm80/Schedule.h"
#include "passes/tiling/sm80/Shifts.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

/// MMA atoms multiply operands of 16 bits, outer products others.
template <bool atoms> static std::optional<std::string> otherOperands(const KernelCase &kernel) {
  if (ir::atomOf(graph::MatmulOp(kernel.form.matmul).getA().getType()).has_value() == atoms) return std::nullopt;
  return atoms ? "its operands do not have 16 bits" : "its operands have 16 bits";
}

FamilyTable sm80::families() {
  static const Family rows[] = {
      {PointwiseSchedule::kFamily, graph::KernelKind::Pointwise, nullptr, pointwiseSchedules,
       streamSeconds<PointwiseSchedule>, unalignedRows<PointwiseSchedule>, buildPointwise},
      {RowSchedule::kFamily, graph::KernelKind::Row, nullptr, rowSchedules, streamSeconds<RowSchedule>,
       unalignedRows<RowSchedule>, buildRow},
      {ColumnSchedule::kFamily, graph::KernelKind::Column, nullptr, columnSchedules, streamSeconds<ColumnSchedule>,
       unalignedRows<ColumnSchedule>, buildColumn},
      {MmaSchedule::kFamily, graph::KernelKind::Matmul, otherOperands<true>, matmulSchedules<MmaSchedule>,
       matmulSeconds<MmaSchedule>, unalignedOperands, buildMma},
      {OuterSchedule::kFamily, graph::KernelKind::Matmul, otherOperands<false>, matmulSchedules<OuterSchedule>,
       matmulSeconds<OuterSchedule>, nullptr, buildOuter},
  };
  return {80, rows};
}
