#include "passes/tiling/KernelChecks.h"

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

FailureOr<const CpuTarget *> kiln::tiling::targetNamed(Operation *op, StringRef name) {
  if (const CpuTarget *target = findCpuTarget(name.str())) return target;
  InFlightDiagnostic diag = op->emitError() << "unknown cpu target '" << name << "'";
  for (const CpuTarget &known : cpuTargets()) diag.attachNote() << "known: " << known.name;
  return diag;
}
