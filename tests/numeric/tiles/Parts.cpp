// Parts of fragments and of shared tiles, rows and columns of fragments, other layouts.
#include "tests/numeric/tiles/Places.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

namespace {

int64_t extentOf(Value value, unsigned dim) { return cast<RankedTensorType>(value.getType()).getDimSize(dim); }
Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

void extract(Agent &m, Operation *op) {
  auto extract = cast<tile::ExtractOp>(op);
  auto row = static_cast<int64_t>(m.uniform(extract.getRow())),
       column = static_cast<int64_t>(m.uniform(extract.getColumn()));
  Value from = extract.getSource(), to = extract.getResult();
  int64_t columns = extentOf(to, 1), pitch = extentOf(from, 1);
  if (row < 0 || column < 0 || row + extentOf(to, 0) > extentOf(from, 0) || column + columns > pitch)
    throw Fault(fmt::format("a part at [{}, {}] reaches out of its fragment", row, column));
  perGroup(m, to, [&](int64_t g, std::span<uint64_t> out) {
    std::span<const uint64_t> x = m.operand(from, to.getType(), g);
    for (size_t i = 0; i < out.size(); ++i) {
      auto at = static_cast<int64_t>(i);
      out[i] = x[static_cast<size_t>((row + at / columns) * pitch + column + at % columns)];
    }
  });
}

void subtile(Agent &m, Operation *op) {
  auto part = cast<tile::SubtileOp>(op);
  layout::SharedTile whole = tile::tileOf(part.getSource().getType()), shape = tile::tileOf(part.getType());
  Bits out = m.of(part.getSource());
  const Bits &rows = m.of(part.getRow()), &columns = m.of(part.getColumn());
  for (size_t w = 0; w < out.size(); ++w) {
    if (!m.active[w]) continue;
    auto row = static_cast<int64_t>(rows[w]), column = static_cast<int64_t>(columns[w]);
    if (row < 0 || column < 0 || row + shape.rows > whole.rows || column + shape.columns > whole.columns)
      throw Fault(fmt::format("a part at [{}, {}] reaches out of its tile", row, column));
    if (whole.swizzle && row % whole.periodRows() != 0)
      throw Fault(fmt::format("a part of a tile with a swizzle starts at row {}, which is no multiple of {}", row,
                              whole.periodRows()));
    out[w] += static_cast<uint64_t>(whole.offset(row, column));
  }
  m.make(part.getResult()) = std::move(out);
}

/// A thread's own columns, ascending; then its quad's, neighbours first.
void reduceRows(Agent &m, Operation *op) {
  auto reduce = cast<tile::ReduceRowsOp>(op);
  Type type = elementOf(reduce.getX());
  auto columns = static_cast<size_t>(extentOf(reduce.getX(), 1));
  perGroup(m, reduce.getResult(), [&](int64_t g, std::span<uint64_t> out) {
    std::span<const uint64_t> x = m.operand(reduce.getX(), reduce.getType(), g);
    for (size_t r = 0; r < out.size(); ++r) {
      uint64_t sums[4];
      for (size_t t = 0; t < 4; ++t)
        for (size_t c = 0; c < columns / 4; ++c) {
          uint64_t value = x[r * columns + c / 2 * 8 + 2 * t + c % 2];
          sums[t] = c == 0 ? value : combine(reduce.getKind(), type, sums[t], value);
        }
      out[r] = combine(reduce.getKind(), type, combine(reduce.getKind(), type, sums[0], sums[1]),
                       combine(reduce.getKind(), type, sums[2], sums[3]));
    }
  });
}

void broadcast(Agent &m, Operation *op) {
  auto wide = cast<tile::BroadcastOp>(op);
  auto columns = static_cast<size_t>(extentOf(wide.getResult(), 1));
  bool byRow = isa<tile::WgmmaRowsAttr>(cast<RankedTensorType>(wide.getX().getType()).getEncoding());
  perGroup(m, wide.getResult(), [&](int64_t g, std::span<uint64_t> out) {
    std::span<const uint64_t> x = m.operand(wide.getX(), wide.getType(), g);
    for (size_t i = 0; i < out.size(); ++i) out[i] = x[byRow ? i / columns : i % columns];
  });
}

void relayout(Agent &m, Operation *op) {
  auto same = cast<tile::RelayoutOp>(op);
  perGroup(m, same.getResult(), [&](int64_t g, std::span<uint64_t> out) {
    llvm::copy(m.operand(same.getX(), same.getType(), g), out.begin());
  });
}

void coordinates(Agent &m, Operation *op) {
  auto coordinates = cast<tile::CoordinatesOp>(op);
  auto type = cast<RankedTensorType>(coordinates.getType());
  auto columns = static_cast<size_t>(type.getShape().back());
  perGroup(m, coordinates.getResult(), [&](int64_t, std::span<uint64_t> out) {
    bool isRow = coordinates.getDim() == 0 && type.getRank() == 2;
    for (size_t i = 0; i < out.size(); ++i) out[i] = isRow ? i / columns : i % columns;
  });
}

void storeMatrix(Agent &m, Operation *op) {
  auto store = cast<tile::StoreMatrixOp>(op);
  m.demandAll(op);
  Type type = store.getValue().getType();
  auto row = static_cast<int64_t>(m.uniform(store.getRow())),
       column = static_cast<int64_t>(m.uniform(store.getColumn()));
  if (row % 8 || column % 8) throw Fault("a matrix is written at a row or column that is no multiple of 8");
  int64_t columns = extentOf(store.getValue(), 1), bytes = tile::bytesOf(elementOf(store.getValue()));
  TilePlace place(m, store.getTarget());
  Accessor accessor = m.accessor();
  for (int64_t g = 0; g < m.groupsOf(type); ++g) {
    std::span<const uint64_t> x = m.operand(store.getValue(), type, g);
    const std::vector<int> &holders = m.holders(type, g);
    for (size_t n = 0; n < x.size(); ++n) {
      int64_t i = static_cast<int64_t>(n) / columns, j = static_cast<int64_t>(n) % columns;
      int64_t at = store.getTranspose() ? place.of(row + j, column + i) : place.of(row + i, column + j);
      accessor.write(at, bytes, holders[n], x[n]);
    }
  }
}

} // namespace

llvm::ArrayRef<Row> kiln::numeric::tiles::partRows() {
  static const Row rows[] = {
      {"tile.extract", extract},          {"tile.subtile", subtile},   {"tile.reduce_rows", reduceRows},
      {"tile.broadcast", broadcast},      {"tile.relayout", relayout}, {"tile.coordinates", coordinates},
      {"tile.store_matrix", storeMatrix},
  };
  return rows;
}
