// Shared tiles and rings of them: where they lie, and the barriers of those that copies fill.
#include "tests/numeric/tiles/Rings.h"

#include "tests/numeric/tiles/Places.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

//===- Places -----------------------------------------------------------------------------------------------------===//

TilePlace::TilePlace(Agent &, tile::SharedType type, int64_t base) : shape(tile::tileOf(type)), base(base) {
  int64_t alignment = tile::alignmentOf(type);
  if (type.getSwizzle() != 0 && base % alignment != 0)
    throw Fault(fmt::format("a tile with a swizzle starts at byte {}, which is no multiple of {}", base, alignment));
}

TilePlace::TilePlace(Agent &m, TypedValue<tile::SharedType> tile)
    : TilePlace(m, tile.getType(), static_cast<int64_t>(m.uniform(tile))) {}

int64_t TilePlace::of(int64_t row, int64_t column) const {
  if (row < 0 || row >= shape.rows || column < 0 || column >= shape.columns)
    throw Fault(fmt::format("element [{}, {}] of a shared tile of {}x{}", row, column, shape.rows, shape.columns));
  return base + shape.offset(row, column);
}

std::byte *kiln::numeric::tiles::globalAt(Agent &m, uint64_t argument, int64_t element, int64_t bytes) {
  std::span<std::byte> memory = m.cta.cluster.program.launch.memory[argument];
  if (element < 0 || element >= static_cast<int64_t>(memory.size()) / bytes)
    throw Fault(fmt::format("element {} of argument {}, which has {} bytes", element, argument, memory.size()));
  return memory.data() + element * bytes;
}

//===- Slots ------------------------------------------------------------------------------------------------------===//

Slot::Slot(Agent &m, Value ring, Value iterationOf)
    : ring(m.cta.rings.find(ring.getDefiningOp())->second), iteration(static_cast<int64_t>(m.uniform(iterationOf))) {
  if (iteration < 0) throw Fault(fmt::format("iteration {} of a ring", iteration));
  stage = static_cast<size_t>(iteration % this->ring.type.getStages());
  phase = iteration / this->ring.type.getStages();
}

namespace {

template <typename AllocOp> void alloc(Agent &m, Operation *op) {
  auto alloc = cast<AllocOp>(op);
  auto offset = alloc.getOffset();
  if (!offset) throw Fault("a shared tile has no place: run tile-assign-shared first");
  uint64_t copy = m.consumer < 0 ? 0 : static_cast<uint64_t>(m.consumer * tile::copyStride(alloc));
  for (uint64_t &bits : m.make(op->getResult(0))) bits = *offset + copy;
}

/// The tiles of the slot of each warp's iteration.
void bindTiles(Agent &m, Value ringValue, Value iterationOf, ValueRange tiles) {
  auto ring = cast<tile::RingType>(ringValue.getType());
  Bits out(m.of(ringValue));
  const Bits &iteration = m.of(iterationOf);
  for (size_t w = 0; w < out.size(); ++w)
    out[w] += iteration[w] % static_cast<uint64_t>(ring.getStages()) * static_cast<uint64_t>(tile::slotBytes(ring));
  for (auto [i, tile] : llvm::enumerate(tiles)) {
    Bits start = out;
    for (uint64_t &bits : start) bits += static_cast<uint64_t>(tile::slotOffset(ring, static_cast<unsigned>(i)));
    m.make(tile) = std::move(start);
  }
}

void slot(Agent &m, Operation *op) {
  auto slot = cast<tile::SlotOp>(op);
  bindTiles(m, slot.getRing(), slot.getIteration(), slot.getTiles());
}

//===- Barriers ---------------------------------------------------------------------------------------------------===//

std::string fillBlocked(Agent &m, Operation *op) {
  auto fill = cast<tile::FillOp>(op);
  m.demandAll(op);
  Slot slot(m, fill.getRing(), fill.getIteration());
  if (slot.empty().hasCompleted(slot.phase - 1)) return {};
  return fmt::format("the release of iteration {}: {}", slot.iteration - slot.ring.type.getStages(),
                     slot.empty().state());
}

void fill(Agent &m, Operation *op) {
  auto fill = cast<tile::FillOp>(op);
  Slot slot(m, fill.getRing(), fill.getIteration());
  m.see(slot.empty().clock());
  int64_t bytes = 0;
  for (tile::SharedType tile : slot.ring.type.getTiles()) bytes += tile::bytesOf(tile);
  slot.full().announce(bytes);
  slot.full().arrive(m.leave(0));
  Block &body = fill.getBody().front();
  bindTiles(m, fill.getRing(), fill.getIteration(), body.getArguments().drop_back());
  for (uint64_t &bits : m.make(body.getArguments().back())) bits = slot.stage;
  m.runInline(body);
}

std::string ringWaitBlocked(Agent &m, Operation *op) {
  auto wait = cast<tile::RingWaitOp>(op);
  m.demandAll(op);
  Slot slot(m, wait.getRing(), wait.getIteration());
  if (slot.full().hasCompleted(slot.phase)) return {};
  return fmt::format("the copies of iteration {}: {}", slot.iteration, slot.full().state());
}

void ringWait(Agent &m, Operation *op) {
  auto wait = cast<tile::RingWaitOp>(op);
  m.see(Slot(m, wait.getRing(), wait.getIteration()).full().clock());
  bindTiles(m, wait.getRing(), wait.getIteration(), wait.getTiles());
}

/// One thread of each warpgroup arrives: what its warp has seen is what is passed on.
void ringRelease(Agent &m, Operation *op) {
  auto release = cast<tile::RingReleaseOp>(op);
  m.demandAll(op);
  if (release.getCondition() && !(m.uniform(release.getCondition()) & 1)) return;
  Slot slot(m, release.getRing(), release.getIteration());
  if (slot.empty().phasesCompleted() != slot.phase)
    throw Fault(
        fmt::format("iteration {} is released where its slot is at iteration {}", slot.iteration,
                    slot.empty().phasesCompleted() * slot.ring.type.getStages() + static_cast<int64_t>(slot.stage)));
  constexpr int kGroup = 4;
  for (int warp = 0; warp < m.warps; warp += kGroup) {
    Clock seen = m.leave(warp);
    for (auto &cta : m.cta.cluster.ctas) {
      if (!slot.ring.multicast && cta.get() != &m.cta) continue;
      if (cta->shared.hasEnded())
        throw Fault(fmt::format("a slot is released to CTA {}, which has ended", cta->number));
      cta->rings.find(release.getRing().getDefiningOp())->second.empty[slot.stage].arrive(seen);
    }
  }
}

} // namespace

llvm::ArrayRef<Row> kiln::numeric::tiles::ringRows() {
  static const Row rows[] = {
      {"tile.alloc", alloc<tile::AllocOp>},
      {"tile.alloc_ring", alloc<tile::AllocRingOp>},
      {"tile.slot", slot},
      {"tile.fill", fill, fillBlocked, true},
      {"tile.ring_wait", ringWait, ringWaitBlocked, true},
      {"tile.ring_release", ringRelease, nullptr, true},
  };
  return rows;
}
