//===- KernelCut.h - from a graph of decomposed ops to kernels that can be built ----------------------------------===//
//
// Passes cut a graph into kernels without building them: fusion by bytes, schedules by formula. A program that then
// asks for more than the target has is no error: its kernel takes the next legal schedule of its families, and where
// none is left it is cut smaller. Fusion's decisions and the kernels' schedules say what became of it.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_COMPILER_KERNELCUT_H
#define KILN_COMPILER_KERNELCUT_H

#include "compiler/Pipeline.h"
#include "ir/graph/Graph.h"

namespace kiln {

/// Why programs ask for too much, by their kernels' symbols.
using Refusals = std::map<std::string, std::string, std::less<>>;

class KernelCut {
public:
  /// `module` holds decomposed ops and becomes kernels; it outlives the cut, as do `recorder` (may be null) and what
  /// `options` point to.
  KernelCut(mlir::ModuleOp module, const PipelineOptions &options, IrRecorder *recorder);

  /// Cuts the module into kernels with schedules and names. Fails with diagnostics.
  llvm::LogicalResult run();
  /// Cuts it again, in other kernels than those that were refused. Fails, with a diagnostic, where one can be tiled in
  /// no other way and is one op.
  llvm::LogicalResult yield(const Refusals &refusals);

private:
  mlir::ModuleOp module;
  PipelineOptions options;
  IrRecorder *recorder;
  mlir::OwningOpRef<mlir::ModuleOp> source; ///< the module as it was
  ptrdiff_t numDecided;                     ///< decisions of passes before
  graph::KernelSizes sizes;
  Refusals refused; ///< so far
  bool isCut = false;

  void restore();
  llvm::SmallVector<graph::KernelOp> kernels();
  std::string objection(graph::KernelOp kernel);
  bool reschedule(graph::KernelOp kernel, int launch, const std::string &reason);
};

/// A diagnostic of a rule about resources in one line: empty for another, which says of nothing what to try.
std::string refusalOf(const mlir::Diagnostic &diagnostic);

} // namespace kiln

#endif
