// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(graph-name-kernels))' | FileCheck %s
// The name does not depend on locations, nor on an earlier name.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(graph-name-kernels))' | kiln-opt --mlir-print-debuginfo --pass-pipeline='builtin.module(func.func(graph-name-kernels))' | FileCheck %s

// CHECK-LABEL: func.func @structure
func.func @structure(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<9xf32>) -> (tensor<8xf32>, tensor<9xf32>, tensor<8xf32>) {
  // CHECK: symbol = "[[A:pointwise_[0-9a-f]{16}]]"
  %a = graph.kernel "pointwise" (%p0 = %x : tensor<8xf32>) -> tensor<8xf32> {
    %v = math.exp %p0 : tensor<8xf32>
    graph.yield %v : tensor<8xf32>
  }
  // Of another operand: the same.
  // CHECK: symbol = "[[A]]"
  %b = graph.kernel "pointwise" (%p0 = %y : tensor<8xf32>) -> tensor<8xf32> {
    %v = math.exp %p0 : tensor<8xf32>
    graph.yield %v : tensor<8xf32>
  }
  // Of another shape, and another op: other names.
  // CHECK-NOT: symbol = "[[A]]"
  %c = graph.kernel "pointwise" (%p0 = %z : tensor<9xf32>) -> tensor<9xf32> {
    %v = math.exp %p0 : tensor<9xf32>
    graph.yield %v : tensor<9xf32>
  }
  %d = graph.kernel "pointwise" (%p0 = %a : tensor<8xf32>) -> tensor<8xf32> {
    %v = math.sin %p0 : tensor<8xf32>
    graph.yield %v : tensor<8xf32>
  }
  // CHECK: math.sin
  // CHECK: symbol = "[[S:pointwise_[0-9a-f]{16}]]"
  // CHECK-NEXT: arith.subf
  %e = graph.kernel "pointwise" (%p0 = %d : tensor<8xf32>, %p1 = %b : tensor<8xf32>) -> tensor<8xf32> {
    %v = arith.subf %p0, %p1 : tensor<8xf32>
    graph.yield %v : tensor<8xf32>
  }
  // CHECK: symbol = "[[S]]"
  // CHECK-NEXT: arith.subf
  %f = graph.kernel "pointwise" (%p0 = %e : tensor<8xf32>, %p1 = %b : tensor<8xf32>) -> tensor<8xf32> {
    %v = arith.subf %p0, %p1 : tensor<8xf32>
    graph.yield %v : tensor<8xf32>
  }
  // Which operand is used where counts.
  // CHECK-NOT: symbol = "[[S]]"
  // CHECK: return
  %g = graph.kernel "pointwise" (%p0 = %f : tensor<8xf32>, %p1 = %b : tensor<8xf32>) -> tensor<8xf32> {
    %v = arith.subf %p1, %p0 : tensor<8xf32>
    graph.yield %v : tensor<8xf32>
  }
  return %g, %c, %e : tensor<8xf32>, tensor<9xf32>, tensor<8xf32>
}

// The schedule and the layouts are part of the name.
// CHECK-LABEL: func.func @scheduled
func.func @scheduled(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK: symbol = "[[P:pointwise_[0-9a-f]{16}]]"
  %0 = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    graph.yield %a : tensor<8xf32>
  }
  // CHECK-NOT: symbol = "[[P]]"
  %1 = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {schedule = #graph.schedule<"pointwise", {lanes = 8 : i64}>} {
    graph.yield %a : tensor<8xf32>
  }
  // CHECK-NOT: symbol = "[[P]]"
  %2 = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {result_layouts = [#graph.layout<strides = [2]>]} {
    graph.yield %a : tensor<8xf32>
  }
  // CHECK: return
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
