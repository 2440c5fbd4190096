// The families of cpu targets: one of each kind, whose schedules follow the target's vectors. A schedule is chosen by
// formula from the kernel's form and its number of ops; there is no cost model yet.
#include "passes/tiling/cpu/Families.h"

#include "ir/layout/IndexMap.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;
using namespace kiln::tiling::cpu;

//===- Knobs ------------------------------------------------------------------------------------------------------===//

LogicalResult RowSchedule::check(Location loc) const { return powerOfTwo(loc, "lanes", lanes); }

LogicalResult MatmulSchedule::check(Location loc) const {
  for (auto [tile, unit, names] : {std::tuple{bm, mr, "bm, mr"}, std::tuple{bn, nr, "bn, nr"}})
    if (tile % unit != 0)
      return emitError(loc) << "schedule knobs `" << names
                            << "`: the CTA tile must be a multiple of the register tile, found " << tile << " and "
                            << unit;
  return success();
}

//===- Defaults ---------------------------------------------------------------------------------------------------===//

namespace {

int64_t roundUp(int64_t value, int64_t unit) { return llvm::divideCeil(value, unit) * unit; }

/// Tiles of about `target`, a multiple of `unit`, that share the extent evenly: a tile may be a quarter larger so that
/// no sliver is left over, which would cost a CTA's packing for next to no products.
int64_t evenTile(int64_t extent, int64_t target, int64_t unit) {
  int64_t count = std::max<int64_t>(1, (extent + target * 3 / 4) / target);
  return roundUp(llvm::divideCeil(std::max<int64_t>(extent, 1), count), unit);
}

/// Lanes of a fragment of the most registers. Several registers hide latency; long bodies have parallelism of their own
/// and would only spill.
int64_t lanesOf(const KernelCase &kernel) {
  int64_t ops = kernel.opCount();
  return kernel.target.cpu()->lanes() * (ops <= 32 ? 4 : ops <= 128 ? 2 : 1);
}

/// At least 8 CTAs where there is work for them.
int64_t tileOf(const KernelCase &kernel) {
  return std::clamp<int64_t>(layout::elementCount(kernel.form.extents) / 8, 4096, 32768);
}

/// A power of two that holds `extent`, within bounds.
int64_t lanesFor(int64_t extent, int64_t least, int64_t most) {
  return std::clamp<int64_t>(llvm::bit_ceil<uint64_t>(std::max<int64_t>(extent, 1)), least, most);
}

PointwiseSchedule defaultPointwise(const KernelCase &kernel) { return {lanesOf(kernel), tileOf(kernel)}; }

RowSchedule defaultRow(const KernelCase &kernel) {
  int64_t length = layout::elementCount(kernel.form.extents, kernel.form.reducedAxes);
  return {lanesFor(length, 8, 2 * lanesOf(kernel)), tileOf(kernel)};
}

ColumnSchedule defaultColumn(const KernelCase &kernel) {
  int64_t columns = layout::elementCount(kernel.form.extents, kernel.form.keptAxes());
  return {.lanes = lanesFor(columns, 1, lanesOf(kernel))};
}

MatmulSchedule defaultMatmul(const KernelCase &kernel) {
  const CpuTarget &target = *kernel.target.cpu();
  const graph::KernelForm &form = kernel.form;
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

/// The one schedule that a formula chooses, as a family's.
template <auto choose> SmallVector<graph::ScheduleAttr> only(const KernelCase &kernel, std::string &) {
  return {packSchedule(kernel.loc().getContext(), choose(kernel))};
}

} // namespace

FamilyTable cpu::families() {
  static const Family rows[] = {
      {PointwiseSchedule::kFamily, graph::KernelKind::Pointwise, nullptr, only<defaultPointwise>, nullptr, nullptr,
       buildPointwise},
      {RowSchedule::kFamily, graph::KernelKind::Row, nullptr, only<defaultRow>, nullptr, nullptr, buildRow},
      {ColumnSchedule::kFamily, graph::KernelKind::Column, nullptr, only<defaultColumn>, nullptr, nullptr, buildColumn},
      {MatmulSchedule::kFamily, graph::KernelKind::Matmul, nullptr, only<defaultMatmul>, nullptr, nullptr, buildMatmul},
  };
  return {0, rows};
}
