// Which ops are nodes, which are copied into their readers, and what each node reads.
#include "passes/graph/fuse/Nodes.h"

#include "ir/graph/AcceptedOps.h"
#include "ir/graph/Graph.h"
#include "ir/tile/Tile.h"
#include "passes/cost/Ops.h"
#include "passes/kernel/ViewMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace kiln::graph {
namespace {
/// Views that are copied are at most this many in a row, which bounds the work of following them.
constexpr unsigned kMaxPathLength = 16;
/// Arithmetic on constants and indices alone is copied up to this weight.
constexpr unsigned kSourceFreeWeight = 8;
/// A value counts as small where each use repeats it this often.
constexpr int64_t kSmallRepeats = 8;

/// What a kernel does for a piece of a join, whichever piece an element is in: two comparisons, an and, a load, a
/// choice.
constexpr unsigned kOpsPerPiece = 5;

int64_t elementsOf(Value v) { return cast<RankedTensorType>(v.getType()).getNumElements(); }
int64_t elementBytes(Value v) { return tile::bytesOf(getElementTypeOrSelf(v)); }
int64_t bytesOf(Value v) { return elementsOf(v) * elementBytes(v); }

bool isCast(Operation *op) {
  return isa<arith::ExtFOp, arith::ExtUIOp, arith::ExtSIOp, arith::UIToFPOp, arith::SIToFPOp>(op);
}
} // namespace

/// Builds a NodeGraph in one pass over the function.
class NodeBuilder {
public:
  NodeBuilder(func::FuncOp function, bool fuse) : block(function.getBody().front()), fuse(fuse) {}

  FailureOr<NodeGraph> run() {
    for (Operation &op : block.without_terminator())
      if (failed(check(&op))) return failure();
    if (fuse) findSmallOps();
    for (Operation &op : block.without_terminator()) add(&op);
    for (Value value : block.getTerminator()->getOperands()) addReturn(value);
    for (NodeId n = 0, end = graph.nodes.size(); n < end; ++n) addReads(n);
    for (NodeId n = 0, end = graph.nodes.size(); n < end; ++n) addUsers(n);
    return std::move(graph);
  }

private:
  Block &block;
  bool fuse;
  NodeGraph graph;
  llvm::DenseMap<OperationName, const AcceptedOp *> rows;
  llvm::DenseMap<Value, NodeId> nodeOf;
  llvm::DenseMap<Value, NodeId> storedOf; ///< copied ops whose result lies in memory as well: the node that computes it
  llvm::DenseMap<Value, ValueId> externalOf;
  llvm::DenseMap<Operation *, unsigned> pathLength; ///< of copied views
  llvm::DenseSet<Operation *> smallOps, sourceFree;

  const AcceptedOp *rowOf(Operation *op) {
    auto [it, isNew] = rows.try_emplace(op->getName(), nullptr);
    if (isNew) it->second = findAcceptedOp(op->getName().getStringRef());
    return it->second;
  }
  bool isView(Operation *op) { return rowOf(op) && rowOf(op)->opClass == OpClass::View; }
  bool isElementwise(Operation *op) {
    return rowOf(op) && rowOf(op)->opClass == OpClass::Elementwise && op->getNumOperands() > 0;
  }

  LogicalResult check(Operation *op) {
    const AcceptedOp *row = rowOf(op);
    if (isa<KernelOp>(op)) return op->emitError("graph-fuse ran before: this function holds kernels");
    if (!row || row->opClass == OpClass::Structure)
      return op->emitError() << "'" << op->getName() << "' is not an op of the graph level";
    if (row->level == OpLevel::Graph)
      return op->emitError() << "'" << op->getName() << "' must be decomposed before fusion";
    if (!cost::hasOpCost(row->name))
      return op->emitError() << "'" << op->getName() << "' has no row of costs (passes/cost/Ops.cpp)";
    return success();
  }

  //===- Nodes or copies ------------------------------------------------------------------------------------------===//

  /// Cheap ops all of whose uses repeat the result many times over: computing it again where it is read costs less than
  /// a trip through memory.
  void findSmallOps() {
    auto isSmallUse = [&](Operation *producer, Operation *user) {
      if (isa<BroadcastOp>(user))
        return elementsOf(user->getResult(0)) >= kSmallRepeats * elementsOf(producer->getResult(0)) ||
               smallOps.contains(user);
      return smallOps.contains(user);
    };
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      bool mayBe = isView(&op) ||
                   (isElementwise(&op) && !cost::costOf(&op).expensive && cost::costOf(&op).weight <= kCheapWeight);
      if (mayBe && !op.use_empty() &&
          llvm::all_of(op.getUsers(), [&](Operation *user) { return isSmallUse(&op, user); }))
        smallOps.insert(&op);
    }
  }

  /// Work of computing an element of copied operands.
  unsigned copiedWeight(Operation *op) {
    unsigned weight = 0;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp()) weight += graph.copied.lookup(def);
    return weight;
  }

  void copy(Operation *op, unsigned weight) { graph.copied[op] = weight; }

  void add(Operation *op) {
    if (isa<CustomKernelOp>(op)) return addProgram(op);
    Value result = op->getResult(0);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (cast<DenseElementsAttr>(constant.getValue()).isSplat() && elementsOf(result) > 0) {
        sourceFree.insert(op);
        copy(op, 0);
      }
      return;
    }
    if (isa<IotaOp>(op)) {
      sourceFree.insert(op);
      return copy(op, 1);
    }
    if (fuse && (storeThrough(op) || copyView(op) || copyArithmetic(op))) return;
    addNode(op);
  }

  /// A tile program reads and writes memory: what others would compute where they read it has to be stored.
  void addProgram(Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp(); def && graph.copied.contains(def)) store(operand);
    graph.nodes[addNode(op)].program = true;
  }

  /// The node that stores a copied op's result; other readers hold their own copy.
  NodeId store(Value value) {
    auto [it, isNew] = storedOf.try_emplace(value, -1);
    if (isNew) it->second = addNode(value.getDefiningOp()), nodeOf.erase(value);
    return storedOf.lookup(value);
  }

  NodeId addNode(Operation *op) {
    Node node;
    node.ops.push_back(op);
    Operation *def = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr;
    node.alias = isa<ReshapeOp>(op) && !(def && graph.copied.contains(def));
    for (Value result : op->getResults()) nodeOf[result] = graph.nodes.size();
    graph.nodes.push_back(std::move(node));
    return graph.nodes.size() - 1;
  }

  /// A view that only permutes, and is the only reader of a node, changes where the node is stored.
  bool storeThrough(Operation *op) {
    if (!isView(op) || !op->getOperand(0).hasOneUse() || !layout::inverseViewMap(op)) return false;
    auto producer = nodeOf.find(op->getOperand(0));
    if (producer == nodeOf.end()) return false;
    NodeId node = producer->second;
    if (graph.nodes[node].program) return false;
    nodeOf.erase(producer);
    graph.nodes[node].ops.push_back(op);
    nodeOf[op->getResult(0)] = node;
    return true;
  }

  bool copyView(Operation *op) {
    if (!isView(op)) return false;
    Operation *def = op->getOperand(0).getDefiningOp();
    unsigned length = 1 + (def ? pathLength.lookup(def) : 0);
    if (length > kMaxPathLength) return false;
    pathLength[op] = length;
    if (def && sourceFree.contains(def)) sourceFree.insert(op);
    copy(op, copiedWeight(op));
    return true;
  }

  bool copyArithmetic(Operation *op) {
    cost::OpCost cost = cost::costOf(op);
    if (!isElementwise(op) || cost.expensive) return false;
    unsigned weight = cost.weight + copiedWeight(op), length = 0;
    bool free = true;
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      free &= def && sourceFree.contains(def);
      length = std::max(length, def ? pathLength.lookup(def) : 0);
    }
    bool widens =
        isCast(op) && !op->getResult(0).hasOneUse() && elementBytes(op->getOperand(0)) < elementBytes(op->getResult(0));
    bool cheap = (smallOps.contains(op) || widens) && weight <= kCheapWeight;
    if (length >= kMaxPathLength || !(cheap || (free && weight <= kSourceFreeWeight))) return false;
    pathLength[op] = length + 1;
    if (free) sourceFree.insert(op);
    copy(op, weight);
    return true;
  }

  void addReturn(Value value) {
    if (graph.returns.contains(value)) return;
    Operation *def = value.getDefiningOp();
    bool isCopied = def && graph.copied.contains(def);
    if (!isCopied && !nodeOf.contains(value)) return; // an input or a constant tensor is returned as it is
    NodeId node = isCopied ? store(value) : nodeOf.lookup(value);
    graph.nodes[node].returned = true;
    graph.returns[value] = node;
  }

  //===- Reads ----------------------------------------------------------------------------------------------------===//

  ValueId idOf(Value value) {
    if (auto node = nodeOf.find(value); node != nodeOf.end()) return node->second;
    auto [it, isNew] = externalOf.try_emplace(value, graph.nodes.size() + graph.externals.size());
    if (isNew) graph.externals.push_back(value);
    return it->second;
  }

  static uint64_t viewHash(Operation *op, uint64_t path) {
    return 1 | llvm::hash_combine(path, op->getName(), op->hashProperties(), op->getOperand(0).getType(),
                                  op->getResult(0).getType());
  }

  /// How `op` reads its operand `index`, before any copied op.
  Read firstStep(Operation *op, unsigned index) {
    Value operand = op->getOperand(index), result = op->getResult(0);
    uint64_t own = 1 | llvm::hash_combine(op, index);
    if (isView(op)) return {0, viewHash(op, 0), 0, elementsOf(result), 0};
    if (isa<MatmulOp>(op)) return {0, own, 0, elementsOf(operand), index + 1};
    if (isa<GatherOp, ConcatOp>(op)) return {0, own, 0, elementsOf(result), 0};
    return {0, 0, 0, elementsOf(operand), 0};
  }

  void addReads(NodeId n) {
    Node &node = graph.nodes[n];
    node.elements = elementsOf(node.result());
    for (Value result : graph.resultsOf(n)) node.bytes += bytesOf(result);
    cost::OpCost cost = cost::costOf(node.op());
    node.weight = cost.weight;
    node.expensive = cost.expensive;
    node.numOps = node.ops.size() + (isa<ConcatOp>(node.op()) ? kOpsPerPiece * node.op()->getNumOperands() : 0);
    for (auto [index, operand] : llvm::enumerate(node.op()->getOperands())) {
      if (node.program) {
        auto stored = storedOf.find(operand);
        ValueId value = stored == storedOf.end() ? idOf(operand) : stored->second;
        addRead(node, {value, 1, bytesOf(operand), elementsOf(operand), 0});
        continue;
      }
      Read first = firstStep(node.op(), index);
      follow(node, operand, first);
    }
  }

  /// Follows copied ops from an operand to the values they read.
  void follow(Node &node, Value operand, Read first) {
    struct Step {
      Value value;
      uint64_t path;
      int64_t elements; ///< the fewest elements anywhere on the path
    };
    SmallVector<Step> stack = {{operand, first.path, std::min(first.evaluations, elementsOf(operand))}};
    if (Operation *def = operand.getDefiningOp()) node.weight += graph.copied.lookup(def);
    while (!stack.empty()) {
      Step step = stack.pop_back_val();
      Operation *def = step.value.getDefiningOp();
      if (!def || !graph.copied.contains(def)) {
        addRead(node, {idOf(step.value), step.path, step.elements * elementBytes(step.value), first.evaluations,
                       first.matmulSide});
        continue;
      }
      node.numOps += !isa<arith::ConstantOp>(def); // equal constants are one op
      uint64_t path = isView(def) ? viewHash(def, step.path) : step.path;
      for (Value next : def->getOperands()) stack.push_back({next, path, std::min(step.elements, elementsOf(next))});
    }
  }

  void addRead(Node &node, const Read &read) {
    for (Read &known : node.reads)
      if (known.value == read.value && known.path == read.path) return;
    node.reads.push_back(read);
  }

  void addUsers(NodeId n) {
    for (const Read &read : graph.nodes[n].reads) {
      if (!graph.isNode(read.value)) continue;
      auto &users = graph.nodes[read.value].users;
      if (users.empty() || users.back() != n) users.push_back(n);
    }
  }
};

FailureOr<NodeGraph> NodeGraph::build(func::FuncOp function, bool fuse) { return NodeBuilder(function, fuse).run(); }

SmallVector<Value> NodeGraph::resultsOf(NodeId node) const {
  return SmallVector<Value>(nodes[node].ops.back()->getResults());
}

SmallVector<Operation *> NodeGraph::opsOf(ArrayRef<NodeId> members) const {
  SmallVector<NodeId> sorted(members);
  llvm::sort(sorted);
  SmallVector<Operation *> ops, stack;
  llvm::DenseSet<Operation *> done;
  for (NodeId n : sorted) {
    for (Operation *op : llvm::reverse(nodes[n].ops)) stack.push_back(op);
    while (!stack.empty()) {
      Operation *op = stack.back();
      size_t depth = stack.size();
      if (!done.contains(op) && !isa<CustomKernelOp>(op)) // whose operands lie in memory
        for (Value operand : llvm::reverse(op->getOperands()))
          if (Operation *def = operand.getDefiningOp(); def && isCopied(def) && !done.contains(def))
            stack.push_back(def);
      if (stack.size() > depth) continue; // operands first
      stack.pop_back();
      if (done.insert(op).second) ops.push_back(op);
    }
  }
  return ops;
}

} // namespace kiln::graph
