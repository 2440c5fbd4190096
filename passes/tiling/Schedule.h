//===- Schedule.h - typed views of #graph.schedule ----------------------------------------------------------------===//
//
// A schedule is how one kernel is tiled. In IR it is one generic attribute; here each family has its typed view, with
// its knobs as rows (name, legal values), so that an unknown knob or an illegal value is refused with a reason before
// anything is generated. No schedule changes what a kernel computes, bit for bit. These are the families of the cpu
// targets; those of gpu targets are in sm80/Schedule.h.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SCHEDULE_H
#define KILN_PASSES_TILING_SCHEDULE_H

#include "ir/graph/Graph.h"
#include "ir/target/Target.h"
#include "passes/kernel/KernelForm.h"

namespace kiln::tiling {

/// Every element of the first output, in vectors.
struct PointwiseSchedule {
  int64_t lanes = 64;   ///< elements of one fragment
  int64_t tile = 16384; ///< elements of one CTA, about
};

/// One row after another.
struct RowSchedule {
  int64_t lanes = 128;  ///< elements of one fragment, a multiple of 8: reductions fold units of 8
  int64_t tile = 16384; ///< elements of one CTA, about: whole rows
};

/// Vectors along the kept dimension, the reduced one in sequence.
struct ColumnSchedule {
  int64_t lanes = 64;   ///< columns of one fragment
  int64_t tile = 65536; ///< elements of one CTA, about
};

/// CTA tiles of the result; operands packed in chunks of k; an outer product of registers innermost.
struct MatmulSchedule {
  int64_t bm = 128, bn = 256; ///< CTA tile, multiples of mr and nr
  int64_t bk = 256;           ///< k of one packed chunk
  int64_t mr = 8, nr = 32;    ///< register tile
};

/// The typed view of a schedule attribute. Fails with a diagnostic at `loc` that names the knob, what it may be, and
/// what it was.
llvm::FailureOr<PointwiseSchedule> pointwiseSchedule(mlir::Location loc, graph::ScheduleAttr attr);
llvm::FailureOr<RowSchedule> rowSchedule(mlir::Location loc, graph::ScheduleAttr attr);
llvm::FailureOr<ColumnSchedule> columnSchedule(mlir::Location loc, graph::ScheduleAttr attr);
llvm::FailureOr<MatmulSchedule> matmulSchedule(mlir::Location loc, graph::ScheduleAttr attr);

/// The schedule that formulas over the kernel's form, its op count and the target choose, on any target.
graph::ScheduleAttr defaultSchedule(graph::KernelOp kernel, const graph::KernelForm &form, const Target &target);

} // namespace kiln::tiling

#endif
