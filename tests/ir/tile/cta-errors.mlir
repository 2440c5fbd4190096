// RUN: kiln-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --pass-pipeline='builtin.module(tile.kernel(tile-unroll))' --split-input-file --verify-diagnostics

// expected-error @below {{'tile.kernel' (C4): threads must be whole warps}}
// expected-note @below {{expected: a multiple of 32 up to 1024}}
// expected-note @below {{found: 48}}
tile.kernel @k() grid 1 threads 48 {
  tile.return
}

tile.kernel @k_2(%x: !tile.global<64xf32>) grid 1 threads 128 {
  %i = tile.cta_id
  // expected-error @below {{'tile.kernel' (C5): a fragment must fit the kernel's threads}}
  // expected-note @below {{expected: a fragment of 128 threads}}
  // expected-note @below {{found: tensor<64xf32, #tile.blocked<vec = 1, threads = 64>>}}
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<64xf32, #tile.blocked<vec = 1, threads = 64>>
  tile.return
}

tile.kernel @k_3(%x: !tile.global<64xf32>) grid 1 threads 128 {
  %i = tile.cta_id
  // expected-error @below {{'tile.kernel' (C5): a fragment must fit the kernel's threads}}
  // expected-note @below {{expected: a fragment of 128 threads}}
  // expected-note @below {{found: tensor<64xf32, #tile.simd>}}
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<64xf32, #tile.simd>
  tile.return
}

tile.kernel @k_4(%x: !tile.global<64xf32>) grid 1 {
  // expected-error @below {{'tile.kernel' (C5): a kernel of one thread has no warps}}
  // expected-note @below {{expected: `threads` on the kernel}}
  // expected-note @below {{found: none}}
  %w = tile.warp_id
  tile.return
}

tile.kernel @k_5(%x: !tile.global<64xf32>) grid 1 threads 32 {
  %i = tile.cta_id
  // expected-error @below {{'tile.load' (C4): `aligned` must count elements}}
  // expected-note @below {{expected: 1 or more}}
  // expected-note @below {{found: 0}}
  %v = tile.load %x[%i] aligned 0 : !tile.global<64xf32> -> tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
  tile.return
}

tile.kernel @k_6(%x: !tile.global<64xf32>) grid 1 threads 32 {
  %i = tile.cta_id
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
  // expected-error @below {{'tile.store' (C4): `aligned` must count elements}}
  // expected-note @below {{expected: 1 or more}}
  // expected-note @below {{found: -2}}
  tile.store %v, %x[%i] aligned -2 : tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>, !tile.global<64xf32>
  tile.return
}

tile.kernel @k_7() grid 1 threads 32 {
  %i = tile.cta_id
  // expected-error @below {{'tile.lane_mask' (C1): `aligned` must count elements}}
  // expected-note @below {{expected: 1 or more}}
  // expected-note @below {{found: 0}}
  %m = tile.lane_mask %i aligned 0 : tensor<64xi1, #tile.blocked<vec = 2, threads = 32>>
  tile.return
}

tile.kernel @k_8(%x: !tile.global<64xf32>) grid 1 threads 64 {
  %i = tile.cta_id
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<64xf32, #tile.blocked<vec = 1, threads = 64>>
  // expected-error @below {{'tile.fold' (C3): several warps meet through a shared tile}}
  // expected-note @below {{expected: !tile.shared<64xf32>}}
  // expected-note @below {{found: none}}
  %s = tile.fold <add> %v : tensor<64xf32, #tile.blocked<vec = 1, threads = 64>> -> f32
  tile.return
}

tile.kernel @k_9(%x: !tile.global<32xf32>) grid 1 threads 64 {
  %i = tile.cta_id
  %t = tile.alloc : !tile.shared<32xf32>
  %v = tile.load %x[%i] : !tile.global<32xf32> -> tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>
  // expected-error @below {{'tile.fold' (C3): several warps meet through a shared tile}}
  // expected-note @below {{expected: no scratch}}
  // expected-note @below {{found: !tile.shared<32xf32>}}
  %s = tile.fold <add> %v through %t : !tile.shared<32xf32> : tensor<32xf32, #tile.blocked<vec = 1, threads = 32>> -> f32
  tile.return
}

tile.kernel @k_10() grid 1 threads 32 {
  %i = tile.cta_id
  %r = tile.alloc_ring : !tile.ring<2 x !tile.shared<8x8xf32>>
  // expected-error @below {{'tile.slot' (C1): a slot is the ring's tiles}}
  // expected-note @below {{expected: !tile.shared<8x8xf32>}}
  // expected-note @below {{found: !tile.shared<8x16xf32>}}
  %s = tile.slot %r[%i] : !tile.ring<2 x !tile.shared<8x8xf32>> -> !tile.shared<8x16xf32>
  tile.return
}

tile.kernel @k_11(%x: !tile.global<64x64xbf16>) grid 1 threads 32 {
  %i = tile.cta_id
  %s = tile.alloc : !tile.shared<8x4xbf16>
  // expected-error @below {{'tile.async_copy' (C1): the copy moves rows of 16-byte chunks}}
  // expected-note @below {{expected: rank 2, rows a multiple of 16 bytes}}
  // expected-note @below {{found: !tile.shared<8x4xbf16>}}
  // expected-note @below {{try: tile.load and tile.store}}
  tile.async_copy %x[%i] rows 64 limit [%i, %i], %s : !tile.global<64x64xbf16>, !tile.shared<8x4xbf16>
  tile.return
}

tile.kernel @k_12(%x: !tile.global<64x64xbf16>) grid 1 threads 32 {
  %i = tile.cta_id
  %s = tile.alloc : !tile.shared<8x8xf16>
  // expected-error @below {{'tile.async_copy' (C2): a copy changes no element}}
  // expected-note @below {{expected: bf16}}
  // expected-note @below {{found: f16}}
  tile.async_copy %x[%i] rows 64 limit [%i, %i], %s : !tile.global<64x64xbf16>, !tile.shared<8x8xf16>
  tile.return
}

tile.kernel @k_13(%x: !tile.global<64x60xbf16>) grid 1 threads 32 {
  %i = tile.cta_id
  %s = tile.alloc : !tile.shared<8x8xbf16>
  // expected-error @below {{'tile.async_copy' (C3): rows in global memory must start at 16 bytes}}
  // expected-note @below {{expected: a multiple of 8}}
  // expected-note @below {{found: 60}}
  // expected-note @below {{try: tile.load and tile.store}}
  tile.async_copy %x[%i] rows 60 limit [%i, %i], %s : !tile.global<64x60xbf16>, !tile.shared<8x8xbf16>
  tile.return
}

tile.kernel @k_14() grid 1 threads 32 {
  // expected-error @below {{'tile.async_wait' (C1): groups in flight are few}}
  // expected-note @below {{expected: 0 to 31}}
  // expected-note @below {{found: -1}}
  tile.async_wait -1
  tile.return
}

tile.kernel @k_15() grid 1 threads 32 {
  %i = tile.cta_id
  %s = tile.alloc : !tile.shared<16x16xbf16>
  // expected-error @below {{'tile.load_matrix' (C1): it reads MMA operands of the tile's elements}}
  // expected-note @below {{expected: a #tile.mma_a or #tile.mma_b fragment of bf16}}
  // expected-note @below {{found: tensor<16x16xf16, #tile.mma_a<warps = [1, 1]>>}}
  %v = tile.load_matrix %s[%i, %i] : !tile.shared<16x16xbf16> -> tensor<16x16xf16, #tile.mma_a<warps = [1, 1]>>
  tile.return
}

tile.kernel @k_16() grid 1 threads 32 {
  %i = tile.cta_id
  %s = tile.alloc : !tile.shared<256xbf16>
  // expected-error @below {{'tile.load_matrix' (C2): the tile must have rows of 16-byte chunks}}
  // expected-note @below {{expected: rank 2, rows a multiple of 16 bytes}}
  // expected-note @below {{found: !tile.shared<256xbf16>}}
  %v = tile.load_matrix %s[%i, %i] : !tile.shared<256xbf16> -> tensor<16x16xbf16, #tile.mma_a<warps = [1, 1]>>
  tile.return
}

tile.kernel @k_17(%x: !tile.global<64x64xbf16>) grid 1 threads 32 {
  %i = tile.cta_id
  %s = tile.alloc : !tile.shared<8x4xbf16>
  // expected-error @below {{'tile.async_load' (C1): the copy moves rows of 16-byte chunks}}
  // expected-note @below {{expected: rank 2, rows a multiple of 16 bytes}}
  // expected-note @below {{found: !tile.shared<8x4xbf16>}}
  // expected-note @below {{try: tile.load and tile.store}}
  tile.async_load %x[%i, %i], %s : !tile.global<64x64xbf16>, !tile.shared<8x4xbf16>
  tile.return
}

tile.kernel @k_18(%x: !tile.global<64x64xbf16>) grid 1 threads 32 {
  %i = tile.cta_id
  %s = tile.alloc : !tile.shared<8x8xf16>
  // expected-error @below {{'tile.async_load' (C2): a copy changes no element}}
  // expected-note @below {{expected: bf16}}
  // expected-note @below {{found: f16}}
  tile.async_load %x[%i, %i], %s : !tile.global<64x64xbf16>, !tile.shared<8x8xf16>
  tile.return
}

tile.kernel @k_19(%x: !tile.global<64x64xbf16, strides = [128, 2]>) grid 1 threads 32 {
  %i = tile.cta_id
  %s = tile.alloc : !tile.shared<8x8xbf16>
  // expected-error @below {{'tile.async_load' (C3): extents and strides are those of a matrix that a launch passes}}
  // expected-note @below {{expected: an argument of rank 2 with a last stride of 1}}
  // expected-note @below {{found: !tile.global<64x64xbf16, strides = [128, 2]>}}
  tile.async_load %x[%i, %i], %s : !tile.global<64x64xbf16, strides = [128, 2]>, !tile.shared<8x8xbf16>
  tile.return
}

tile.kernel @k_20(%x: !tile.global<?x?xbf16> {tile.dims = ["M", "K"]}) grid 1 threads 32 {
  %i = tile.cta_id
  %s = tile.alloc : !tile.shared<8x8xbf16>
  // expected-error @below {{'tile.async_load' (C4): rows in global memory must start at 16 bytes}}
  // expected-note @below {{expected: a multiple of 8 elements}}
  // expected-note @below {{found: a stride that is not known}}
  // expected-note @below {{try: `tile.aligned = 8` on the argument}}
  tile.async_load %x[%i, %i], %s : !tile.global<?x?xbf16>, !tile.shared<8x8xbf16>
  tile.return
}

tile.kernel @k_21(%x: !tile.global<?x?xbf16> {tile.dims = ["M", "K"], tile.aligned = 8}) grid 1 threads 32 {
  %i = tile.cta_id
  %c4 = arith.constant 4 : index
  %s = tile.alloc : !tile.shared<8x8xbf16>
  // expected-error @below {{'tile.async_load' (C4): chunks in global memory must start at 16 bytes}}
  // expected-note @below {{expected: a multiple of 8 elements}}
  // expected-note @below {{found: 4}}
  tile.async_load %x[%i, %c4], %s : !tile.global<?x?xbf16>, !tile.shared<8x8xbf16>
  tile.return
}

tile.kernel @async_copy_strides(%x: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c = tile.cta_id
  %t = tile.alloc : !tile.shared<32x64xbf16>
  // expected-error @below {{'tile.async_copy' (C4): rows have one stride}}
  // expected-note @below {{expected: `rows` or `stride`}}
  // expected-note @below {{found: neither}}
  tile.async_copy %x[%c] limit [%c, %c], %t : !tile.global<64x64xbf16>, !tile.shared<32x64xbf16>
  tile.return
}

// -----

// expected-error @below {{'!tile.ring' (C1): a ring must have a stage}}
// expected-note @below {{expected: 1 or more}}
// expected-note @below {{found: 0}}
func.func private @f(!tile.ring<0 x !tile.shared<8x8xf32>>)
