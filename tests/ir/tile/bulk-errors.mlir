// RUN: kiln-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --pass-pipeline='builtin.module(tile.kernel(tile-unroll))' --verify-diagnostics

!T = !tile.shared<64x64xf16, swizzle = 128>
!T2 = !tile.shared<64x64xbf16, swizzle = 128>
!T3 = !tile.shared<64x128xbf16, swizzle = 128>
!T4 = !tile.shared<64x4xbf16>
!T5 = !tile.shared<512x64xbf16, swizzle = 128>
!G = !tile.global<64x64xbf16>
!T6 = !tile.shared<64x16xbf16, swizzle = 64>
!T7 = !tile.shared<64x128xi8, swizzle = 128>
!G2 = !tile.global<?x?xbf16>
!T8 = !tile.shared<1024xf32>
!T9 = !tile.shared<64x32xf32, swizzle = 128>
!T10 = !tile.shared<1024xbf16>
!T11 = !tile.shared<3xf32>

// Tests of one op at a time: the ring is filled by it.
tile.kernel @k(%a: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  tile.fill %r[%c0] {
  ^slot(%t: !T, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C1): a copy changes no element, and a tensor map knows it}}
    // expected-note @below {{expected: bf16}}
    // expected-note @below {{found: f16}}
    tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !T
  } : !tile.ring<2 x !T>
  tile.return
}

tile.kernel @k_2(%a: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T2>
  tile.fill %r[%c0] {
  ^slot(%t: !T2, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C2): there is a coordinate per dimension, 1 to 5}}
    // expected-note @below {{expected: 2}}
    // expected-note @below {{found: 3}}
    tile.tma_load %a[%c0, %c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !T2
  } : !tile.ring<2 x !T2>
  tile.return
}

tile.kernel @k_3(%a: !tile.global<8x8x64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T2>
  tile.fill %r[%c0] {
  ^slot(%t: !T2, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C3): the box has the tile's elements}}
    // expected-note @below {{expected: 4 extents, 64x64 without ones}}
    // expected-note @below {{found: 1x2x32x64}}
    tile.tma_load %a[%c0, %c0, %c0, %c0] box [1, 2, 32, 64], %t signal %full : !tile.global<8x8x64x64xbf16>, !T2
  } : !tile.ring<2 x !T2>
  tile.return
}

tile.kernel @k_4(%a: !tile.global<64x128xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T3>
  tile.fill %r[%c0] {
  ^slot(%t: !T3, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C4): rows of a tile, or its panels, are as long as the swizzle}}
    // expected-note @below {{expected: 128 bytes}}
    // expected-note @below {{found: 256 bytes}}
    // expected-note @below {{try: panels of the swizzle's bytes}}
    tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x128xbf16>, !T3
  } : !tile.ring<2 x !T3>
  tile.return
}

tile.kernel @k_5(%a: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T4>
  tile.fill %r[%c0] {
  ^slot(%t: !T4, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C4): rows are whole chunks}}
    // expected-note @below {{expected: a multiple of 16 bytes}}
    // expected-note @below {{found: 8 bytes}}
    tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !T4
  } : !tile.ring<2 x !T4>
  tile.return
}

tile.kernel @k_6(%a: !tile.global<512x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T5>
  tile.fill %r[%c0] {
  ^slot(%t: !T5, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C4): no side of a box is longer than hardware counts}}
    // expected-note @below {{expected: 1 to 256 elements}}
    // expected-note @below {{found: 512}}
    // expected-note @below {{try: several copies to parts of the tile}}
    tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<512x64xbf16>, !T5
  } : !tile.ring<2 x !T5>
  tile.return
}

// An odd leading stride: no tensor map says it.
tile.kernel @k_7(%a: !tile.global<64x4099xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T2>
  tile.fill %r[%c0] {
  ^slot(%t: !T2, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C5): dimension 0 has strides of whole chunks}}
    // expected-note @below {{expected: a multiple of 8 elements}}
    // expected-note @below {{found: 4099}}
    // expected-note @below {{try: rows padded to 128 bytes}}
    tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x4099xbf16>, !T2
  } : !tile.ring<2 x !T2>
  tile.return
}

tile.kernel @k_8(%a: !tile.global<64x64xbf16, strides = [1, 64]>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T2>
  tile.fill %r[%c0] {
  ^slot(%t: !T2, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C5): dimension 0 has strides of whole chunks}}
    // expected-note @below {{expected: a multiple of 8 elements}}
    // expected-note @below {{found: 1}}
    // expected-note @below {{try: rows padded to 128 bytes}}
    tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16, strides = [1, 64]>, !T2
  } : !tile.ring<2 x !T2>
  tile.return
}

tile.kernel @k_9(%a: !tile.global<64x64xbf16, strides = [128, 2]>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T2>
  tile.fill %r[%c0] {
  ^slot(%t: !T2, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C5): the tensor's last dimension is dense}}
    // expected-note @below {{expected: a stride of 1}}
    // expected-note @below {{found: 2}}
    tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16, strides = [128, 2]>, !T2
  } : !tile.ring<2 x !T2>
  tile.return
}

tile.kernel @k_10(%a: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T2>
  tile.fill %r[%c0] {
  ^slot(%t: !T2, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C6): L2 fetches at once}}
    // expected-note @below {{expected: 0, 64, 128 or 256 bytes}}
    // expected-note @below {{found: 32}}
    tile.tma_load %a[%c0, %c0], %t signal %full {l2 = 32} : !tile.global<64x64xbf16>, !T2
  } : !tile.ring<2 x !T2>
  tile.return
}

tile.kernel @k_11(%a: !G, %b: !G, %left: i1) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %either = arith.select %left, %a, %b : !G
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T2>
  tile.fill %r[%c0] {
  ^slot(%t: !T2, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C7): a tensor map is of an argument of the kernel}}
    // expected-note @below {{expected: an argument}}
    // expected-note @below {{found: another value}}
    tile.tma_load %either[%c0, %c0], %t signal %full : !G, !T2
  } : !tile.ring<2 x !T2>
  tile.return
}

tile.kernel @k_12(%a: !tile.global<64x64xbf16>) grid 2 cluster 2 threads 128 {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i16
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T2>
  tile.fill %r[%c0] {
  ^slot(%t: !T2, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C8): other CTAs' slots are written where their readers say that they may be}}
    // expected-note @below {{expected: a fill of a ring with `multicast`}}
    // expected-note @below {{found: a ring without}}
    tile.tma_load %a[%c0, %c0], %t signal %full multicast %three : !tile.global<64x64xbf16>, !T2
  } : !tile.ring<2 x !T2>
  tile.return
}

tile.kernel @k_13(%c: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T
  // expected-error @below {{'tile.tma_store' (C1): a copy changes no element, and a tensor map knows it}}
  // expected-note @below {{expected: bf16}}
  // expected-note @below {{found: f16}}
  tile.tma_store %t, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  tile.return
}

tile.kernel @k_14(%c: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T2
  // expected-error @below {{'tile.tma_store' (C2): there is a coordinate per dimension, 1 to 5}}
  // expected-note @below {{expected: 2}}
  // expected-note @below {{found: 1}}
  tile.tma_store %t, %c[%c0] : !T2, !tile.global<64x64xbf16>
  tile.return
}

tile.kernel @k_15(%c: !tile.global<4096xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T2
  // expected-error @below {{'tile.tma_store' (C3): the box has the tile's elements}}
  // expected-note @below {{expected: 1 extents, 64x64 without ones}}
  // expected-note @below {{found: !tile.shared<64x64xbf16, swizzle = 128>}}
  tile.tma_store %t, %c[%c0] : !T2, !tile.global<4096xbf16>
  tile.return
}

tile.kernel @k_16(%c: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T6
  // expected-error @below {{'tile.tma_store' (C4): rows of a tile, or its panels, are as long as the swizzle}}
  // expected-note @below {{expected: 64 bytes}}
  // expected-note @below {{found: 32 bytes}}
  // expected-note @below {{try: a smaller swizzle}}
  tile.tma_store %t, %c[%c0, %c0] : !T6, !tile.global<64x64xbf16>
  tile.return
}

tile.kernel @k_17(%c: !tile.global<64x50257xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T2
  // expected-error @below {{'tile.tma_store' (C5): dimension 0 has strides of whole chunks}}
  // expected-note @below {{expected: a multiple of 8 elements}}
  // expected-note @below {{found: 50257}}
  // expected-note @below {{try: rows padded to 128 bytes}}
  tile.tma_store %t, %c[%c0, %c0] : !T2, !tile.global<64x50257xbf16>
  tile.return
}

tile.kernel @k_18(%c: !tile.global<64x128xi8>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T7
  // expected-error @below {{'tile.tma_store' (C6): memory adds some types}}
  // expected-note @below {{expected: i32, i64, f16, bf16 or f32}}
  // expected-note @below {{found: i8}}
  tile.tma_store %t, %c[%c0, %c0] add : !T7, !tile.global<64x128xi8>
  tile.return
}

tile.kernel @k_19(%a: !G, %b: !G, %left: i1) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %either = arith.select %left, %a, %b : !G
  %t = tile.alloc : !T2
  // expected-error @below {{'tile.tma_store' (C7): a tensor map is of an argument of the kernel}}
  // expected-note @below {{expected: an argument}}
  // expected-note @below {{found: another value}}
  tile.tma_store %t, %either[%c0, %c0] : !T2, !G
  tile.return
}

tile.kernel @k_20(%a: !tile.global<64x64xbf16, strides = [128, 1]>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T2>
  tile.fill %r[%c0] {
  ^slot(%t: !T2, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C9): what is taken `as` another tensor is dense}}
    // expected-note @below {{expected: no strides}}
    // expected-note @below {{found: !tile.global<64x64xbf16, strides = [128, 1]>}}
    tile.tma_load %a[%c0, %c0] as ["32", "128"], %t signal %full : !tile.global<64x64xbf16, strides = [128, 1]>, !T2
  } : !tile.ring<2 x !T2>
  tile.return
}

tile.kernel @k_21(%a: !G2 {tile.name = "a", tile.dims = ["M", "K"]}) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T2>
  tile.fill %r[%c0] {
  ^slot(%t: !T2, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C9): extents are of names that there are}}
    // expected-note @below {{expected: M, K}}
    // expected-note @below {{found: N}}
    tile.tma_load %a[%c0, %c0, %c0] as ["floordiv(M, 8)", "8", "N"] box [64, 1, 64], %t signal %full : !G2, !T2
  } : !tile.ring<2 x !T2>
  tile.return
}

tile.kernel @k_22(%c: !G2 {tile.name = "c", tile.dims = ["M", "N"]}) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T2
  // expected-error @below {{'tile.tma_store' (C9): extents are numbers or expressions}}
  // expected-note @below {{expected: such as floordiv(M, 8)}}
  // expected-note @below {{found: }}
  tile.tma_store %t, %c[%c0, %c0] as ["M / 8", "8 * N"] : !T2, !G2
  tile.tma_store_wait 0
  tile.return
}

// Coordinates and box are of what the tensor is taken for.
tile.kernel @k_23(%c: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T2
  // expected-error @below {{'tile.tma_store' (C2): there is a coordinate per dimension, 1 to 5}}
  // expected-note @below {{expected: 3}}
  // expected-note @below {{found: 2}}
  tile.tma_store %t, %c[%c0, %c0] as ["8", "8", "64"] : !T2, !tile.global<64x64xbf16>
  tile.tma_store_wait 0
  tile.return
}

tile.kernel @k_24(%a: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T2>
  tile.fill %r[%c0] {
  ^slot(%t: !T2, %full: !tile.mbarrier):
    // expected-error @below {{'tile.tma_load' (C10): `tf32` are rounded from f32}}
    // expected-note @below {{expected: f32}}
    // expected-note @below {{found: bf16}}
    tile.tma_load %a[%c0, %c0], %t signal %full tf32 : !tile.global<64x64xbf16>, !T2
  } : !tile.ring<2 x !T2>
  tile.return
}

tile.kernel @k_25(%c: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T2
  // expected-error @below {{'tile.tma_store' (C8): a CTA ends when its stores have read their tiles}}
  // expected-note @below {{expected: `tile.tma_store_wait 0` behind the last}}
  // expected-note @below {{found: none}}
  tile.tma_store %t, %c[%c0, %c0] : !T2, !tile.global<64x64xbf16>
  tile.tma_store_wait 1
  tile.return
}

tile.kernel @k_26(%c: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %before = arith.constant -64 : index
  %t = tile.alloc : !T2
  // expected-error @below {{'tile.tma_store' (C10): a store starts in the tensor or behind it}}
  // expected-note @below {{expected: coordinates from 0 on}}
  // expected-note @below {{found: -64}}
  // expected-note @below {{try: a store where threads ask first}}
  tile.tma_store %t, %c[%before, %c0] : !T2, !tile.global<64x64xbf16>
  tile.tma_store_wait 0
  tile.return
}

tile.kernel @k_27() grid 1 threads 128 {
  // expected-error @below {{'tile.tma_store_wait' (C1): stores in flight are few}}
  // expected-note @below {{expected: 0 to 31}}
  // expected-note @below {{found: 32}}
  tile.tma_store_wait 32
  tile.return
}

tile.kernel @k_28(%x: !tile.global<4096xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T8>
  tile.fill %r[%c0] {
  ^slot(%t: !T8, %full: !tile.mbarrier):
    // expected-error @below {{'tile.bulk_load' (C1): a copy changes no element}}
    // expected-note @below {{expected: bf16}}
    // expected-note @below {{found: f32}}
    tile.bulk_load %x[%c0], %t signal %full : !tile.global<4096xbf16>, !T8
  } : !tile.ring<2 x !T8>
  tile.return
}

tile.kernel @k_29(%x: !tile.global<4096xf32>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T9>
  tile.fill %r[%c0] {
  ^slot(%t: !T9, %full: !tile.mbarrier):
    // expected-error @below {{'tile.bulk_load' (C2): the tile is one run of whole chunks}}
    // expected-note @below {{expected: no swizzle, a multiple of 16 bytes}}
    // expected-note @below {{found: !tile.shared<64x32xf32, swizzle = 128>}}
    tile.bulk_load %x[%c0], %t signal %full : !tile.global<4096xf32>, !T9
  } : !tile.ring<2 x !T9>
  tile.return
}

tile.kernel @k_30(%x: !tile.global<4096xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T10>
  tile.fill %r[%c0] {
  ^slot(%t: !T10, %full: !tile.mbarrier):
    // expected-error @below {{'tile.bulk_load' (C3): runs start and end at chunks}}
    // expected-note @below {{expected: a multiple of 8 elements}}
    // expected-note @below {{found: 4}}
    tile.bulk_load %x[%c4], %t signal %full : !tile.global<4096xbf16>, !T10
  } : !tile.ring<2 x !T10>
  tile.return
}

tile.kernel @k_31(%y: !tile.global<4096xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T8
  // expected-error @below {{'tile.bulk_store' (C1): a copy changes no element}}
  // expected-note @below {{expected: bf16}}
  // expected-note @below {{found: f32}}
  tile.bulk_store %t, %y[%c0] : !T8, !tile.global<4096xbf16>
  tile.return
}

tile.kernel @k_32(%y: !tile.global<4096xf32>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T11
  // expected-error @below {{'tile.bulk_store' (C2): the tile is one run of whole chunks}}
  // expected-note @below {{expected: no swizzle, a multiple of 16 bytes}}
  // expected-note @below {{found: !tile.shared<3xf32>}}
  tile.bulk_store %t, %y[%c0] : !T11, !tile.global<4096xf32>
  tile.return
}

tile.kernel @k_33(%y: !tile.global<4096xf32>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %t = tile.alloc : !T8
  // expected-error @below {{'tile.bulk_store' (C3): runs start and end at chunks}}
  // expected-note @below {{expected: a multiple of 4 elements}}
  // expected-note @below {{found: 6}}
  tile.bulk_store %t, %y[%c0] count %c6 : !T8, !tile.global<4096xf32>
  tile.return
}

tile.kernel @k_34(%y: !tile.global<4096xf32>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T8
  // expected-error @below {{'tile.bulk_store' (C4): a CTA ends when its stores have read their tiles}}
  // expected-note @below {{expected: `tile.tma_store_wait 0` behind the last}}
  // expected-note @below {{found: none}}
  tile.bulk_store %t, %y[%c0] : !T8, !tile.global<4096xf32>
  tile.return
}
