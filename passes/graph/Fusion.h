//===- Fusion.h - what graph-fuse tells ---------------------------------------------------------------------------===//
//
// The decisions of graph-fuse: one per candidate edge, with the rule and the bytes that decided. Reports (`explain`)
// read them; the IR does not carry them.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_GRAPH_FUSION_H
#define KILN_PASSES_GRAPH_FUSION_H

#include "passes/graph/Passes.h"

#include "mlir/IR/Location.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln::graph {

/// How one candidate edge between two ops ended: in one kernel, or apart.
struct FusionDecision {
  mlir::Location producer; ///< of the op whose result would stay on chip (or, of siblings, the earlier one)
  mlir::Location consumer; ///<
  std::string producerOp;  ///< "math.exp"
  std::string consumerOp;  ///<
  int producerKernel = -1; ///< which graph.kernel of the function, counted from 0
  int consumerKernel = -1; ///< the same as producerKernel when merged
  bool merged = false;     ///<
  bool sibling = false;    ///< the two share an input instead of being producer and consumer
  llvm::StringRef rule;    ///< a short name: "on-chip", "one-anchor", "cycle", ...; `fusionRules()` has them all
  std::string reason;      ///< the rule in a sentence, with this case's numbers
  int64_t bytesSaved = 0;  ///< traffic that merging the two saves; 0 when apart
  int64_t bytesKept = 0;   ///< traffic that stays because their kernels are apart; 0 when merged
};

/// A rule's short name and what it says.
struct FusionRule {
  llvm::StringRef name;
  llvm::StringRef summary;
};
/// Every rule a decision may name.
llvm::ArrayRef<FusionRule> fusionRules();

/// How large kernels of a function may be, by what came of building larger ones.
struct KernelSizes {
  struct Limit {
    size_t most;        ///< nodes of the kernel that holds this one
    std::string reason; ///< why not more
  };
  std::map<int, Limit> limits;                 ///< by node: fusion numbers those of one function the same each time
  std::vector<llvm::SmallVector<int>> nodesOf; ///< filled by fusion: of each kernel, in order

  /// Wants one of the kernels smaller the next time; false where it is a single node.
  bool shrink(size_t kernel, const std::string &reason);
};

/// graph-fuse that appends its decisions, edges first, then siblings, each in program order of the consumers, to
/// `decisions`, and keeps to `sizes` (either may be null; else it outlives the pass).
std::unique_ptr<mlir::Pass> createFusePass(const FuseOptions &options, std::vector<FusionDecision> *decisions,
                                           KernelSizes *sizes = nullptr);

} // namespace kiln::graph

#endif
