#include "passes/graph/fuse/MergeRules.h"

#include "ir/graph/Graph.h"
#include "passes/kernel/KernelForm.h"

#include "llvm/ADT/DenseSet.h"

#include <fmt/format.h>

using namespace mlir;

namespace kiln::graph {
namespace {
using Objection = std::optional<std::string>;

/// A launch takes as long as moving this many bytes.
constexpr double kLaunchBytes = 4096;
/// The typical CTA tile of a matmul: its operands are read again for each tile across them.
constexpr int64_t kTileM = 96, kTileN = 256;
/// Paths on which one value may be computed in one kernel.
constexpr unsigned kMaxRepeats = 16;

ReduceOp reduceOf(const MergeQuestion &q, const Cluster &c) { return cast<ReduceOp>(q.graph.nodes[c.reduce].op()); }

//===- Limits and anchors -----------------------------------------------------------------------------------------===//

Objection program(MergeQuestion &q) {
  if (!q.first().program && !q.second().program) return {};
  return "a tile program reads and writes memory";
}

Objection oneAnchor(MergeQuestion &q) {
  const Cluster &a = q.first(), &b = q.second();
  if (a.matmul >= 0 && b.matmul >= 0) return "each holds a matmul";
  bool both = (a.matmul >= 0 || b.matmul >= 0) && (a.reduce >= 0 || b.reduce >= 0);
  if (both) return "one holds a matmul, the other a reduction";
  return {};
}

Objection unrelated(MergeQuestion &q) {
  if (!q.crossings.empty() || (q.first().matmul < 0 && q.second().matmul < 0)) return {};
  return "they only share an input, which a matmul reads in its own order";
}

Objection oneSpace(MergeQuestion &q) {
  if (q.first().reduce < 0 || q.second().reduce < 0) return {};
  ReduceOp a = reduceOf(q, q.first()), b = reduceOf(q, q.second());
  if (shapeOf(a.getX()) == shapeOf(b.getX()) && a.getAxes() == b.getAxes()) return {};
  return fmt::format("one reduces {} axes {}, the other {} axes {}", str(a.getX().getType()), str(a.getAxes()),
                     str(b.getX().getType()), str(b.getAxes()));
}

Objection maxOps(MergeQuestion &q) {
  unsigned ops = q.first().numOps + q.second().numOps;
  if (ops <= q.options.maxOps) return {};
  return fmt::format("{} ops together, the limit is {}", ops, q.options.maxOps);
}

Objection maxOperands(MergeQuestion &q) {
  unsigned operands = q.clusters.numOperands(q.a, q.b, q.crossings);
  if (operands <= q.options.maxOperands) return {};
  return fmt::format("{} operands and results together, the limit is {}", operands, q.options.maxOperands);
}

/// What came of building a larger kernel.
Objection resources(MergeQuestion &q) {
  size_t size = q.first().members.size() + q.second().members.size();
  for (const KernelSizes::Limit *limit : {q.first().limit, q.second().limit})
    if (limit && size > limit->most)
      return fmt::format("{} of these ops are one kernel at most: {}", limit->most, limit->reason);
  return {};
}

//===- Costs ------------------------------------------------------------------------------------------------------===//

/// The sides of b's matmul for whose operands a read is made.
unsigned sidesOf(const MergeQuestion &q, const Crossing &crossing) {
  return crossing.read->matmulSide | q.clusters.matmulSide(crossing.consumer);
}

/// Times each element of an operand of the matmul is read: once per CTA tile across it.
int64_t readsPerElement(MatmulOp matmul, unsigned sides) {
  ArrayRef<int64_t> shape = shapeOf(matmul.getResult()).take_back(2);
  int64_t left = llvm::divideCeil(shape[1], kTileN), right = llvm::divideCeil(shape[0], kTileM);
  return (sides & 1 ? left : 0) + (sides & 2 ? right : 0);
}

/// What is computed for a matmul's operand is computed once per CTA tile across it: that must cost less than a store
/// and the same number of loads.
Objection prologue(MergeQuestion &q) {
  const Cluster &a = q.first(), &b = q.second();
  if (b.matmul < 0) return {};
  double reads = 0, produced = 0;
  for (const Crossing &crossing : q.crossings) {
    unsigned sides = sidesOf(q, crossing);
    if (!sides) continue;
    q.info.sides |= sides;
    const Node &node = q.graph.nodes[crossing.producer];
    auto matmul = cast<MatmulOp>(q.graph.nodes[b.matmul].op());
    double repeat = std::max(1.0, double(crossing.read->evaluations) / double(std::max<int64_t>(node.elements, 1)));
    reads = std::max(reads, repeat * double(readsPerElement(matmul, sides)));
    produced += double(node.bytes);
  }
  if (!q.info.sides) return {};
  if (a.expensive) return "functions and divisions are not computed once per tile";
  for (NodeId n : q.clusters.outputs(q.a, q.b, q.crossings))
    if (q.clusters.find(n) == q.a) return "a matmul's kernel does not store its operand for other readers";
  double inputs = 0, elements = 0;
  for (auto [value, bytes] : a.inputs) inputs += double(bytes);
  for (NodeId n : a.members) elements = std::max(elements, double(q.graph.nodes[n].elements));
  double work = q.bytesPerAddition * a.weight * elements * std::max(0.0, reads - 1);
  double together = inputs * reads + work, apart = inputs + produced * (1 + reads) + kLaunchBytes;
  if (together <= apart) return {};
  return fmt::format(
      "{:.0f} readings of its inputs and {:.0f} bytes' worth of work, {:.0f} in all, against {:.0f} bytes", reads, work,
      together, apart);
}

/// Whether a value holds one element per row of the reductions in either cluster: then it is computed once per row.
bool isPerRow(const MergeQuestion &q, NodeId n) {
  for (const Cluster *c : {&q.first(), &q.second()})
    if (c->reduce >= 0 && q.graph.nodes[n].elements == q.graph.nodes[c->reduce].elements) return true;
  return false;
}

/// Different index maps under which the nodes of b ask for a value.
unsigned mapsOf(const MergeQuestion &q, ArrayRef<Crossing> reads) {
  llvm::SmallDenseSet<uint64_t> paths;
  unsigned identity = 0, maps = 0;
  for (const Crossing &crossing : reads) {
    unsigned repeats = q.clusters.repeats(crossing.consumer);
    if (crossing.read->matmulSide) continue; // counted as a prologue
    if (crossing.read->path == 0)
      identity = std::max(identity, 1 + repeats);
    else if (repeats || paths.insert(crossing.read->path).second)
      maps += 1 + repeats;
  }
  return std::max(1u, identity + maps);
}

/// A value read through several paths is computed for each; one that is broadcast is computed for each repetition.
Objection recompute(MergeQuestion &q) {
  const Cluster &a = q.first();
  bool anchored = a.matmul >= 0 || a.reduce >= 0; // then the kernel's form sees to it
  unsigned maps = 1;
  double extra = 0;
  for (size_t i = 0; !anchored && i < q.crossings.size();) {
    size_t begin = i;
    NodeId n = q.crossings[i].producer;
    bool perRow = isPerRow(q, n);
    for (; i < q.crossings.size() && q.crossings[i].producer == n; ++i)
      if (!perRow && !q.crossings[i].read->matmulSide)
        extra = std::max(extra, double(q.crossings[i].read->evaluations - q.graph.nodes[n].elements));
    if (!perRow) maps = std::max(maps, mapsOf(q, ArrayRef(q.crossings).slice(begin, i - begin)));
  }
  q.info.repeats = maps - 1;
  if (maps > 1 && (a.expensive || maps > kMaxRepeats || (maps - 1) * a.weight > 2 * kCheapWeight))
    return fmt::format("it would be computed under {} index maps, at a weight of {}", maps, a.weight);
  double work = q.bytesPerAddition * a.weight * extra;
  bool cheap = !a.expensive && a.weight <= kCheapWeight;
  if (extra <= 0 || cheap || work <= double(q.bytesSaved) + kLaunchBytes) return {};
  return fmt::format("{:.0f} elements more to compute, {:.0f} bytes' worth of work, against {} bytes", extra, work,
                     q.bytesSaved);
}

//===- Structure --------------------------------------------------------------------------------------------------===//

Objection cycle(MergeQuestion &q) {
  if (q.clusters.pathsBetween(q.a, q.b) != Clusters::Paths::Through) return {};
  return "another kernel needs a result of the first and feeds the second";
}

Objection searchLimit(MergeQuestion &q) {
  if (q.clusters.pathsBetween(q.a, q.b) != Clusters::Paths::SearchLimit) return {};
  return "too many kernels lie between the two";
}

Objection kernelForm(MergeQuestion &q) {
  const Cluster &a = q.first(), &b = q.second();
  auto result = [&](const Cluster &c) { return q.graph.nodes[c.members.front()].result(); };
  q.info.plain = a.plain && b.plain && shapeOf(result(a)) == shapeOf(result(b)) &&
                 llvm::all_of(q.crossings, [](const Crossing &c) { return c.read->path == 0; });
  if (q.info.plain) return {};
  SmallVector<NodeId> outputs = q.clusters.outputs(q.a, q.b, q.crossings), members(a.members.begin(), a.members.end());
  bool anchored = a.matmul >= 0 || b.matmul >= 0 || a.reduce >= 0 || b.reduce >= 0;
  auto sameCount = [&](NodeId n) { return q.graph.nodes[n].elements == q.graph.nodes[outputs[0]].elements; };
  if (!anchored && llvm::all_of(outputs, sameCount)) return {}; // all that a pointwise kernel asks for
  llvm::append_range(members, b.members);
  SmallVector<Value> values;
  for (NodeId n : outputs) llvm::append_range(values, q.graph.resultsOf(n));
  std::string reason;
  if (succeeded(analyzeKernel(q.graph.opsOf(members), values, reason))) return {};
  return reason;
}

const MergeRule kRules[] = {
    {{"program", "a tile program is a kernel of its own"}, program, false},
    {{"one-anchor", "a kernel has one anchor: a matmul, or reductions"}, oneAnchor, false},
    {{"unrelated", "a matmul's kernel holds only what feeds the matmul or reads its result"}, unrelated},
    {{"one-space", "the reductions of a kernel run over one space"}, oneSpace, false},
    {{"max-ops", "a kernel holds a limited number of ops"}, maxOps, false},
    {{"resources", "a kernel's program fits a thread's registers and a CTA's memory"}, resources, false},
    {{"max-operands", "a kernel has a limited number of operands"}, maxOperands},
    {{"matmul-prologue", "computing a matmul's operand per tile must be cheaper than a trip through memory"},
     prologue,
     true,
     true},
    {{"recompute", "computing a value several times must be cheaper than a trip through memory"}, recompute},
    {{"cycle", "no path may leave a kernel and enter it again"}, cycle, true, true},
    {{"search-limit", "the search for such a path is bounded"}, searchLimit},
    {{"kernel-form", "the ops must have the form of one kernel"}, kernelForm, true, true},
};
} // namespace

ArrayRef<MergeRule> mergeRules() { return kRules; }

static Verdict ask(MergeQuestion &question, bool withCrossings) {
  for (const MergeRule &rule : kRules) {
    if (rule.needsCrossings && !withCrossings) continue;
    if (Objection objection = rule.check(question)) return {&rule, std::move(*objection)};
  }
  return {};
}

Verdict judge(MergeQuestion &question) { return ask(question, true); }
Verdict judgeClusters(MergeQuestion &question) { return ask(question, false); }

} // namespace kiln::graph
