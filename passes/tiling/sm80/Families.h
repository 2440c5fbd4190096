//===- Families.h - the families of gpu targets, from sm_80 on ----------------------------------------------------===//
//
// What a newer gpu's rows do not override runs on it as well.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SM80_FAMILIES_H
#define KILN_PASSES_TILING_SM80_FAMILIES_H

#include "passes/tiling/Skeleton.h"

namespace kiln::tiling::sm80 {

/// The table.
FamilyTable families();

// What its rows build the programs' bodies with; each returns the grid, in CTAs.
mlir::FailureOr<int64_t> buildPointwise(SkeletonContext &);
mlir::FailureOr<int64_t> buildRow(SkeletonContext &);
mlir::FailureOr<int64_t> buildColumn(SkeletonContext &);
/// Of operands of 16 bits, on MMA atoms.
mlir::FailureOr<int64_t> buildMma(SkeletonContext &);
/// Of f32 operands, one fma per product.
mlir::FailureOr<int64_t> buildOuter(SkeletonContext &);

} // namespace kiln::tiling::sm80

#endif
