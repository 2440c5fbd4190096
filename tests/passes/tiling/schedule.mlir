// RUN: kiln-opt %s --tile-schedule | FileCheck %s
// RUN: kiln-opt %s --tile-schedule=target=avx2 | FileCheck %s --check-prefix=AVX2

// A kernel without a schedule gets its family's default, which follows the target's vectors; one that has a schedule
// keeps it.
// CHECK-LABEL: func.func @defaults
// AVX2-LABEL: func.func @defaults
func.func @defaults(%x: tensor<256x1000xf32>) -> (tensor<256x1000xf32>, tensor<256x1000xf32>, tensor<256xf32>) {
  // CHECK: graph.kernel "pointwise"
  // CHECK-SAME: schedule = #graph.schedule<"pointwise", {lanes = 64 : i64, tile = 32000 : i64}>
  // AVX2: graph.kernel "pointwise"
  // AVX2-SAME: schedule = #graph.schedule<"pointwise", {lanes = 32 : i64, tile = 32000 : i64}>
  %0 = graph.kernel "pointwise" (%a = %x : tensor<256x1000xf32>) -> tensor<256x1000xf32> {
    %v = math.exp %a : tensor<256x1000xf32>
    graph.yield %v : tensor<256x1000xf32>
  }
  // CHECK: graph.kernel "pointwise"
  // CHECK-SAME: schedule = #graph.schedule<"pointwise", {lanes = 8 : i64, tile = 4096 : i64}>
  %1 = graph.kernel "pointwise" (%a = %0 : tensor<256x1000xf32>) -> tensor<256x1000xf32> attributes {
      schedule = #graph.schedule<"pointwise", {lanes = 8 : i64, tile = 4096 : i64}>} {
    %v = math.exp %a : tensor<256x1000xf32>
    graph.yield %v : tensor<256x1000xf32>
  }
  // CHECK: graph.kernel "row"
  // CHECK-SAME: schedule = #graph.schedule<"row"
  %2 = graph.kernel "row" (%a = %1 : tensor<256x1000xf32>) -> tensor<256xf32> {
    %v = graph.reduce <sum> %a axes [1] : tensor<256x1000xf32> -> tensor<256xf32>
    graph.yield %v : tensor<256xf32>
  }
  return %0, %1, %2 : tensor<256x1000xf32>, tensor<256x1000xf32>, tensor<256xf32>
}
