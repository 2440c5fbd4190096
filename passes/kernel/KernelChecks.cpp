#include "passes/kernel/KernelChecks.h"

using namespace mlir;
using namespace kiln;

FailureOr<graph::KernelForm> kiln::tiling::formOf(graph::KernelOp kernel) {
  std::string reason;
  FailureOr<graph::KernelForm> form = graph::analyzeKernel(kernel, reason);
  if (failed(form)) return kernel.emitError() << "cannot be one kernel: " << reason;
  if (graph::kindName(form->kind) != kernel.getKind())
    return kernel.emitError() << "is a \"" << graph::kindName(form->kind) << "\" kernel, but says \""
                              << kernel.getKind() << '"';
  return form;
}

FailureOr<Target> kiln::tiling::targetNamed(Operation *op, StringRef name) {
  if (std::optional<Target> target = findTarget(name.str())) return *target;
  InFlightDiagnostic diag = op->emitError() << "unknown target '" << name << "'";
  diag.attachNote() << nearestTarget(name.str());
  for (const std::string &known : targetNames()) diag.attachNote() << "known: " << known;
  return diag;
}
