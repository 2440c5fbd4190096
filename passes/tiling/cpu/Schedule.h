//===- Schedule.h - typed views of #graph.schedule on cpu targets -------------------------------------------------===//
//
// A schedule is how one kernel is tiled. In IR it is one generic attribute; each family has its typed view of it, with
// its knobs as rows (name, legal values), so that an unknown knob or an illegal value is refused with a reason before
// anything is generated. No schedule changes what a kernel computes, bit for bit.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_CPU_SCHEDULE_H
#define KILN_PASSES_TILING_CPU_SCHEDULE_H

#include "passes/tiling/Knobs.h"

namespace kiln::tiling::cpu {

/// Every element of the first output, in vectors.
struct PointwiseSchedule {
  int64_t lanes = 64;   ///< elements of one fragment
  int64_t tile = 16384; ///< elements of one CTA, about
  static constexpr llvm::StringLiteral kFamily = "pointwise";
  static llvm::ArrayRef<Knob<PointwiseSchedule>> knobs();
};

/// One row after another.
struct RowSchedule {
  int64_t lanes = 128;  ///< elements of one fragment, a multiple of 8: reductions fold units of 8
  int64_t tile = 16384; ///< elements of one CTA, about: whole rows
  static constexpr llvm::StringLiteral kFamily = "row";
  static llvm::ArrayRef<Knob<RowSchedule>> knobs();
  llvm::LogicalResult check(mlir::Location loc) const;
};

/// Vectors along the kept dimension, the reduced one in sequence.
struct ColumnSchedule {
  int64_t lanes = 64;   ///< columns of one fragment
  int64_t tile = 65536; ///< elements of one CTA, about
  static constexpr llvm::StringLiteral kFamily = "column";
  static llvm::ArrayRef<Knob<ColumnSchedule>> knobs();
};

/// CTA tiles of the result; operands packed in chunks of k; an outer product of registers innermost.
struct MatmulSchedule {
  int64_t bm = 128, bn = 256; ///< CTA tile, multiples of mr and nr
  int64_t bk = 256;           ///< k of one packed chunk
  int64_t mr = 8, nr = 32;    ///< register tile
  static constexpr llvm::StringLiteral kFamily = "matmul";
  static llvm::ArrayRef<Knob<MatmulSchedule>> knobs();
  llvm::LogicalResult check(mlir::Location loc) const;
};

} // namespace kiln::tiling::cpu

#endif
