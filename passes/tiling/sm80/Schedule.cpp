#include "passes/tiling/sm80/Schedule.h"

#include "ir/layout/IndexMap.h"
#include "passes/tiling/sm80/Column.h"
#include "passes/tiling/sm80/Lanes.h"
#include "passes/tiling/sm80/RowFold.h"
#include "passes/tiling/sm80/Shifts.h"
#include "passes/tiling/sm80/Spread.h"
#include "passes/tiling/sm80/Turned.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

//===- Knobs ------------------------------------------------------------------------------------------------------===//

/// Groups of more than a warp are alone in their CTA.
static LogicalResult checkGroups(Location loc, int64_t threads, int64_t groups) {
  if (groups == 1 || threads == 32) return success();
  return emitError(loc) << "schedule knobs `groups, threads`: only warps, of 32 threads, share a CTA, found " << groups
                        << " and " << threads;
}

LogicalResult PointwiseSchedule::check(Location loc) const {
  if (failed(powerOfTwo(loc, "vec", vec)) || failed(checkGroups(loc, threads, groups))) return failure();
  int64_t side = threads * vec * runs;
  if (turned && (threads != 32 || side > 128 || side % groups != 0))
    return emitError(loc)
           << "schedule knobs `turned, threads, vec, runs, groups`: warps turn tiles of at most 128 a side "
              "and share their rows evenly, found "
           << groups << " groups of " << threads << " threads and tiles of " << side;
  return success();
}

LogicalResult RowSchedule::check(Location loc) const {
  if (failed(powerOfTwo(loc, "threads", threads)) || failed(checkGroups(loc, threads, groups))) return failure();
  if (rows > 1 && threads != 32)
    return emitError(loc) << "schedule knobs `rows, threads`: only a warp, of 32 threads, has several rows, found "
                          << rows << " and " << threads;
  return success();
}

LogicalResult ColumnSchedule::check(Location loc) const {
  if (failed(powerOfTwo(loc, "vec", vec)) || failed(powerOfTwo(loc, "warps", warps)) ||
      failed(powerOfTwo(loc, "ctas", ctas)))
    return failure();
  if (ctas > 1 && groups > 1)
    return emitError(loc) << "schedule knobs `ctas, groups`: CTAs that share a piece have no other columns, found "
                          << ctas << " and " << groups;
  if (warps > 1 && groups > 1)
    return emitError(loc) << "schedule knobs `warps, groups`: warps of the same columns have their CTA alone, found "
                          << warps << " and " << groups;
  return success();
}

//===- Defaults ---------------------------------------------------------------------------------------------------===//

namespace {

int64_t roundUp(int64_t value, int64_t unit) { return llvm::divideCeil(value, unit) * unit; }

/// Elements of a thread in flight at once: 2 loads of 16 bytes of 16-bit elements, 4 of f32. With all of an SM's
/// threads resident that is 64 KB of every operand, twice what hides the memory's latency.
constexpr int64_t kElementsOfThread = 16;
/// Warps of a CTA whose warps each have rows of their own.
constexpr int64_t kWarps = 8;
/// Rows shorter than this leave most lanes of a warp idle: lanes run across them, at the price of gathers.
constexpr int64_t kShortRow = 16;

PointwiseSchedule defaultPointwise(const KernelCase &kernel) {
  const graph::KernelForm &form = kernel.form;
  const GpuTarget &target = *kernel.target.gpu();
  PointwiseSchedule s;
  SmallVector<Access> accesses = kernel.accesses();
  if (planTurn(accesses, form)) return {.threads = 32, .groups = kWarps, .vec = 2, .runs = 1, .turned = 1};
  Rows rows = pointwiseRows(accesses, form, /*across=*/false);
  if (rows.length <= kShortRow && rows.count > 1) {
    s.across = 1;
    rows = pointwiseRows(accesses, form, /*across=*/true);
  }
  LanePlan lanes = RowStreams(accesses, form.extents, rows, 0).best(target);
  s.vec = lanes.vec, s.shifted = lanes.shifted;
  // Narrower accesses where wide ones would leave a quarter of the lanes behind the row's end.
  while (s.vec > 1 && roundUp(rows.length, 32 * s.vec) * 3 > rows.length * 4) s.vec /= 2;
  int64_t runsOfRow = std::max<int64_t>(1, llvm::divideCeil(rows.length, s.vec)); // of the whole row
  s.threads = std::min<int64_t>(256, roundUp(runsOfRow, 32));
  // Rows of more than a CTA are cut evenly, so that no sliver is left over. A small tensor is spread over the SMs
  // first.
  int64_t most = std::max<int64_t>(1, kElementsOfThread / s.vec);
  auto fragmentsOfRow = [&]() -> int64_t { return llvm::divideCeil(runsOfRow, s.threads * most); };
  while (most > 1 && rows.count * fragmentsOfRow() < 2 * target.sms) most /= 2;
  int64_t fragments = fragmentsOfRow();
  s.runs = llvm::divideCeil(llvm::divideCeil(runsOfRow, fragments), s.threads);
  if (fragments > 1) return s;
  if (s.threads == 32) s.groups = std::clamp<int64_t>(rows.count / (2 * target.sms), 1, kWarps);
  int64_t units = rows.count / (2 * target.sms * s.groups); // that each CTA could have
  s.rows = std::clamp<int64_t>(units, 1, std::max<int64_t>(1, kElementsOfThread / (s.vec * s.runs)));
  return s;
}

/// Seconds that a second launch costs: to start it, and what its few loads wait for.
constexpr double kSecondLaunch = 4e-6;

/// Whether a kernel that reads memory at a share of its bandwidth gains by a second launch and a larger share.
bool paysSpreading(const KernelCase &kernel, double share, double spread) {
  double bytes = 0, points = double(layout::elementCount(kernel.form.extents));
  for (const Access &access : kernel.accesses())
    if (!access.store) bytes += double(access.bytes) * points;
  return spreads(kernel.form) && bytes / kernel.target.gpu()->bandwidth * (1 / share - 1 / spread) > kSecondLaunch;
}

/// 32 elements a thread: what a thread does once per row, such as the trees of its reductions, is then a sixth of its
/// work, and its registers still let enough warps be resident for 64 KB of a 16-bit operand in flight. Rows of up to
/// 1024 are a warp's, without barriers; rows past 1024 such threads are read again in every pass, 16 elements at a
/// time. Few rows get more threads each.
RowSchedule defaultRow(const KernelCase &kernel) {
  const graph::KernelForm &form = kernel.form;
  const GpuTarget &target = *kernel.target.gpu();
  RowSchedule s;
  s.shifted = streamsOf(kernel).best(target).shifted;
  int64_t length = layout::elementCount(form.extents, form.reducedAxes);
  int64_t rows = layout::elementCount(form.extents, form.keptAxes());
  int64_t extent = llvm::bit_ceil<uint64_t>(std::max<int64_t>(length, 256)), most = s.kept * 1024;
  s.threads = extent <= 1024 ? 32 : extent <= most ? extent / 32 : 512;
  int64_t resident = int64_t(target.sms) * target.threadsOfSm / 2;
  auto shareOf = [&](int64_t threads) { return std::min(1.0, double(threads) / double(resident)); };
  int64_t pieces = llvm::divideCeil(length, kPiece), threads = rows * pieces * s.threads;
  while (s.threads < 1024 && s.threads < extent / 8 && rows * s.threads < resident) s.threads *= 2;
  if (rows > 0 && pieces > 1 && paysSpreading(kernel, shareOf(rows * s.threads), shareOf(threads)))
    return s.threads = threads / rows / pieces, s.ctas = pieces, s;
  if (s.threads > 32) return s;
  if (length <= kShortRow && rows >= 32) {
    s.across = 1, s.shifted = 0;
    rows = llvm::divideCeil(rows, 32); // of lanes
  }
  s.groups = std::clamp<int64_t>(rows / (2 * target.sms), 1, kWarps);
  // Of short rows a warp loads several at once.
  int64_t some = rows / (2 * target.sms * s.groups); // that a warp could have
  if (!s.across) s.rows = std::clamp<int64_t>(some, 1, std::max<int64_t>(1, s.kept * 32 / extent));
  return s;
}

/// As many warps as fill the SMs four times over, if there are: first by sharing out blocks, then by narrower accesses,
/// down to 64 bytes of a warp.
ColumnSchedule defaultColumn(const KernelCase &kernel) {
  const graph::KernelForm &form = kernel.form;
  const GpuTarget &target = *kernel.target.gpu();
  ColumnSchedule s;
  SmallVector<Access> accesses = kernel.accesses();
  Rows columns = columnsOf(accesses, form);
  int64_t length = layout::elementCount(form.extents, form.reducedAxes), wanted = 16 * int64_t(target.sms);
  int64_t blocks = llvm::divideCeil(std::max<int64_t>(length, 1), kColumnOrder.block);
  int64_t sharing = std::min<int64_t>(32, llvm::bit_ceil<uint64_t>(blocks));
  LanePlan lanes = RowStreams(accesses, form.extents, columns, 0).best(target);
  s.vec = lanes.vec, s.shifted = lanes.shifted;
  auto vectors = [&]() -> int64_t { return columns.count * llvm::divideCeil(columns.length, 32 * s.vec); };
  auto narrow = [&](int64_t shares) {
    s.vec = lanes.vec;
    while (s.vec > 1 && (vectors() * shares < wanted || 16 * s.vec >= columns.length)) s.vec /= 2;
  };
  // Of the memory's bandwidth: few warps have little, and lines of 128 bytes are needed whole.
  auto shareOf = [&](int64_t warps) {
    double line = accesses.empty() ? 1 : double(32 * s.vec * accesses.front().bytes) / 128;
    return std::min(1.0, double(warps) / double(wanted)) * std::min(1.0, line);
  };
  int64_t pieces = llvm::divideCeil(blocks, kColumnOrder.blocksOfPiece);
  narrow(blocks);
  double spread = shareOf(vectors() * blocks);
  narrow(sharing);
  for (s.warps = 1; s.warps < sharing && vectors() * s.warps < wanted;) s.warps *= 2;
  if (vectors() > 0 && blocks > s.warps && paysSpreading(kernel, shareOf(vectors() * s.warps), spread)) {
    narrow(blocks);
    s.warps = std::min<int64_t>(kWarps, sharing);
    for (s.ctas = 2; s.ctas < 64 && vectors() * pieces * s.ctas * s.warps < 2 * wanted;) s.ctas *= 2;
  }
  if (s.warps == 1) s.groups = std::clamp<int64_t>(vectors() / (2 * target.sms), 1, kWarps);
  int64_t ops = kernel.opCount();
  s.unroll = ops <= 16 ? 8 : ops <= 64 ? 4 : 1;
  // Where no more warps are to be had, loads of 8 bytes and less are twice as many at a time.
  if (s.ctas > 1 && !accesses.empty() && s.vec * accesses.front().bytes < 16) s.unroll *= 2;
  return s;
}

//===- Others that need fewer registers ---------------------------------------------------------------------------===//

/// A knob goes to `goal` by factors of two, or at once; then the next one does.
template <typename S> struct Step {
  int64_t S::*knob;
  int64_t goal;
  bool atOnce = false;
};
constexpr Step<PointwiseSchedule> kPointwiseSteps[] = {
    {&PointwiseSchedule::rows, 1},
    {&PointwiseSchedule::runs, 1},
    {&PointwiseSchedule::vec, 1},
    {&PointwiseSchedule::turned, 0}}; // what is not along q is gathered
// Each of 256 threads has as many registers as there can be, and no more elements than need be.
constexpr Step<RowSchedule> kRowSteps[] = {{&RowSchedule::across, 0},
                                           {&RowSchedule::rows, 1},
                                           {&RowSchedule::kept, 0, true},
                                           {&RowSchedule::groups, 1, true},
                                           {&RowSchedule::threads, 256}};
constexpr Step<ColumnSchedule> kColumnSteps[] = {{&ColumnSchedule::unroll, 1},
                                                 {&ColumnSchedule::vec, 1},
                                                 {&ColumnSchedule::groups, 1, true},
                                                 {&ColumnSchedule::warps, 8}};

/// Makes a schedule the next one to try; false where there is none.
template <typename S> bool advance(S &s, ArrayRef<Step<S>> steps) {
  for (const Step<S> &step : steps) {
    int64_t &value = s.*step.knob;
    if (value == step.goal) continue;
    bool less = value > step.goal;
    value = step.atOnce ? step.goal : less ? std::max(step.goal, value / 2) : std::min(step.goal, value * 2);
    return true;
  }
  return false;
}

template <typename S> SmallVector<graph::ScheduleAttr> from(S s, ArrayRef<Step<S>> steps, const KernelCase &kernel) {
  SmallVector<graph::ScheduleAttr> all;
  do all.push_back(packSchedule(kernel.loc().getContext(), s));
  while (advance(s, steps));
  return all;
}

} // namespace

SmallVector<graph::ScheduleAttr> sm80::pointwiseSchedules(const KernelCase &kernel, std::string &) {
  return from<PointwiseSchedule>(defaultPointwise(kernel), kPointwiseSteps, kernel);
}

SmallVector<graph::ScheduleAttr> sm80::rowSchedules(const KernelCase &kernel, std::string &) {
  return from<RowSchedule>(defaultRow(kernel), kRowSteps, kernel);
}

SmallVector<graph::ScheduleAttr> sm80::columnSchedules(const KernelCase &kernel, std::string &) {
  return from<ColumnSchedule>(defaultColumn(kernel), kColumnSteps, kernel);
}
