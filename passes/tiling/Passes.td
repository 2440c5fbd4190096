// Passes from graph kernels to tile programs, and on tile programs.

#ifndef KILN_PASSES_TILING_PASSES
#define KILN_PASSES_TILING_PASSES

include "mlir/Pass/PassBase.td"

#endif
