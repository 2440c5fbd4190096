// Loads, stores, copies and barriers.
#include "tests/numeric/tiles/Machine.h"

#include <cstring>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

namespace {

/// One memory operand of an op, as one group of threads sees it.
class Target {
public:
  Target(Machine &m, Value memory, Type user, int64_t group)
      : m(m), bytes(tile::bytesOf(tile::elementTypeOf(memory.getType()))),
        shared(isa<tile::SharedType>(memory.getType())), base(static_cast<int64_t>(m.operand(memory, user, group)[0])),
        limit(shared ? tile::bytesOf(cast<tile::SharedType>(memory.getType())) : 0) {}

  uint64_t read(int64_t element, int warp) const {
    if (shared) return m.shared.read(inTile(element), bytes, warp);
    uint64_t value = 0;
    std::memcpy(&value, at(element), static_cast<size_t>(bytes));
    return value;
  }
  void write(int64_t element, int warp, uint64_t value) const {
    if (shared) return m.shared.write(inTile(element), bytes, warp, value);
    std::memcpy(at(element), &value, static_cast<size_t>(bytes));
  }
  void expectCopy(int64_t element) const { m.shared.expectCopy(inTile(element), bytes); }

private:
  Machine &m;
  int64_t bytes;
  bool shared;
  int64_t base; ///< number of the argument, or first byte of the shared tile
  int64_t limit;

  int64_t inTile(int64_t element) const {
    if (element < 0 || (element + 1) * bytes > limit)
      throw Fault(fmt::format("element {} of a shared tile of {} bytes", element, limit));
    return base + element * bytes;
  }
  std::byte *at(int64_t element) const {
    std::span<std::byte> memory = m.global[static_cast<size_t>(base)];
    if (element < 0 || (element + 1) * bytes > static_cast<int64_t>(memory.size()))
      throw Fault(fmt::format("element {} of argument {}, which has {} bytes", element, base, memory.size()));
    return memory.data() + element * bytes;
  }
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
void readAll(Machine &m, Value result, Value memory, Value mask, int64_t group, llvm::ArrayRef<int64_t> offsets,
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

void writeAll(Machine &m, Value value, Value memory, Value mask, int64_t group, llvm::ArrayRef<int64_t> offsets) {
  Type type = value.getType();
  Target target(m, memory, type, group);
  const std::vector<int> &holders = m.holders(type, group);
  std::span<const uint64_t> on = mask ? m.operand(mask, type, group) : std::span<const uint64_t>();
  std::span<const uint64_t> bits = m.operand(value, type, group);
  for (size_t i = 0; i < offsets.size(); ++i)
    if (!mask || (on[i] & 1)) target.write(offsets[i], holders[i], bits[i]);
}

/// Calls `each` for every group of `type` that is here.
template <typename F> void perGroup(Machine &m, Operation *op, Type type, F each) {
  if (tile::isFragment(type) && m.groupsOf(type) == 1) m.demandAll(op);
  for (int64_t g = 0; g < m.groupsOf(type); ++g)
    if (m.isActive(type, g)) each(g);
}

void load(Machine &m, Operation *op) {
  auto load = cast<tile::LoadOp>(op);
  Type type = load.getValue().getType();
  Bits out(static_cast<size_t>(m.groupsOf(type) * Machine::elementsOf(type)));
  perGroup(m, op, type, [&](int64_t g) {
    auto offset = static_cast<int64_t>(m.operand(load.getOffset(), type, g)[0]);
    checkAligned(offset, load.getAligned());
    readAll(m, load.getValue(), load.getSource(), load.getMask(), g, offsetsOf(type, offset, load.getRowStride()), out);
  });
  m.make(load.getValue()) = std::move(out);
}

void store(Machine &m, Operation *op) {
  auto store = cast<tile::StoreOp>(op);
  Type type = store.getValue().getType();
  perGroup(m, op, type, [&](int64_t g) {
    auto offset = static_cast<int64_t>(m.operand(store.getOffset(), type, g)[0]);
    checkAligned(offset, store.getAligned());
    writeAll(m, store.getValue(), store.getTarget(), store.getMask(), g, offsetsOf(type, offset, store.getRowStride()));
  });
}

std::vector<int64_t> offsets(Machine &m, Value value, Type type, int64_t group) {
  std::span<const uint64_t> bits = m.operand(value, type, group);
  return {bits.begin(), bits.end()};
}

void gather(Machine &m, Operation *op) {
  auto gather = cast<tile::GatherOp>(op);
  Type type = gather.getType();
  Bits out(static_cast<size_t>(m.groupsOf(type) * Machine::elementsOf(type)));
  perGroup(m, op, type, [&](int64_t g) {
    readAll(m, gather.getValue(), gather.getSource(), gather.getMask(), g, offsets(m, gather.getOffsets(), type, g),
            out);
  });
  m.make(gather.getValue()) = std::move(out);
}

void scatter(Machine &m, Operation *op) {
  auto scatter = cast<tile::ScatterOp>(op);
  Type type = scatter.getValue().getType();
  perGroup(m, op, type, [&](int64_t g) {
    writeAll(m, scatter.getValue(), scatter.getTarget(), scatter.getMask(), g,
             offsets(m, scatter.getOffsets(), type, g));
  });
}

void loadMatrix(Machine &m, Operation *op) {
  auto load = cast<tile::LoadMatrixOp>(op);
  auto type = cast<RankedTensorType>(load.getValue().getType());
  int64_t stride = load.getSource().getType().getShape()[1];
  Bits out(static_cast<size_t>(type.getNumElements()));
  m.demandAll(op);
  auto row = static_cast<int64_t>(m.uniform(load.getRow())), column = static_cast<int64_t>(m.uniform(load.getColumn()));
  if (row % 8 || column % 8) throw Fault("a matrix is read at a row or column that is no multiple of 8");
  std::vector<int64_t> at;
  for (int64_t i = 0; i < type.getDimSize(0); ++i)
    for (int64_t j = 0; j < type.getDimSize(1); ++j)
      at.push_back(load.getTranspose() ? (row + j) * stride + column + i : (row + i) * stride + column + j);
  readAll(m, load.getValue(), load.getSource(), Value(), 0, at, out);
  m.make(load.getValue()) = std::move(out);
}

//===- Shared tiles -----------------------------------------------------------------------------------------------===//

template <typename AllocOp> void alloc(Machine &m, Operation *op) {
  auto offset = cast<AllocOp>(op).getOffset();
  if (!offset) throw Fault("a shared tile has no place: run tile-assign-shared first");
  for (uint64_t &bits : m.make(op->getResult(0))) bits = *offset;
}

void slot(Machine &m, Operation *op) {
  auto slot = cast<tile::SlotOp>(op);
  tile::RingType ring = slot.getRing().getType();
  Bits out(m.of(slot.getRing()));
  const Bits &iteration = m.of(slot.getIteration());
  for (size_t w = 0; w < out.size(); ++w)
    out[w] += iteration[w] % static_cast<uint64_t>(ring.getStages()) * static_cast<uint64_t>(tile::slotBytes(ring));
  for (auto [i, tile] : llvm::enumerate(slot.getTiles())) {
    Bits start = out;
    for (uint64_t &bits : start) bits += static_cast<uint64_t>(tile::slotOffset(ring, static_cast<unsigned>(i)));
    m.make(tile) = std::move(start);
  }
}

void barrier(Machine &m, Operation *op) {
  m.demandAll(op);
  m.shared.barrier();
}

/// The copy happens when it is waited for: as late as it may.
void asyncCopy(Machine &m, Operation *op) {
  auto copy = cast<tile::AsyncCopyOp>(op);
  m.demandAll(op);
  auto type = copy.getTarget().getType();
  auto offset = static_cast<int64_t>(m.uniform(copy.getOffset())),
       rows = static_cast<int64_t>(m.uniform(copy.getRows()));
  auto columns = static_cast<int64_t>(m.uniform(copy.getColumns()));
  auto stride = static_cast<int64_t>(copy.getStride() ? m.uniform(copy.getStride()) : *copy.getRowStride());
  if (offset * tile::bytesOf(type.getElementType()) % 16)
    throw Fault("a copy does not start at a multiple of 16 bytes");
  Target to(m, copy.getTarget(), IndexType::get(op->getContext()), 0),
      from(m, copy.getSource(), IndexType::get(op->getContext()), 0);
  int64_t height = type.getShape()[0], width = type.getShape()[1];
  for (int64_t i = 0; i < height * width; ++i) to.expectCopy(i);
  m.copies.back().push_back([=] {
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < width; ++j)
        to.write(i * width + j, -1, i < rows && j < columns ? from.read(offset + i * stride + j, -1) : 0);
  });
}
void asyncCommit(Machine &m, Operation *op) {
  m.demandAll(op);
  m.copies.emplace_back();
}
void asyncWait(Machine &m, Operation *op) {
  m.demandAll(op);
  // The last group is open: what it holds is not committed yet.
  while (m.copies.size() > static_cast<size_t>(cast<tile::AsyncWaitOp>(op).getPending()) + 1) {
    for (auto &land : m.copies.front()) land();
    m.copies.erase(m.copies.begin());
  }
}

} // namespace

llvm::ArrayRef<Row> kiln::numeric::tiles::memoryRows() {
  static const Row rows[] = {
      {"tile.load", load},
      {"tile.store", store},
      {"tile.gather", gather},
      {"tile.scatter", scatter},
      {"tile.load_matrix", loadMatrix},
      {"tile.alloc", alloc<tile::AllocOp>},
      {"tile.alloc_ring", alloc<tile::AllocRingOp>},
      {"tile.slot", slot},
      {"tile.barrier", barrier},
      {"tile.async_copy", asyncCopy},
      {"tile.async_commit", asyncCommit},
      {"tile.async_wait", asyncWait},
  };
  return rows;
}
