#include "passes/tiling/sm80/Shifts.h"

#include "ir/layout/IndexMap.h"
#include "passes/tiling/sm80/Lanes.h"
#include "passes/tiling/sm80/RowFold.h"
#include "passes/tiling/sm80/Schedule.h"
#include "passes/tiling/sm80/Turned.h"

#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::sm80;

namespace {

constexpr int64_t kWord = 16, kWidest = 4; ///< bytes; of an element that is shifted

int64_t alignmentOf(const Access &access, ArrayRef<int64_t> extents, const Rows &rows) {
  if (!isAlong(access, extents, rows)) return 0;
  return std::gcd(kWord, rowAlignment(access, extents, rows) * access.bytes);
}

} // namespace

RowStreams::RowStreams(SmallVector<Access> given, ArrayRef<int64_t> extents, const Rows &rows, int64_t vec)
    : accesses(std::move(given)), extents(extents), vec(vec) {
  for (const Access &access : accesses) aligned.push_back(alignmentOf(access, extents, rows));
}

double RowStreams::secondsOf(const LanePlan &plan, const GpuTarget &target) const {
  double points = static_cast<double>(layout::elementCount(extents, sequence(0, extents.size())));
  cost::StreamWork work;
  for (auto [access, divides] : llvm::zip(accesses, aligned)) {
    if (divides == 0) continue;
    cost::Stream stream;
    stream.accessed = points;
    stream.stored = static_cast<double>(cast<RankedTensorType>(access.value.getType()).getNumElements());
    stream.elementBytes = access.bytes;
    stream.aligned = divides;
    stream.run = plan.vec;
    stream.isStore = access.store;
    stream.shifted = divides < plan.shifted && access.bytes <= kWidest && plan.vec * access.bytes % kWord == 0;
    work += cost::workOf(stream);
  }
  return cost::streamSeconds(work, target);
}

LanePlan RowStreams::narrow(const GpuTarget &target) const {
  LanePlan plan{vec};
  if (vec == 0) {
    int64_t widest = 0, divides = 1;
    for (auto [access, bytes] : llvm::zip(accesses, aligned))
      if (bytes) widest = std::max(widest, access.bytes), divides = std::max(divides, bytes / access.bytes);
    plan.vec = widest ? std::min(kWord / widest, divides) : 1;
  }
  plan.seconds = secondsOf(plan, target);
  return plan;
}

LanePlan RowStreams::best(const GpuTarget &target) const {
  LanePlan best = narrow(target);
  llvm::SmallSetVector<int64_t, 4> widths; // that make runs of words of some stream
  for (auto [access, bytes] : llvm::zip(accesses, aligned))
    if (bytes && access.bytes <= kWidest) widths.insert(vec ? vec : kWord / access.bytes);
  for (int64_t width : widths)
    for (int64_t shifted : {kWord / 8, kWord / 4, kWord / 2, kWord}) {
      bool any = llvm::any_of(aligned, [&](int64_t bytes) { return bytes && bytes < shifted; });
      LanePlan plan{width, shifted};
      plan.seconds = secondsOf(plan, target);
      if (any && plan.seconds < best.seconds) best = plan; // of equals the one that shifts less
    }
  return best;
}

std::pair<Rows, int64_t> sm80::laneRows(ArrayRef<Access> accesses, const graph::KernelForm &form) {
  if (form.kind == graph::KernelKind::Row) {
    SmallVector<int64_t> dims = form.keptAxes();
    llvm::append_range(dims, form.reducedAxes);
    return {splitRows(form.extents, dims, form.reducedAxes.size()), kUnit};
  }
  return {form.kind == graph::KernelKind::Column ? columnsOf(accesses, form) : pointwiseRows(accesses, form, false), 0};
}

RowStreams sm80::streamsOf(const KernelCase &kernel) {
  SmallVector<Access> accesses = kernel.accesses();
  auto [rows, vec] = laneRows(accesses, kernel.form);
  return {std::move(accesses), kernel.form.extents, rows, vec};
}

//===- Columns of families ----------------------------------------------------------------------------------------===//

namespace {

LanePlan planOf(const PointwiseSchedule &s) { return {s.vec, s.shifted}; }
LanePlan planOf(const RowSchedule &s) { return {kUnit, s.shifted}; }
LanePlan planOf(const ColumnSchedule &s) { return {s.vec, s.shifted}; }

} // namespace

template <typename S> FailureOr<double> sm80::streamSeconds(const KernelCase &kernel, graph::ScheduleAttr schedule) {
  const GpuTarget &target = *kernel.target.gpu();
  RowStreams streams = streamsOf(kernel);
  if (!schedule) return streams.best(target).seconds;
  FailureOr<S> s = parseSchedule<S>(kernel.loc(), schedule);
  if (failed(s)) return failure();
  return streams.secondsOf(planOf(*s), target);
}

template <typename S>
FailureOr<SmallVector<UnalignedRows>> sm80::unalignedRows(const KernelCase &kernel, graph::ScheduleAttr schedule) {
  const GpuTarget &target = *kernel.target.gpu();
  RowStreams streams = streamsOf(kernel);
  LanePlan plan = streams.best(target);
  bool turned = std::is_same_v<S, PointwiseSchedule> && planTurn(streams.accesses, kernel.form);
  if (schedule) {
    FailureOr<S> s = parseSchedule<S>(kernel.loc(), schedule);
    if (failed(s)) return failure();
    plan = planOf(*s);
    if constexpr (requires { s->turned; }) turned &= s->turned != 0;
  }
  SmallVector<UnalignedRows> found;
  if (turned) return found;
  double narrow = streams.narrow(target).seconds;
  size_t stores = streams.accesses.size() - kernel.form.outputs.size(); // which come last
  for (auto [i, access] : llvm::enumerate(streams.accesses)) {
    int64_t aligned = streams.alignedOf(i);
    auto argument = dyn_cast<BlockArgument>(access.value);
    if (aligned == 0 || aligned == 16 || (!access.store && !argument)) continue;
    auto index = static_cast<unsigned>(access.store ? i - stores : argument.getArgNumber());
    bool shifts = aligned < plan.shifted;
    auto *known = llvm::find_if(found, [&](auto &f) { return f.index == index && f.isResult == access.store; });
    if (known != found.end())
      known->shifted |= shifts; // read at several places
    else
      found.push_back({index, access.store, shifts, narrow});
  }
  return found;
}

#define KILN_FOR(S)                                                                                                    \
  template FailureOr<double> sm80::streamSeconds<S>(const KernelCase &, graph::ScheduleAttr);                          \
  template FailureOr<SmallVector<UnalignedRows>> sm80::unalignedRows<S>(const KernelCase &, graph::ScheduleAttr);
KILN_FOR(PointwiseSchedule)
KILN_FOR(RowSchedule)
KILN_FOR(ColumnSchedule)
