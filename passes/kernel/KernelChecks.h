//===- KernelChecks.h - what tile-schedule and tile-graph ask first ----------------------------------------------===//
#ifndef KILN_PASSES_KERNEL_KERNELCHECKS_H
#define KILN_PASSES_KERNEL_KERNELCHECKS_H

#include "ir/target/Target.h"
#include "passes/kernel/KernelForm.h"

namespace kiln::tiling {

/// The kernel's form; a diagnostic where it has none, or says another kind than it is.
mlir::FailureOr<graph::KernelForm> formOf(graph::KernelOp kernel);

/// The target of that name; a diagnostic at `op` that lists them where there is none.
mlir::FailureOr<Target> targetNamed(mlir::Operation *op, llvm::StringRef name);

} // namespace kiln::tiling

#endif
