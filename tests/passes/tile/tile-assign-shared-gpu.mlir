// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-shared{target=sm_80}))' | FileCheck %s

!T = !tile.shared<64x64xbf16, swizzle = 128>
!U = !tile.shared<64x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x64xf32, #tile.wgmma>>
!S = !tile.shared<64x64xbf16, swizzle = 128>
!Q = !tile.pending<tensor<64x64xf32, #tile.wgmma>>

// The largest first. Alignment is 16 bytes, and a swizzle's whole period where there is one; so is every slot's.
// CHECK: tile.kernel @alignment_2({{.*}}) grid 1 threads 128 attributes {shared_bytes = 9248 : i64}
tile.kernel @alignment_2(%x: !tile.global<8xf32>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  // CHECK: tile.alloc {offset = 9216 : i64} : <3xf32>
  %a = tile.alloc : !tile.shared<3xf32>
  // CHECK: tile.alloc_ring {offset = 5120 : i64} : <2 x <9x64xbf16, swizzle = 128>>
  %r = tile.alloc_ring : !tile.ring<2 x !tile.shared<9x64xbf16, swizzle = 128>>
  // CHECK: tile.alloc {offset = 0 : i64} : <160x8xf32>
  %t = tile.alloc : !tile.shared<160x8xf32>
  // CHECK: tile.alloc {offset = 9232 : i64} : <1xf32>
  %b = tile.alloc : !tile.shared<1xf32>
  %s = tile.slot %r[%c0] : !tile.ring<2 x !tile.shared<9x64xbf16, swizzle = 128>> -> !tile.shared<9x64xbf16, swizzle = 128>
  tile.store %f, %a[%c0] : f32, !tile.shared<3xf32>
  tile.store %f, %t[%c0] : f32, !tile.shared<160x8xf32>
  tile.store %f, %b[%c0] : f32, !tile.shared<1xf32>
  tile.return
}

// Two folds follow each other: some warps still read the first tile when others write the second. The third may use the
// first's again, since the second fold is a barrier.
// CHECK: tile.kernel @folds_2({{.*}}) grid 1 threads 64 attributes {shared_bytes = 512 : i64}
tile.kernel @folds_2(%x: !tile.global<64xf32>, %y: !tile.global<3xf32>) grid 1 threads 64 {
  %c0 = arith.constant 0 : index
  // CHECK: tile.alloc {offset = 0 : i64}
  %a = tile.alloc : !tile.shared<64xf32>
  // CHECK: tile.alloc {offset = 256 : i64}
  %b = tile.alloc : !tile.shared<64xf32>
  // CHECK: tile.alloc {offset = 0 : i64}
  %c = tile.alloc : !tile.shared<64xf32>
  %v = tile.load %x[%c0] : !tile.global<64xf32> -> tensor<64xf32, #tile.blocked<vec = 1, threads = 64>>
  %p = tile.fold <add> %v through %a : !tile.shared<64xf32> : tensor<64xf32, #tile.blocked<vec = 1, threads = 64>> -> f32
  %q = tile.fold <max> %v through %b : !tile.shared<64xf32> : tensor<64xf32, #tile.blocked<vec = 1, threads = 64>> -> f32
  %r = tile.fold <min> %v through %c : !tile.shared<64xf32> : tensor<64xf32, #tile.blocked<vec = 1, threads = 64>> -> f32
  tile.return
}

// Behind a barrier memory is free again, but not while copies may still write it: they are over once waited for.
// CHECK: tile.kernel @copies_2({{.*}}) grid 1 threads 64 attributes {shared_bytes = 1536 : i64}
tile.kernel @copies_2(%x: !tile.global<16x8xf32>) grid 1 threads 64 {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %f = arith.constant 0.0 : f32
  // CHECK: tile.alloc_ring {offset = 0 : i64}
  %r = tile.alloc_ring : !tile.ring<2 x !tile.shared<16x8xf32>>
  // CHECK: tile.alloc {offset = 1024 : i64}
  %early = tile.alloc : !tile.shared<128xf32>
  // CHECK: tile.alloc {offset = 0 : i64}
  %late = tile.alloc : !tile.shared<128xf32>
  %s = tile.slot %r[%c0] : !tile.ring<2 x !tile.shared<16x8xf32>> -> !tile.shared<16x8xf32>
  tile.async_copy %x[%c0] rows 8 limit [%c16, %c16], %s : !tile.global<16x8xf32>, !tile.shared<16x8xf32>
  tile.async_commit
  tile.barrier
  tile.store %f, %early[%c0] : f32, !tile.shared<128xf32>
  tile.async_wait 0
  tile.barrier
  tile.store %f, %late[%c0] : f32, !tile.shared<128xf32>
  tile.return
}

// A barrier inside a loop that may not run is none.
// CHECK: tile.kernel @nested_2({{.*}}) grid 1 threads 64 attributes {shared_bytes = 1024 : i64}
tile.kernel @nested_2(%x: !tile.global<8xf32>) grid 1 threads 64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %a = tile.alloc : !tile.shared<128xf32>
  %b = tile.alloc : !tile.shared<128xf32>
  tile.store %f, %a[%c0] : f32, !tile.shared<128xf32>
  scf.for %i = %c0 to %c0 step %c1 {
    tile.barrier
  }
  tile.store %f, %b[%c0] : f32, !tile.shared<128xf32>
  tile.return
}

// Barriers of a ring lie behind its tiles; consumers have copies.
// CHECK: tile.kernel @roles_2({{.*}}) grid 2 cluster 2 threads 384 attributes {shared_bytes = 52256 : i64}
tile.kernel @roles_2(%a: !tile.global<64x64xbf16>) grid 2 cluster 2 threads 384 {
  %c0 = arith.constant 0 : index
  // CHECK: tile.alloc_ring readers 2 {offset = 32768 : i64}
  %ring = tile.alloc_ring readers 2 : !tile.ring<2 x !T, !tile.shared<16xf32>>
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    // CHECK: tile.alloc_ring {offset = 0 : i64}
    %chunks = tile.alloc_ring : !tile.ring<2 x !T>
    // CHECK: tile.alloc {offset = 52224 : i64}
    %scratch = tile.alloc : !tile.shared<3xf32>
  }
  tile.return
}

// What a tensor core, another CTA or a store by tensor map still reads is in use behind a barrier, too.
// CHECK: tile.kernel @open_2({{.*}}) grid 2 cluster 2 threads 128 attributes {shared_bytes = 32768 : i64}
tile.kernel @open_2(%a: !tile.global<64x64xbf16>, %x: bf16) grid 2 cluster 2 threads 128 {
  %c0 = arith.constant 0 : index
  %read = tile.alloc : !U
  %stored = tile.alloc : !U
  %far = tile.alloc : !U
  %late = tile.alloc : !U
  %none = tile.wgmma_none : !P
  %part = tile.subtile %read[%c0, %c0] : !U -> !U
  %p = tile.wgmma %part, %read transpose, %none : !U, !U, !P -> !P
  tile.tma_store %stored, %a[%c0, %c0] : !U, !tile.global<64x64xbf16>
  %remote = tile.remote %far at %c0 : !U -> !tile.remote<!U>
  tile.barrier
  tile.store %x, %late[%c0] : bf16, !U
  tile.tma_store_wait 0
  tile.return
}

// Behind a barrier a ring's memory is free once its products are done, and what the cluster reads of this CTA may lie
// there, from the barrier on. Its own barriers are made first, so that nothing lies there before.
// CHECK: tile.kernel @behind_2({{.*}}) grid 2 cluster 2 threads 128 attributes {shared_bytes = 17920 : i64}
tile.kernel @behind_2(%a: !tile.global<64x64xbf16>, %x: bf16, %n: index) grid 2 cluster 2 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: tile.alloc {offset = 17408 : i64}
  %early = tile.alloc : !tile.shared<256xbf16>
  tile.store %x, %early[%c0] : bf16, !tile.shared<256xbf16>
  tile.barrier
  // CHECK: tile.alloc_ring readers 1 {offset = 0 : i64}
  %ring = tile.alloc_ring readers 1 : !tile.ring<2 x !S>
  %none = tile.wgmma_none : !Q
  scf.for %i = %c0 to %n step %c1 {
    tile.fill %ring[%i] {
    ^slot(%t: !S, %full: !tile.mbarrier):
      tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !S
    } : !tile.ring<2 x !S>
    %t = tile.ring_wait %ring[%i] : !tile.ring<2 x !S> -> !S
    %p = tile.wgmma %t, %t transpose, %none : !S, !S, !Q -> !Q
    %q = tile.wgmma_wait %p : !Q -> tensor<64x64xf32, #tile.wgmma>
    tile.ring_release %ring[%i] : !tile.ring<2 x !S>
  }
  tile.barrier
  // CHECK: tile.alloc {offset = 0 : i64}
  %shown = tile.alloc : !S
  tile.store %x, %shown[%c0] : bf16, !S
  tile.cluster_barrier
  %theirs = tile.remote %shown at %c1 : !S -> !tile.remote<!S>
  %y = tile.load %theirs[%c0] : !tile.remote<!S> -> bf16
  tile.cluster_barrier
  tile.return
}
