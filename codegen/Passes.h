//===- Passes.h - the passes of codegen, as declared in Passes.td ------------------------------------------------===//
#ifndef KILN_CODEGEN_PASSES_H
#define KILN_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kiln::codegen {
#define GEN_PASS_DECL
#include "codegen/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "codegen/Passes.h.inc"
} // namespace kiln::codegen

#endif
