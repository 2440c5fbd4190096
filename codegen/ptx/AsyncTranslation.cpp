// Barriers and asynchronous copies as assembly. All of it orders threads against one another, so none may be moved,
// duplicated into branches or made to depend on more conditions than it has.
#include "codegen/ptx/Assembly.h"
#include "ir/ptx/Ptx.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;

namespace {

LogicalResult translateWait(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto wait = cast<ptx::MBarrierWaitOp>(op);
  Assembly assembly(b, translation);
  unsigned barrier = assembly.input(wait.getBarrier()), parity = assembly.input(wait.getParity());
  assembly.emit(fmt::format("{{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [${}], ${}; "
                            "@!done bra again; }}",
                            barrier, parity),
                op->getResults(), Effect::Threads);
  return success();
}

/// Semantics are the default ones, release by the CTA: those of the cluster would flush all of memory.
LogicalResult translateArrive(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto arrive = cast<ptx::MBarrierArriveOp>(op);
  Assembly assembly(b, translation);
  std::string barrier = fmt::format("${}", assembly.input(arrive.getBarrier()));
  std::string bytes = arrive.getBytes() ? fmt::format(", ${}", assembly.input(arrive.getBytes())) : "";
  std::string rank = arrive.getRank() ? fmt::format("${}", assembly.input(arrive.getRank())) : "";
  std::string guard = assembly.guard(arrive.getPredicate());
  std::string expect = bytes.empty() ? "" : ".expect_tx", text;
  if (rank.empty())
    text = fmt::format("{}mbarrier.arrive{}.shared::cta.b64 _, [{}]{};", guard, expect, barrier, bytes);
  else
    text = fmt::format("{{ .reg .b32 there; {0}mapa.shared::cluster.u32 there, {2}, {3}; "
                       "{0}mbarrier.arrive{1}.shared::cluster.b64 _, [there]{4}; }}",
                       guard, expect, barrier, rank, bytes);
  assembly.emit(text, op->getResults(), Effect::Threads);
  return success();
}

LogicalResult translateComplete(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto complete = cast<ptx::MBarrierCompleteOp>(op);
  Assembly assembly(b, translation);
  unsigned barrier = assembly.input(complete.getBarrier()), bytes = assembly.input(complete.getBytes());
  std::string guard = assembly.guard(complete.getPredicate());
  assembly.emit(fmt::format("{}mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [${}], ${};", guard, barrier, bytes),
                op->getResults(), Effect::Threads);
  return success();
}

LogicalResult translateBarrierArrive(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto arrive = cast<ptx::BarrierArriveOp>(op);
  Assembly assembly(b, translation);
  unsigned id = assembly.input(arrive.getId()), threads = assembly.input(arrive.getThreads());
  assembly.emit(fmt::format("bar.arrive ${}, ${};", id, threads), op->getResults(), Effect::Threads);
  return success();
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

LogicalResult translateTmaLoad(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto load = cast<ptx::TmaLoadOp>(op);
  Assembly assembly(b, translation);
  unsigned target = assembly.input(load.getTarget());
  std::string box = boxOf(assembly, load.getMap(), load.getCoordinates());
  unsigned barrier = assembly.input(load.getBarrier());
  std::string mask = load.getMulticast() ? fmt::format(", ${}", assembly.input(load.getMulticast())) : "";
  std::string guard = assembly.guard(load.getPredicate());
  assembly.emit(
      fmt::format("{}cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes{} [${}], "
                  "{}, [${}]{};",
                  guard, load.getCoordinates().size(), mask.empty() ? "" : ".multicast::cluster", target, box, barrier,
                  mask),
      op->getResults(), Effect::Threads);
  return success();
}

LogicalResult translateTmaStore(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto store = cast<ptx::TmaStoreOp>(op);
  Assembly assembly(b, translation);
  unsigned source = assembly.input(store.getSource());
  std::string box = boxOf(assembly, store.getMap(), store.getCoordinates());
  std::string guard = assembly.guard(store.getPredicate());
  assembly.emit(fmt::format("{}cp{}.async.bulk.tensor.{}d.global.shared::cta{}.tile.bulk_group {}, [${}];", guard,
                            store.getAdd() ? ".reduce" : "", store.getCoordinates().size(),
                            store.getAdd() ? ".add" : "", box, source),
                op->getResults(), Effect::Threads);
  return success();
}

LogicalResult translateBulkLoad(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto load = cast<ptx::BulkLoadOp>(op);
  Assembly assembly(b, translation);
  unsigned target = assembly.input(load.getTarget()), source = assembly.input(load.getSource());
  unsigned bytes = assembly.input(load.getBytes()), barrier = assembly.input(load.getBarrier());
  std::string guard = assembly.guard(load.getPredicate());
  assembly.emit(
      fmt::format("{}cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [${}], [${}], ${}, [${}];",
                  guard, target, source, bytes, barrier),
      op->getResults(), Effect::Threads);
  return success();
}

LogicalResult translateBulkStore(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  auto store = cast<ptx::BulkStoreOp>(op);
  Assembly assembly(b, translation);
  unsigned source = assembly.input(store.getSource()), target = assembly.input(store.getTarget());
  unsigned bytes = assembly.input(store.getBytes());
  std::string guard = assembly.guard(store.getPredicate());
  assembly.emit(
      fmt::format("{}cp.async.bulk.global.shared::cta.bulk_group [${}], [${}], ${};", guard, target, source, bytes),
      op->getResults(), Effect::Threads);
  return success();
}

LogicalResult translateCommit(Operation *op, llvm::IRBuilderBase &b, LLVM::ModuleTranslation &translation) {
  Assembly assembly(b, translation);
  std::string guard = assembly.guard(cast<ptx::BulkCommitOp>(op).getPredicate());
  assembly.emit(guard + "cp.async.bulk.commit_group;", op->getResults(), Effect::Threads);
  return success();
}

} // namespace

ArrayRef<PtxRow> kiln::codegen::asyncPtxRows() {
  static constexpr PtxRow rows[] = {
      {"ptx.mbarrier_wait", translateWait},         {"ptx.mbarrier_arrive", translateArrive},
      {"ptx.mbarrier_complete", translateComplete}, {"ptx.barrier_arrive", translateBarrierArrive},
      {"ptx.tma_load", translateTmaLoad},           {"ptx.tma_store", translateTmaStore},
      {"ptx.bulk_load", translateBulkLoad},         {"ptx.bulk_store", translateBulkStore},
      {"ptx.bulk_commit", translateCommit},
  };
  return rows;
}
