// RUN: kiln explain %s | FileCheck %s
// RUN: kiln explain %s --no-fuse | FileCheck %s --check-prefix=APART

// CHECK: target cpu ({{.*}}), fused
// CHECK: matmul_{{[0-9a-f]+}} {{.*}} matmul, addf
// CHECK: row_{{[0-9a-f]+}} {{.*}} reduce x2
// CHECK: 2 kernels
// CHECK: graph-fuse: 2 decisions
// CHECK: #0 matmul_{{.*}} arith.addf (explain.mlir:[[#@LINE + 12]]) into #1 row_{{.*}} graph.reduce
// CHECK-NEXT: apart; not merged by one-anchor ({{.*}}), kept {{.*}} KB
// CHECK: one-anchor 2
// CHECK: arena
// APART: one kernel per op
// APART: 9 kernels
// APART-NOT: graph-fuse

func.func @main(%x: tensor<33x48xf32> {graph.name = "x"}, %w: tensor<48x65xf32> {graph.name = "w", graph.param},
                %b: tensor<33x65xf32> {graph.name = "b"})
    -> (tensor<33x65xf32> {graph.name = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<33x48xf32>, tensor<48x65xf32>) -> tensor<33x65xf32>
  %s = arith.addf %0, %b : tensor<33x65xf32>
  %1 = graph.softmax %s axis 1 : tensor<33x65xf32>
  return %1 : tensor<33x65xf32>
}
