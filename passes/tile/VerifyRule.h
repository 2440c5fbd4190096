//===- VerifyRule.h - what the rules of tile-verify share ---------------------------------------------------------===//
//
// Each rule is a pass of its own: it changes nothing, reports the first op that breaks it, and refuses no program that
// is right. What it cannot decide it lets pass.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_TILE_VERIFYRULE_H
#define KILN_PASSES_TILE_VERIFYRULE_H

#include "ir/tile/Tile.h"
#include "passes/tile/Passes.h"

namespace kiln::tile {

/// Holds each op of a kernel to `check`, up to the first that breaks it.
template <typename Check> llvm::LogicalResult checkEach(KernelOp kernel, Check check) {
  auto visit = [&](mlir::Operation *op) { return mlir::WalkResult(check(op)); };
  return llvm::failure(kernel.getBody().walk(visit).wasInterrupted());
}

/// A pass that holds programs of many threads to `check`.
template <typename Base, llvm::LogicalResult (*check)(KernelOp)> struct Rule : Base {
  void runOnOperation() override {
    KernelOp kernel = this->getOperation();
    if (kernel.getThreads() && failed(check(kernel))) return this->signalPassFailure();
    this->markAllAnalysesPreserved();
  }
};

} // namespace kiln::tile

#endif
