// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(graph-decompose,cse,graph-fuse,graph-name-kernels))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(graph-decompose,cse,graph-fuse{fuse=false},graph-name-kernels))' | FileCheck %s --check-prefix=APART
// A tile program is a kernel of its own, between kernels that fuse as ever; what others would compute where they read
// it, a view or a constant, is stored for it.

tile.kernel @split(%x: !tile.global<?x?xf32> {tile.dims = ["N", "M"]}, %s: !tile.global<4xf32>, %y: !tile.global<?xf32> {tile.dims = ["M"]},
                   %z: !tile.global<?xf32> {tile.dims = ["N"]}) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<?x?xf32> -> f32
  %w = tile.load %s[%c0] : !tile.global<4xf32> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<?xf32>
  tile.store %w, %z[%c0] : f32, !tile.global<?xf32>
  tile.return
}

// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = graph.kernel "pointwise" (%{{.*}} = %arg0 : tensor<8x16xf32>) -> tensor<16x8xf32>
// CHECK: math.exp
// CHECK: graph.transpose
// CHECK: %[[C:.*]] = graph.kernel "pointwise" () -> tensor<4xf32>
// CHECK: %[[P:.*]]:2 = graph.kernel "custom" (%[[A:.*]] = %[[T]] : tensor<16x8xf32>, %[[B:.*]] = %[[C]] : tensor<4xf32>) -> tensor<8xf32>, tensor<16xf32>
// CHECK-SAME: symbol = "custom_split_[[HASH:[0-9a-f]+]]"
// CHECK-NEXT: %[[R:.*]]:2 = graph.custom_kernel @split(%[[A]], %[[B]])
// CHECK: graph.reduce
// CHECK: graph.yield %[[R]]#0, %[[R]]#1
// CHECK: %[[Y:.*]] = graph.kernel "pointwise" (%{{.*}} = %[[P]]#1 : tensor<16xf32>) -> tensor<16xf32>
// The same program on other shapes is the same code.
// CHECK: graph.kernel "custom"
// CHECK-SAME: symbol = "custom_split_[[HASH]]"
// CHECK: return %[[P]]#0, %[[Y]]
// APART-COUNT-2: graph.kernel "custom"
func.func @main(%x: tensor<8x16xf32>, %u: tensor<5x7xf32>) -> (tensor<8xf32>, tensor<16xf32>, tensor<7xf32>) {
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %e = math.exp %x : tensor<8x16xf32>
  %t = graph.transpose %e perm [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
  %p, %q = graph.custom_kernel @split(%t, %ones) : (tensor<16x8xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<16xf32>) reference {
  ^reference(%a: tensor<16x8xf32>, %b: tensor<4xf32>):
    %r = graph.reduce <sum> %a axes [0] : tensor<16x8xf32> -> tensor<8xf32>
    %s = graph.reduce <mean> %a axes [1] : tensor<16x8xf32> -> tensor<16xf32>
    graph.yield %r, %s : tensor<8xf32>, tensor<16xf32>
  }
  %y = math.absf %q : tensor<16xf32>
  %z = arith.negf %y : tensor<16xf32>
  %v, %w = graph.custom_kernel @split(%u, %ones) : (tensor<5x7xf32>, tensor<4xf32>) -> (tensor<7xf32>, tensor<5xf32>)
  return %p, %z, %v : tensor<8xf32>, tensor<16xf32>, tensor<7xf32>
}
