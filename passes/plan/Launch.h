//===- Launch.h - the step that launches a kernel -----------------------------------------------------------------===//
//
// What a launch of a kernel passes, by the kernel ABI: of a kernel that Kiln makes its operands and results; of a tile
// program what its text asks for, with the numbers that the tensors' shapes bind.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_PLAN_LAUNCH_H
#define KILN_PASSES_PLAN_LAUNCH_H

#include "ir/graph/Graph.h"
#include "ir/tile/Arguments.h"
#include "runtime/LaunchPlan.h"

namespace kiln {

/// What a launch of a kernel needs besides its buffers.
struct KernelLaunch {
  std::array<Expr, 3> grid = {1, 1, 1}; ///< CTAs, x fastest; of a tile program, with the names of its extents
  int64_t sharedBytes = 0;              ///< per CTA
  int64_t scratchBytes = 0;             ///< per CTA
  int32_t cluster = 1;                  ///< CTAs
  bool pdl = false;                     ///< it waits itself for the launch before it
  llvm::SmallVector<tile::KernelArgument> arguments; ///< of a tile program; none: a pointer for each of its tensors
};

/// The step that launches `kernel`, named before, on its operands' and results' buffers. Fails, with a diagnostic on
/// the kernel, where a tile program asks for what these tensors cannot give: a tensor map of strides that none has.
mlir::FailureOr<LaunchStep> makeLaunch(graph::KernelOp kernel, const KernelLaunch &launch, llvm::StringRef target,
                                       llvm::ArrayRef<BufferId> operands, llvm::ArrayRef<BufferId> results);

} // namespace kiln

#endif
