// RUN: kiln-opt %s --graph-choose-programs=target=avx2 --verify-diagnostics

tile.kernel @many(%x: !tile.global<32xf32>, %y: !tile.global<32xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<32xf32> -> tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>
  tile.store %v, %y[%c0] : tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>, !tile.global<32xf32>
  tile.return
}
func.func @main(%x: tensor<32xf32>) -> tensor<32xf32> {
  // expected-error @below {{'graph.custom_kernel': the program must be one for the target, or have a reference}}
  // expected-note @below {{expected: CTAs without threads for 'avx2'}}
  // expected-note @below {{found: @many, of CTAs of 32 threads, without a reference}}
  // expected-note @below {{try: --device cuda with --target sm_80 or a newer one, or a reference region}}
  %1 = graph.custom_kernel @many(%x) : (tensor<32xf32>) -> tensor<32xf32>
  return %1 : tensor<32xf32>
}
