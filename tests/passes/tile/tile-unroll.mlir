// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-unroll))' --split-input-file --verify-diagnostics | FileCheck %s

!F = tensor<64x128xbf16, #tile.wgmma>
!Part = tensor<64x32xbf16, #tile.wgmma>
!Chunk = !tile.shared<64x32xbf16, swizzle = 64>

// Offsets into registers become known; what a loop carries is carried on.
// CHECK-LABEL: tile.kernel @parts_2
tile.kernel @parts_2(%x: bf16) grid 1 threads 128 {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
  // CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
  // CHECK-DAG: %[[C96:.*]] = arith.constant 96 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %f = tile.splat %x : bf16 -> !F
  %t = tile.alloc : !Chunk
  // CHECK-NOT: scf.for
  // CHECK: tile.extract %{{.*}}[%[[C0]], %[[C0]]]
  // CHECK: tile.extract %{{.*}}[%[[C0]], %[[C32]]]
  // CHECK: tile.extract %{{.*}}[%[[C0]], %[[C64]]]
  // CHECK: tile.extract %{{.*}}[%[[C0]], %[[C96]]]
  %end = scf.for %j = %c0 to %c4 step %c1 iter_args(%at = %c0) -> index {
    %part = tile.extract %f[%c0, %at] : !F -> !Part
    tile.store_matrix %part, %t[%c0, %c0] : !Part, !Chunk
    %next = arith.addi %at, %c32 : index
    scf.yield %next : index
  } {tile.unroll}
  tile.return
}

// The inner loop runs as often as the outer one's index says; a loop that never runs is gone.
// CHECK-LABEL: tile.kernel @nested_2
tile.kernel @nested_2(%x: !tile.global<8xf32>, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %f = arith.constant 1.0 : f32
  // CHECK-COUNT-3: tile.store
  // CHECK-NOT: tile.store
  // CHECK: scf.for
  // CHECK-NEXT: tile.store
  // CHECK-NOT: tile.store
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      %at = arith.addi %i, %j : index
      tile.store %f, %x[%at] : f32, !tile.global<8xf32>
    } {tile.unroll}
  } {tile.unroll}
  scf.for %i = %c3 to %c3 step %c1 {
    tile.store %f, %x[%c0] : f32, !tile.global<8xf32>
  } {tile.unroll}
  scf.for %i = %c0 to %n step %c1 {
    tile.store %f, %x[%i] : f32, !tile.global<8xf32>
  }
  tile.return
}

// -----

tile.kernel @unknown(%x: !tile.global<8xf32>, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  // expected-error @below {{'scf.for': a loop with `tile.unroll` runs a number of times that is known}}
  // expected-note @below {{expected: constant bounds and step, at most 32768 times}}
  // expected-note @below {{found: a bound or step that is no constant}}
  scf.for %i = %c0 to %n step %c1 {
    tile.store %f, %x[%i] : f32, !tile.global<8xf32>
  } {tile.unroll}
  tile.return
}

tile.kernel @endless(%x: !tile.global<8xf32>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 1000000000000 : index
  %f = arith.constant 1.0 : f32
  // expected-error @below {{'scf.for': a loop with `tile.unroll` runs a number of times that is known}}
  // expected-note @below {{expected: constant bounds and step, at most 32768 times}}
  // expected-note @below {{found: 1000000000000 times}}
  scf.for %i = %c0 to %many step %c1 {
    tile.store %f, %x[%i] : f32, !tile.global<8xf32>
  } {tile.unroll}
  tile.return
}
