// RUN: kiln-opt %s --split-input-file --graph-decompose --cse --graph-fuse --tile-schedule=target=sm_80 --graph-name-kernels --tile-graph=target=sm_80 --canonicalize --cse | FileCheck %s

// Four pieces of each of 3 rows, the last one not whole, have a CTA each. A second launch adds each row's in order and has
// the outputs. Arguments say which of the kernel's tensors they are: operands, results, workspaces.
// CHECK: tile.kernel @[[ROW:row_[0-9a-f]+]](%arg0: !tile.global<3x200000xf32> {tile.tensor = 0 : i64}, %arg1: !tile.global<3x4xf32> {tile.tensor = 2 : i64}) grid 12 threads 512 {
// CHECK: %[[CTA:.*]] = tile.cta_id
// CHECK-DAG: arith.divui %[[CTA]], %c4
// CHECK-DAG: arith.remui %[[CTA]], %c4
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.lane_mask
// CHECK: %[[PIECE:.*]] = tile.fold <add>
// CHECK: tile.store %[[PIECE]], %arg1
// CHECK: tile.kernel @[[ROW]]_1(%arg0: !tile.global<3xf32> {tile.tensor = 1 : i64}, %arg1: !tile.global<3x4xf32> {tile.tensor = 2 : i64}) grid 3 threads 32 {
// CHECK: tile.load %arg1{{.*}} mask
// CHECK: tile.barrier
// CHECK-NOT: scf.for
// CHECK-COUNT-4: tile.load %{{.*}} : !tile.shared<32xf32> -> f32
// CHECK: math.sqrt
// CHECK: tile.store %{{.*}}, %arg0
func.func @rows(%x: tensor<3x200000xf32>) -> tensor<3xf32> {
  %s = graph.reduce <sum> %x axes [1] : tensor<3x200000xf32> -> tensor<3xf32>
  %y = math.sqrt %s : tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// 64 CTAs share the 512 blocks of a piece, of which there are three. In the second launch a warp loads what all of them
// left of its piece together, and a barrier later each adds the pieces in order.
// CHECK: tile.kernel @[[COLUMN:column_[0-9a-f]+]](%arg0: !tile.global<140000x70xf32> {tile.tensor = 0 : i64}, %arg1: !tile.global<192x70xf32> {tile.tensor = 2 : i64}) grid 384 threads 256 {
// CHECK: tile.store %{{.*}}, %arg1{{.*}} aligned 2 mask
// CHECK: tile.kernel @[[COLUMN]]_1(%arg0: !tile.global<70xf32> {tile.tensor = 1 : i64}, %arg1: !tile.global<192x70xf32> {tile.tensor = 2 : i64}) grid 3 threads 128 {
// CHECK-COUNT-64: tile.load %arg1
// CHECK-NOT: tile.load %arg1
// CHECK: tile.barrier
// CHECK-COUNT-4: tile.load %{{.*}} : !tile.shared<4x32xf32>
// CHECK: scf.if
// CHECK: tile.store %{{.*}}, %arg0
func.func @columns(%x: tensor<140000x70xf32>) -> tensor<70xf32> {
  %y = graph.reduce <sum> %x axes [0] : tensor<140000x70xf32> -> tensor<70xf32>
  return %y : tensor<70xf32>
}
