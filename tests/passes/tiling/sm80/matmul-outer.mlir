// RUN: kiln-opt %s --split-input-file --tile-schedule=target=sm_90a --tile-graph=target=sm_90a --canonicalize --cse | FileCheck %s

// f32: outer products over shared tiles that lie k by k; a, whose rows run along k, is turned on its way there. The
// last block has only the k's that exist: 36 of 64, 32 of them unrolled.
// CHECK-LABEL: tile.kernel @matmul_outer
// CHECK-SAME: grid 1 threads 64
// CHECK: tile.alloc_ring : <2 x <32x68xf32>>
// CHECK: tile.scatter %{{.*}} : tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>, !tile.shared<32x68xf32>
// CHECK: tile.store %{{.*}} : tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>, !tile.shared<32x68xf32>
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %c4
// CHECK-NEXT: tile.barrier
// CHECK: tile.load %arg0
// CHECK: tile.load %arg1
// CHECK: %[[DEPTH:.*]] = arith.minsi %{{.*}}, %c32
// CHECK: arith.divui %[[DEPTH]], %c8
// CHECK-NEXT: %[[WHOLE:.*]] = arith.muli
// CHECK: %[[MOST:.*]] = scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c8
// CHECK-COUNT-8: = tile.mma %
// CHECK-NOT: = tile.mma %
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[DEPTH]] step %c1 iter_args(%{{.*}} = %[[MOST]])
// CHECK: = tile.mma %
// CHECK: tile.scatter
// CHECK: scf.yield
// CHECK: tile.alloc : <64x72xf32>
func.func @outer(%x: tensor<64x100xf32>, %w: tensor<100x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.kernel "matmul" (%a = %x : tensor<64x100xf32>, %c = %w : tensor<100x64xf32>) -> tensor<64x64xf32> attributes {symbol = "matmul_outer", schedule = #graph.schedule<"matmul", {bm = 64, bn = 64, threadsM = 8, threadsN = 8}>} {
    %1 = graph.matmul %a, %c : (tensor<64x100xf32>, tensor<100x64xf32>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}
