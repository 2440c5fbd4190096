//===- Nodes.h - a function as fusion sees it --------------------------------------------------------------------===//
//
// Fusion works on nodes and the values they exchange. A node is an op that computes something, with the views that only
// say where its result is stored. Views, splat constants, index tensors and small cheap arithmetic are no nodes: they
// are copied into every kernel that reads through them, and an edge remembers the path it took through them.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_GRAPH_FUSE_NODES_H
#define KILN_PASSES_GRAPH_FUSE_NODES_H

#include "passes/graph/Fusion.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace kiln::graph {

/// Work per element that may always be repeated.
inline constexpr unsigned kCheapWeight = 4;

/// Values are numbered: node n computes value n; inputs of the function and constant tensors follow.
using ValueId = int;
using NodeId = int;

/// A node reads a value, through views.
struct Read {
  ValueId value;
  uint64_t path;       ///< which views, and which operand of an op that moves elements; 0: element by element
  int64_t bytes;       ///< of the value that are needed, each once
  int64_t evaluations; ///< elements of the value that are asked for, repetitions counted
  unsigned matmulSide; ///< 1 or 2: the left or right operand of a matmul; 0: neither
};

struct Node {
  llvm::SmallVector<mlir::Operation *, 2> ops; ///< the op, then the bijective views through which it is stored
  llvm::SmallVector<Read, 3> reads;            ///< distinct in (value, path)
  llvm::SmallVector<NodeId, 2> users;          ///< distinct
  int64_t elements = 0;                        ///< of the result
  int64_t bytes = 0;                           ///< of the result
  unsigned weight = 0;                         ///< work per element, in additions, copies of cheap ops included
  unsigned numOps = 0;                         ///< ops it brings into a kernel, at most
  bool expensive = false;                      ///< holds a function or a division
  bool returned = false;                       ///< the function returns it
  bool alias = false;                          ///< a reshape that stays outside kernels
  bool program = false;                        ///< a tile program's call: a kernel of its own, with any results
  const KernelSizes::Limit *limit = nullptr;   ///< of the nodes of its kernel; may be null

  mlir::Operation *op() const { return ops.front(); }
  mlir::Value result() const { return ops.back()->getResult(0); }
};

class NodeGraph {
public:
  /// Reads a function of decomposed ops. Reports ops that no kernel can hold.
  static mlir::FailureOr<NodeGraph> build(mlir::func::FuncOp function, bool fuse);

  std::vector<Node> nodes;                     ///< in program order
  std::vector<mlir::Value> externals;          ///< value nodes.size() + i is externals[i]
  llvm::DenseMap<mlir::Value, NodeId> returns; ///< the node that computes a returned value

  bool isNode(ValueId value) const { return value < static_cast<int>(nodes.size()); }
  /// The ops of a kernel of these nodes: nodes in program order, copied ops before their first reader, wherever the
  /// function has them, so that equal kernels look equal.
  llvm::SmallVector<mlir::Operation *> opsOf(llvm::ArrayRef<NodeId> members) const;
  /// What a kernel of this node alone stores.
  llvm::SmallVector<mlir::Value> resultsOf(NodeId node) const;
  /// Whether every kernel that reads the op's result holds a copy of the op.
  bool isCopied(mlir::Operation *op) const { return copied.contains(op); }

private:
  friend class NodeBuilder;
  llvm::DenseMap<mlir::Operation *, unsigned> copied; ///< copied ops -> weight of computing one element
};

} // namespace kiln::graph

#endif
