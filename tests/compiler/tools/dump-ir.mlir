// Every numbered dump parses, each level holds what it should, and passes that change nothing write nothing.
// RUN: rm -rf %t && kiln dump %s --dump-ir %t
// RUN: kiln-opt %t/00-graph-graph-verify.mlir | FileCheck %s --check-prefix=SOURCE
// RUN: kiln-opt %t/01-graph-graph-decompose.mlir | FileCheck %s --check-prefix=GRAPH
// RUN: kiln-opt %t/02-fused-graph-fuse.mlir -o /dev/null
// RUN: kiln-opt %t/03-fused-tile-schedule.mlir -o /dev/null
// RUN: kiln-opt %t/04-fused-graph-name-kernels.mlir | FileCheck %s --check-prefix=FUSED
// RUN: kiln-opt %t/05-tile-tile-graph.mlir -o /dev/null
// RUN: kiln-opt %t/06-tile-tile-expand-functions.mlir -o /dev/null
// RUN: kiln-opt %t/07-tile-canonicalize.mlir -o /dev/null
// RUN: kiln-opt %t/08-tile-cse.mlir -o /dev/null
// RUN: kiln-opt %t/09-tile-loop-invariant-code-motion.mlir -o /dev/null
// RUN: kiln-opt %t/10-tile-tile-assign-shared.mlir | FileCheck %s --check-prefix=TILE
// RUN: kiln-opt %t/11-llvm-cpu-lower.mlir | FileCheck %s --check-prefix=LLVM
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t/12-plan.json
// RUN: not ls %t/13-*

// SOURCE: graph.softmax
// GRAPH-NOT: graph.softmax
// GRAPH: graph.reduce <max>
// FUSED: graph.kernel "matmul"
// FUSED-SAME: schedule = #graph.schedule<"matmul"
// FUSED: graph.kernel "row"
// TILE-COUNT-2: tile.kernel @
// TILE-NOT: math.exp
// LLVM-COUNT-2: llvm.func @
// PLAN: "schema": 2
func.func @main(%x: tensor<33x48xf32> {graph.name = "x"}, %w: tensor<48x65xf32> {graph.name = "w", graph.param})
    -> (tensor<33x65xf32> {graph.name = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<33x48xf32>, tensor<48x65xf32>) -> tensor<33x65xf32>
  %1 = graph.softmax %0 axis 1 : tensor<33x65xf32>
  return %1 : tensor<33x65xf32>
}
