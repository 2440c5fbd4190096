// Loads and stores, copies by threads, barriers.
#include "tests/numeric/tiles/Places.h"

#include <cstring>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

namespace {

/// One memory operand of an op, as one group of threads sees it. Elements of a shared tile are counted row by row.
class Target {
public:
  Target(Agent &m, Value memory, Type user, int64_t group) : m(m), element(tile::elementTypeOf(memory.getType())) {
    uint64_t bits = m.operand(memory, user, group)[0];
    if (auto remote = dyn_cast<tile::RemoteType>(memory.getType())) {
      place.emplace(m, remote.getTile(), static_cast<int64_t>(bits & 0xFFFFFFFF));
      accessor.emplace(m.accessor(m.cta.cluster.ctas[bits >> 32]->shared));
    } else if (auto shared = dyn_cast<tile::SharedType>(memory.getType())) {
      place.emplace(m, shared, static_cast<int64_t>(bits));
      accessor.emplace(m.accessor());
    } else {
      argument = bits;
    }
  }

  uint64_t read(int64_t element, int warp) {
    if (place) return accessor->read(place->of(element), bytes(), warp);
    uint64_t value = 0;
    std::memcpy(&value, globalAt(m, argument, element, bytes()), static_cast<size_t>(bytes()));
    return value;
  }
  void write(int64_t element, int warp, uint64_t value) {
    if (place) return accessor->write(place->of(element), bytes(), warp, value);
    std::memcpy(globalAt(m, argument, element, bytes()), &value, static_cast<size_t>(bytes()));
  }

private:
  Agent &m;
  Type element;
  std::optional<TilePlace> place;
  std::optional<Accessor> accessor;
  uint64_t argument = 0;

  int64_t bytes() const { return tile::bytesOf(element); }
};

/// Element offsets of a fragment or scalar that lies at `offset`.
std::vector<int64_t> offsetsOf(Type type, int64_t offset, std::optional<int64_t> rowStride) {
  auto fragment = dyn_cast<RankedTensorType>(type);
  if (!fragment) return {offset};
  int64_t columns = fragment.getShape().back(), rows = fragment.getRank() == 2 ? fragment.getDimSize(0) : 1;
  std::vector<int64_t> offsets;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) offsets.push_back(offset + r * rowStride.value_or(0) + c);
  return offsets;
}

void checkAligned(int64_t offset, std::optional<int64_t> aligned) {
  if (offset % aligned.value_or(1) != 0)
    throw Fault(fmt::format("an offset of {} is said to be a multiple of {}", offset, *aligned));
}

/// What loads and gathers share: reads the group's elements where the mask is true.
void readAll(Agent &m, Value result, Value memory, Value mask, int64_t group, llvm::ArrayRef<int64_t> offsets,
             Bits &out) {
  Type type = result.getType();
  Target target(m, memory, type, group);
  const std::vector<int> &holders = m.holders(type, group);
  std::span<const uint64_t> on = mask ? m.operand(mask, type, group) : std::span<const uint64_t>();
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (mask && !(on[i] & 1)) continue;
    uint64_t bits = target.read(offsets[i], holders[i]);
    if (tile::elementTypeOf(memory.getType()).isInteger(1) && bits > 1) throw Fault("a bool that is neither 0 nor 1");
    out[static_cast<size_t>(group) * offsets.size() + i] = bits;
  }
}

void writeAll(Agent &m, Value value, Value memory, Value mask, int64_t group, llvm::ArrayRef<int64_t> offsets) {
  Type type = value.getType();
  Target target(m, memory, type, group);
  const std::vector<int> &holders = m.holders(type, group);
  std::span<const uint64_t> on = mask ? m.operand(mask, type, group) : std::span<const uint64_t>();
  std::span<const uint64_t> bits = m.operand(value, type, group);
  for (size_t i = 0; i < offsets.size(); ++i)
    if (!mask || (on[i] & 1)) target.write(offsets[i], holders[i], bits[i]);
}

/// Calls `each` for every group of `type` that is here.
template <typename F> void perGroup(Agent &m, Operation *op, Type type, F each) {
  if (tile::isFragment(type) && m.groupsOf(type) == 1) m.demandAll(op);
  for (int64_t g = 0; g < m.groupsOf(type); ++g)
    if (m.isActive(type, g)) each(g);
}

void load(Agent &m, Operation *op) {
  auto load = cast<tile::LoadOp>(op);
  Type type = load.getValue().getType();
  Bits out(static_cast<size_t>(m.groupsOf(type) * Agent::elementsOf(type)));
  perGroup(m, op, type, [&](int64_t g) {
    auto offset = static_cast<int64_t>(m.operand(load.getOffset(), type, g)[0]);
    checkAligned(offset, load.getAligned());
    readAll(m, load.getValue(), load.getSource(), load.getMask(), g, offsetsOf(type, offset, load.getRowStride()), out);
  });
  m.make(load.getValue()) = std::move(out);
}

void store(Agent &m, Operation *op) {
  auto store = cast<tile::StoreOp>(op);
  Type type = store.getValue().getType();
  perGroup(m, op, type, [&](int64_t g) {
    auto offset = static_cast<int64_t>(m.operand(store.getOffset(), type, g)[0]);
    checkAligned(offset, store.getAligned());
    writeAll(m, store.getValue(), store.getTarget(), store.getMask(), g, offsetsOf(type, offset, store.getRowStride()));
  });
}

std::vector<int64_t> offsets(Agent &m, Value value, Type type, int64_t group) {
  std::span<const uint64_t> bits = m.operand(value, type, group);
  return {bits.begin(), bits.end()};
}

void gather(Agent &m, Operation *op) {
  auto gather = cast<tile::GatherOp>(op);
  Type type = gather.getType();
  Bits out(static_cast<size_t>(m.groupsOf(type) * Agent::elementsOf(type)));
  perGroup(m, op, type, [&](int64_t g) {
    readAll(m, gather.getValue(), gather.getSource(), gather.getMask(), g, offsets(m, gather.getOffsets(), type, g),
            out);
  });
  m.make(gather.getValue()) = std::move(out);
}

void scatter(Agent &m, Operation *op) {
  auto scatter = cast<tile::ScatterOp>(op);
  Type type = scatter.getValue().getType();
  perGroup(m, op, type, [&](int64_t g) {
    writeAll(m, scatter.getValue(), scatter.getTarget(), scatter.getMask(), g,
             offsets(m, scatter.getOffsets(), type, g));
  });
}

void loadMatrix(Agent &m, Operation *op) {
  auto load = cast<tile::LoadMatrixOp>(op);
  auto type = cast<RankedTensorType>(load.getValue().getType());
  int64_t stride = load.getSource().getType().getShape()[1];
  Bits out(static_cast<size_t>(type.getNumElements()));
  m.demandAll(op);
  auto row = static_cast<int64_t>(m.uniform(load.getRow())), column = static_cast<int64_t>(m.uniform(load.getColumn()));
  if (row % 8 || column % 8) throw Fault("a matrix is read at a row or column that is no multiple of 8");
  int64_t tall = type.getDimSize(load.getTranspose() ? 1 : 0), wide = type.getDimSize(load.getTranspose() ? 0 : 1);
  if (row < 0 || column < 0 || row + tall > load.getSource().getType().getShape()[0] || column + wide > stride)
    throw Fault(fmt::format("a matrix of {}x{} at [{}, {}] reaches out of the tile", tall, wide, row, column));
  std::vector<int64_t> at;
  for (int64_t i = 0; i < type.getDimSize(0); ++i)
    for (int64_t j = 0; j < type.getDimSize(1); ++j)
      at.push_back(load.getTranspose() ? (row + j) * stride + column + i : (row + i) * stride + column + j);
  readAll(m, load.getValue(), load.getSource(), Value(), 0, at, out);
  m.make(load.getValue()) = std::move(out);
}

//===- Copies by threads ------------------------------------------------------------------------------------------===//

/// Which warp copies what is not known: each has started it, and each waits for its own part.
void asyncCopy(Agent &m, Operation *op) {
  auto copy = cast<tile::AsyncCopyOp>(op);
  m.demandAll(op);
  auto type = copy.getTarget().getType();
  auto offset = static_cast<int64_t>(m.uniform(copy.getOffset())),
       rows = static_cast<int64_t>(m.uniform(copy.getRows()));
  auto columns = static_cast<int64_t>(m.uniform(copy.getColumns()));
  auto stride = static_cast<int64_t>(copy.getStride() ? m.uniform(copy.getStride()) : *copy.getRowStride());
  int64_t bytes = tile::bytesOf(type.getElementType()), height = type.getShape()[0], width = type.getShape()[1];
  if (offset * bytes % 16) throw Fault("a copy does not start at a multiple of 16 bytes");
  std::vector<Accessor::Actor> actors;
  for (size_t w = 0; w < m.clocks.size(); ++w) actors.push_back({&m.clocks[w], {m.copyOf[w], m.copyGroup}});
  Accessor to(m.cta.shared, std::move(actors), /*byProxy=*/false);
  TilePlace place(m, copy.getTarget());
  Target from(m, copy.getSource(), IndexType::get(op->getContext()), 0);
  for (int64_t i = 0; i < height; ++i)
    for (int64_t j = 0; j < width; ++j) {
      bool isInside = i < rows && j < columns;
      to.claim(place.of(i, j), bytes, Accessor::kAll);
      to.land(place.of(i, j), bytes, isInside ? from.read(offset + i * stride + j, Accessor::kAll) : 0);
    }
}
void asyncCommit(Agent &m, Operation *op) {
  m.demandAll(op);
  ++m.copyGroup;
}
void asyncWait(Agent &m, Operation *op) {
  m.demandAll(op);
  // The last group is open: what it holds is not committed yet.
  int64_t done = int64_t(m.copyGroup) - 1 - static_cast<int64_t>(cast<tile::AsyncWaitOp>(op).getPending());
  for (size_t w = 0; w < m.clocks.size() && done > 0; ++w) m.clocks[w].see(m.copyOf[w], static_cast<uint32_t>(done));
}

void barrier(Agent &m, Operation *op) {
  m.demandAll(op);
  m.meet();
}

} // namespace

llvm::ArrayRef<Row> kiln::numeric::tiles::memoryRows() {
  static const Row rows[] = {
      {"tile.load", load},
      {"tile.store", store},
      {"tile.gather", gather},
      {"tile.scatter", scatter},
      {"tile.load_matrix", loadMatrix},
      {"tile.barrier", barrier},
      {"tile.async_copy", asyncCopy},
      {"tile.async_commit", asyncCommit},
      {"tile.async_wait", asyncWait},
  };
  return rows;
}
