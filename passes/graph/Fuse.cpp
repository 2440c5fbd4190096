// graph-fuse: what together. Parts in fuse/: the function as nodes, the clusters, the rules, the kernels.
#include "passes/graph/Fusion.h"

#include "ir/graph/Graph.h"
#include "passes/Decisions.h"
#include "passes/cost/Ops.h"
#include "passes/graph/Passes.h"
#include "passes/graph/fuse/MergeRules.h"
#include "passes/graph/fuse/Outline.h"
#include "passes/kernel/KernelChecks.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <queue>

using namespace mlir;

namespace kiln::graph {
#define GEN_PASS_DEF_FUSE
#include "passes/graph/Passes.h.inc"

/// Rounds over the edges that were refused.
static constexpr int kMaxRounds = 4;
static constexpr FusionRule kRounds = {"rounds", "an edge is looked at a limited number of times"};

ArrayRef<FusionRule> fusionRules() {
  static const SmallVector<FusionRule> rules = [] {
    SmallVector<FusionRule> all = {{"on-chip", "the value, or the shared input, stays on chip"}};
    for (const MergeRule &rule : mergeRules()) all.push_back(rule.text);
    all.push_back(kRounds);
    return all;
  }();
  return rules;
}

namespace {

/// An edge that fusion decides on.
struct Candidate {
  NodeId a, b;
  bool sibling;
  int64_t edgeBytes = 0; ///< what merging these two nodes alone would save
  int64_t bytes = 0;     ///< what merging their clusters would save, as last computed
  const MergeRule *refusedBy = nullptr;
};

/// Merges clusters along candidate edges, most bytes first.
class Fuser {
public:
  Fuser(const NodeGraph &graph, Clusters &clusters, const FuseOptions &options, const Target &target)
      : graph(graph), clusters(clusters), options(options), bytesPerAddition(cost::bytesPerAddition(target)) {
    addEdges();
    addSiblings();
    for (Candidate &c : candidates) c.edgeBytes = c.bytes = ask(c).bytesSaved;
  }

  void run() {
    SmallVector<int> round;
    for (int i = 0, end = candidates.size(); i < end; ++i) round.push_back(i);
    // A merge can remove the obstacle of an edge that was refused before it.
    for (int rounds = 0; rounds < kMaxRounds && !round.empty(); ++rounds) {
      unsigned before = numMerged;
      runRound(round);
      round.clear();
      for (int i = 0, end = candidates.size(); i < end; ++i)
        if (const MergeRule *rule = candidates[i].refusedBy; rule && rule->mayLift && !together(candidates[i]))
          round.push_back(i);
      if (numMerged == before) break;
    }
  }

  unsigned merges() const { return numMerged; }

  /// The decisions on all candidates, asked again of the final clusters.
  Decisions report(ArrayRef<int> kernelOf) {
    Decisions decisions;
    llvm::DenseMap<std::pair<ClusterId, ClusterId>, DecisionOption> apart; // one answer per pair of kernels
    for (const Candidate &c : candidates) {
      std::pair pair(clusters.find(c.a), clusters.find(c.b));
      Decision decision{"graph-fuse",
                        {subject(c.a, kernelOf[pair.first]), subject(c.b, kernelOf[pair.second])},
                        c.sibling ? "beside" : "into"};
      decision.usual = together(c);
      if (decision.usual) {
        decision.chosen = {"merged",
                           "on-chip",
                           c.sibling ? "both read one input" : "the value stays on chip",
                           {{"saved", static_cast<double>(c.edgeBytes), Unit::Bytes}}};
      } else {
        auto [known, isNew] = apart.try_emplace(pair);
        if (isNew) known->second = whyApart(c);
        decision.chosen.name = "apart";
        decision.refused = {known->second};
      }
      decisions.push_back(std::move(decision));
    }
    return decisions;
  }

private:
  const NodeGraph &graph;
  Clusters &clusters;
  const FuseOptions &options;
  const double bytesPerAddition;
  std::vector<Candidate> candidates;
  unsigned numMerged = 0;

  DecisionSubject subject(NodeId node, int kernel) const {
    Operation *op = graph.nodes[node].op();
    return {op->getName().getStringRef().str(), sourceOf(op->getLoc()), kernel};
  }

  DecisionOption whyApart(const Candidate &c) {
    MergeQuestion question = ask(c);
    Verdict verdict = judge(question);
    return {"merged",
            (verdict.rule ? verdict.rule->text.name : kRounds.name).str(),
            verdict.rule ? verdict.reason : "later merges made room",
            {{"kept", static_cast<double>(question.bytesSaved), Unit::Bytes}}};
  }

  bool together(const Candidate &c) const { return clusters.find(c.a) == clusters.find(c.b); }

  void addEdges() {
    for (NodeId b = 0, end = graph.nodes.size(); b < end; ++b) {
      SmallVector<NodeId> seen;
      for (const Read &read : graph.nodes[b].reads) {
        if (!graph.isNode(read.value) || graph.nodes[b].alias || graph.nodes[read.value].alias) continue;
        if (llvm::is_contained(seen, read.value)) continue;
        seen.push_back(read.value);
        candidates.push_back({read.value, b, false});
      }
    }
  }

  /// Reductions over one space, and elementwise ops of one shape, that read the same input: neighbours in program
  /// order.
  void addSiblings() {
    llvm::DenseMap<uint64_t, NodeId> last;
    for (NodeId b = 0, end = graph.nodes.size(); b < end; ++b) {
      const Node &node = graph.nodes[b];
      auto reduce = dyn_cast<ReduceOp>(node.op());
      if (!reduce && !clusters[clusters.find(b)].plain) continue;
      for (const Read &read : node.reads) {
        if (read.path != 0 && !reduce) continue;
        ArrayRef<int64_t> shape = reduce ? shapeOf(reduce.getX()) : shapeOf(node.result());
        ArrayRef<int64_t> axes = reduce ? reduce.getAxes() : ArrayRef<int64_t>();
        uint64_t key = llvm::hash_combine(read.value, read.path, bool(reduce),
                                          llvm::hash_combine_range(shape.begin(), shape.end()),
                                          llvm::hash_combine_range(axes.begin(), axes.end()));
        auto [it, isFirst] = last.try_emplace(key >> 2, b);
        if (!isFirst && it->second != b) candidates.push_back({it->second, b, true});
        it->second = b;
      }
    }
  }

  MergeQuestion ask(const Candidate &c) {
    ClusterId a = clusters.find(c.a), b = clusters.find(c.b);
    SmallVector<Crossing> crossings = clusters.crossings(a, b);
    // Siblings may have become producer and consumer since.
    if (c.sibling && crossings.empty())
      if (auto reverse = clusters.crossings(b, a); !reverse.empty()) {
        std::swap(a, b);
        crossings = std::move(reverse);
      }
    int64_t saved = clusters.bytesSaved(a, b, crossings);
    return {graph, clusters, options, bytesPerAddition, a, b, std::move(crossings), saved};
  }

  void runRound(ArrayRef<int> round) {
    // Ties: earlier consumers first, so that clusters grow along the program; then nearer producers.
    auto later = [&](int x, int y) {
      const Candidate &p = candidates[x], &q = candidates[y];
      if (p.bytes != q.bytes) return p.bytes < q.bytes;
      if (p.b != q.b) return p.b > q.b;
      return p.a != q.a ? p.a < q.a : x > y;
    };
    std::priority_queue<int, std::vector<int>, decltype(later)> queue(later,
                                                                      std::vector<int>(round.begin(), round.end()));
    refusals.clear();
    while (!queue.empty()) {
      int i = queue.top();
      queue.pop();
      Candidate &c = candidates[i];
      if (together(c) || (c.refusedBy = refusedAtOnce(c))) continue;
      MergeQuestion question = ask(c);
      if (question.bytesSaved < c.bytes) { // others took part of what it would save
        c.bytes = question.bytesSaved;
        queue.push(i);
        continue;
      }
      c.refusedBy = judge(question).rule;
      if (c.refusedBy) {
        refusals[pairOf(c)] = {sizesOf(c), c.refusedBy};
        continue;
      }
      clusters.merge(question.a, question.b, question.crossings, question.info);
      ++numMerged;
    }
  }

  /// The last refusal of two clusters in this round, and how many members they had then.
  using Pair = std::pair<ClusterId, ClusterId>;
  struct Refusal {
    Pair sizes;
    const MergeRule *rule;
  };
  llvm::DenseMap<Pair, Refusal> refusals;

  Pair pairOf(const Candidate &c) const { return {clusters.find(c.a), clusters.find(c.b)}; }
  Pair sizesOf(const Candidate &c) const {
    auto [a, b] = pairOf(c);
    return {static_cast<int>(clusters[a].members.size()), static_cast<int>(clusters[b].members.size())};
  }
  /// What is known to object without looking at the edges between the two clusters again.
  const MergeRule *refusedAtOnce(const Candidate &c) {
    auto [a, b] = pairOf(c);
    MergeQuestion question{graph, clusters, options, bytesPerAddition, a, b, {}, 0};
    if (const MergeRule *rule = judgeClusters(question).rule) return rule;
    auto known = refusals.find({a, b});
    return known != refusals.end() && known->second.sizes == sizesOf(c) ? known->second.rule : nullptr;
  }
};

void eraseDeadOps(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator()) ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op)) op->erase();
}

struct Fuse : impl::FuseBase<Fuse>, Reporting {
  using FuseBase::FuseBase;
  Fuse(const FuseOptions &options, KernelSizes *sizes) : FuseBase(options), sizes(sizes) {}

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration()) return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError("a graph has one block");
      return signalPassFailure();
    }
    eraseDeadOps(function.getBody().front());
    FailureOr<Target> row = tiling::targetNamed(function, target);
    FailureOr<NodeGraph> graph = NodeGraph::build(function, fuse);
    if (failed(row) || failed(graph)) return signalPassFailure();
    if (sizes)
      for (const auto &[node, limit] : sizes->limits) graph->nodes[node].limit = &limit;
    Clusters clusters(*graph);
    Decisions found;
    FuseOptions options{fuse, maxOps, maxOperands, explain, target};
    std::optional<Fuser> fuser;
    if (fuse) {
      fuser.emplace(*graph, clusters, options, *row);
      fuser->run();
      numMerges += fuser->merges();
    }
    SmallVector<ClusterId> order = clusters.inOrder();
    if (fuser && (sink || explain)) found = fuser->report(kernelNumbers(*graph, clusters, order));
    if (sizes) {
      sizes->nodesOf.clear();
      for (ClusterId c : order)
        if (!isAlias(*graph, clusters, c))
          sizes->nodesOf.emplace_back(clusters[c].members.begin(), clusters[c].members.end());
    }
    if (failed(outline(function, *graph, clusters, order))) return signalPassFailure();
    numKernels += llvm::count_if(order, [&](ClusterId c) { return !isAlias(*graph, clusters, c); });
    tell(std::move(found), explain, &getContext());
  }

private:
  KernelSizes *sizes = nullptr;

  static bool isAlias(const NodeGraph &graph, const Clusters &clusters, ClusterId c) {
    return graph.nodes[clusters[c].members.front()].alias;
  }
  /// Cluster id -> number of its kernel.
  static std::vector<int> kernelNumbers(const NodeGraph &graph, const Clusters &clusters, ArrayRef<ClusterId> order) {
    std::vector<int> numbers(graph.nodes.size(), -1);
    int next = 0;
    for (ClusterId c : order)
      if (!isAlias(graph, clusters, c)) numbers[c] = next++;
    return numbers;
  }
};
} // namespace

bool KernelSizes::shrink(size_t kernel, const std::string &reason) {
  size_t size = nodesOf[kernel].size();
  for (int node : nodesOf[kernel]) limits[node] = {size > 4 ? size / 2 : size - 1, reason};
  return size > 1;
}

std::unique_ptr<Pass> createFusePass(const FuseOptions &options, KernelSizes *sizes) {
  return std::make_unique<Fuse>(options, sizes);
}

} // namespace kiln::graph
