//===- Families.h - the families of cpu targets -------------------------------------------------------------------===//
//
// Their table, and the typed views of their schedules. A schedule is how one kernel is tiled. In IR it is one generic
// attribute; each family has its typed view of it, with its knobs as rows (name, legal values), so that an unknown knob
// or an illegal value is refused with a reason before anything is generated. No schedule changes what a kernel
// computes, bit for bit.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_CPU_FAMILIES_H
#define KILN_PASSES_TILING_CPU_FAMILIES_H

#include "passes/tiling/Knobs.h"
#include "passes/tiling/Skeleton.h"

namespace kiln::tiling::cpu {

/// What code generation takes: 16384 bits of a fragment's row, of which offsets need 64 a lane. (32 rows of 256 lanes
/// are then within its 2^18 bits of a fragment.)
inline constexpr int64_t kMaxLanes = 256, kMaxTile = int64_t(1) << 30;

/// Every element of the first output, in vectors.
struct PointwiseSchedule {
  int64_t lanes = 64;   ///< elements of one fragment
  int64_t tile = 16384; ///< elements of one CTA, about
  static constexpr llvm::StringLiteral kFamily = "pointwise";
  static constexpr Knob<PointwiseSchedule> kKnobs[] = {{"lanes", &PointwiseSchedule::lanes, 1, kMaxLanes, 1},
                                                       {"tile", &PointwiseSchedule::tile, 1, kMaxTile, 1}};
};

/// One row after another.
struct RowSchedule {
  int64_t lanes = 128;  ///< elements of one fragment, a multiple of 8: reductions fold units of 8
  int64_t tile = 16384; ///< elements of one CTA, about: whole rows
  static constexpr llvm::StringLiteral kFamily = "row";
  static constexpr Knob<RowSchedule> kKnobs[] = {{"lanes", &RowSchedule::lanes, 8, kMaxLanes, 8},
                                                 {"tile", &RowSchedule::tile, 1, kMaxTile, 1}};
  llvm::LogicalResult check(mlir::Location loc) const;
};

/// Vectors along the kept dimension, the reduced one in sequence.
struct ColumnSchedule {
  int64_t lanes = 64;   ///< columns of one fragment
  int64_t tile = 65536; ///< elements of one CTA, about
  static constexpr llvm::StringLiteral kFamily = "column";
  static constexpr Knob<ColumnSchedule> kKnobs[] = {{"lanes", &ColumnSchedule::lanes, 1, kMaxLanes, 1},
                                                    {"tile", &ColumnSchedule::tile, 1, kMaxTile, 1}};
};

/// CTA tiles of the result; operands packed in chunks of k; an outer product of registers innermost.
struct MatmulSchedule {
  int64_t bm = 128, bn = 256; ///< CTA tile, multiples of mr and nr
  int64_t bk = 256;           ///< k of one packed chunk
  int64_t mr = 8, nr = 32;    ///< register tile
  static constexpr llvm::StringLiteral kFamily = "matmul";
  static constexpr Knob<MatmulSchedule> kKnobs[] = {{"bm", &MatmulSchedule::bm, 1, 4096, 1},
                                                    {"bn", &MatmulSchedule::bn, 1, 4096, 1},
                                                    {"bk", &MatmulSchedule::bk, 1, 4096, 1},
                                                    {"mr", &MatmulSchedule::mr, 1, 32, 1},
                                                    {"nr", &MatmulSchedule::nr, 1, kMaxLanes, 1}};
  llvm::LogicalResult check(mlir::Location loc) const;
};

/// The table.
FamilyTable families();

// What its rows build the programs' bodies with; each returns the grid, in CTAs.
mlir::FailureOr<int64_t> buildPointwise(SkeletonContext &);
mlir::FailureOr<int64_t> buildRow(SkeletonContext &);
mlir::FailureOr<int64_t> buildColumn(SkeletonContext &);
mlir::FailureOr<int64_t> buildMatmul(SkeletonContext &);

} // namespace kiln::tiling::cpu

#endif
