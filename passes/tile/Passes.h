//===- Passes.h - the passes of passes/tile, as declared in Passes.td --------------------------------------------===//
#ifndef KILN_PASSES_TILE_PASSES_H
#define KILN_PASSES_TILE_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kiln::tile {
#define GEN_PASS_DECL
#include "passes/tile/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/tile/Passes.h.inc"

/// The passes tile-verify-*, in their order, on a pass manager of `tile.kernel`.
void addVerifyPasses(mlir::OpPassManager &kernel);
/// Makes `tile-verify`, which is all of them, known to mlir-opt's options.
void registerTileVerify();
} // namespace kiln::tile

#endif
