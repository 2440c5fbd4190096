// The tables of all targets: a line for each folder.
#include "passes/tiling/cpu/Families.h"
#include "passes/kernel/KernelChecks.h"
#include "passes/tiling/sm80/Schedule.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

/// Newer gpus before older ones.
static ArrayRef<FamilyTable> tables() {
  static const FamilyTable all[] = {sm80::families(), cpu::families()};
  return all;
}

FailureOr<KernelCase> KernelCase::of(graph::KernelOp kernel, const Target &target) {
  FailureOr<graph::KernelForm> form = formOf(kernel);
  if (failed(form)) return failure();
  return KernelCase{kernel, std::move(*form), memoryOf(kernel, {}), target};
}

int64_t KernelCase::opCount() const {
  Block &body = graph::KernelOp(kernel).getBody().front();
  return std::distance(body.begin(), body.end());
}

SmallVector<const Family *> kiln::tiling::familiesOf(const Target &target) {
  int capability = target.gpu() ? target.gpu()->capability : 0;
  SmallVector<const Family *> rows;
  for (const FamilyTable &table : tables())
    if (target.gpu() ? table.capability && table.capability <= capability : !table.capability)
      for (const Family &row : table.rows) rows.push_back(&row);
  return rows;
}

/// The rows that take a kernel; where there is none, `reason` says why.
static SmallVector<const Family *> takersOf(const KernelCase &kernel, std::string &reason) {
  SmallVector<const Family *> takers;
  reason = "target '" + kernel.target.name() + "' has no family of such kernels";
  for (const Family *row : familiesOf(kernel.target)) {
    if (row->kind != kernel.form.kind) continue;
    std::optional<std::string> objection = row->objection ? row->objection(kernel) : std::nullopt;
    if (!objection)
      takers.push_back(row);
    else if (takers.empty())
      reason = *objection;
  }
  return takers;
}

const Family *kiln::tiling::familyOf(const KernelCase &kernel, graph::ScheduleAttr schedule, std::string &reason) {
  SmallVector<const Family *> takers = takersOf(kernel, reason);
  auto *named = llvm::find_if(takers, [&](auto *row) { return schedule && row->name == schedule.getFamily(); });
  if (named != takers.end()) return *named;
  return takers.empty() ? nullptr : takers.front();
}

SmallVector<graph::ScheduleAttr> kiln::tiling::schedulesOf(const KernelCase &kernel, std::string &reason) {
  SmallVector<graph::ScheduleAttr> all;
  for (const Family *row : takersOf(kernel, reason)) llvm::append_range(all, row->schedules(kernel, reason));
  return all;
}
