// Ops that make, combine and multiply fragments, and those that say who and where.
#include "tests/numeric/tiles/Machine.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

namespace {

size_t size(int64_t n) { return static_cast<size_t>(n); }
Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

/// Calls `each` for every group of the op's result that is here, with the group's part of the result.
template <typename F> void perGroup(Machine &m, Value result, F each) {
  Type type = result.getType();
  Bits out(size(m.groupsOf(type) * Machine::elementsOf(type)));
  size_t count = size(Machine::elementsOf(type));
  for (int64_t g = 0; g < m.groupsOf(type); ++g)
    if (m.isActive(type, g)) each(g, std::span(out).subspan(size(g) * count, count));
  m.make(result) = std::move(out);
}

void ctaId(Machine &m, Operation *op) {
  for (uint64_t &bits : m.make(op->getResult(0))) bits = static_cast<uint64_t>(m.cta);
}
void warpId(Machine &m, Operation *op) {
  uint64_t warp = 0;
  for (uint64_t &bits : m.make(op->getResult(0))) bits = warp++;
}

void splat(Machine &m, Operation *op) {
  perGroup(m, op->getResult(0), [&](int64_t g, std::span<uint64_t> out) {
    std::fill(out.begin(), out.end(), m.operand(op->getOperand(0), op->getResult(0).getType(), g)[0]);
  });
}
void lanes(Machine &m, Operation *op) {
  perGroup(m, op->getResult(0), [](int64_t, std::span<uint64_t> out) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = i;
  });
}
void laneMask(Machine &m, Operation *op) {
  auto mask = cast<tile::LaneMaskOp>(op);
  perGroup(m, mask.getResult(), [&](int64_t g, std::span<uint64_t> out) {
    auto count = static_cast<int64_t>(m.operand(mask.getCount(), mask.getType(), g)[0]);
    if (int64_t aligned = mask.getAligned().value_or(1); count % aligned != 0)
      throw Fault(fmt::format("a count of {} is said to be a multiple of {}", count, aligned));
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int64_t>(i) < count;
  });
}

void foldUnits(Machine &m, Operation *op) {
  auto fold = cast<tile::FoldUnitsOp>(op);
  perGroup(m, fold.getResult(), [&](int64_t g, std::span<uint64_t> out) {
    std::span<const uint64_t> x = m.operand(fold.getX(), fold.getType(), g);
    std::span<const uint64_t> acc = m.operand(fold.getAcc(), fold.getType(), g);
    for (size_t l = 0; l < out.size(); ++l) {
      out[l] = acc[l];
      for (size_t i = 0; i < 8; ++i) out[l] = combine(fold.getKind(), elementOf(fold.getX()), out[l], x[8 * l + i]);
    }
  });
}

/// Warps meet in the scratch tile: all write it, and read it behind a barrier.
void touchScratch(Machine &m, tile::FoldOp fold) {
  auto base = static_cast<int64_t>(m.uniform(fold.getScratch()));
  int64_t bytes = tile::bytesOf(elementOf(fold.getX()));
  const std::vector<int> &holders = m.holders(fold.getX().getType(), 0);
  for (size_t i = 0; i < holders.size(); ++i)
    m.shared.write(base + static_cast<int64_t>(i) * bytes, bytes, holders[i], 0);
  m.shared.barrier();
  for (size_t i = 0; i < holders.size(); ++i)
    for (int warp = 0; warp < m.warps; ++warp) (void)m.shared.read(base + static_cast<int64_t>(i) * bytes, bytes, warp);
}

void fold(Machine &m, Operation *op) {
  auto fold = cast<tile::FoldOp>(op);
  if (m.groupsOf(fold.getX().getType()) == 1) m.demandAll(op);
  if (fold.getScratch()) touchScratch(m, fold);
  Type type = fold.getX().getType();
  size_t count = size(Machine::elementsOf(type));
  Bits out(size(m.warps));
  for (size_t g = 0; g < size(m.groupsOf(type)); ++g) {
    if (!m.isActive(type, static_cast<int64_t>(g))) continue;
    auto first = m.of(fold.getX()).begin() + static_cast<int64_t>(g * count);
    Bits x(first, first + static_cast<int64_t>(count));
    for (size_t half = count / 2; half >= 1; half /= 2)
      for (size_t l = 0; l < half; ++l) x[l] = combine(fold.getKind(), elementOf(fold.getX()), x[l], x[l + half]);
    // What all of a CTA hold has one result, which each of its warps has.
    for (size_t w = 0; w < out.size(); ++w)
      if (m.groupsOf(type) == 1 || w == g) out[w] = x[0];
  }
  m.make(fold.getResult()) = std::move(out);
}

/// One fma per k, ascending; 16-bit operands by atoms of 16, of which the sum is exact and rounded once.
void mma(Machine &m, Operation *op) {
  auto mma = cast<tile::MmaOp>(op);
  m.demandAll(op);
  auto a = cast<RankedTensorType>(mma.getA().getType()), acc = cast<RankedTensorType>(mma.getType());
  size_t rows = size(acc.getDimSize(0)), columns = size(acc.getDimSize(1)),
         inner = a.getRank() == 2 ? size(a.getDimSize(1)) : 1;
  Type element = a.getElementType();
  Bits out = m.of(mma.getAcc());
  const Bits &left = m.of(mma.getA()), &right = m.of(mma.getB());
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) {
      auto sum = std::bit_cast<float>(static_cast<uint32_t>(out[i * columns + j]));
      for (size_t k0 = 0; k0 < inner; k0 += 16) {
        double atom = sum;
        for (size_t k = k0; k < std::min(k0 + 16, inner); ++k) {
          double x = decode(element, left[i * inner + k]), y = decode(element, right[k * columns + j]);
          if (element.isF32())
            atom = sum = std::fma(static_cast<float>(x), static_cast<float>(y), sum);
          else
            atom += x * y;
        }
        sum = static_cast<float>(atom);
      }
      out[i * columns + j] = std::bit_cast<uint32_t>(sum);
    }
  m.make(mma.getResult()) = std::move(out);
}

void lookup(Machine &m, Operation *op) {
  auto lookup = cast<tile::LookupOp>(op);
  auto table = cast<DenseElementsAttr>(lookup.getTable());
  int64_t columns = table.getType().getShape()[1];
  Bits entries;
  if (table.getElementType().isF32())
    for (float value : table.getValues<float>()) entries.push_back(std::bit_cast<uint32_t>(value));
  else
    for (int32_t value : table.getValues<int32_t>()) entries.push_back(static_cast<uint32_t>(value));
  for (auto [c, result] : llvm::enumerate(lookup.getColumns())) {
    Bits out = m.of(lookup.getIndex());
    for (uint64_t &bits : out) {
      size_t at = size(static_cast<int64_t>(bits) * columns) + c;
      if (at >= entries.size()) throw Fault(fmt::format("row {} of a table that has fewer", bits));
      bits = entries[at];
    }
    m.make(result) = std::move(out);
  }
}

double approximated(tile::ApproxKind kind, double x) {
  switch (kind) {
  case tile::ApproxKind::exp2:
    return std::exp2(x);
  case tile::ApproxKind::rcp:
    return 1 / x;
  case tile::ApproxKind::rsqrt:
    return 1 / std::sqrt(x);
  }
  return NAN;
}
void approx(Machine &m, Operation *op) {
  auto approx = cast<tile::ApproxOp>(op);
  Type type = elementOf(approx.getX());
  Bits out = m.of(approx.getX());
  for (uint64_t &bits : out) bits = encode(type, approximated(approx.getKind(), decode(type, bits)));
  m.make(approx.getResult()) = std::move(out);
}

} // namespace

llvm::ArrayRef<Row> kiln::numeric::tiles::fragmentRows() {
  static const Row rows[] = {
      {"tile.cta_id", ctaId},       {"tile.warp_id", warpId},       {"tile.splat", splat}, {"tile.lanes", lanes},
      {"tile.lane_mask", laneMask}, {"tile.fold_units", foldUnits}, {"tile.fold", fold},   {"tile.mma", mma},
      {"tile.lookup", lookup},      {"tile.approx", approx},
  };
  return rows;
}
