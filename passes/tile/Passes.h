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
} // namespace kiln::tile

#endif
