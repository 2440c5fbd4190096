// Barriers and asynchronous copies as assembly. All of it orders threads against one another, so none may be moved,
// duplicated into branches or made to depend on more conditions than it has.
#include "codegen/ptx/Assembly.h"
#include "ir/Typed.h"
#include "ir/ptx/Ptx.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

/// Semantics are the default ones, release by the CTA: those of the cluster would flush all of memory.
std::string translateArrive(ptx::MBarrierArriveOp arrive, Assembly &assembly) {
  std::string barrier = fmt::format("${}", assembly.input(arrive.getBarrier()));
  std::string bytes = arrive.getBytes() ? fmt::format(", ${}", assembly.input(arrive.getBytes())) : "";
  std::string rank = arrive.getRank() ? fmt::format("${}", assembly.input(arrive.getRank())) : "";
  std::string guard = assembly.guard(arrive.getPredicate());
  std::string expect = bytes.empty() ? "" : ".expect_tx";
  if (rank.empty()) return fmt::format("{}mbarrier.arrive{}.shared::cta.b64 _, [{}]{};", guard, expect, barrier, bytes);
  return fmt::format("{{ .reg .b32 there; {0}mapa.shared::cluster.u32 there, {2}, {3}; "
                     "{0}mbarrier.arrive{1}.shared::cluster.b64 _, [there]{4}; }}",
                     guard, expect, barrier, rank, bytes);
}

/// "[$map, {$x, $y}]".
std::string boxOf(Assembly &assembly, Value map, OperandRange coordinates) {
  unsigned number = assembly.input(map), first = 0;
  for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
    unsigned at = assembly.input(coordinate);
    if (i == 0) first = at;
  }
  return fmt::format("[${}, {}]", number, registerList(first, coordinates.size(), /*single=*/false));
}

std::string translateTmaLoad(ptx::TmaLoadOp load, Assembly &assembly) {
  unsigned target = assembly.input(load.getTarget());
  std::string box = boxOf(assembly, load.getMap(), load.getCoordinates());
  unsigned barrier = assembly.input(load.getBarrier());
  std::string mask = load.getMulticast() ? fmt::format(", ${}", assembly.input(load.getMulticast())) : "";
  std::string guard = assembly.guard(load.getPredicate());
  return fmt::format("{}cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes{} [${}], "
                     "{}, [${}]{};",
                     guard, load.getCoordinates().size(), mask.empty() ? "" : ".multicast::cluster", target, box,
                     barrier, mask);
}

std::string translateTmaStore(ptx::TmaStoreOp store, Assembly &assembly) {
  unsigned source = assembly.input(store.getSource());
  std::string box = boxOf(assembly, store.getMap(), store.getCoordinates());
  std::string guard = assembly.guard(store.getPredicate());
  return fmt::format("{}cp{}.async.bulk.tensor.{}d.global.shared::cta{}.tile.bulk_group {}, [${}];", guard,
                     store.getAdd() ? ".reduce" : "", store.getCoordinates().size(), store.getAdd() ? ".add" : "", box,
                     source);
}

} // namespace

ArrayRef<PtxRow> kiln::codegen::asyncPtxRows() {
  static constexpr PtxRow rows[] = {
      {"ptx.mbarrier_wait", "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1; "
                            "@!done bra again; }"},
      {"ptx.mbarrier_arrive", "", ir::typed<translateArrive>},
      {"ptx.mbarrier_complete", "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [$0], $1;"},
      {"ptx.barrier_arrive", "bar.arrive $0, $1;"},
      {"ptx.tma_load", "", ir::typed<translateTmaLoad>},
      {"ptx.tma_store", "", ir::typed<translateTmaStore>},
      {"ptx.bulk_load", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];"},
      {"ptx.bulk_store", "cp.async.bulk.global.shared::cta.bulk_group [$1], [$0], $2;"},
      {"ptx.bulk_commit", "cp.async.bulk.commit_group;"},
  };
  return rows;
}
