// Ops of a tile program, found and erased: what planting a fault takes.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln::numeric {

/// Every op of a kind, in the order of the text.
template <typename Op> llvm::SmallVector<Op> all(mlir::ModuleOp module) {
  llvm::SmallVector<Op> ops;
  module.walk([&](Op op) { ops.push_back(op); });
  return ops;
}

/// Erases them; returns whether there was one.
template <typename Op> bool eraseAll(mlir::ModuleOp module) {
  llvm::SmallVector<Op> ops = all<Op>(module);
  for (Op op : ops) op->erase();
  return !ops.empty();
}

} // namespace kiln::numeric
