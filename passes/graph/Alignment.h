//===- Alignment.h - what graph-align tells -----------------------------------------------------------------------===//
//
// The decisions of graph-align: one per operand (of kernels without a matmul, per result, too) whose rows do not start
// at 16 bytes, with the times of all that can be done. Reports
// (`explain`) read them; the IR carries their outcome as layouts.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_GRAPH_ALIGNMENT_H
#define KILN_PASSES_GRAPH_ALIGNMENT_H

#include "passes/graph/Passes.h"

#include "mlir/IR/Location.h"

#include <memory>
#include <string>
#include <vector>

namespace kiln::graph {

/// What became of an operand.
enum class AlignedBy {
  Nothing,  ///< read as it is
  Producer, ///< the kernel that computes it stores padded rows
  Copy,     ///< a kernel copies it into padded rows
  Shift     ///< whole words are read or written and shifted
};
/// "nothing", "producer", "copy", "shift".
llvm::StringRef alignedByName(AlignedBy by);

/// One operand or result of one kernel.
struct AlignmentDecision {
  mlir::Location where;                 ///< of the kernel
  int kernel = -1;                      ///< its launch, counted from 0, copies among them
  int operand = 0;                      ///< of the kernel, counted from 0
  bool isResult = false;                ///< `operand` counts results
  std::string type;                     ///< of the operand: "tensor<1793x1793xbf16>"
  AlignedBy by = AlignedBy::Nothing;    ///<
  int64_t stride = 0, paddedStride = 0; ///< elements from row to row, without and with padding
  double narrowSeconds = 0;             ///< of the kernel with this operand as it is
  double shiftedSeconds = 0;            ///< of a kernel that shifts what it gains by; 0 of a matmul
  double alignedSeconds = 0;            ///< of the kernel with this operand's rows padded; 0 of a result
  double copySeconds = 0;               ///< what a copy costs; 0 where the producer pads, or another matmul has it
};

struct Alignment {
  std::vector<AlignmentDecision> decisions; ///< in program order
  std::vector<int> launchOf;                ///< kernel of the function as it was -> its launch now
};

/// graph-align that tells what it did (`alignment` may be null; else it outlives the pass).
std::unique_ptr<mlir::Pass> createAlignPass(const AlignOptions &options, Alignment *alignment);

} // namespace kiln::graph

#endif
