//===- Stash.h - which values of a row are kept between its passes ------------------------------------------------===//
#ifndef KILN_PASSES_TILING_STASH_H
#define KILN_PASSES_TILING_STASH_H

#include "passes/kernel/KernelForm.h"

namespace kiln::tiling {

/// Values that one pass over a row computes and keeps for later ones: those that are dear (a function, a gather) and
/// that a later pass wants at the very same points.
struct Stash {
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<unsigned> stages; ///< the pass that computes each
};

/// Chooses within `maxBytes` a row; what does not fit is computed again in each pass.
Stash planStash(const graph::KernelForm &form, int64_t maxBytes);

} // namespace kiln::tiling

#endif
