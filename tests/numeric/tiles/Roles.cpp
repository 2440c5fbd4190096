// Who does what: roles, turns, clusters, launches, and what a launch says.
#include "tests/numeric/tiles/Machine.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::numeric::tiles;

namespace {

void setAll(Agent &m, Operation *op, int64_t value) {
  for (uint64_t &bits : m.make(op->getResult(0))) bits = static_cast<uint64_t>(value);
}

//===- Roles ------------------------------------------------------------------------------------------------------===//

/// Parts, waits for all roles, then for the roles of the cluster's other CTAs.
std::string specializeBlocked(Agent &m, Operation *op) {
  enum { Whole, Parted, Met };
  Meeting &meeting = m.cta.cluster.meeting;
  if (m.step == Whole) {
    m.demandAll(op);
    m.cta.part(cast<tile::SpecializeOp>(op));
    m.step = Parted;
  }
  if (m.step == Parted) {
    if (!m.cta.haveRolesEnded()) return "its roles";
    for (auto &role : llvm::drop_begin(m.cta.agents)) m.see(role->leave());
    m.ticket = meeting.arrive(m.leave());
    m.step = Met;
  }
  if (meeting.isOver(m.ticket)) return {};
  return fmt::format("the other CTAs' roles, {} of {} CTAs are there", meeting.here(), m.cta.cluster.ctas.size());
}
void specialize(Agent &m, Operation *) { m.see(m.cta.cluster.meeting.clock()); }

//===- Turns ------------------------------------------------------------------------------------------------------===//

Turns &turnsOf(Agent &m, Operation *op) { return m.cta.turns.find(op->getOperand(0).getDefiningOp())->second; }

/// Turns are the CTA's; the value names them.
void allocTurns(Agent &m, Operation *op) { setAll(m, op, 0); }

std::string takeTurnBlocked(Agent &m, Operation *op) {
  m.demandAll(op);
  Meeting &before = turnsOf(m, op).before[static_cast<size_t>(m.consumer)];
  if (m.step == 0) {
    m.ticket = before.arrive(m.leave());
    m.step = 1;
  }
  return before.isOver(m.ticket) ? "" : fmt::format("consumer {}'s turn", m.consumer);
}
void takeTurn(Agent &m, Operation *op) {
  Turns &turns = turnsOf(m, op);
  auto me = static_cast<size_t>(m.consumer);
  m.see(turns.before[me].clock());
  turns.passed[me] = false;
}

void passTurn(Agent &m, Operation *op) {
  m.demandAll(op);
  Turns &turns = turnsOf(m, op);
  turns.pass((m.consumer + 1) % static_cast<int64_t>(turns.before.size()), m.leave());
}

//===- Clusters and launches --------------------------------------------------------------------------------------===//

void clusterRank(Agent &m, Operation *op) { setAll(m, op, m.cta.rank); }

std::string clusterBarrierBlocked(Agent &m, Operation *op) {
  m.demandAll(op);
  Meeting &meeting = m.cta.cluster.meeting;
  if (m.step == 0) {
    m.ticket = meeting.arrive(m.leave());
    m.step = 1;
  }
  if (meeting.isOver(m.ticket)) return {};
  return fmt::format("the cluster, {} of {} CTAs are there", meeting.here(), m.cta.cluster.ctas.size());
}
void clusterBarrier(Agent &m, Operation *) { m.see(m.cta.cluster.meeting.clock()); }

/// The tile's place, and which CTA's it is.
void remote(Agent &m, Operation *op) {
  auto remote = cast<tile::RemoteOp>(op);
  Bits out = m.of(remote.getTile());
  const Bits &ranks = m.of(remote.getRank());
  for (size_t w = 0; w < out.size(); ++w) {
    if (!m.active[w]) continue;
    if (ranks[w] >= m.cta.cluster.ctas.size())
      throw Fault(fmt::format("CTA {} of a cluster of {}", ranks[w], m.cta.cluster.ctas.size()));
    out[w] |= ranks[w] << 32;
  }
  m.make(remote.getResult()) = std::move(out);
}

/// The launch before is done, the one behind is nobody's concern here.
void nothing(Agent &, Operation *) {}

//===- What a launch says -----------------------------------------------------------------------------------------===//

void ctaId(Agent &m, Operation *op) { setAll(m, op, m.cta.number); }
void ctaCount(Agent &m, Operation *op) { setAll(m, op, m.cta.cluster.program.grid); }
void extent(Agent &m, Operation *op) {
  setAll(m, op, m.cta.cluster.program.extentOf(cast<tile::ExtentOp>(op).getDim()));
}
void stride(Agent &m, Operation *op) {
  auto stride = cast<tile::StrideOp>(op);
  setAll(m, op,
         m.cta.cluster.program.strideOf(cast<BlockArgument>(stride.getMemory()).getArgNumber(),
                                        static_cast<unsigned>(stride.getDim())));
}

void rasterize(Agent &m, Operation *op) {
  auto rasterize = cast<tile::RasterizeOp>(op);
  const Bits tiles = m.of(rasterize.getTile()), rows = m.of(rasterize.getRows()),
             columns = m.of(rasterize.getColumns());
  Bits row(tiles.size()), column(tiles.size());
  auto group = static_cast<uint64_t>(rasterize.getGroup());
  for (size_t w = 0; w < tiles.size(); ++w) {
    if (!m.active[w]) continue;
    if (tiles[w] >= rows[w] * columns[w]) throw Fault(fmt::format("tile {} of {}x{}", tiles[w], rows[w], columns[w]));
    uint64_t first = tiles[w] / (group * columns[w]) * group, within = tiles[w] % (group * columns[w]);
    uint64_t here = std::min(group, rows[w] - first);
    row[w] = first + within % here;
    column[w] = within / here;
  }
  m.make(rasterize.getRow()) = std::move(row);
  m.make(rasterize.getColumn()) = std::move(column);
}

} // namespace

llvm::ArrayRef<Row> kiln::numeric::tiles::roleRows() {
  static const Row rows[] = {
      {"tile.specialize", specialize, specializeBlocked, true},
      {"tile.alloc_turns", allocTurns},
      {"tile.take_turn", takeTurn, takeTurnBlocked, true},
      {"tile.pass_turn", passTurn, nullptr, true},
      {"tile.cluster_rank", clusterRank},
      {"tile.cluster_barrier", clusterBarrier, clusterBarrierBlocked, true},
      {"tile.remote", remote},
      {"tile.grid_wait", nothing},
      {"tile.grid_release", nothing},
      {"tile.cta_id", ctaId},
      {"tile.cta_count", ctaCount},
      {"tile.extent", extent},
      {"tile.stride", stride},
      {"tile.rasterize", rasterize},
  };
  return rows;
}
