// RUN: kiln-opt %s --graph-choose-programs=target=sm_90a | FileCheck %s --check-prefix=GPU
// RUN: kiln-opt %s --graph-choose-programs=target=avx2 | FileCheck %s --check-prefix=CPU

tile.kernel @many(%x: !tile.global<32xf32>, %y: !tile.global<32xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<32xf32> -> tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>
  tile.store %v, %y[%c0] : tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>, !tile.global<32xf32>
  tile.return
}
// GPU-LABEL: func.func @main
// GPU: graph.custom_kernel @many
// CPU-LABEL: func.func @main(%arg0
// CPU-NEXT: %[[E:.*]] = math.exp %arg0
// CPU-NEXT: %[[F:.*]] = arith.addf %[[E]], %[[E]]
// CPU-NEXT: return %[[F]]
func.func @main(%x: tensor<32xf32>) -> tensor<32xf32> {
  %0 = math.exp %x : tensor<32xf32>
  %1 = graph.custom_kernel @many(%0) : (tensor<32xf32>) -> tensor<32xf32> reference {
  ^reference(%a: tensor<32xf32>):
    %2 = arith.addf %a, %a : tensor<32xf32>
    graph.yield %2 : tensor<32xf32>
  }
  return %1 : tensor<32xf32>
}
