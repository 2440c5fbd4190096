#include "compiler/KernelCut.h"

#include "passes/graph/Passes.h"
#include "passes/kernel/Family.h"

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

/// Gives a kernel the schedule after its own; false where there is none.
bool KernelCut::reschedule(graph::KernelOp kernel) {
  std::string reason;
  auto all = tiling::schedulesOf(*tiling::KernelCase::of(kernel, *options.target), reason);
  auto *own = llvm::find(all, kernel.getScheduleAttr());
  if (own == all.end() || own + 1 == all.end()) return false;
  kernel.setScheduleAttr(*(own + 1));
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
      for (graph::KernelOp kernel : kernels()) {
        std::string reason = objection(kernel);
        if (reason.empty()) continue;
        if (kernel.getScheduleAttr() && reschedule(kernel))
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
