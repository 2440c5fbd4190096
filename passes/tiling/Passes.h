//===- Passes.h - the passes of passes/tiling, as declared in Passes.td -------------------------------------------===//
#ifndef KILN_PASSES_TILING_PASSES_H
#define KILN_PASSES_TILING_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kiln::tiling {
#define GEN_PASS_DECL
#include "passes/tiling/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/tiling/Passes.h.inc"
} // namespace kiln::tiling

#endif
