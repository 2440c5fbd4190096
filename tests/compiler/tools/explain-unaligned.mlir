// RUN: kiln explain %s --device cuda --target sm_90a | FileCheck %s

// A matmul whose operands have odd rows: both are copied by one kernel, and both times are said.
// CHECK: 2 kernels
// CHECK: Operands with unaligned rows: 2
// CHECK-NEXT: #1 matmul_{{[0-9a-f]+}} (explain-unaligned.mlir:[[#@LINE + 7]]) operand 0, 1793x1793xbf16
// CHECK-NEXT: by copy: {{.*}} us with rows of 1793, {{.*}} us with rows of 1856 and a copy of {{.*}} us
// CHECK-NEXT: operand 1
// CHECK-NEXT: by copy

func.func @main(%x: tensor<1793x1793xbf16> {graph.name = "x"}, %w: tensor<1793x1793xbf16> {graph.name = "w", graph.param})
    -> (tensor<1793x1793xbf16> {graph.name = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<1793x1793xbf16>, tensor<1793x1793xbf16>) -> tensor<1793x1793xbf16>
  return %0 : tensor<1793x1793xbf16>
}
