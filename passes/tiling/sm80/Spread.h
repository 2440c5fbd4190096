//===- Spread.h - reductions that several CTAs share --------------------------------------------------------------===//
//
// A first launch leaves in workspaces what parts of the canonical order come to; here is the second, which has the rest
// of the order and the outputs.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SM80_SPREAD_H
#define KILN_PASSES_TILING_SM80_SPREAD_H

#include "passes/tiling/Combine.h"
#include "passes/tiling/sm80/Lanes.h"

namespace kiln::tiling::sm80 {

/// Whether a kernel's reductions may be spread: one pass, and what it stores is of rows or columns alone.
bool spreads(const graph::KernelForm &form);

/// Builds the launch behind one that left, in the context's workspaces and for every reduction, `leaves` leaves of each
/// piece's tree of every column. Returns the grid.
mlir::FailureOr<int64_t> joinColumns(SkeletonContext &context, const Rows &columns, llvm::ArrayRef<Combine> combines,
                                     int64_t pieces, int64_t leaves);

/// The same behind one that left the pieces of every row, [row][piece].
mlir::FailureOr<int64_t> joinRows(SkeletonContext &context, llvm::ArrayRef<Combine> combines, int64_t rows,
                                  int64_t pieces);

/// A row in the kept space, no lanes.
Point keptPointOf(SkeletonContext &context, mlir::Value row);

} // namespace kiln::tiling::sm80

#endif
