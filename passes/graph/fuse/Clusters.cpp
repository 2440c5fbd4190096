#include "passes/graph/fuse/Clusters.h"

#include "ir/graph/AcceptedOps.h"
#include "ir/graph/Graph.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;

namespace kiln::graph {
namespace {
/// Edges that one search for a cycle may look at. Past it the merge is refused, so that fusion stays linear.
constexpr unsigned kSearchLimit = 20000;

bool isElementwise(Operation *op) {
  const AcceptedOp *row = findAcceptedOp(op->getName().getStringRef());
  return row && row->opClass == OpClass::Elementwise;
}
} // namespace

Clusters::Clusters(const NodeGraph &graph)
    : graph(graph), clusters(graph.nodes.size()), parents(graph.nodes.size()), outside(graph.nodes.size()),
      repeated(graph.nodes.size()), sides(graph.nodes.size()), visited(graph.nodes.size()) {
  for (NodeId n = 0, end = graph.nodes.size(); n < end; ++n) {
    const Node &node = graph.nodes[n];
    Cluster &cluster = clusters[n];
    parents[n] = n;
    outside[n] = node.users.size() + node.returned;
    cluster.members.push_back(n);
    for (const Read &read : node.reads) cluster.inputs.emplace_back(read.value, read.bytes);
    llvm::sort(cluster.inputs,
               [](auto &x, auto &y) { return x.first != y.first ? x.first < y.first : x.second > y.second; });
    cluster.inputs.erase(
        std::unique(cluster.inputs.begin(), cluster.inputs.end(), [](auto &x, auto &y) { return x.first == y.first; }),
        cluster.inputs.end());
    cluster.numOps = node.numOps;
    cluster.numOutputs = 1;
    cluster.weight = node.weight;
    cluster.expensive = node.expensive;
    cluster.plain = node.ops.size() == 1 && isElementwise(node.op());
    cluster.program = node.program;
    cluster.limit = node.limit;
    if (isa<MatmulOp>(node.op())) cluster.matmul = n;
    if (isa<ReduceOp>(node.op())) cluster.reduce = n;
    cluster.rank = n;
    cluster.numReads = node.reads.size();
    cluster.numUsers = node.users.size();
  }
}

ClusterId Clusters::find(NodeId node) const {
  while (parents[node] != node) node = parents[node] = parents[parents[node]];
  return node;
}

SmallVector<Crossing> Clusters::crossings(ClusterId a, ClusterId b) const {
  SmallVector<Crossing> result;
  auto add = [&](NodeId consumer, auto &&isProducer) {
    for (const Read &read : graph.nodes[consumer].reads)
      if (graph.isNode(read.value) && isProducer(read.value)) result.push_back({read.value, consumer, &read});
  };
  if (clusters[b].numReads <= clusters[a].numUsers) {
    for (NodeId consumer : clusters[b].members) add(consumer, [&](NodeId n) { return find(n) == a; });
  } else {
    for (NodeId producer : clusters[a].members)
      for (NodeId consumer : graph.nodes[producer].users)
        if (find(consumer) == b) add(consumer, [&](NodeId n) { return n == producer; });
  }
  llvm::sort(result, [](const Crossing &x, const Crossing &y) {
    return std::tuple(x.producer, x.consumer, x.read) < std::tuple(y.producer, y.consumer, y.read);
  });
  return result;
}

/// Calls `visit(producer, uses, first)` for each producer with its number of distinct consumers.
static void forEachProducer(ArrayRef<Crossing> crossings, llvm::function_ref<void(NodeId, unsigned, int64_t)> visit) {
  for (size_t i = 0; i < crossings.size();) {
    NodeId producer = crossings[i].producer, last = -1;
    unsigned uses = 0;
    int64_t bytes = 0;
    for (; i < crossings.size() && crossings[i].producer == producer; ++i) {
      bytes = std::max(bytes, crossings[i].read->bytes);
      if (crossings[i].consumer != last) ++uses;
      last = crossings[i].consumer;
    }
    visit(producer, uses, bytes);
  }
}

int64_t Clusters::bytesSaved(ClusterId a, ClusterId b, ArrayRef<Crossing> crossings) const {
  int64_t saved = 0;
  forEachProducer(crossings, [&](NodeId producer, unsigned uses, int64_t bytes) {
    saved += bytes + (outside[producer] == uses ? graph.nodes[producer].bytes : 0);
  });
  const auto *small = &clusters[a].inputs, *large = &clusters[b].inputs;
  if (small->size() > large->size()) std::swap(small, large);
  for (auto [value, bytes] : *small) {
    auto it = llvm::lower_bound(*large, value, [](auto &entry, ValueId v) { return entry.first < v; });
    if (it != large->end() && it->first == value) saved += std::min(bytes, it->second);
  }
  return saved;
}

SmallVector<NodeId> Clusters::outputs(ClusterId a, ClusterId b, ArrayRef<Crossing> crossings) const {
  SmallVector<NodeId> inside;
  forEachProducer(crossings, [&](NodeId producer, unsigned uses, int64_t) {
    if (outside[producer] == uses) inside.push_back(producer);
  });
  SmallVector<NodeId> result;
  for (ClusterId c : {a, b})
    for (NodeId n : clusters[c].members)
      if (outside[n] && !(c == a && llvm::is_contained(inside, n))) result.push_back(n);
  llvm::sort(result);
  return result;
}

unsigned Clusters::numOperands(ClusterId a, ClusterId b, ArrayRef<Crossing> crossings) const {
  const Cluster &x = clusters[a], &y = clusters[b];
  unsigned count = x.numOutputs + y.numOutputs + x.inputs.size() + y.inputs.size();
  for (auto i = x.inputs.begin(), j = y.inputs.begin(); i != x.inputs.end() && j != y.inputs.end();) {
    count -= i->first == j->first; // read by both
    i->first <= j->first ? ++i : ++j;
  }
  forEachProducer(crossings, [&](NodeId producer, unsigned uses, int64_t) {
    count -= 1 + (outside[producer] == uses); // no input any more, and perhaps no output
  });
  return count;
}

//===- Order ------------------------------------------------------------------------------------------------------===//

Clusters::Walk Clusters::walk(ClusterId from, ClusterId to, bool down, bool bounded) {
  int low = std::min(clusters[from].rank, clusters[to].rank), high = std::max(clusters[from].rank, clusters[to].rank);
  Walk result;
  ++search;
  unsigned work = 0;
  SmallVector<ClusterId> stack = {from};
  auto step = [&](ClusterId at, NodeId node) {
    ClusterId next = find(node);
    ++work;
    if (next == to && at != from) result.paths = Paths::Through;
    if (next == to || clusters[next].rank <= low || clusters[next].rank >= high || visited[next] == search) return;
    visited[next] = search;
    result.seen.push_back(next);
    stack.push_back(next);
  };
  while (!stack.empty() && result.paths == Paths::None) {
    ClusterId at = stack.pop_back_val();
    for (NodeId member : clusters[at].members) {
      if (down)
        for (NodeId user : graph.nodes[member].users) step(at, user);
      else
        for (const Read &read : graph.nodes[member].reads)
          if (graph.isNode(read.value)) step(at, read.value);
    }
    if (bounded && work > kSearchLimit) result.paths = Paths::SearchLimit;
  }
  return result;
}

Clusters::Paths Clusters::pathsBetween(ClusterId a, ClusterId b) {
  if (clusters[a].rank > clusters[b].rank) std::swap(a, b);
  bool down = clusters[a].numUsers <= clusters[b].numReads;
  return down ? walk(a, b, true).paths : walk(b, a, false).paths;
}

void Clusters::reorder(ClusterId a, ClusterId b, ClusterId merged) {
  if (clusters[a].rank > clusters[b].rank) std::swap(a, b);
  int low = clusters[a].rank, high = clusters[b].rank;
  bool down = clusters[a].numUsers <= clusters[b].numReads;
  SmallVector<ClusterId> first = down ? walk(a, b, true, false).seen : walk(b, a, false, false).seen;
  if (first.empty()) { // nothing between depends on a (or feeds b): the merged cluster takes the place of the other
    clusters[merged].rank = down ? high : low;
    return;
  }
  SmallVector<ClusterId> after = down ? first : walk(a, b, true, false).seen;
  SmallVector<ClusterId> before = down ? walk(b, a, false, false).seen : first;
  auto byRank = [&](ClusterId x, ClusterId y) { return clusters[x].rank < clusters[y].rank; };
  llvm::sort(after, byRank);
  llvm::sort(before, byRank);
  SmallVector<int> ranks = {low, high};
  for (ClusterId c : before) ranks.push_back(clusters[c].rank);
  for (ClusterId c : after) ranks.push_back(clusters[c].rank);
  llvm::sort(ranks);
  size_t next = 0;
  for (ClusterId c : before) clusters[c].rank = ranks[next++];
  clusters[merged].rank = ranks[next];
  next += 2; // of the two ranks one is free now; those after keep to the upper part
  for (ClusterId c : after) clusters[c].rank = ranks[next++];
}

SmallVector<ClusterId> Clusters::inOrder() const {
  SmallVector<ClusterId> order;
  for (ClusterId c = 0, end = clusters.size(); c < end; ++c)
    if (parents[c] == c) order.push_back(c);
  llvm::sort(order, [&](ClusterId x, ClusterId y) { return clusters[x].rank < clusters[y].rank; });
  return order;
}

//===- Merging ----------------------------------------------------------------------------------------------------===//

ClusterId Clusters::merge(ClusterId a, ClusterId b, ArrayRef<Crossing> crossings, const MergeInfo &info) {
  for (NodeId n : clusters[a].members) {
    sides[n] |= info.sides;
    repeated[n] = (repeated[n] + 1) * (info.repeats + 1) - 1;
  }
  unsigned gone = 0;
  SmallVector<ValueId> inside;
  forEachProducer(crossings, [&](NodeId producer, unsigned uses, int64_t) {
    outside[producer] -= uses;
    gone += outside[producer] == 0;
    inside.push_back(producer);
  });
  bool keepA = clusters[a].members.size() >= clusters[b].members.size();
  ClusterId merged = keepA ? a : b, other = keepA ? b : a;
  reorder(a, b, merged);

  Cluster &to = clusters[merged];
  Cluster from = std::move(clusters[other]);
  clusters[other] = Cluster();
  parents[other] = merged;
  llvm::append_range(to.members, from.members);
  SmallVector<std::pair<ValueId, int64_t>, 4> inputs;
  std::merge(to.inputs.begin(), to.inputs.end(), from.inputs.begin(), from.inputs.end(), std::back_inserter(inputs));
  to.inputs.clear();
  for (auto &input : inputs) {
    if (std::binary_search(inside.begin(), inside.end(), input.first)) continue;
    if (!to.inputs.empty() && to.inputs.back().first == input.first)
      to.inputs.back().second = input.second;
    else
      to.inputs.push_back(input);
  }
  to.numOps += from.numOps;
  to.numOutputs += from.numOutputs - gone;
  to.weight += from.weight;
  to.expensive |= from.expensive;
  to.plain = info.plain;
  if (from.limit && (!to.limit || from.limit->most < to.limit->most)) to.limit = from.limit;
  if (from.matmul >= 0) to.matmul = from.matmul;
  if (from.reduce >= 0) to.reduce = from.reduce;
  to.numReads += from.numReads;
  to.numUsers += from.numUsers;
  return merged;
}

} // namespace kiln::graph
