#include "passes/graph/fuse/Outline.h"

#include "ir/graph/Graph.h"
#include "passes/kernel/KernelForm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln::graph {
namespace {

class Outliner {
public:
  Outliner(func::FuncOp function, const NodeGraph &graph, const Clusters &clusters)
      : block(function.getBody().front()), graph(graph), clusters(clusters), builder(block.getTerminator()) {
    for (Operation &op : block.without_terminator()) old.push_back(&op);
  }

  LogicalResult run(ArrayRef<ClusterId> order) {
    for (ClusterId c : order) {
      const Node &node = graph.nodes[clusters[c].members.front()];
      if (node.alias) {
        Operation *copy = builder.clone(*node.op(), outer);
        outer.map(node.result(), copy->getResult(0));
      } else if (failed(addKernel(c))) {
        return failure();
      }
    }
    for (OpOperand &operand : block.getTerminator()->getOpOperands())
      if (graph.returns.contains(operand.get())) operand.set(outer.lookup(operand.get()));
    eraseOld();
    return success();
  }

private:
  Block &block;
  const NodeGraph &graph;
  const Clusters &clusters;
  OpBuilder builder;
  IRMapping outer; ///< values of nodes -> results of kernels
  SmallVector<Operation *> old;

  LogicalResult addKernel(ClusterId c) {
    SmallVector<NodeId> members(clusters[c].members.begin(), clusters[c].members.end());
    llvm::sort(members);
    SmallVector<Operation *> ops = graph.opsOf(members);
    SmallVector<Value> outputs;
    bool program = graph.nodes[members.front()].program;
    for (NodeId n : members)
      if (program || clusters.outsideUses(n)) llvm::append_range(outputs, graph.resultsOf(n));
    StringRef kind = kCustomKind;
    if (!program) {
      std::string reason;
      FailureOr<KernelForm> form = analyzeKernel(ops, outputs, reason);
      if (failed(form)) return ops.front()->emitError("no kernel can compute this: ") << reason;
      kind = kindName(form->kind);
    }
    KernelOp kernel = create(ops, outputs, kind);
    for (auto [value, result] : llvm::zip(outputs, kernel.getOutputs())) outer.map(value, result);
    return success();
  }

  KernelOp create(ArrayRef<Operation *> ops, ArrayRef<Value> outputs, StringRef kind) {
    llvm::SmallDenseSet<Operation *> inside(ops.begin(), ops.end());
    llvm::SetVector<Value> inputs;
    SmallVector<Location> locations;
    for (Operation *op : ops) {
      locations.push_back(op->getLoc());
      for (Value operand : op->getOperands())
        if (!operand.getDefiningOp() || !inside.contains(operand.getDefiningOp())) inputs.insert(operand);
    }
    OperationState state(builder.getFusedLoc(locations), KernelOp::getOperationName());
    for (Value input : inputs) state.addOperands(outer.lookupOrDefault(input));
    for (Value output : outputs) state.addTypes(output.getType());
    state.addAttribute("kind", builder.getStringAttr(kind));
    Block *body = new Block;
    state.addRegion()->push_back(body);
    auto kernel = cast<KernelOp>(builder.create(state));

    IRMapping inner;
    for (Value input : inputs) inner.map(input, body->addArgument(input.getType(), input.getLoc()));
    auto at = OpBuilder::atBlockEnd(body);
    for (Operation *op : ops) at.clone(*op, inner);
    SmallVector<Value> yields;
    for (Value output : outputs) yields.push_back(inner.lookup(output));
    YieldOp::create(at, kernel.getLoc(), yields);
    return kernel;
  }

  /// What the function returns as it is, or a kernel reads whole, stays: constant tensors.
  void eraseOld() {
    for (Operation *op : llvm::reverse(old))
      if (op->use_empty()) op->erase();
  }
};
} // namespace

LogicalResult outline(func::FuncOp function, const NodeGraph &graph, const Clusters &clusters,
                      ArrayRef<ClusterId> order) {
  return Outliner(function, graph, clusters).run(order);
}

} // namespace kiln::graph
