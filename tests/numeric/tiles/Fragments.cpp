// Ops that make, combine and multiply fragments of any layout.
#include "tests/numeric/tiles/Agent.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

namespace {

size_t size(int64_t n) { return static_cast<size_t>(n); }
Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

void warpId(Agent &m, Operation *op) {
  auto warp = static_cast<uint64_t>(m.firstWarp);
  for (uint64_t &bits : m.make(op->getResult(0))) bits = warp++;
}

void splat(Agent &m, Operation *op) {
  perGroup(m, op->getResult(0), [&](int64_t g, std::span<uint64_t> out) {
    std::fill(out.begin(), out.end(), m.operand(op->getOperand(0), op->getResult(0).getType(), g)[0]);
  });
}
void lanes(Agent &m, Operation *op) {
  perGroup(m, op->getResult(0), [](int64_t, std::span<uint64_t> out) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = i;
  });
}
void laneMask(Agent &m, Operation *op) {
  auto mask = cast<tile::LaneMaskOp>(op);
  perGroup(m, mask.getResult(), [&](int64_t g, std::span<uint64_t> out) {
    auto count = static_cast<int64_t>(m.operand(mask.getCount(), mask.getType(), g)[0]);
    if (int64_t aligned = mask.getAligned().value_or(1); count % aligned != 0)
      throw Fault(fmt::format("a count of {} is said to be a multiple of {}", count, aligned));
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int64_t>(i) < count;
  });
}

void foldUnits(Agent &m, Operation *op) {
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
void touchScratch(Agent &m, tile::FoldOp fold) {
  auto base = static_cast<int64_t>(m.uniform(fold.getScratch()));
  int64_t bytes = tile::bytesOf(elementOf(fold.getX()));
  const std::vector<int> &holders = m.holders(fold.getX().getType(), 0);
  Accessor before = m.accessor();
  for (size_t i = 0; i < holders.size(); ++i)
    before.write(base + static_cast<int64_t>(i) * bytes, bytes, holders[i], 0);
  m.meet();
  Accessor behind = m.accessor();
  for (size_t i = 0; i < holders.size(); ++i)
    (void)behind.read(base + static_cast<int64_t>(i) * bytes, bytes, Accessor::kAll);
}

void fold(Agent &m, Operation *op) {
  auto fold = cast<tile::FoldOp>(op);
  if (m.groupsOf(fold.getX().getType()) == 1) m.demandAll(op);
  if (fold.getScratch()) touchScratch(m, fold);
  Type type = fold.getX().getType();
  size_t count = size(Agent::elementsOf(type));
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
void mma(Agent &m, Operation *op) {
  auto mma = cast<tile::MmaOp>(op);
  m.demandAll(op);
  auto a = cast<RankedTensorType>(mma.getA().getType()), acc = cast<RankedTensorType>(mma.getType());
  size_t rows = size(acc.getDimSize(0)), columns = size(acc.getDimSize(1)),
         inner = a.getRank() == 2 ? size(a.getDimSize(1)) : 1;
  Type element = a.getElementType();
  Bits out = m.of(mma.getAcc());
  auto numbers = [&](Value operand) {
    std::vector<double> values;
    for (uint64_t bits : m.of(operand)) values.push_back(decode(element, bits));
    return values;
  };
  const std::vector<double> left = numbers(mma.getA()), right = numbers(mma.getB());
  std::vector<double> atom(columns);
  for (size_t i = 0; i < rows; ++i) {
    std::span<uint64_t> row = std::span(out).subspan(i * columns, columns);
    for (size_t k0 = 0; k0 < inner; k0 += 16) {
      for (size_t j = 0; j < columns; ++j) atom[j] = std::bit_cast<float>(static_cast<uint32_t>(row[j]));
      for (size_t k = k0; k < std::min(k0 + 16, inner); ++k) {
        double x = left[i * inner + k];
        const double *y = &right[k * columns];
        if (element.isF32())
          for (size_t j = 0; j < columns; ++j)
            atom[j] = std::fma(static_cast<float>(x), static_cast<float>(y[j]), static_cast<float>(atom[j]));
        else
          for (size_t j = 0; j < columns; ++j) atom[j] += x * y[j];
      }
      for (size_t j = 0; j < columns; ++j) row[j] = std::bit_cast<uint32_t>(static_cast<float>(atom[j]));
    }
  }
  m.make(mma.getResult()) = std::move(out);
}

void lookup(Agent &m, Operation *op) {
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
void approx(Agent &m, Operation *op) {
  auto approx = cast<tile::ApproxOp>(op);
  Type type = elementOf(approx.getX());
  Bits out = m.of(approx.getX());
  for (uint64_t &bits : out) bits = encode(type, approximated(approx.getKind(), decode(type, bits)));
  m.make(approx.getResult()) = std::move(out);
}

} // namespace

llvm::ArrayRef<Row> kiln::numeric::tiles::fragmentRows() {
  static const Row rows[] = {
      {"tile.warp_id", warpId},       {"tile.splat", splat}, {"tile.lanes", lanes}, {"tile.lane_mask", laneMask},
      {"tile.fold_units", foldUnits}, {"tile.fold", fold},   {"tile.mma", mma},     {"tile.lookup", lookup},
      {"tile.approx", approx},
  };
  return rows;
}
