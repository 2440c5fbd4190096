//===- Clusters.h - nodes that will share a kernel ----------------------------------------------------------------===//
//
// A partition of the nodes into clusters, each of which becomes one kernel, with what a merge needs to know about each:
// what it reads, what it must still store, and its place in a topological order of all clusters. The order is kept up
// to date as clusters merge (after Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic
// graphs", 2006), so that asking whether a merge closes a cycle looks only at clusters that lie between the two.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_GRAPH_FUSE_CLUSTERS_H
#define KILN_PASSES_GRAPH_FUSE_CLUSTERS_H

#include "passes/graph/fuse/Nodes.h"

namespace kiln::graph {

using ClusterId = int;

struct Cluster {
  llvm::SmallVector<NodeId, 4> members; ///< in no order
  /// Values from outside, ascending, each with the bytes of it that are read.
  llvm::SmallVector<std::pair<ValueId, int64_t>, 4> inputs;
  unsigned numOps = 0;     ///< at most; copies of cheap ops counted once per reader
  unsigned numOutputs = 0; ///< values that must be stored
  unsigned weight = 0;     ///< work per element
  bool expensive = false;  ///< some op must not be computed twice
  bool plain = false;      ///< elementwise over one shape, element by element: any two of one shape are one kernel
  bool program = false;    ///< a tile program's call
  NodeId matmul = -1;      ///< the anchor, or -1
  NodeId reduce = -1;      ///< one of the anchors, or -1
  /// The least limit of the nodes of its kernel; null: none.
  const KernelSizes::Limit *limit = nullptr;
  int rank = 0;          ///< in the topological order
  unsigned numReads = 0; ///< of all members: what a search over them costs
  unsigned numUsers = 0; ///< the same, downwards
};

/// A value of one cluster that a node of another reads.
struct Crossing {
  NodeId producer;
  NodeId consumer;
  const Read *read;
};

class Clusters {
public:
  /// One cluster per node.
  explicit Clusters(const NodeGraph &graph);

  ClusterId find(NodeId node) const;
  const Cluster &operator[](ClusterId c) const { return clusters[c]; }
  /// Users of a value outside its cluster, the function's return counted as one.
  unsigned outsideUses(NodeId node) const { return outside[node]; }
  /// The side (bits 1 and 2) of the cluster's matmul for whose operand a node is computed; 0: for a result.
  unsigned matmulSide(NodeId node) const { return sides[node]; }
  /// How often a node is computed per element beyond once, because it is read through different paths.
  unsigned repeats(NodeId node) const { return repeated[node]; }

  /// The reads of values of `a` by nodes of `b`.
  llvm::SmallVector<Crossing> crossings(ClusterId a, ClusterId b) const;
  /// Bytes of traffic that merging saves: values of `a` that `b` need not load and `a` need not store, and what both
  /// read.
  int64_t bytesSaved(ClusterId a, ClusterId b, llvm::ArrayRef<Crossing> crossings) const;
  /// Values of the merged cluster that must be stored.
  llvm::SmallVector<NodeId> outputs(ClusterId a, ClusterId b, llvm::ArrayRef<Crossing> crossings) const;

  /// Operands and results of the merged cluster.
  unsigned numOperands(ClusterId a, ClusterId b, llvm::ArrayRef<Crossing> crossings) const;

  /// Which other clusters lie on a path from one of two clusters to the other.
  enum class Paths { None, Through, SearchLimit };
  /// Whether a path leads from `a` to `b` or back through a third cluster. Stops at a limit on the work.
  Paths pathsBetween(ClusterId a, ClusterId b);

  struct MergeInfo {
    bool plain;       ///< the merged cluster is plain
    unsigned repeats; ///< of nodes of `a`: see repeats()
    unsigned sides;   ///< of nodes of `a`: see matmulSide()
  };
  /// Makes one cluster of `a` and `b`, between which there must be no paths, and returns it.
  ClusterId merge(ClusterId a, ClusterId b, llvm::ArrayRef<Crossing> crossings, const MergeInfo &info);

  /// All clusters, in topological order.
  llvm::SmallVector<ClusterId> inOrder() const;

private:
  const NodeGraph &graph;
  std::vector<Cluster> clusters;
  mutable std::vector<int> parents;
  std::vector<unsigned> outside, repeated;
  std::vector<unsigned char> sides;
  std::vector<unsigned> visited; ///< the number of the search that last saw a cluster
  unsigned search = 0;

  struct Walk {
    Paths paths = Paths::None;
    llvm::SmallVector<ClusterId> seen; ///< strictly between
  };
  /// `bounded`: gives up after a number of edges. What orders the clusters must see all of them.
  Walk walk(ClusterId from, ClusterId to, bool down, bool bounded = true);
  void reorder(ClusterId a, ClusterId b, ClusterId merged);
};

} // namespace kiln::graph

#endif
