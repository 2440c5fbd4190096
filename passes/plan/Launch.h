//===- Launch.h - the steps that launch a kernel ----------------------------------------------------------------===//
//
// What a launch of a kernel passes, by the kernel ABI: what its program asks for, whether Kiln made it or it was
// written by hand, with the numbers that the tensors' shapes bind. A kernel is one launch or several, with workspaces
// between them.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_PLAN_LAUNCH_H
#define KILN_PASSES_PLAN_LAUNCH_H

#include "ir/graph/Graph.h"
#include "ir/tile/Arguments.h"
#include "runtime/LaunchPlan.h"

namespace kiln {

/// A memory argument of a program.
struct LaunchMemory {
  unsigned tensor = 0; ///< of the kernel: its operands, results and workspaces are counted in this order
  Access access = Access::Read;
  std::string name;                    ///< for messages
  tile::GlobalType type;               ///< null of an operand or result whose type is the kernel's
  llvm::SmallVector<std::string> dims; ///< names of its extents; none where they have none
};

/// One launch of a kernel, which is a launch of one program.
struct KernelLaunch {
  std::string symbol = {};                                ///< of its code; empty: the kernel's
  std::array<Expr, 3> grid = {1, 1, 1};                   ///< CTAs, x fastest; with the names of its extents
  int64_t sharedBytes = 0;                                ///< per CTA
  int64_t scratchBytes = 0;                               ///< per CTA
  int32_t cluster = 1;                                    ///< CTAs
  bool pdl = false;                                       ///< it waits itself for the launch before it
  llvm::SmallVector<tile::KernelArgument> arguments = {}; ///< none: a pointer for each memory argument
  llvm::SmallVector<LaunchMemory> memories = {};          ///< none: the kernel's operands, then its results
};
using KernelLaunches = llvm::SmallVector<KernelLaunch, 1>;

/// The launch of a program whose shared tiles have offsets.
KernelLaunch launchOf(tile::KernelOp program);

/// Adds to `plan` what runs `kernel`, named before, on its operands' and results' buffers: a step per launch, and a
/// temporary per workspace. Fails, with a diagnostic on the kernel, where a program asks for what these tensors cannot
/// give: a tensor map of strides that none has.
llvm::LogicalResult addLaunches(LaunchPlan &plan, graph::KernelOp kernel, llvm::ArrayRef<KernelLaunch> launches,
                                llvm::ArrayRef<BufferId> operands, llvm::ArrayRef<BufferId> results);

} // namespace kiln

#endif
