//===- Turned.h - pointwise kernels that transpose, by way of shared memory ---------------------------------------===//
#ifndef KILN_PASSES_TILING_SM80_TURNED_H
#define KILN_PASSES_TILING_SM80_TURNED_H

#include "passes/tiling/Skeleton.h"
#include "passes/tiling/sm80/Schedule.h"

#include <optional>

namespace kiln::tiling::sm80 {

/// A pointwise kernel's iteration space as tiles of two dimensions: stores are contiguous along `q`, some loads along
/// `p`. Each may be several dimensions that run through memory as one.
struct Turn {
  llvm::SmallVector<int64_t> outer, p, q; ///< iteration dimensions, in order
  llvm::SmallVector<Access> loads;        ///< those that are contiguous along p, not along q
};
/// How a kernel is turned; none where nothing is to be, where a side is short, or where what is loaded is not known
/// before (pieces of a concat, indirect loads).
std::optional<Turn> planTurn(llvm::ArrayRef<Access> accesses, const graph::KernelForm &form);

/// Builds the program; returns the grid.
mlir::FailureOr<int64_t> buildTurned(SkeletonContext &context, const PointwiseSchedule &schedule, const Turn &turn);

} // namespace kiln::tiling::sm80

#endif
