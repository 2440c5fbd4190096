#include "passes/tiling/sm80/MatmulSchedule.h"

#include "passes/cost/Matmul.h"
#include "passes/tiling/sm80/MatmulFrame.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

namespace {

/// Right beyond those of an outer product's shared tiles, so that what is stored down a column meets more banks.
constexpr int64_t kOuterPad = 4;
/// Registers of a thread for addresses, loops and the epilogue.
constexpr int64_t kOtherRegisters = 48;
constexpr int64_t kMaxRegisters = 255, kRegistersOfSm = 65536;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Why a schedule is not legal.
struct Refusal {
  std::string rule, expected, found;
};

//===- What a schedule takes --------------------------------------------------------------------------------------===//

int64_t sumBytes(int64_t rows, int64_t columns) { return rows * (columns + MatmulFrame::kPad) * 4; }

template <typename S> int64_t ringBytes(const MatmulProblem &problem, const S &s, int64_t stages) {
  int64_t bytes = 0;
  for (Side side : {Left, Right}) {
    FeedLayout feed = feedOf(problem, s, side);
    bytes += feed.bytes(problem) * (feed.async ? stages : 2);
  }
  return bytes;
}
int64_t sharedBytes(const MatmulProblem &problem, const MmaSchedule &s) {
  return std::max(ringBytes(problem, s, s.stages), sumBytes(s.bm / slicesOf(problem, s), s.bn));
}
int64_t sharedBytes(const MatmulProblem &problem, const OuterSchedule &s) {
  return std::max(ringBytes(problem, s, 2), sumBytes(s.bm, s.bn));
}

/// Registers of a thread for operands on their way through them, a block ahead.
template <typename S> int64_t transitRegisters(const MatmulProblem &problem, const S &s, int64_t threads) {
  int64_t count = 0;
  for (Side side : {Left, Right}) {
    const MatmulOperand &operand = problem.operands[side];
    if (feedOf(problem, s, side).async || !operand.isHeld) continue;
    int64_t extent = side == Left ? s.bm : s.bn, rows = operand.alongK ? extent : s.bk;
    // The elements, and where each of a warp's rows is stored.
    count += llvm::divideCeil(extent * s.bk * operand.heldBytes, 4 * threads) + llvm::divideCeil(rows * 32, threads);
  }
  return count;
}
int64_t registers(const MatmulProblem &problem, const MmaSchedule &s) {
  int64_t threads = s.warpsM * s.warpsN * 32, rows = s.bm / s.warpsM, columns = s.bn / s.warpsN;
  // Two k16 steps of both operands: 16 elements of 2 bytes for each row and column, over 32 lanes.
  return s.bm * s.bn / threads + (rows + columns) / 2 + transitRegisters(problem, s, threads) + kOtherRegisters;
}
int64_t registers(const MatmulProblem &problem, const OuterSchedule &s) {
  int64_t rows = s.bm / s.threadsM, columns = s.bn / s.threadsN;
  return rows * columns + rows + columns + transitRegisters(problem, s, s.threadsM * s.threadsN) + kOtherRegisters;
}

//===- Legality ---------------------------------------------------------------------------------------------------===//

/// What fragments and shared tiles ask of both kinds.
template <typename S> std::optional<Refusal> checkFeeds(const MatmulProblem &problem, const S &s, int64_t warps) {
  if (warps > 32) return Refusal{"a CTA has so many warps", "1 to 32", std::to_string(warps)};
  if (s.bm % warps != 0)
    return Refusal{"`bm`: every warp stores as many rows", fmt::format("a multiple of {} warps", warps),
                   std::to_string(s.bm)};
  for (Side side : {Left, Right}) {
    if (feedOf(problem, s, side).async) continue;
    const MatmulOperand &operand = problem.operands[side];
    int64_t extent = side == Left ? s.bm : s.bn;
    int64_t lanes = operand.alongK ? s.bk : extent, rows = operand.alongK ? extent : s.bk;
    const char *knob = operand.alongK ? "bk" : side == Left ? "bm" : "bn";
    if (lanes % 32 != 0)
      return Refusal{fmt::format("`{}`: an operand comes through a warp's registers row by row", knob),
                     "a multiple of 32", std::to_string(lanes)};
    if (rows % warps != 0)
      return Refusal{"an operand's rows must be dealt to the warps evenly",
                     fmt::format("a multiple of {} warps", warps), std::to_string(rows)};
  }
  return std::nullopt;
}

template <typename S> std::optional<Refusal> checkResources(const MatmulProblem &problem, const S &s, int64_t threads,
                                                            const GpuTarget &target) {
  if (int64_t bytes = sharedBytes(problem, s); bytes > target.sharedBytes)
    return Refusal{fmt::format("shared memory of a CTA on {}", target.name),
                   fmt::format("at most {} bytes", target.sharedBytes), std::to_string(bytes)};
  int64_t most = std::min(kMaxRegisters, kRegistersOfSm / threads), need = registers(problem, s);
  if (need > most)
    return Refusal{fmt::format("registers of each of {} threads", threads), fmt::format("at most {}", most),
                   fmt::format("about {}", need)};
  return std::nullopt;
}

std::optional<Refusal> check(const MatmulProblem &problem, const MmaSchedule &s, const GpuTarget &target) {
  auto divisible = [](const char *knobs, int64_t tile, int64_t unit) -> std::optional<Refusal> {
    if (tile % unit == 0) return std::nullopt;
    return Refusal{fmt::format("`{}`: warps share the CTA tile evenly, as MMA atoms", knobs),
                   fmt::format("a multiple of {}", unit), std::to_string(tile)};
  };
  if (auto refusal = divisible("bm, warpsM", s.bm, 16 * s.warpsM)) return refusal;
  if (auto refusal = divisible("bn, warpsN", s.bn, 16 * s.warpsN)) return refusal;
  if (auto refusal = checkFeeds(problem, s, s.warpsM * s.warpsN)) return refusal;
  return checkResources(problem, s, s.warpsM * s.warpsN * 32, target);
}

std::optional<Refusal> check(const MatmulProblem &problem, const OuterSchedule &s, const GpuTarget &target) {
  int64_t threads = s.threadsM * s.threadsN;
  if (threads % 32 != 0 || threads > 1024)
    return Refusal{"`threadsM, threadsN`: threads are whole warps", "a multiple of 32 up to 1024",
                   std::to_string(threads)};
  for (auto [knobs, tile, grid] :
       {std::tuple{"bm, threadsM", s.bm, s.threadsM}, std::tuple{"bn, threadsN", s.bn, s.threadsN}})
    if (tile % (4 * grid) != 0)
      return Refusal{fmt::format("`{}`: threads share the CTA tile in fours", knobs),
                     fmt::format("a multiple of {}", 4 * grid), std::to_string(tile)};
  if (auto refusal = checkFeeds(problem, s, threads / 32)) return refusal;
  return checkResources(problem, s, threads, target);
}

//===- The default ------------------------------------------------------------------------------------------------===//

// Warps of 64 × 64 sums read shared memory least; smaller tiles are for problems that would not fill the SMs.
constexpr MmaSchedule kMmaCandidates[] = {{128, 256, 64, 4, 2, 4}, {256, 128, 64, 4, 4, 2}, {128, 256, 64, 3, 2, 4},
                                          {256, 128, 64, 3, 4, 2}, {128, 128, 64, 3, 2, 2}, {128, 128, 64, 3, 2, 4},
                                          {128, 128, 32, 4, 2, 2}, {128, 64, 64, 4, 2, 2},  {64, 128, 64, 4, 2, 2},
                                          {64, 64, 64, 4, 2, 2},   {64, 64, 32, 4, 2, 2},   {64, 32, 64, 4, 2, 1},
                                          {32, 64, 64, 4, 1, 2},   {32, 32, 64, 4, 1, 1},   {32, 128, 64, 4, 1, 4},
                                          {16, 128, 64, 4, 1, 4},  {16, 64, 64, 6, 1, 4},   {32, 32, 32, 4, 1, 1}};
constexpr OuterSchedule kOuterCandidates[] = {{128, 128, 32, 16, 16}, {128, 64, 32, 16, 8}, {64, 128, 32, 8, 16},
                                              {64, 64, 32, 8, 8},     {64, 64, 32, 16, 16}, {32, 64, 32, 8, 8},
                                              {64, 32, 32, 8, 8},     {32, 32, 32, 8, 8}};

cost::MatmulTiling tilingOf(const MatmulProblem &problem, const MmaSchedule &s, const GpuTarget &target) {
  return {s.bm, s.bn, s.bk, s.warpsM, s.warpsN, sharedBytes(problem, s), registers(problem, s), target.mmaFlops};
}
cost::MatmulTiling tilingOf(const MatmulProblem &problem, const OuterSchedule &s, const GpuTarget &target) {
  // Fragments of an outer product are read by every thread: its warps are as rows of threads to shared memory.
  return {s.bm, s.bn, s.bk, s.threadsM, 2, sharedBytes(problem, s), registers(problem, s), target.fmaFlops};
}

template <typename S> double secondsOf(const MatmulProblem &problem, const S &s, const GpuTarget &target) {
  int64_t bytes = tile::bytesOf(problem.element);
  cost::MatmulWork work{problem.batches, problem.extent(Left), problem.extent(Right), problem.k, bytes};
  cost::MatmulTiling tiling = tilingOf(problem, s, target);
  for (Side side : {Left, Right})
    if (!feedOf(problem, s, side).async) tiling.accessBytes[side] = problem.operands[side].vec * bytes;
  return cost::matmulSeconds(work, tiling, target);
}

ArrayRef<MmaSchedule> candidatesOf(const MmaSchedule *) { return kMmaCandidates; }
ArrayRef<OuterSchedule> candidatesOf(const OuterSchedule *) { return kOuterCandidates; }

/// The legal ones of a kind with their seconds, the quickest first; where there is none, `reason` is that of the last.
template <typename S>
SmallVector<std::pair<double, S>> ranked(const MatmulProblem &problem, const GpuTarget &target, std::string *reason) {
  SmallVector<std::pair<double, S>> legal;
  for (const S &s : candidatesOf(static_cast<S *>(nullptr))) {
    if (std::optional<Refusal> refusal = check(problem, s, target)) {
      if (reason) *reason = fmt::format("{}: expected {}, found {}", refusal->rule, refusal->expected, refusal->found);
      continue;
    }
    double seconds = secondsOf(problem, s, target); // of equals the first comes first
    auto *at = llvm::upper_bound(legal, seconds, [](double value, auto &other) { return value < other.first; });
    legal.insert(at, {seconds, s});
  }
  return legal;
}

MatmulProblem problemOf(const KernelCase &kernel) { return matmulProblem(kernel.form, kernel.memory); }

} // namespace

FeedLayout sm80::feedOf(const MatmulProblem &problem, const MmaSchedule &s, Side side) {
  const MatmulOperand &operand = problem.operands[side];
  int64_t extent = side == Left ? s.bm : s.bn;
  FeedLayout feed;
  feed.alongK = operand.alongK;
  feed.rows = feed.alongK ? extent : s.bk;
  feed.columns = feed.alongK ? s.bk : extent;
  feed.async = operand.source.has_value();
  int64_t rowBytes = feed.columns * tile::bytesOf(problem.element);
  for (int64_t swizzle : {128, 64, 32})
    if (rowBytes % swizzle == 0) {
      feed.swizzle = swizzle;
      break;
    }
  return feed;
}

FeedLayout sm80::feedOf(const MatmulProblem &, const OuterSchedule &s, Side side) {
  FeedLayout feed;
  feed.alongK = false;
  feed.rows = s.bk;
  feed.columns = (side == Left ? s.bm : s.bn) + kOuterPad;
  return feed;
}

int64_t sm80::slicesOf(const MatmulProblem &problem, const MmaSchedule &s) {
  int64_t most = ringBytes(problem, s, s.stages), slices = 1;
  auto fits = [&](int64_t count) {
    int64_t rows = s.bm / count;
    return s.bm % count == 0 && rows % (16 * s.warpsM) == 0 && rows % (s.warpsM * s.warpsN) == 0;
  };
  while (sumBytes(s.bm / slices, s.bn) > most && fits(2 * slices)) slices *= 2;
  return slices;
}

template <typename S> FailureOr<S> sm80::matmulSchedule(Location loc, graph::ScheduleAttr attr,
                                                        const MatmulProblem &problem, const GpuTarget &target) {
  FailureOr<S> s = parseSchedule<S>(loc, attr);
  if (failed(s)) return failure();
  std::optional<Refusal> refusal = check(problem, *s, target);
  if (!refusal) return s;
  InFlightDiagnostic diag = emitError(loc) << "illegal schedule of a matmul: " << refusal->rule;
  diag.attachNote() << "expected: " << refusal->expected;
  diag.attachNote() << "found: " << refusal->found;
  return diag;
}

template <typename S>
SmallVector<graph::ScheduleAttr> sm80::matmulSchedules(const KernelCase &kernel, std::string &reason) {
  return llvm::map_to_vector(ranked<S>(problemOf(kernel), *kernel.target.gpu(), &reason), [&](auto &candidate) {
    return packSchedule(kernel.loc().getContext(), candidate.second);
  });
}

template <typename S> FailureOr<double> sm80::matmulSeconds(const KernelCase &kernel, graph::ScheduleAttr schedule) {
  MatmulProblem problem = problemOf(kernel);
  const GpuTarget &target = *kernel.target.gpu();
  if (!schedule) {
    auto legal = ranked<S>(problem, target, nullptr);
    return legal.empty() ? kNever : legal.front().first;
  }
  FailureOr<S> s = parseSchedule<S>(kernel.loc(), schedule);
  if (failed(s)) return failure();
  return check(problem, *s, target) ? kNever : secondsOf(problem, *s, target);
}

FailureOr<SmallVector<UnalignedRows>> sm80::unalignedOperands(const KernelCase &kernel, graph::ScheduleAttr schedule) {
  if (failed(parseSchedule<MmaSchedule>(kernel.loc(), schedule))) return failure();
  SmallVector<UnalignedRows> found;
  if (llvm::is_contained(kernel.form.extents, 0)) return found;
  for (const MatmulOperand &operand : problemOf(kernel).operands) {
    auto argument = dyn_cast_or_null<BlockArgument>(operand.memory);
    if (!argument || operand.source || cast<RankedTensorType>(argument.getType()).getRank() < 2) continue;
    found.push_back({argument.getArgNumber()});
  }
  return found;
}

#define KILN_FOR(S)                                                                                                    \
  template FailureOr<S> sm80::matmulSchedule(Location, graph::ScheduleAttr, const MatmulProblem &, const GpuTarget &); \
  template SmallVector<graph::ScheduleAttr> sm80::matmulSchedules<S>(const KernelCase &, std::string &);               \
  template FailureOr<double> sm80::matmulSeconds<S>(const KernelCase &, graph::ScheduleAttr);
KILN_FOR(MmaSchedule)
KILN_FOR(OuterSchedule)
