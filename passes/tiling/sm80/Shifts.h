//===- Shifts.h - what is done about rows that do not start at 16 bytes -------------------------------------------===//
//
// A kernel without a matmul reads and writes rows. Those that start at 16 bytes take accesses of 16 bytes; others take
// narrow ones, or shifted ones (`tile.load … shifted`), whichever `passes/cost` says is quicker. Schedules ask this,
// and so does whoever compares it with a copy into padded rows.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SM80_SHIFTS_H
#define KILN_PASSES_TILING_SM80_SHIFTS_H

#include "passes/cost/Streams.h"
#include "passes/kernel/Family.h"

namespace kiln::tiling::sm80 {

/// How rows are accessed.
struct LanePlan {
  int64_t vec = 1;     ///< consecutive elements of a thread
  int64_t shifted = 0; ///< rows known to start at a multiple of fewer bytes are shifted
  double seconds = 0;  ///< predicted
};

/// The streams of one kernel: its accesses that are contiguous along rows.
class RowStreams {
public:
  /// Lanes run along `rows`. `vec`: what a thread has of one in any case; 0 where that is free.
  RowStreams(llvm::SmallVector<Access> accesses, llvm::ArrayRef<int64_t> extents, const Rows &rows, int64_t vec);

  llvm::SmallVector<Access> accesses; ///< of the kernel

  /// With narrow accesses.
  LanePlan narrow(const GpuTarget &target) const;
  /// The quickest: narrow, or with some rows shifted.
  LanePlan best(const GpuTarget &target) const;
  /// Seconds of a plan.
  double secondsOf(const LanePlan &plan, const GpuTarget &target) const;

  /// Bytes, at most 16, that are known to divide where rows of access i start; 0 where it is no stream.
  int64_t alignedOf(size_t i) const { return aligned[i]; }

private:
  llvm::ArrayRef<int64_t> extents;
  int64_t vec;
  llvm::SmallVector<int64_t> aligned; ///< of each access
};

/// The rows that a kernel's lanes run along, and what a thread has of one in any case (0: free): of a row kernel, its
/// reduced dimensions; of another, what runs through memory as one.
std::pair<Rows, int64_t> laneRows(llvm::ArrayRef<Access> accesses, const graph::KernelForm &form);
/// The streams along them; the kernel outlives them.
RowStreams streamsOf(const KernelCase &kernel);

/// Columns of the family whose schedules are S: seconds of what the kernel's rows move, and those that do not start at
/// 16 bytes; none where the schedule has no rows to speak of.
template <typename S> mlir::FailureOr<double> streamSeconds(const KernelCase &kernel, graph::ScheduleAttr schedule);
template <typename S>
mlir::FailureOr<llvm::SmallVector<UnalignedRows>> unalignedRows(const KernelCase &kernel, graph::ScheduleAttr schedule);

} // namespace kiln::tiling::sm80

#endif
