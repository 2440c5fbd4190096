#include "passes/tiling/Schedule.h"

#include "ir/layout/IndexMap.h"
#include "passes/tiling/Knobs.h"
#include "passes/tiling/sm80/Schedule.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

namespace {

// What code generation takes: 16384 bits of a fragment's row, of which offsets need 64 a lane. (32 rows of 256 lanes
// are then within its 2^18 bits of a fragment.)
constexpr int64_t kMaxLanes = 256, kMaxTile = int64_t(1) << 30;
const Knob<PointwiseSchedule> kPointwise[] = {{"lanes", &PointwiseSchedule::lanes, 1, kMaxLanes, 1},
                                              {"tile", &PointwiseSchedule::tile, 1, kMaxTile, 1}};
const Knob<RowSchedule> kRow[] = {{"lanes", &RowSchedule::lanes, 8, kMaxLanes, 8},
                                  {"tile", &RowSchedule::tile, 1, kMaxTile, 1}};
const Knob<ColumnSchedule> kColumn[] = {{"lanes", &ColumnSchedule::lanes, 1, kMaxLanes, 1},
                                        {"tile", &ColumnSchedule::tile, 1, kMaxTile, 1}};
const Knob<MatmulSchedule> kMatmul[] = {{"bm", &MatmulSchedule::bm, 1, 4096, 1},
                                        {"bn", &MatmulSchedule::bn, 1, 4096, 1},
                                        {"bk", &MatmulSchedule::bk, 1, 4096, 1},
                                        {"mr", &MatmulSchedule::mr, 1, 32, 1},
                                        {"nr", &MatmulSchedule::nr, 1, kMaxLanes, 1}};

/// Ops of the kernel's body: how many values may be live at once, roughly.
int64_t opCount(graph::KernelOp kernel) {
  return std::distance(kernel.getBody().front().begin(), kernel.getBody().front().end());
}

int64_t roundUp(int64_t value, int64_t unit) { return llvm::divideCeil(value, unit) * unit; }

/// Tiles of about `target`, a multiple of `unit`, that share the extent evenly: a tile may be a quarter larger so that
/// no sliver is left over, which would cost a CTA's packing for next to no products.
int64_t evenTile(int64_t extent, int64_t target, int64_t unit) {
  int64_t count = std::max<int64_t>(1, (extent + target * 3 / 4) / target);
  return roundUp(llvm::divideCeil(std::max<int64_t>(extent, 1), count), unit);
}

MatmulSchedule defaultMatmul(const graph::KernelForm &form, const CpuTarget &target) {
  MatmulSchedule s;
  int64_t rank = form.extents.size(), m = form.extents[rank - 2], n = form.extents[rank - 1];
  graph::MatmulOp matmul = form.matmul;
  int64_t k = graph::shapeOf(matmul.getA())[matmul.getTransposeA() ? rank - 2 : rank - 1];
  // Accumulators fill about half the registers: the others hold a row of b and broadcasts of a.
  s.nr = 2 * target.lanes();
  s.mr = target.vectorRegisters >= 32 ? 8 : 4;
  s.bm = evenTile(m, 128, s.mr);
  s.bn = evenTile(n, 256, s.nr);
  s.bk = std::min<int64_t>(256, std::max<int64_t>(k, 1));
  // Too few CTAs leave cores idle: halve the tile while it is larger than a few register tiles.
  auto ctas = [&] {
    return llvm::divideCeil(std::max<int64_t>(m, 1), s.bm) * llvm::divideCeil(std::max<int64_t>(n, 1), s.bn) *
           layout::elementCount(ArrayRef<int64_t>(form.extents).drop_back(2));
  };
  while (ctas() < 8 && s.bm > 4 * s.mr) s.bm = roundUp(s.bm / 2, s.mr);
  while (ctas() < 8 && s.bn > 2 * s.nr) s.bn = roundUp(s.bn / 2, s.nr);
  return s;
}

} // namespace

FailureOr<PointwiseSchedule> kiln::tiling::pointwiseSchedule(Location loc, graph::ScheduleAttr attr) {
  return parseSchedule<PointwiseSchedule>(loc, attr, "pointwise", kPointwise);
}

FailureOr<RowSchedule> kiln::tiling::rowSchedule(Location loc, graph::ScheduleAttr attr) {
  FailureOr<RowSchedule> s = parseSchedule<RowSchedule>(loc, attr, "row", kRow);
  if (failed(s) || failed(powerOfTwo(loc, "lanes", s->lanes))) return failure();
  return s;
}

FailureOr<ColumnSchedule> kiln::tiling::columnSchedule(Location loc, graph::ScheduleAttr attr) {
  return parseSchedule<ColumnSchedule>(loc, attr, "column", kColumn);
}

FailureOr<MatmulSchedule> kiln::tiling::matmulSchedule(Location loc, graph::ScheduleAttr attr) {
  FailureOr<MatmulSchedule> s = parseSchedule<MatmulSchedule>(loc, attr, "matmul", kMatmul);
  if (failed(s)) return failure();
  for (auto [tile, unit, names] : {std::tuple{s->bm, s->mr, "bm, mr"}, std::tuple{s->bn, s->nr, "bn, nr"}})
    if (tile % unit != 0)
      return emitError(loc) << "schedule knobs `" << names
                            << "`: the CTA tile must be a multiple of the register tile, found " << tile << " and "
                            << unit;
  return s;
}

graph::ScheduleAttr kiln::tiling::defaultSchedule(graph::KernelOp kernel, const graph::KernelForm &form,
                                                  const Target &row) {
  if (row.gpu()) return sm80::defaultSchedule(kernel, form, *row.gpu());
  const CpuTarget &target = *row.cpu();
  MLIRContext *context = kernel.getContext();
  int64_t native = target.lanes(), ops = opCount(kernel);
  // Several registers per fragment hide latency; long bodies have parallelism of their own and would only spill.
  int64_t registers = ops <= 32 ? 4 : ops <= 128 ? 2 : 1;
  switch (form.kind) {
  case graph::KernelKind::Pointwise: {
    PointwiseSchedule s;
    s.lanes = native * registers;
    // At least 8 CTAs where there is work for them.
    s.tile = std::clamp<int64_t>(layout::elementCount(form.extents) / 8, 4096, 32768);
    return packSchedule<PointwiseSchedule>(context, s, "pointwise", kPointwise);
  }
  case graph::KernelKind::Row: {
    int64_t length = 1;
    for (int64_t axis : form.reducedAxes) length *= form.extents[axis];
    RowSchedule s;
    s.lanes = std::clamp<int64_t>(llvm::bit_ceil<uint64_t>(std::max<int64_t>(length, 1)), 8, 2 * native * registers);
    s.tile = std::clamp<int64_t>(layout::elementCount(form.extents) / 8, 4096, 32768);
    return packSchedule<RowSchedule>(context, s, "row", kRow);
  }
  case graph::KernelKind::Column: {
    ColumnSchedule s;
    int64_t columns = 1;
    for (int64_t axis : form.keptAxes()) columns *= form.extents[axis];
    s.lanes = std::min<int64_t>(native * registers, llvm::bit_ceil<uint64_t>(std::max<int64_t>(columns, 1)));
    return packSchedule<ColumnSchedule>(context, s, "column", kColumn);
  }
  case graph::KernelKind::Matmul:
    return packSchedule<MatmulSchedule>(context, defaultMatmul(form, target), "matmul", kMatmul);
  }
  llvm_unreachable("every kind has its schedule");
}
