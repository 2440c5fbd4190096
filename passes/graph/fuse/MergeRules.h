//===- MergeRules.h - may two clusters share a kernel? ------------------------------------------------------------===//
//
// What stands against a merge, as a table of rules: name, sentence, check. They run in order, cheap ones first; the
// first that objects is the reason an edge is refused with.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_GRAPH_FUSE_MERGERULES_H
#define KILN_PASSES_GRAPH_FUSE_MERGERULES_H

#include "passes/graph/Fusion.h"
#include "passes/graph/fuse/Clusters.h"

#include <optional>

namespace kiln::graph {

/// Two clusters that might merge: `a` computes what `b` reads, or (siblings) both read one value.
struct MergeQuestion {
  const NodeGraph &graph;
  Clusters &clusters;
  const FuseOptions &options;
  double bytesPerAddition; ///< what work is weighed against bytes with: of the target
  ClusterId a, b;
  llvm::SmallVector<Crossing> crossings;
  int64_t bytesSaved;
  Clusters::MergeInfo info{false, 0, 0}; ///< filled by the rules

  const Cluster &first() const { return clusters[a]; }
  const Cluster &second() const { return clusters[b]; }
};

struct MergeRule {
  FusionRule text;
  /// The objection, with its numbers; none if the rule has none.
  std::optional<std::string> (*check)(MergeQuestion &);
  bool needsCrossings = true; ///< false: asks only what the two clusters are
  bool mayLift = false;       ///< later merges may lift its objection
};
/// Every rule, in the order of asking.
llvm::ArrayRef<MergeRule> mergeRules();

/// The first objection to a merge, or no rule; then `question.info` says how to merge.
struct Verdict {
  const MergeRule *rule = nullptr;
  std::string reason;
};
Verdict judge(MergeQuestion &question);
/// The same of the rules that need no crossings, which `question` may leave out.
Verdict judgeClusters(MergeQuestion &question);

} // namespace kiln::graph

#endif
