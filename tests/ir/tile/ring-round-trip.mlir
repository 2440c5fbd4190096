// RUN: kiln-opt %s | FileCheck %s

// Releases that are in order, in the shapes that programs have them.

!T = !tile.shared<64x64xbf16, swizzle = 128>
!Ring = !tile.ring<4 x !T>
!F = tensor<64x64xf32, #tile.wgmma>
!P = !tile.pending<!F>

// Read in an inner loop that waits for its products, released behind it; meanwhile another ring's slots come and go.
// CHECK-LABEL: tile.kernel @outer
tile.kernel @outer(%n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %qs = tile.alloc_ring readers 1 : !Ring
  %ks = tile.alloc_ring readers 1 : !Ring
  %none = tile.wgmma_none : !P
  scf.for %i = %c0 to %n step %c1 {
    %q = tile.ring_wait %qs[%i] : !Ring -> !T
    %base = arith.muli %i, %n : index
    %first = tile.ring_wait %ks[%base] : !Ring -> !T
    %p0 = tile.wgmma %q, %first transpose, %none : !T, !T, !P -> !P
    %f0 = tile.wgmma_wait %p0 : !P -> !F
    tile.ring_release %ks[%base] : !Ring
    scf.for %j = %c1 to %n step %c1 {
      %at = arith.addi %base, %j : index
      %k = tile.ring_wait %ks[%at] : !Ring -> !T
      %p1 = tile.wgmma %q, %k transpose, %none : !T, !T, !P -> !P
      // A younger group, of other tiles, is left in flight.
      %p2 = tile.wgmma %q, %q transpose, %none : !T, !T, !P -> !P
      %f1 = tile.wgmma_wait %p1 in_flight 1 : !P -> !F
      tile.ring_release %ks[%at] : !Ring
      %f2 = tile.wgmma_wait %p2 : !P -> !F
    }
    // CHECK: tile.ring_release
    tile.ring_release %qs[%i] : !Ring
  }
  tile.return
}

// The iteration before, which the end of the loop has waited for.
// CHECK-LABEL: tile.kernel @late
tile.kernel @late(%n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ks = tile.alloc_ring readers 1 : !Ring
  %none = tile.wgmma_none : !P
  scf.for %i = %c0 to %n step %c1 {
    %k = tile.ring_wait %ks[%i] : !Ring -> !T
    %before = arith.subi %i, %c1 : index
    %more = arith.cmpi ne, %i, %c0 : index
    // CHECK: tile.ring_release
    tile.ring_release %ks[%before] if %more : !Ring
    %p = tile.wgmma %k, %k transpose, %none : !T, !T, !P -> !P
    %f = tile.wgmma_wait %p : !P -> !F
  }
  tile.return
}

// Loaded by threads, which have met since.
// CHECK-LABEL: tile.kernel @loaded
!Row = !tile.shared<256xf32>
tile.kernel @loaded(%n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %rows = tile.alloc_ring readers 1 : !tile.ring<2 x !Row>
  %row = tile.ring_wait %rows[%n] : !tile.ring<2 x !Row> -> !Row
  %x = tile.load %row[%c0] : !Row -> tensor<256xf32, #tile.blocked<vec = 2, threads = 128>>
  tile.barrier
  // CHECK: tile.ring_release
  tile.ring_release %rows[%n] : !tile.ring<2 x !Row>
  tile.return
}

// Read by threads, which synchronise with those of the cluster.
// CHECK-LABEL: tile.kernel @clustered
tile.kernel @clustered(%y: !tile.global<256xf32>) grid 2 cluster 2 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !tile.shared<256xf32>>
  %t = tile.ring_wait %r[%c0] : !tile.ring<2 x !tile.shared<256xf32>> -> !tile.shared<256xf32>
  %v = tile.load %t[%c0] : !tile.shared<256xf32> -> tensor<256xf32, #tile.blocked<vec = 2, threads = 128>>
  tile.cluster_barrier
  // CHECK: tile.ring_release
  tile.ring_release %r[%c0] : !tile.ring<2 x !tile.shared<256xf32>>
  tile.return
}
