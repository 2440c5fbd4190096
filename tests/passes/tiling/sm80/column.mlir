// RUN: kiln-opt %s --split-input-file --graph-decompose --cse --graph-fuse --tile-schedule=target=sm_80 --graph-name-kernels --tile-graph=target=sm_80 --canonicalize --cse | FileCheck %s

// 4096 rows are 32 blocks. Each of 32 warps has one, reads 8 rows of its columns together, and leaves its sum in shared
// memory; behind a barrier every warp combines all of them in a tree, and the first stores.
// CHECK: tile.kernel @column_{{.*}} grid 32 threads 1024 {
// CHECK: %[[MEET:.*]] = tile.alloc : <32x32xf32>
// CHECK: %[[WARP:.*]] = tile.warp_id
// CHECK: scf.for
// CHECK-COUNT-8: tile.load %arg0{{.*}} : !tile.global<4096x1024xf32> -> tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>
// CHECK-COUNT-8: arith.addf
// CHECK: tile.store %{{.*}}, %[[MEET]][%{{.*}}] :
// CHECK-NEXT: tile.barrier
// CHECK-COUNT-32: tile.load %[[MEET]]
// CHECK: arith.cmpi slt, %[[WARP]]
// CHECK: scf.if
// CHECK: tile.store %{{.*}}, %arg1
func.func @sums(%x: tensor<4096x1024xf32>) -> tensor<1024xf32> {
  %y = graph.reduce <sum> %x axes [0] : tensor<4096x1024xf32> -> tensor<1024xf32>
  return %y : tensor<1024xf32>
}

// -----

// Columns enough for every SM, and one block of rows: a warp has 128 columns to itself, nothing is shared.
// CHECK: tile.kernel @column_{{.*}} grid 1024 threads 256 {
// CHECK-NOT: tile.alloc
// CHECK-NOT: tile.barrier
// CHECK-COUNT-8: tile.load %arg0{{.*}} aligned 4 : !tile.global<64x1048576xf32> -> tensor<128xf32, #tile.blocked<vec = 4, threads = 32>>
// CHECK: tile.store %{{.*}} aligned 4
func.func @wide(%x: tensor<64x1048576xf32>) -> tensor<1048576xf32> {
  %y = graph.reduce <max> %x axes [0] : tensor<64x1048576xf32> -> tensor<1048576xf32>
  return %y : tensor<1048576xf32>
}

// -----

// Past 2^16 rows: piece by piece, and a barrier before the warps meet again. A warp's own blocks come in the order of the
// tree's leaves; what waits for its partner is one fragment per level.
// CHECK: tile.kernel @column_
// CHECK: scf.for {{.*}} -> (tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>) {
// CHECK: tile.barrier
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) ->
// CHECK: scf.for
// CHECK: arith.select
// CHECK: tile.barrier
// CHECK: tile.load
func.func @high(%x: tensor<140000x70xf32>) -> tensor<140000x70xf32> {
  %s = graph.reduce <sum> %x axes [0] : tensor<140000x70xf32> -> tensor<70xf32>
  %b = graph.broadcast %s dims [1] : tensor<70xf32> -> tensor<140000x70xf32>
  %y = arith.subf %x, %b : tensor<140000x70xf32>
  return %y : tensor<140000x70xf32>
}
