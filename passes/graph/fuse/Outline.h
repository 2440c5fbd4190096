//===- Outline.h - clusters become kernels ------------------------------------------------------------------------===//
#ifndef KILN_PASSES_GRAPH_FUSE_OUTLINE_H
#define KILN_PASSES_GRAPH_FUSE_OUTLINE_H

#include "passes/graph/fuse/Clusters.h"

namespace kiln::graph {

/// Replaces the body of `function` by one graph.kernel per cluster, in `order`, and the reshapes that stay outside.
/// Fails with a diagnostic where ops are not one kernel. Frees the ops `graph` points to.
mlir::LogicalResult outline(mlir::func::FuncOp function, const NodeGraph &graph, const Clusters &clusters,
                            llvm::ArrayRef<ClusterId> order);

} // namespace kiln::graph

#endif
