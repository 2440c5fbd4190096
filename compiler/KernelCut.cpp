#include "compiler/KernelCut.h"

#include "passes/Decisions.h"
#include "passes/graph/Passes.h"
#include "passes/kernel/Family.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;

KernelCut::KernelCut(ModuleOp module, const PipelineOptions &given, IrRecorder *recorder)
    : module(module), options(given), recorder(recorder), source(module.clone()),
      numDecided(given.decisions ? static_cast<ptrdiff_t>(given.decisions->size()) : 0) {
  options.sizes = &sizes;
}

SmallVector<graph::KernelOp> KernelCut::kernels() {
  SmallVector<graph::KernelOp> all;
  module.walk([&](graph::KernelOp kernel) { all.push_back(kernel); });
  return all;
}

/// The module as it was, with nothing decided.
void KernelCut::restore() {
  if (!std::exchange(isCut, true)) return;
  module.getBody()->clear();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  for (Operation &op : *source->getBody()) b.clone(op);
  if (options.decisions) options.decisions->erase(options.decisions->begin() + numDecided, options.decisions->end());
}

/// What is known against a kernel as it is scheduled; empty: nothing.
std::string KernelCut::objection(graph::KernelOp kernel) {
  if (kernel.getCustom()) return "";
  if (auto known = refused.find(*kernel.getSymbol()); known != refused.end()) return known->second;
  std::string reason;
  if (!kernel.getScheduleAttr()) (void)tiling::schedulesOf(*tiling::KernelCase::of(kernel, *options.target), reason);
  return reason;
}

/// The knobs of a schedule in which it differs from another.
static std::string changedIn(graph::ScheduleAttr schedule, graph::ScheduleAttr other) {
  std::string text;
  for (NamedAttribute knob : schedule.getKnobs())
    if (auto value = dyn_cast<IntegerAttr>(knob.getValue());
        value && knob.getValue() != other.getKnobs().get(knob.getName()))
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", knob.getName().getValue(), value.getInt());
  return text;
}

/// Gives a kernel, whose schedule is refused, the one after it; false where there is none.
bool KernelCut::reschedule(graph::KernelOp kernel, int launch, const std::string &reason) {
  std::string none;
  auto all = tiling::schedulesOf(*tiling::KernelCase::of(kernel, *options.target), none);
  auto *own = llvm::find(all, kernel.getScheduleAttr());
  if (own == all.end() || own + 1 == all.end()) return false;
  kernel.setScheduleAttr(*(own + 1));
  if (!options.decisions) return true;
  Decision decision{.pass = "tile-schedule"};
  decision.subject.push_back({kernel.getKind().str(), sourceOf(kernel.getLoc()), launch});
  decision.chosen.name = changedIn(own[1], own[0]);
  decision.refused.push_back({changedIn(own[0], own[1]), "resources", reason, {}});
  options.decisions->push_back(std::move(decision));
  return true;
}

LogicalResult KernelCut::run() {
  for (bool again = true; again;) {
    restore();
    if (failed(runLevel(kFusedLevel, module, options, recorder))) return failure();
    llvm::DenseMap<Operation *, size_t> number; // padding adds kernels
    for (graph::KernelOp kernel : kernels()) {
      number.try_emplace(kernel, number.size());
      auto wanted = options.schedules.find(kernel.getKind().str());
      if (wanted != options.schedules.end()) kernel.setScheduleAttr(wanted->second);
    }
    if (failed(runLevel(kScheduledLevel, module, options, recorder))) return failure();
    again = false;
    for (bool renamed = true; renamed && !again;) {
      if (failed(runLevel(kNamedLevel, module, options, recorder))) return failure();
      renamed = false;
      for (auto [launch, kernel] : llvm::enumerate(kernels())) {
        std::string reason = objection(kernel);
        if (reason.empty()) continue;
        if (kernel.getScheduleAttr() && reschedule(kernel, static_cast<int>(launch), reason))
          renamed = true;
        else if (auto known = number.find(kernel); known != number.end())
          again |= sizes.shrink(known->second, reason);
      }
    }
  }
  return success();
}

LogicalResult KernelCut::yield(const Refusals &refusals) {
  for (const auto &[symbol, reason] : refusals) {
    if (refused.try_emplace(symbol, reason).second) continue;
    auto all = kernels();
    auto *kernel = llvm::find_if(all, [&](auto other) { return other.getSymbol() == StringRef(symbol); });
    return (*kernel).emitError() << "no program of this kernel fits '" << options.target->name() << "': " << reason;
  }
  return run();
}

std::string kiln::refusalOf(const Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  bool isAboutSize = false;
  for (const Diagnostic &note : const_cast<Diagnostic &>(diagnostic).getNotes()) {
    std::string said = note.str();
    if (StringRef(said).starts_with("try: "))
      isAboutSize = true;
    else
      text += (StringRef(text).contains(": expected") ? ", " : ": ") + said;
  }
  return isAboutSize ? text : "";
}
