// Copies by the tensor memory accelerator: boxes of tensors, and runs of bytes.
#include "tests/numeric/tiles/Places.h"
#include "tests/numeric/tiles/Rings.h"

#include "ir/tile/Arguments.h"

#include <cstring>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

namespace {

uint64_t argumentOf(Agent &m, Value memory) { return m.uniform(memory); }

uint64_t readGlobal(Agent &m, uint64_t argument, int64_t element, int64_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, globalAt(m, argument, element, bytes), static_cast<size_t>(bytes));
  return value;
}

/// An f32 rounded to 10 bits of mantissa, to nearest even; infinities and NaN stay.
uint64_t toTf32(uint64_t bits) {
  constexpr uint64_t kExponent = 0x7F800000, kDropped = 13;
  if ((bits & kExponent) == kExponent) return bits;
  uint64_t half = (uint64_t(1) << (kDropped - 1)) - 1 + (bits >> kDropped & 1);
  return (bits + half) >> kDropped << kDropped;
}

//===- Boxes ------------------------------------------------------------------------------------------------------===//

/// A tensor with a map, and where a copy's box starts.
struct Box {
  tile::MapRecipe map;
  SmallVector<int64_t> first, extents, strides;

  Box(Agent &m, Value tensor, ValueRange coordinates, tile::MapRecipe recipe) : map(std::move(recipe)) {
    const Program &program = m.cta.cluster.program;
    unsigned argument = cast<BlockArgument>(tensor).getArgNumber();
    std::tie(extents, strides) = program.tensorOf(argument, map.view);
    for (Value coordinate : coordinates) {
      first.push_back(static_cast<int64_t>(m.uniform(coordinate)));
      if (first.back() < INT32_MIN || first.back() > INT32_MAX)
        throw Fault(fmt::format("a coordinate of {} does not fit 32 bits", first.back()));
    }
  }

  /// Element `n` of a box whose last coordinate is `right` further: its offset; nullopt outside of the tensor.
  std::optional<int64_t> offsetOf(int64_t n, int64_t right) const {
    int64_t offset = 0;
    for (size_t d = map.box.size(); d-- > 0; n /= map.box[d]) {
      int64_t at = first[d] + n % map.box[d] + (d + 1 == map.box.size() ? right : 0);
      if (at < 0 || at >= extents[d]) return std::nullopt;
      offset += at * strides[d];
    }
    return offset;
  }
};

/// Calls `each` for every element of a tile with its place in the CTA's memory and, where it is inside, its offset in
/// the tensor. A tile in panels is a box per panel.
template <typename F> void perElement(const TilePlace &place, const Box &box, F each) {
  const layout::SharedTile &shape = place.shape;
  for (int64_t p = 0; p < shape.panels(); ++p)
    for (int64_t n = 0; n < shape.rows * shape.panel; ++n)
      each(place.of(n / shape.panel, p * shape.panel + n % shape.panel), box.offsetOf(n, p * shape.panel));
}

/// A copy from global memory to the slot of a fill, in each CTA that has it.
class SlotCopy {
public:
  SlotCopy(Agent &m, tile::FillOp fill, Value barrier)
      : m(m), ring(fill.getRing().getDefiningOp()), stage(m.uniform(barrier)) {}

  /// What lands are `elements`, (place, value's bytes), read when they do.
  template <typename F> void to(uint64_t mask, int64_t bytes, F claimAndLand) {
    for (auto &cta : m.cta.cluster.ctas) {
      if (!(mask >> cta->rank & 1)) continue;
      MBarrier &full = cta->rings.find(ring)->second.full[stage];
      auto accessor = std::make_shared<Accessor>(cta->shared, std::vector<Accessor::Actor>{{&m.clocks[0], full.copy()}},
                                                 /*byProxy=*/true);
      claimAndLand(*accessor, /*lands=*/false);
      m.cta.cluster.adversary.start([=, &full] {
        claimAndLand(*accessor, /*lands=*/true);
        full.complete(bytes);
      });
    }
  }

private:
  Agent &m;
  Operation *ring;
  size_t stage;
};

void tmaLoad(Agent &m, Operation *op) {
  auto load = cast<tile::TmaLoadOp>(op);
  auto type = load.getTarget().getType();
  Box box(m, load.getSource(), load.getCoordinates(), tile::mapOf(load));
  TilePlace place(m, load.getTarget());
  if (place.base % 128) throw Fault(fmt::format("a box lands at byte {}, which is no multiple of 128", place.base));
  int64_t bytes = tile::bytesOf(type.getElementType());
  uint64_t mask = load.getMulticast() ? m.uniform(load.getMulticast()) & 0xFFFF : uint64_t(1) << m.cta.rank;
  if (mask == 0 || mask >> m.cta.cluster.ctas.size())
    throw Fault(fmt::format("a multicast to CTAs {:#x} of a cluster of {}", mask, m.cta.cluster.ctas.size()));
  uint64_t argument = argumentOf(m, load.getSource());
  auto valueAt = [=, &m](int64_t offset) {
    uint64_t value = readGlobal(m, argument, offset, bytes);
    return box.map.tf32 ? toTf32(value) : value;
  };
  auto copy = [=](Accessor &accessor, bool lands) {
    perElement(place, box, [&](int64_t at, std::optional<int64_t> offset) {
      if (lands)
        accessor.land(at, bytes, offset ? valueAt(*offset) : 0);
      else
        accessor.claim(at, bytes, 0);
    });
  };
  SlotCopy(m, load->getParentOfType<tile::FillOp>(), load.getBarrier()).to(mask, tile::bytesOf(type), copy);
}

/// A run of elements that a bulk copy moves between global memory and the start of a tile.
struct Run {
  int64_t bytes, elements; ///< of an element; of the tile
  int64_t offset, count;   ///< in global memory, elements
  int64_t base;            ///< of the tile, bytes

  template <typename Copy> Run(Agent &m, Copy copy, TypedValue<tile::SharedType> tile) {
    bytes = tile::bytesOf(tile.getType().getElementType());
    elements = tile::bytesOf(tile.getType()) / bytes;
    offset = static_cast<int64_t>(m.uniform(copy.getOffset()));
    count = copy.getCount() ? static_cast<int64_t>(m.uniform(copy.getCount())) : elements;
    if (offset * bytes % 16 || count * bytes % 16)
      throw Fault(fmt::format("a run of {} elements at {}, which are no multiples of 16 bytes", count, offset));
    if (count < 0 || count > elements) throw Fault(fmt::format("{} elements of a tile of {}", count, elements));
    base = TilePlace(m, tile).base;
  }
};

void bulkLoad(Agent &m, Operation *op) {
  auto load = cast<tile::BulkLoadOp>(op);
  Run run(m, load, load.getTarget());
  uint64_t argument = argumentOf(m, load.getSource());
  auto copy = [=, &m](Accessor &accessor, bool lands) {
    int64_t bytes = run.bytes;
    if (!lands) return accessor.claim(run.base, run.elements * bytes, 0);
    for (int64_t i = 0; i < run.count; ++i)
      accessor.land(run.base + i * bytes, bytes, readGlobal(m, argument, run.offset + i, bytes));
    accessor.leave(run.base + run.count * bytes, (run.elements - run.count) * bytes, m.cta.cluster.adversary.garbage());
  };
  SlotCopy(m, load->getParentOfType<tile::FillOp>(), load.getBarrier())
      .to(uint64_t(1) << m.cta.rank, run.elements * run.bytes, copy);
}

//===- Stores -----------------------------------------------------------------------------------------------------===//

/// What a store reads of shared memory: fenced, behind a meeting, by one thread, a group of its own.
Accessor startStore(Agent &m, Operation *op) {
  m.demandAll(op);
  m.fence();
  m.meet();
  ++m.store;
  return {m.cta.shared, {{&m.clocks[0], {m.stores, m.store}}}, /*byProxy=*/true};
}

/// A store writes global memory when it is started or, at the latest, when it is waited for.
void write(Agent &m, std::function<void()> land) {
  if (m.cta.cluster.adversary.garbage() & 1) return land();
  m.writes.push_back(std::move(land));
}

void tmaStore(Agent &m, Operation *op) {
  auto store = cast<tile::TmaStoreOp>(op);
  Accessor accessor = startStore(m, op);
  Box box(m, store.getTarget(), store.getCoordinates(), tile::mapOf(store));
  TilePlace place(m, store.getSource());
  if (place.base % 128) throw Fault(fmt::format("a box is read at byte {}, which is no multiple of 128", place.base));
  if (int64_t least = *llvm::min_element(box.first); least < 0)
    throw Fault(fmt::format("a store starts at coordinate {}, in front of its tensor", least));
  Type element = store.getSource().getType().getElementType();
  int64_t bytes = tile::bytesOf(element);
  uint64_t argument = argumentOf(m, store.getTarget());
  std::vector<std::pair<int64_t, uint64_t>> values;
  perElement(place, box, [&](int64_t at, std::optional<int64_t> offset) {
    uint64_t value = accessor.read(at, bytes, 0);
    if (offset) values.push_back({*offset, value});
  });
  bool adds = store.getAdd();
  write(m, [=, &m, values = std::move(values)] {
    for (auto [offset, value] : values) {
      uint64_t result = value;
      if (adds) result = combine(tile::CombineKind::add, element, readGlobal(m, argument, offset, bytes), value);
      std::memcpy(globalAt(m, argument, offset, bytes), &result, static_cast<size_t>(bytes));
    }
  });
}

void bulkStore(Agent &m, Operation *op) {
  auto store = cast<tile::BulkStoreOp>(op);
  Accessor accessor = startStore(m, op);
  Run run(m, store, store.getSource());
  std::vector<uint64_t> values;
  for (int64_t i = 0; i < run.count; ++i) values.push_back(accessor.read(run.base + i * run.bytes, run.bytes, 0));
  uint64_t argument = argumentOf(m, store.getTarget());
  write(m, [=, &m, values = std::move(values)] {
    for (auto [i, value] : llvm::enumerate(values))
      std::memcpy(globalAt(m, argument, run.offset + static_cast<int64_t>(i), run.bytes), &value,
                  static_cast<size_t>(run.bytes));
  });
}

/// All but the latest have read their tiles: what they read may be written.
void tmaStoreWait(Agent &m, Operation *op) {
  auto wait = cast<tile::TmaStoreWaitOp>(op);
  m.demandAll(op);
  int64_t done = int64_t(m.store) - static_cast<int64_t>(wait.getPending());
  m.see(m.stores, done);
  m.meet();
  if (!wait.getWritten() || done <= 0) return;
  for (auto &write : m.writes) write();
  m.writes.clear();
}

void proxyFence(Agent &m, Operation *) { m.fence(); }

} // namespace

llvm::ArrayRef<Row> kiln::numeric::tiles::bulkRows() {
  static const Row rows[] = {
      {"tile.tma_load", tmaLoad},       {"tile.tma_store", tmaStore, nullptr, true},
      {"tile.bulk_load", bulkLoad},     {"tile.bulk_store", bulkStore, nullptr, true},
      {"tile.proxy_fence", proxyFence}, {"tile.tma_store_wait", tmaStoreWait, nullptr, true},
  };
  return rows;
}
