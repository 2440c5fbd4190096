#include "passes/tiling/sm80/Schedule.h"

#include "ir/layout/IndexMap.h"
#include "passes/tiling/Knobs.h"
#include "passes/tiling/sm80/Column.h"
#include "passes/tiling/sm80/Lanes.h"
#include "passes/tiling/sm80/MatmulSchedule.h"
#include "passes/tiling/sm80/Shifts.h"
#include "passes/tiling/sm80/Turned.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

namespace {

const Knob<sm80::PointwiseSchedule> kPointwise[] = {{"threads", &sm80::PointwiseSchedule::threads, 32, 1024, 32},
                                                    {"groups", &sm80::PointwiseSchedule::groups, 1, 32, 1},
                                                    {"vec", &sm80::PointwiseSchedule::vec, 1, 16, 1},
                                                    {"runs", &sm80::PointwiseSchedule::runs, 1, 64, 1},
                                                    {"rows", &sm80::PointwiseSchedule::rows, 1, 64, 1},
                                                    {"across", &sm80::PointwiseSchedule::across, 0, 1, 1},
                                                    {"turned", &sm80::PointwiseSchedule::turned, 0, 1, 1},
                                                    {"shifted", &sm80::PointwiseSchedule::shifted, 0, 16, 1}};

const Knob<sm80::RowSchedule> kRow[] = {
    {"threads", &sm80::RowSchedule::threads, 32, 1024, 32}, {"groups", &sm80::RowSchedule::groups, 1, 32, 1},
    {"kept", &sm80::RowSchedule::kept, 0, 128, 1},          {"rows", &sm80::RowSchedule::rows, 1, 16, 1},
    {"across", &sm80::RowSchedule::across, 0, 1, 1},        {"shifted", &sm80::RowSchedule::shifted, 0, 16, 1}};

const Knob<sm80::ColumnSchedule> kColumn[] = {{"vec", &sm80::ColumnSchedule::vec, 1, 16, 1},
                                              {"warps", &sm80::ColumnSchedule::warps, 1, 32, 1},
                                              {"groups", &sm80::ColumnSchedule::groups, 1, 32, 1},
                                              {"unroll", &sm80::ColumnSchedule::unroll, 1, 8, 1},
                                              {"shifted", &sm80::ColumnSchedule::shifted, 0, 16, 1}};

/// Groups of more than a warp are alone in their CTA.
LogicalResult checkGroups(Location loc, int64_t threads, int64_t groups) {
  if (groups == 1 || threads == 32) return success();
  return emitError(loc) << "schedule knobs `groups, threads`: only warps, of 32 threads, share a CTA, found " << groups
                        << " and " << threads;
}

int64_t roundUp(int64_t value, int64_t unit) { return llvm::divideCeil(value, unit) * unit; }

/// Elements of a thread in flight at once: 2 loads of 16 bytes of 16-bit elements, 4 of f32. With all of an SM's
/// threads resident that is 64 KB of every operand, twice what hides the memory's latency.
constexpr int64_t kElementsOfThread = 16;
/// Warps of a CTA whose warps each have rows of their own.
constexpr int64_t kWarps = 8;
/// Rows shorter than this leave most lanes of a warp idle: lanes run across them, at the price of gathers.
constexpr int64_t kShortRow = 16;

sm80::PointwiseSchedule defaultPointwise(graph::KernelOp kernel, const graph::KernelForm &form,
                                         const GpuTarget &target) {
  sm80::PointwiseSchedule s;
  KernelMemory memory = memoryOf(kernel, {});
  SmallVector<Access> accesses = accessesOf(form, memory.inputs, memory.outputs);
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

/// 32 elements a thread: what a thread does once per row, such as the trees of its reductions, is then a sixth of its
/// work, and its registers still let enough warps be resident for 64 KB of a 16-bit operand in flight. Rows of up to
/// 1024 are a warp's, without barriers; rows past 1024 such threads are read again in every pass, 16 elements at a
/// time. Few rows get more threads each.
sm80::RowSchedule defaultRow(graph::KernelOp kernel, const graph::KernelForm &form, const GpuTarget &target) {
  sm80::RowSchedule s;
  KernelMemory memory = memoryOf(kernel, {});
  SmallVector<Access> accesses = accessesOf(form, memory.inputs, memory.outputs);
  auto [lanes, vec] = laneRows(accesses, form);
  s.shifted = RowStreams(accesses, form.extents, lanes, vec).best(target).shifted;
  int64_t length = layout::elementCount(form.extents, form.reducedAxes);
  int64_t rows = layout::elementCount(form.extents, form.keptAxes());
  int64_t extent = llvm::bit_ceil<uint64_t>(std::max<int64_t>(length, 256)), most = s.kept * 1024;
  s.threads = extent <= 1024 ? 32 : extent <= most ? extent / 32 : 512;
  int64_t resident = int64_t(target.sms) * target.threadsOfSm / 2;
  while (s.threads < 1024 && s.threads < extent / 8 && rows * s.threads < resident) s.threads *= 2;
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
sm80::ColumnSchedule defaultColumn(graph::KernelOp kernel, const graph::KernelForm &form, const GpuTarget &target) {
  sm80::ColumnSchedule s;
  KernelMemory memory = memoryOf(kernel, {});
  SmallVector<Access> accesses = accessesOf(form, memory.inputs, memory.outputs);
  Rows columns = columnsOf(accesses, form);
  int64_t length = layout::elementCount(form.extents, form.reducedAxes), wanted = 16 * target.sms;
  int64_t blocks = llvm::divideCeil(std::max<int64_t>(length, 1), kColumnOrder.block);
  int64_t sharing = std::min<int64_t>(32, llvm::bit_ceil<uint64_t>(blocks));
  LanePlan lanes = RowStreams(accesses, form.extents, columns, 0).best(target);
  s.vec = lanes.vec, s.shifted = lanes.shifted;
  auto vectors = [&]() -> int64_t { return columns.count * llvm::divideCeil(columns.length, 32 * s.vec); };
  while (s.vec > 1 && (vectors() * sharing < wanted || 16 * s.vec >= columns.length)) s.vec /= 2;
  for (s.warps = 1; s.warps < sharing && vectors() * s.warps < wanted;) s.warps *= 2;
  if (s.warps == 1) s.groups = std::clamp<int64_t>(vectors() / (2 * target.sms), 1, kWarps);
  Block &body = kernel.getBody().front();
  int64_t ops = std::distance(body.begin(), body.end());
  s.unroll = ops <= 16 ? 8 : ops <= 64 ? 4 : 1;
  return s;
}

} // namespace

FailureOr<sm80::ColumnSchedule> sm80::columnSchedule(Location loc, graph::ScheduleAttr attr) {
  auto s = parseSchedule<sm80::ColumnSchedule>(loc, attr, "column", kColumn);
  if (failed(s) || failed(powerOfTwo(loc, "vec", s->vec)) || failed(powerOfTwo(loc, "warps", s->warps)))
    return failure();
  if (s->warps > 1 && s->groups > 1)
    return emitError(loc) << "schedule knobs `warps, groups`: warps of the same columns have their CTA alone, found "
                          << s->warps << " and " << s->groups;
  return s;
}

FailureOr<sm80::RowSchedule> sm80::rowSchedule(Location loc, graph::ScheduleAttr attr) {
  auto s = parseSchedule<sm80::RowSchedule>(loc, attr, "row", kRow);
  if (failed(s) || failed(powerOfTwo(loc, "threads", s->threads)) || failed(checkGroups(loc, s->threads, s->groups)))
    return failure();
  if (s->rows > 1 && s->threads != 32)
    return emitError(loc) << "schedule knobs `rows, threads`: only a warp, of 32 threads, has several rows, found "
                          << s->rows << " and " << s->threads;
  return s;
}

FailureOr<sm80::PointwiseSchedule> sm80::pointwiseSchedule(Location loc, graph::ScheduleAttr attr) {
  auto s = parseSchedule<sm80::PointwiseSchedule>(loc, attr, "pointwise", kPointwise);
  if (failed(s) || failed(powerOfTwo(loc, "vec", s->vec)) || failed(checkGroups(loc, s->threads, s->groups)))
    return failure();
  int64_t side = s->threads * s->vec * s->runs;
  if (s->turned && (s->threads != 32 || side > 128 || side % s->groups != 0))
    return emitError(loc)
           << "schedule knobs `turned, threads, vec, runs, groups`: warps turn tiles of at most 128 a side "
              "and share their rows evenly, found "
           << s->groups << " groups of " << s->threads << " threads and tiles of " << side;
  return s;
}

graph::ScheduleAttr sm80::defaultSchedule(graph::KernelOp kernel, const graph::KernelForm &form,
                                          const GpuTarget &target) {
  MLIRContext *context = kernel.getContext();
  switch (form.kind) {
  case graph::KernelKind::Pointwise:
    return packSchedule<sm80::PointwiseSchedule>(context, defaultPointwise(kernel, form, target), "pointwise",
                                                 kPointwise);
  case graph::KernelKind::Row:
    return packSchedule<sm80::RowSchedule>(context, defaultRow(kernel, form, target), "row", kRow);
  case graph::KernelKind::Column:
    return packSchedule<sm80::ColumnSchedule>(context, defaultColumn(kernel, form, target), "column", kColumn);
  case graph::KernelKind::Matmul:
    return defaultMatmul(context, matmulProblem(form, memoryOf(kernel, {})), target);
  }
  llvm_unreachable("every kind has its schedule");
}
