//===- MatmulSchedule.h - how matmul kernels are tiled on gpu targets ---------------------------------------------===//
//
// Two typed views of a "matmul" schedule: of MMA atoms for operands of 16 bits, of outer products for f32. Left and
// columns are those of sm80/MatmulProblem.h.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SM80_MATMULSCHEDULE_H
#define KILN_PASSES_TILING_SM80_MATMULSCHEDULE_H

#include "passes/kernel/Family.h"
#include "passes/tiling/Knobs.h"
#include "passes/tiling/sm80/MatmulProblem.h"

namespace kiln::tiling::sm80 {

/// A CTA computes bm × bn of the result, as warpsM × warpsN warps with a block of it each.
struct MmaSchedule {
  int64_t bm = 128, bn = 128; ///< CTA tile
  int64_t bk = 64;            ///< of a block along k
  int64_t stages = 3;         ///< blocks in shared memory, where copies are asynchronous
  int64_t warpsM = 2, warpsN = 2;
  int64_t group = 8; ///< rows of tiles that are done before the next
  static constexpr llvm::StringLiteral kFamily = "matmul";
  static constexpr Knob<MmaSchedule> kKnobs[] = {
      {"bm", &MmaSchedule::bm, 16, 512, 16},        {"bn", &MmaSchedule::bn, 32, 512, 32},
      {"bk", &MmaSchedule::bk, 16, 256, 16},        {"stages", &MmaSchedule::stages, 2, 16, 1},
      {"warpsM", &MmaSchedule::warpsM, 1, 32, 1},   {"warpsN", &MmaSchedule::warpsN, 1, 32, 1},
      {"group", &MmaSchedule::group, 1, 1 << 20, 1}};
};

/// A CTA computes bm × bn of the result, as threadsM × threadsN threads; sums of a thread lie in fours.
struct OuterSchedule {
  int64_t bm = 128, bn = 128;
  int64_t bk = 32;
  int64_t threadsM = 16, threadsN = 16;
  int64_t group = 8;
  static constexpr llvm::StringLiteral kFamily = "matmul";
  static constexpr Knob<OuterSchedule> kKnobs[] = {{"bm", &OuterSchedule::bm, 4, 512, 4},
                                                   {"bn", &OuterSchedule::bn, 32, 512, 32},
                                                   {"bk", &OuterSchedule::bk, 1, 256, 1},
                                                   {"threadsM", &OuterSchedule::threadsM, 1, 1024, 1},
                                                   {"threadsN", &OuterSchedule::threadsN, 1, 1024, 1},
                                                   {"group", &OuterSchedule::group, 1, 1 << 20, 1}};
};

/// How an operand's tile lies in shared memory, and how it gets there.
struct FeedLayout {
  int64_t rows = 0, columns = 0; ///< of the shared tile
  bool alongK = true;            ///< a row of it runs along k, else along the operand's free dimension
  bool async = false;            ///< by asynchronous copies, else through registers
  int64_t swizzle = 0;           ///< bytes
  int64_t bytes(const MatmulProblem &problem) const { return rows * columns * tile::bytesOf(problem.element); }
};
FeedLayout feedOf(const MatmulProblem &problem, const MmaSchedule &s, Side side);
FeedLayout feedOf(const MatmulProblem &problem, const OuterSchedule &s, Side side);

/// How many slices of the tile's rows go through shared memory to the epilogue, one after the other: as few as need no
/// more of it than the operands did.
int64_t slicesOf(const MatmulProblem &problem, const MmaSchedule &s);

/// The typed view of a kernel's schedule. Fails with a diagnostic at `loc` that says what is not legal for this problem
/// on this target: divisibility, shared bytes, registers.
template <typename S> llvm::FailureOr<S> matmulSchedule(mlir::Location loc, graph::ScheduleAttr attr,
                                                        const MatmulProblem &problem, const GpuTarget &target);

/// Columns of the family whose schedules are S: the legal ones, the quickest by the cost model (passes/cost/Matmul.h)
/// first, and its seconds.
template <typename S> llvm::SmallVector<graph::ScheduleAttr> matmulSchedules(const KernelCase &, std::string &reason);
template <typename S> mlir::FailureOr<double> matmulSeconds(const KernelCase &, graph::ScheduleAttr);
/// Operands that asynchronous copies could take if their rows were padded.
mlir::FailureOr<llvm::SmallVector<UnalignedRows>> unalignedOperands(const KernelCase &, graph::ScheduleAttr);

} // namespace kiln::tiling::sm80

#endif
