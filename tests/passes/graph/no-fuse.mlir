// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(graph-decompose,cse,graph-fuse{fuse=false}))' | FileCheck %s

// One kernel per op: views become copies, except reshapes, which are aliases. Splat constants stand where they are read.
// CHECK-LABEL: func.func @per_op
// CHECK-SAME: (%[[X:.*]]: tensor<4x2xf32>)
func.func @per_op(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  // CHECK: %[[T:.*]] = graph.kernel "pointwise" (%[[A:.*]] = %[[X]] : tensor<4x2xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: %[[T1:.*]] = graph.transpose %[[A]]
  // CHECK-NEXT: graph.yield %[[T1]]
  %t = graph.transpose %x perm [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  // CHECK: %[[E:.*]] = graph.kernel "pointwise" (%[[A:.*]] = %[[T]] : tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: math.exp %[[A]]
  %e = math.exp %t : tensor<2x4xf32>
  // CHECK: %[[R:.*]] = graph.reshape %[[E]] : tensor<2x4xf32> -> tensor<8xf32>
  %r = graph.reshape %e : tensor<2x4xf32> -> tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  // CHECK: %[[Y:.*]] = graph.kernel "pointwise" (%[[A:.*]] = %[[R]] : tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.0
  // CHECK-NEXT: arith.addf %[[A]], %[[ONE]]
  %y = arith.addf %r, %one : tensor<8xf32>
  // CHECK: return %[[Y]]
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-8: graph.kernel
// CHECK-NOT: graph.kernel
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.softmax %x axis 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
