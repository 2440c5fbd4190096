//===- Fusion.h - what decides in graph-fuse ----------------------------------------------------------------------===//
//
// The rules that its decisions may name, and how large its kernels may be.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_GRAPH_FUSION_H
#define KILN_PASSES_GRAPH_FUSION_H

#include "passes/graph/Passes.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln::graph {

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

/// graph-fuse that keeps to `sizes` (may be null; else it outlives the pass). It tells of edges first, then of
/// siblings, each in program order of the consumers.
std::unique_ptr<mlir::Pass> createFusePass(const FuseOptions &options, KernelSizes *sizes);

} // namespace kiln::graph

#endif
