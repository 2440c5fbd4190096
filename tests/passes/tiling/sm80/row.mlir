// RUN: kiln-opt %s --split-input-file --graph-decompose --cse --graph-fuse --tile-schedule=target=sm_80 --graph-name-kernels --tile-graph=target=sm_80 --canonicalize --cse | FileCheck %s

// A warp has a row of 1024 bf16: one load serves both reductions and the output; nothing passes through shared memory.
// CHECK: tile.kernel @row_{{.*}} grid 8192 threads 256 {
// CHECK-NOT: scf
// CHECK-NOT: tile.alloc
// CHECK: %[[X:.*]] = tile.load %arg0[%{{.*}}] aligned 8 : !tile.global<65536x1024xbf16> -> tensor<1024xbf16, #tile.blocked<vec = 8, threads = 32>>
// CHECK-NOT: tile.load
// CHECK: tile.fold_units <max> %{{.*}} into %{{.*}} : tensor<1024xf32, #tile.blocked<vec = 8, threads = 32>>, tensor<128xf32, #tile.blocked<vec = 1, threads = 32>>
// CHECK-NEXT: tile.fold <max>
// CHECK: %[[E:.*]] = math.exp
// CHECK-NOT: math.exp
// CHECK: tile.fold_units <add> %[[E]]
// CHECK: tile.fold <add>
// CHECK: arith.divf %{{.*}} : f32
// CHECK: arith.mulf %[[E]]
// CHECK: tile.store %{{.*}} aligned 8
// CHECK-NOT: mask
// CHECK: tile.return
func.func @softmax(%x: tensor<65536x1024xbf16>) -> tensor<65536x1024xbf16> {
  %y = graph.softmax %x axis 1 : tensor<65536x1024xbf16>
  return %y : tensor<65536x1024xbf16>
}

// -----

// Lanes behind the row's end are masked and count as the combination's identity, -0 for a sum. The last CTA has fewer
// rows than warps: a guard that a warp takes as one.
// CHECK: tile.kernel @row_
// CHECK: %[[MINUS_ZERO:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[ROW]], %{{.*}} : index
// CHECK: scf.if %[[IN]] {
// CHECK: %[[MASK:.*]] = tile.lane_mask %{{.*}} aligned 4
// CHECK: %[[X:.*]] = tile.load %arg0[%{{.*}}] aligned 4 mask %[[MASK]]
// CHECK: %[[NONE:.*]] = tile.splat %[[MINUS_ZERO]] : f32 -> tensor<1024xf32
// CHECK: %[[OR:.*]] = arith.select %[[MASK]], %[[X]], %[[NONE]]
// CHECK: tile.fold_units <add> %[[OR]]
// CHECK: tile.store %{{.*}} : f32, !tile.global<4099xf32>
func.func @sums(%x: tensor<4099x1004xf32>) -> tensor<4099xf32> {
  %y = graph.reduce <sum> %x axes [1] : tensor<4099x1004xf32> -> tensor<4099xf32>
  return %y : tensor<4099xf32>
}

// -----

// A CTA has a longer row; its warps meet in shared memory, each reduction in a tile of its own.
// CHECK: tile.kernel @row_{{.*}} grid 16384 threads 128 {
// CHECK: %[[A:.*]] = tile.alloc : <512xf32>
// CHECK: %[[B:.*]] = tile.alloc : <512xf32>
// CHECK: tile.load %arg0[%{{.*}}] aligned 8 : !tile.global<16384x4096xbf16> -> tensor<4096xbf16, #tile.blocked<vec = 8, threads = 128>>
// CHECK: tile.fold <add> %{{.*}} through %[[A]]
// CHECK: tile.fold <add> %{{.*}} through %[[B]]
// CHECK: tile.load %arg1
// CHECK: tile.load %arg2
// CHECK: tile.store
func.func @layer_norm(%x: tensor<16384x4096xbf16>, %s: tensor<4096xbf16>, %b: tensor<4096xbf16>) -> tensor<16384x4096xbf16> {
  %y = graph.layer_norm %x scale %s bias %b eps 1.0e-5 : (tensor<16384x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>) -> tensor<16384x4096xbf16>
  return %y : tensor<16384x4096xbf16>
}

// -----

// 16384 elements are two fragments of all 1024 virtual lanes, folded one after the other; both stay in registers.
// CHECK: tile.kernel @row_{{.*}} grid 8192 threads 512 {
// CHECK-NOT: scf
// CHECK-COUNT-2: tile.load %arg0{{.*}} : !tile.global<8192x16384xf32> -> tensor<8192xf32, #tile.blocked<vec = 8, threads = 512>>
// CHECK-NOT: tile.load
// CHECK-COUNT-2: tile.store
func.func @shifted(%x: tensor<8192x16384xf32>) -> tensor<8192x16384xf32> {
  %m = graph.reduce <max> %x axes [1] : tensor<8192x16384xf32> -> tensor<8192xf32>
  %mb = graph.broadcast %m dims [0] : tensor<8192xf32> -> tensor<8192x16384xf32>
  %d = arith.subf %x, %mb : tensor<8192x16384xf32>
  return %d : tensor<8192x16384xf32>
}

// -----

// Past the registers, and past 2^16 elements: pieces in order, of each 8 fragments, and a barrier before the shared tile
// is used again; then the part of a piece that is left, its last fragment under a mask.
// CHECK: tile.kernel @row_
// CHECK: %[[T:.*]] = tile.alloc : <1024xf32>
// CHECK: scf.for {{.*}} -> (f32) {
// CHECK: scf.for {{.*}} -> (tensor<1024xf32
// CHECK: tile.fold_units
// CHECK: tile.barrier
// CHECK-NEXT: tile.fold <add> %{{.*}} through %[[T]]
// CHECK: arith.addf
// CHECK: tile.load {{.*}} mask
// CHECK: tile.fold_units
// CHECK: tile.barrier
// CHECK-NEXT: tile.fold <add> %{{.*}} through %[[T]]
// CHECK: arith.addf
// CHECK: tile.store
func.func @long(%x: tensor<3x200000xf32>) -> tensor<3x200000xf32> {
  %s = graph.reduce <sum> %x axes [1] : tensor<3x200000xf32> -> tensor<3xf32>
  %b = graph.broadcast %s dims [0] : tensor<3xf32> -> tensor<3x200000xf32>
  %y = arith.subf %x, %b : tensor<3x200000xf32>
  return %y : tensor<3x200000xf32>
}

// -----

// Is any true? Folded as 0 and 1.
// CHECK: tile.kernel @row_
// CHECK: arith.extui
// CHECK: tile.fold_units <max> {{.*}}xi32
// CHECK: tile.fold <max>
// CHECK: arith.cmpi ne
// CHECK: tile.store %{{.*}} : i1
func.func @any(%x: tensor<64x100xi1>) -> tensor<64xi1> {
  %y = graph.reduce <max> %x axes [1] : tensor<64x100xi1> -> tensor<64xi1>
  return %y : tensor<64xi1>
}
