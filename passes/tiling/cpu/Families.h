//===- Families.h - the families of cpu targets -------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_CPU_FAMILIES_H
#define KILN_PASSES_TILING_CPU_FAMILIES_H

#include "passes/tiling/Skeleton.h"

namespace kiln::tiling::cpu {

/// The table.
FamilyTable families();

// What its rows build the programs' bodies with; each returns the grid, in CTAs.
mlir::FailureOr<int64_t> buildPointwise(SkeletonContext &);
mlir::FailureOr<int64_t> buildRow(SkeletonContext &);
mlir::FailureOr<int64_t> buildColumn(SkeletonContext &);
mlir::FailureOr<int64_t> buildMatmul(SkeletonContext &);

} // namespace kiln::tiling::cpu

#endif
