// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-proxies))' --split-input-file --verify-diagnostics

!A = !tile.shared<64x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x64xf32, #tile.wgmma>>
!F = tensor<64x64xbf16, #tile.wgmma>
!T = !tile.shared<64x64xbf16, swizzle = 128>

// A cluster's barrier is one for the CTA's threads, too.
tile.kernel @seen_by_the_cluster(%x: bf16, %n: index) grid 2 cluster 2 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  scf.for %i = %c0 to %n step %c1 {
    tile.store %x, %a[%i] : bf16, !A
  }
  tile.proxy_fence
  tile.cluster_barrier
  %p = tile.wgmma %a, %a transpose, %none if %false : !A, !A, !P -> !P
  %q = tile.wgmma_wait %p : !P -> tensor<64x64xf32, #tile.wgmma>
  tile.return
}

// One store in flight while the other chunk is written; slots that are known to differ need no wait.
// CHECK-LABEL: tile.kernel @in_turn_2
tile.kernel @in_turn_2(%c: !tile.global<64x64xbf16>, %x: bf16, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.splat %x : bf16 -> !F
  %chunks = tile.alloc_ring : !tile.ring<2 x !T>
  %pair = tile.alloc_ring : !tile.ring<2 x !T>
  scf.for %i = %c0 to %n step %c1 {
    %chunk = tile.slot %chunks[%i] : !tile.ring<2 x !T> -> !T
    tile.tma_store_wait 1
    tile.store_matrix %f, %chunk[%c0, %c0] : !F, !T
    tile.tma_store %chunk, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  }
  %one = tile.slot %pair[%c0] : !tile.ring<2 x !T> -> !T
  tile.store_matrix %f, %one[%c0, %c0] : !F, !T
  tile.tma_store %one, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  %two = tile.slot %pair[%c1] : !tile.ring<2 x !T> -> !T
  tile.store_matrix %f, %two[%c0, %c0] : !F, !T
  tile.tma_store %two, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  tile.tma_store_wait 0
  tile.return
}

// -----

!A = !tile.shared<64x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x64xf32, #tile.wgmma>>
!F = tensor<64x64xbf16, #tile.wgmma>
!T = !tile.shared<64x64xbf16, swizzle = 128>

tile.kernel @unseen(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  %part = tile.subtile %a[%c0, %c0] : !A -> !A
  // expected-note @below {{written here}}
  tile.store %x, %part[%c0] : bf16, !A
  tile.barrier
  tile.proxy_fence
  // expected-error @below {{'tile.wgmma': a tensor core sees what threads wrote behind a fence and a barrier}}
  // expected-note @below {{expected: tile.proxy_fence, then tile.barrier}}
  // expected-note @below {{found: a tile written without them}}
  %p = tile.wgmma %a, %a transpose, %none : !A, !A, !P -> !P
  tile.return
}

// Written for the next turn of the loop, behind the product of this one.
tile.kernel @unseen_in_turn(%x: bf16, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'tile.wgmma': a tensor core sees what threads wrote behind a fence and a barrier}}
    // expected-note @below {{expected: tile.proxy_fence, then tile.barrier}}
    // expected-note @below {{found: a tile written without them}}
    %p = tile.wgmma %a, %a transpose, %none : !A, !A, !P -> !P
    %q = tile.wgmma_wait %p : !P -> tensor<64x64xf32, #tile.wgmma>
    // expected-note @below {{written here}}
    tile.store %x, %a[%c0] : bf16, !A
    tile.barrier
  }
  tile.return
}

// Without a fence it is none for a tensor core.
tile.kernel @unfenced_by_the_cluster(%x: bf16) grid 2 cluster 2 threads 128 {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  // expected-note @below {{written here}}
  tile.store %x, %a[%c0] : bf16, !A
  tile.cluster_barrier
  // expected-error @below {{'tile.wgmma': a tensor core sees what threads wrote behind a fence and a barrier}}
  // expected-note @below {{expected: tile.proxy_fence, then tile.barrier}}
  // expected-note @below {{found: a tile written without them}}
  %p = tile.wgmma %a, %a transpose, %none : !A, !A, !P -> !P
  tile.return
}

// Two chunks in turn: the store of the turn before last must have read its own.
tile.kernel @overwritten(%c: !tile.global<64x64xbf16>, %x: bf16, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.splat %x : bf16 -> !F
  %chunks = tile.alloc_ring : !tile.ring<2 x !T>
  scf.for %i = %c0 to %n step %c1 {
    %chunk = tile.slot %chunks[%i] : !tile.ring<2 x !T> -> !T
    tile.tma_store_wait 2
    // expected-error @below {{'tile.store_matrix': a tile is written when the store before has read it}}
    // expected-note @below {{expected: a tile.tma_store_wait between, with fewer pending than there are slots}}
    // expected-note @below {{found: none}}
    tile.store_matrix %f, %chunk[%c0, %c0] : !F, !T
    // expected-note @below {{read here}}
    tile.tma_store %chunk, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  }
  tile.tma_store_wait 0
  tile.return
}
