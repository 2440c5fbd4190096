// RUN: kiln-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --pass-pipeline='builtin.module(tile.kernel(tile-unroll))' --split-input-file --verify-diagnostics

!T = !tile.shared<64x64xbf16, swizzle = 128>
!H = !tile.shared<32x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x64xf32, #tile.wgmma>>
!F = tensor<64x64xf32, #tile.wgmma>
!P2 = !tile.pending<!F>
!T2 = !tile.shared<256xf32>
!F2 = tensor<256xf32, #tile.blocked<vec = 2, threads = 128>>

tile.kernel @k() grid 1 threads 128 {
  // expected-error @below {{'tile.alloc_ring' (C1): a slot is read by a few warpgroups}}
  // expected-note @below {{expected: 1 to 8}}
  // expected-note @below {{found: 0}}
  %r = tile.alloc_ring readers 0 : !tile.ring<2 x !T>
  tile.return
}

tile.kernel @k_2() grid 2 cluster 2 threads 128 {
  // expected-error @below {{'tile.alloc_ring' (C2): slots are filled by other CTAs where there are any, behind barriers}}
  // expected-note @below {{expected: `readers`, and a cluster of more than one CTA}}
  // expected-note @below {{found: no `readers`, a cluster of 2}}
  %r = tile.alloc_ring multicast : !tile.ring<2 x !T>
  tile.return
}

tile.kernel @k_3() grid 2 threads 128 {
  // expected-error @below {{'tile.alloc_ring' (C2): slots are filled by other CTAs where there are any, behind barriers}}
  // expected-note @below {{expected: `readers`, and a cluster of more than one CTA}}
  // expected-note @below {{found: a cluster of 1}}
  %r = tile.alloc_ring readers 1 multicast : !tile.ring<2 x !T>
  tile.return
}

tile.kernel @k_4() grid 1 threads 256 {
  tile.specialize producer registers 40 {
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    // expected-error @below {{'tile.alloc_ring' (C3): barriers are made before roles part}}
    // expected-note @below {{expected: in the kernel's own block}}
    // expected-note @below {{found: in another}}
    %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  }
  tile.return
}

tile.kernel @k_5() grid 1 threads 384 {
  // expected-error @below {{'tile.alloc_ring' (C4): as many release a slot as its barrier counts}}
  // expected-note @below {{expected: at most 2 readers, the warpgroups that there are}}
  // expected-note @below {{found: 3}}
  %r = tile.alloc_ring readers 3 : !tile.ring<2 x !T>
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
  }
  tile.return
}

tile.kernel @k_6(%a: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring : !tile.ring<2 x !T>
  // expected-error @below {{'tile.fill' (C1): the ring must have barriers}}
  // expected-note @below {{expected: a tile.alloc_ring with `readers`}}
  // expected-note @below {{found: one without}}
  tile.fill %r[%c0] {
  ^slot(%t: !T, %full: !tile.mbarrier):
    tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !T
  } : !tile.ring<2 x !T>
  tile.return
}

tile.kernel @k_7(%a: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T, !T>
  // expected-error @below {{'tile.fill' (C2): the block takes the slot's tiles and its barrier}}
  // expected-note @below {{expected: !tile.shared<64x64xbf16, swizzle = 128>, !tile.shared<64x64xbf16, swizzle = 128>, !tile.mbarrier}}
  // expected-note @below {{found: !tile.shared<64x64xbf16, swizzle = 128>, !tile.mbarrier}}
  tile.fill %r[%c0] {
  ^slot(%t: !T, %full: !tile.mbarrier):
    tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !T
  } : !tile.ring<2 x !T, !T>
  tile.return
}

// The second tile is never filled: its readers would wait for ever.
tile.kernel @k_8(%a: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T, !T>
  // expected-error @below {{'tile.fill' (C3): the copies fill tile 1 of the slot, each byte once}}
  // expected-note @below {{expected: 8192 bytes}}
  // expected-note @below {{found: 0 bytes}}
  tile.fill %r[%c0] {
  ^slot(%t: !T, %u: !T, %full: !tile.mbarrier):
    tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !T
  } : !tile.ring<2 x !T, !T>
  tile.return
}

// Each of two CTAs fills half of a tile: the copies must go to both.
tile.kernel @k_9(%a: !tile.global<64x64xbf16>) grid 2 cluster 2 threads 128 {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1 : i16
  %rank = tile.cluster_rank
  %row = arith.muli %rank, %c32 : index
  %r = tile.alloc_ring readers 1 multicast : !tile.ring<2 x !T>
  // expected-error @below {{'tile.fill' (C3): the copies fill tile 0 of the slot, each byte once}}
  // expected-note @below {{expected: 8192 bytes}}
  // expected-note @below {{found: 4096 bytes}}
  tile.fill %r[%c0] {
  ^slot(%t: !T, %full: !tile.mbarrier):
    %half = tile.subtile %t[%row, %c0] : !T -> !H
    tile.tma_load %a[%row, %c0], %half signal %full multicast %one : !tile.global<64x64xbf16>, !H
  } : !tile.ring<2 x !T>
  tile.return
}

tile.kernel @k_10(%a: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  // expected-error @below {{'tile.fill' (C4): a fill does nothing but copy}}
  // expected-note @below {{expected: tile.tma_load, tile.bulk_load and pure ops}}
  // expected-note @below {{found: tile.barrier}}
  tile.fill %r[%c0] {
  ^slot(%t: !T, %full: !tile.mbarrier):
    tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !T
    tile.barrier
  } : !tile.ring<2 x !T>
  tile.return
}

tile.kernel @k_11(%a: !tile.global<64x64xbf16>) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  tile.specialize producer registers 40 {
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    // expected-error @below {{'tile.fill' (C5): one thread of the CTA fills}}
    // expected-note @below {{expected: the `producer`, or a kernel without roles}}
    // expected-note @below {{found: a fill in `consumers`}}
    tile.fill %r[%c0] {
    ^slot(%t: !T, %full: !tile.mbarrier):
      tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !T
    } : !tile.ring<2 x !T>
  }
  tile.return
}

tile.kernel @k_12() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring : !tile.ring<2 x !T>
  // expected-error @below {{'tile.ring_wait' (C1): the ring must have barriers}}
  // expected-note @below {{expected: a tile.alloc_ring with `readers`}}
  // expected-note @below {{found: one without}}
  %t = tile.ring_wait %r[%c0] : !tile.ring<2 x !T> -> !T
  tile.return
}

tile.kernel @k_13() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T, !T>
  // expected-error @below {{'tile.ring_wait' (C2): a slot is the ring's tiles}}
  // expected-note @below {{expected: !tile.shared<64x64xbf16, swizzle = 128>, !tile.shared<64x64xbf16, swizzle = 128>}}
  // expected-note @below {{found: !tile.shared<64x64xbf16, swizzle = 128>}}
  %t = tile.ring_wait %r[%c0] : !tile.ring<2 x !T, !T> -> !T
  tile.return
}

tile.kernel @k_14() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring : !tile.ring<2 x !T>
  // expected-error @below {{'tile.ring_release' (C1): the ring must have barriers}}
  // expected-note @below {{expected: a tile.alloc_ring with `readers`}}
  // expected-note @below {{found: one without}}
  tile.ring_release %r[%c0] : !tile.ring<2 x !T>
  tile.return
}

// Released as soon as it is read from, before the products are done.
tile.kernel @k_15() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  %none = tile.wgmma_none : !P
  %t = tile.ring_wait %r[%c0] : !tile.ring<2 x !T> -> !T
  %p = tile.wgmma %t, %t transpose, %none : !T, !T, !P -> !P
  // expected-error @below {{'tile.ring_release' (C2): what tile.wgmma reads of the slot must have been waited for}}
  // expected-note @below {{expected: a tile.wgmma_wait before, with fewer in flight than were started since}}
  // expected-note @below {{found: none}}
  // expected-note @below {{try: tile.wgmma_wait with `in_flight` 0, or the release of an earlier iteration}}
  tile.ring_release %r[%c0] : !tile.ring<2 x !T>
  tile.return
}

// The group that reads the slot may be the one that is left in flight.
tile.kernel @k_16() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  %none = tile.wgmma_none : !P
  %t = tile.ring_wait %r[%c0] : !tile.ring<2 x !T> -> !T
  %half = tile.subtile %t[%c0, %c0] : !T -> !T
  %p = tile.wgmma %half, %t transpose, %none : !T, !T, !P -> !P
  %q = tile.wgmma_wait %p in_flight 1 : !P -> !P
  // expected-error @below {{'tile.ring_release' (C2): what tile.wgmma reads of the slot must have been waited for}}
  // expected-note @below {{expected: a tile.wgmma_wait before, with fewer in flight than were started since}}
  // expected-note @below {{found: none}}
  // expected-note @below {{try: tile.wgmma_wait with `in_flight` 0, or the release of an earlier iteration}}
  tile.ring_release %r[%c0] : !tile.ring<2 x !T>
  tile.return
}

// A slot that a loop carries is read under another name.
tile.kernel @k_17(%n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  %none = tile.wgmma_none : !P2
  %t0 = tile.ring_wait %r[%c0] : !tile.ring<2 x !T> -> !T
  %end = scf.for %i = %c1 to %n step %c1 iter_args(%t = %t0) -> (!T) {
    %p = tile.wgmma %t, %t transpose, %none : !T, !T, !P2 -> !P2
    %before = arith.subi %i, %c1 : index
    // expected-error @below {{'tile.ring_release' (C2): what tile.wgmma reads of the slot must have been waited for}}
    // expected-note @below {{expected: a tile.wgmma_wait before, with fewer in flight than were started since}}
    // expected-note @below {{found: none}}
    // expected-note @below {{try: tile.wgmma_wait with `in_flight` 0, or the release of an earlier iteration}}
    tile.ring_release %r[%before] : !tile.ring<2 x !T>
    %f = tile.wgmma_wait %p : !P2 -> !F
    %t1 = tile.ring_wait %r[%i] : !tile.ring<2 x !T> -> !T
    scf.yield %t1 : !T
  }
  tile.return
}

// Loops whose results are not what they carry hand tiles on, too.
tile.kernel @k_18(%b: i1) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  %none = tile.wgmma_none : !P
  %t0 = tile.ring_wait %r[%c0] : !tile.ring<2 x !T> -> !T
  %e:2 = scf.while (%t = %t0) : (!T) -> (!T, !T) {
    scf.condition(%b) %t, %t0 : !T, !T
  } do {
  ^again(%u: !T, %v: !T):
    scf.yield %u : !T
  }
  %p = tile.wgmma %t0, %t0 transpose, %none : !T, !T, !P -> !P
  // expected-error @below {{'tile.ring_release' (C2): what tile.wgmma reads of the slot must have been waited for}}
  // expected-note @below {{expected: a tile.wgmma_wait before, with fewer in flight than were started since}}
  // expected-note @below {{found: none}}
  // expected-note @below {{try: tile.wgmma_wait with `in_flight` 0, or the release of an earlier iteration}}
  tile.ring_release %r[%c0] : !tile.ring<2 x !T>
  tile.return
}

// One group an iteration, two left in flight: that of the iteration before may not be done.
tile.kernel @k_19(%n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<4 x !T>
  %none = tile.wgmma_none : !P
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> !P {
    %t = tile.ring_wait %r[%i] : !tile.ring<4 x !T> -> !T
    %p = tile.wgmma %t, %t transpose, %acc : !T, !T, !P -> !P
    %q = tile.wgmma_wait %p in_flight 2 : !P -> !P
    %before = arith.subi %i, %c1 : index
    // expected-error @below {{'tile.ring_release' (C2): what tile.wgmma reads of the slot must have been waited for}}
    // expected-note @below {{expected: a tile.wgmma_wait before, with fewer in flight than were started since}}
    // expected-note @below {{found: none}}
    // expected-note @below {{try: tile.wgmma_wait with `in_flight` 0, or the release of an earlier iteration}}
    tile.ring_release %r[%before] : !tile.ring<4 x !T>
    scf.yield %q : !P
  }
  tile.return
}

tile.kernel @k_20(%y: !tile.global<256xf32>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T2>
  %t = tile.ring_wait %r[%c0] : !tile.ring<2 x !T2> -> !T2
  %v = tile.load %t[%c0] : !T2 -> !F2
  // expected-error @below {{'tile.ring_release' (C3): the warpgroup's threads must have read the slot}}
  // expected-note @below {{expected: a tile.barrier behind the loads}}
  // expected-note @below {{found: none}}
  tile.ring_release %r[%c0] : !tile.ring<2 x !T2>
  tile.return
}

tile.kernel @in_flight(%n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<1 x !T>
  %t = tile.ring_wait %r[%c0] : !tile.ring<1 x !T> -> !T
  %none = tile.wgmma_none : !P
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> !P {
    %p = tile.wgmma %t, %t transpose, %acc : !T, !T, !P -> !P
    %q = tile.wgmma_wait %p in_flight 1 : !P -> !P
    scf.yield %q : !P
  }
  // expected-error @below {{'tile.ring_release' (C2): what tile.wgmma reads of the slot must have been waited for}}
  // expected-note @below {{expected: a tile.wgmma_wait before, with fewer in flight than were started since}}
  // expected-note @below {{found: none}}
  // expected-note @below {{try: tile.wgmma_wait with `in_flight` 0, or the release of an earlier iteration}}
  tile.ring_release %r[%c0] : !tile.ring<1 x !T>
  tile.return
}

// -----

// A slot that a loop reads is free behind the loop if each turn waits for its own products.
!T = !tile.shared<64x64xbf16, swizzle = 128>
!S = tensor<64x64xf32, #tile.wgmma>
!P = !tile.pending<!S>
tile.kernel @free(%n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<1 x !T>
  %t = tile.ring_wait %r[%c0] : !tile.ring<1 x !T> -> !T
  %zero = arith.constant dense<0.0> : !S
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> !S {
    %p = tile.wgmma %t, %t transpose, %acc : !T, !T, !S -> !P
    %q = tile.wgmma_wait %p : !P -> !S
    scf.yield %q : !S
  }
  tile.ring_release %r[%c0] : !tile.ring<1 x !T>
  tile.return
}
