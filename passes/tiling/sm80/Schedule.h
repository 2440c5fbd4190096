//===- Schedule.h - the families' schedules on gpu targets --------------------------------------------------------===//
//
// The typed views of #graph.schedule that the sm_80 skeletons of kernels without a matmul read, each with the schedules
// that formulas choose from a kernel's form and a row of ir/target/Gpu.h, the default first. As on the cpu targets, no
// schedule changes bits.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILING_SM80_SCHEDULE_H
#define KILN_PASSES_TILING_SM80_SCHEDULE_H

#include "passes/tiling/Knobs.h"
#include "passes/tiling/Skeleton.h"

namespace kiln::tiling::sm80 {

/// A group of threads computes one fragment of each of `rows` rows: `runs` runs of `vec` elements of every thread.
struct PointwiseSchedule {
  int64_t threads = 256; ///< of a fragment: of a warp (32) or the whole CTA
  int64_t groups = 1;    ///< fragments side by side in a CTA; more than one only of a warp's
  int64_t vec = 4;       ///< consecutive elements of a thread
  int64_t runs = 4;      ///< of a thread and row
  int64_t rows = 1;      ///< of a group, where a fragment holds a whole row
  int64_t across = 0;    ///< 1: the whole space is one row; what then is not contiguous is gathered
  int64_t turned = 0;  ///< 1: what is contiguous along another dimension is turned in shared memory, in square tiles of
                       ///< a warp's fragment a side; the CTA's groups share a tile's rows
  int64_t shifted = 0; ///< rows known to start at a multiple of fewer bytes take shifted accesses
  static constexpr llvm::StringLiteral kFamily = "pointwise";
  static constexpr Knob<PointwiseSchedule> kKnobs[] = {{"threads", &PointwiseSchedule::threads, 32, 1024, 32},
                                                       {"groups", &PointwiseSchedule::groups, 1, 32, 1},
                                                       {"vec", &PointwiseSchedule::vec, 1, 16, 1},
                                                       {"runs", &PointwiseSchedule::runs, 1, 64, 1},
                                                       {"rows", &PointwiseSchedule::rows, 1, 64, 1},
                                                       {"across", &PointwiseSchedule::across, 0, 1, 1},
                                                       {"turned", &PointwiseSchedule::turned, 0, 1, 1},
                                                       {"shifted", &PointwiseSchedule::shifted, 0, 16, 1}};
  llvm::LogicalResult check(mlir::Location loc) const;
};

/// A group of threads has a row: in registers, where a thread's share is at most `kept` elements, else read again in
/// every pass. Its fragments have as many elements as the row, up to 8192.
struct RowSchedule {
  int64_t threads = 256; ///< of a row: of a warp (32) or the whole CTA
  int64_t groups = 1;    ///< rows side by side in a CTA; more than one only of warps
  int64_t kept = 32;     ///< most elements of a row that a thread keeps
  int64_t rows = 1;      ///< of a warp, where it keeps them: their loads come together
  int64_t across = 0;    ///< 1: lanes run across rows (of at most 8192 elements), each reads its own in sequence
  int64_t shifted = 0;   ///< as of pointwise kernels
  int64_t ctas = 1;      ///< that share the pieces of a row, which a second launch adds
  static constexpr llvm::StringLiteral kFamily = "row";
  static constexpr Knob<RowSchedule> kKnobs[] = {
      {"threads", &RowSchedule::threads, 32, 1024, 32}, {"groups", &RowSchedule::groups, 1, 32, 1},
      {"kept", &RowSchedule::kept, 0, 128, 1},          {"rows", &RowSchedule::rows, 1, 16, 1},
      {"across", &RowSchedule::across, 0, 1, 1},        {"shifted", &RowSchedule::shifted, 0, 16, 1},
      {"ctas", &RowSchedule::ctas, 1, 65536, 1}};
  llvm::LogicalResult check(mlir::Location loc) const;
};

/// A warp has 32·vec columns and reads `unroll` of their rows at a time; `warps` share the blocks of one piece.
struct ColumnSchedule {
  int64_t vec = 4;     ///< neighbouring columns of a thread
  int64_t warps = 32;  ///< of the same columns
  int64_t groups = 1;  ///< warps of other columns in a CTA; more than one only where `warps` is 1
  int64_t unroll = 8;  ///< rows that are loaded together
  int64_t shifted = 0; ///< as of pointwise kernels
  int64_t ctas = 1; ///< that share the blocks of a piece; with more, pieces have CTAs of their own, and a second launch
                    ///< combines what they come to
  static constexpr llvm::StringLiteral kFamily = "column";
  static constexpr Knob<ColumnSchedule> kKnobs[] = {
      {"vec", &ColumnSchedule::vec, 1, 16, 1},         {"warps", &ColumnSchedule::warps, 1, 32, 1},
      {"groups", &ColumnSchedule::groups, 1, 32, 1},   {"unroll", &ColumnSchedule::unroll, 1, 16, 1},
      {"shifted", &ColumnSchedule::shifted, 0, 16, 1}, {"ctas", &ColumnSchedule::ctas, 1, 64, 1}};
  llvm::LogicalResult check(mlir::Location loc) const;
};

/// The default, then others that need fewer registers, by what they give up for it.
llvm::SmallVector<graph::ScheduleAttr> pointwiseSchedules(const KernelCase &kernel, std::string &reason);
llvm::SmallVector<graph::ScheduleAttr> rowSchedules(const KernelCase &kernel, std::string &reason);
llvm::SmallVector<graph::ScheduleAttr> columnSchedules(const KernelCase &kernel, std::string &reason);

/// The table of families. What a newer gpu's rows do not override runs on it as well.
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
