//===- OpCosts.h - what an element of an op costs, for fusion -----------------------------------------------------===//
//
// The numbers fusion weighs work against bytes with, until the cost model of a target does.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_GRAPH_FUSE_OPCOSTS_H
#define KILN_PASSES_GRAPH_FUSE_OPCOSTS_H

#include "mlir/IR/Operation.h"

namespace kiln::graph {

/// Work per element.
struct OpCost {
  unsigned weight; ///< in additions
  bool expensive;  ///< a function or a division: never computed twice to save a few bytes
};
/// Rows by op name; elementwise ops without a row are one addition, views nothing.
OpCost costOf(mlir::Operation *op);

/// One addition on an element takes as long as moving this many bytes: 8 lanes at 3 GHz against 10 GB/s and core.
inline constexpr double kBytesPerAddition = 0.25;
/// A launch takes as long as moving this many bytes.
inline constexpr double kLaunchBytes = 4096;
/// Work per element that may always be repeated.
inline constexpr unsigned kCheapWeight = 4;
/// The typical CTA tile of a matmul: its operands are read again for each tile across them.
inline constexpr int64_t kTileM = 96, kTileN = 256;

} // namespace kiln::graph

#endif
