// RUN: kiln explain %s --device cuda --target sm_90a | FileCheck %s

// A matmul whose operands have odd rows: both are copied by one kernel, and both times are said.
// CHECK: 2 kernels
// CHECK: graph-align: 2 decisions
// CHECK-NEXT: #1 matmul_{{[0-9a-f]+}} operand 0, 1793x1793xbf16 (explain-unaligned.mlir:[[#@LINE + 7]])
// CHECK-NEXT: copied, row 1856, time {{.*}} us, copy {{.*}} us; not as it is, row 1793, time {{.*}} us
// CHECK-NEXT: operand 1
// CHECK-NEXT: copied, row 1856

func.func @main(%x: tensor<1793x1793xbf16> {graph.name = "x"}, %w: tensor<1793x1793xbf16> {graph.name = "w", graph.param})
    -> (tensor<1793x1793xbf16> {graph.name = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<1793x1793xbf16>, tensor<1793x1793xbf16>) -> tensor<1793x1793xbf16>
  return %0 : tensor<1793x1793xbf16>
}
