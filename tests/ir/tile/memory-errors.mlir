// RUN: kiln-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --pass-pipeline='builtin.module(tile.kernel(tile-unroll))' --verify-diagnostics

tile.kernel @k(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  // expected-error @below {{'tile.load' (C1): the value's element type must be the memory's}}
  // expected-note @below {{expected: f32}}
  // expected-note @below {{found: i32}}
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xi32, #tile.simd>
  tile.return
}

tile.kernel @k_2(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  // expected-error @below {{'tile.load' (C1): the value's element type must be the memory's}}
  // expected-note @below {{expected: f32}}
  // expected-note @below {{found: f64}}
  %v = tile.load %x[%i] : !tile.global<64xf32> -> f64
  tile.return
}

tile.kernel @k_3(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %t = tile.alloc : !tile.shared<64xi8>
  // expected-error @below {{'tile.load' (C1): the value's element type must be the memory's}}
  // expected-note @below {{expected: i8}}
  // expected-note @below {{found: f32}}
  %v = tile.load %t[%i] : !tile.shared<64xi8> -> tensor<8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_4(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %m = tile.lane_mask %i : tensor<16xi1, #tile.simd>
  // expected-error @below {{'tile.load' (C2): a mask must match the value}}
  // expected-note @below {{expected: tensor<8xi1, #tile.simd>}}
  // expected-note @below {{found: tensor<16xi1, #tile.simd>}}
  %v = tile.load %x[%i] mask %m : tensor<16xi1, #tile.simd> : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_5(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %m = tile.lane_mask %i : tensor<8xi1, #tile.simd>
  // expected-error @below {{'tile.load' (C2): a mask must match the value}}
  // expected-note @below {{expected: i1}}
  // expected-note @below {{found: tensor<8xi1, #tile.simd>}}
  %v = tile.load %x[%i] mask %m : tensor<8xi1, #tile.simd> : !tile.global<64xf32> -> f32
  tile.return
}

tile.kernel @k_6(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %m = arith.constant true
  // expected-error @below {{'tile.load' (C2): a mask must match the value}}
  // expected-note @below {{expected: tensor<8xi1, #tile.simd>}}
  // expected-note @below {{found: i1}}
  %v = tile.load %x[%i] mask %m : i1 : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_7(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  // expected-error @below {{'tile.load' (C3): rows are read and written at a stride, single vectors and scalars without}}
  // expected-note @below {{expected: a row stride for tensor<4x8xf32, #tile.simd>}}
  // expected-note @below {{found: none}}
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<4x8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_8(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  // expected-error @below {{'tile.load' (C3): rows are read and written at a stride, single vectors and scalars without}}
  // expected-note @below {{expected: a row stride for tensor<8xf32, #tile.simd_column>}}
  // expected-note @below {{found: none}}
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd_column>
  tile.return
}

tile.kernel @k_9(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  // expected-error @below {{'tile.load' (C3): rows are read and written at a stride, single vectors and scalars without}}
  // expected-note @below {{expected: no row stride for tensor<8xf32, #tile.simd>}}
  // expected-note @below {{found: one}}
  %v = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_10(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  // expected-error @below {{'tile.load' (C3): rows are read and written at a stride, single vectors and scalars without}}
  // expected-note @below {{expected: no row stride for f32}}
  // expected-note @below {{found: one}}
  %v = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> f32
  tile.return
}

tile.kernel @k_11(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %true = arith.constant true
  %m = tile.splat %true : i1 -> tensor<4x8xi1, #tile.simd>
  // expected-error @below {{'tile.load' (C3): rows take no mask}}
  // expected-note @below {{expected: no mask for tensor<4x8xf32, #tile.simd>}}
  // expected-note @below {{found: one}}
  %v = tile.load %x[%i] mask %m : tensor<4x8xi1, #tile.simd> rows 8 : !tile.global<64xf32> -> tensor<4x8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_12(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  // expected-error @below {{'tile.store' (C1): the value's element type must be the memory's}}
  // expected-note @below {{expected: i32}}
  // expected-note @below {{found: f32}}
  tile.store %v, %y[%i] : tensor<8xf32, #tile.simd>, !tile.global<64xi32>
  tile.return
}

tile.kernel @k_13(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  %m = tile.lane_mask %i : tensor<4xi1, #tile.simd>
  // expected-error @below {{'tile.store' (C2): a mask must match the value}}
  // expected-note @below {{expected: tensor<8xi1, #tile.simd>}}
  // expected-note @below {{found: tensor<4xi1, #tile.simd>}}
  tile.store %v, %x[%i] mask %m : tensor<4xi1, #tile.simd> : tensor<8xf32, #tile.simd>, !tile.global<64xf32>
  tile.return
}

tile.kernel @k_14(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  // expected-error @below {{'tile.store' (C3): rows are read and written at a stride, single vectors and scalars without}}
  // expected-note @below {{expected: no row stride for tensor<8xf32, #tile.simd>}}
  // expected-note @below {{found: one}}
  tile.store %v, %x[%i] rows 8 : tensor<8xf32, #tile.simd>, !tile.global<64xf32>
  tile.return
}

tile.kernel @k_15(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %v = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<4x8xf32, #tile.simd>
  // expected-error @below {{'tile.store' (C3): rows are read and written at a stride, single vectors and scalars without}}
  // expected-note @below {{expected: a row stride for tensor<4x8xf32, #tile.simd>}}
  // expected-note @below {{found: none}}
  tile.store %v, %x[%i] : tensor<4x8xf32, #tile.simd>, !tile.global<64xf32>
  tile.return
}

tile.kernel @k_16(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %v = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<4x8xf32, #tile.simd>
  %true = arith.constant true
  %m = tile.splat %true : i1 -> tensor<4x8xi1, #tile.simd>
  // expected-error @below {{'tile.store' (C3): rows take no mask}}
  // expected-note @below {{expected: no mask for tensor<4x8xf32, #tile.simd>}}
  // expected-note @below {{found: one}}
  tile.store %v, %x[%i] mask %m : tensor<4x8xi1, #tile.simd> rows 8 : tensor<4x8xf32, #tile.simd>, !tile.global<64xf32>
  tile.return
}

tile.kernel @k_17(%x: !tile.global<512xbf16>) grid 1 threads 32 {
  %i = tile.cta_id
  // expected-error @below {{'tile.load' (C5): `shifted` are runs of whole 16-byte words in global memory or a tile without a swizzle, of elements of 1, 2 or 4 bytes}}
  // expected-note @below {{expected: a #tile.blocked fragment of such runs}}
  // expected-note @below {{found: tensor<128xbf16, #tile.blocked<vec = 4, threads = 32>> in !tile.global<512xbf16>}}
  %v = tile.load %x[%i] shifted : !tile.global<512xbf16> -> tensor<128xbf16, #tile.blocked<vec = 4, threads = 32>>
  tile.return
}

tile.kernel @k_18() grid 1 threads 32 {
  %i = tile.cta_id
  %t = tile.alloc : !tile.shared<4x128xbf16, swizzle = 128>
  // expected-error @below {{'tile.load' (C5): `shifted` are runs of whole 16-byte words in global memory or a tile without a swizzle, of elements of 1, 2 or 4 bytes}}
  // expected-note @below {{expected: a #tile.blocked fragment of such runs}}
  // expected-note @below {{found: tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>> in !tile.shared<4x128xbf16, swizzle = 128>}}
  %v = tile.load %t[%i] shifted : !tile.shared<4x128xbf16, swizzle = 128> -> tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>
  tile.return
}

tile.kernel @k_19(%x: !tile.global<512xbf16>) grid 1 threads 32 {
  %i = tile.cta_id
  %t = tile.alloc : !tile.shared<512xbf16>
  %v = tile.load %t[%i] shifted : !tile.shared<512xbf16> -> tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>
  // expected-error @below {{'tile.store' (C5): `shifted` are runs of whole 16-byte words in global memory, of elements of 1, 2 or 4 bytes}}
  // expected-note @below {{expected: a #tile.blocked fragment of such runs}}
  // expected-note @below {{found: tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>> in !tile.shared<512xbf16>}}
  tile.store %v, %t[%i] shifted : tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>, !tile.shared<512xbf16>
  tile.return
}

tile.kernel @k_20(%x: !tile.global<512xi64>, %v: !tile.global<512xi64>) grid 1 threads 32 {
  %i = tile.cta_id
  %w = tile.load %x[%i] : !tile.global<512xi64> -> tensor<128xi64, #tile.blocked<vec = 4, threads = 32>>
  // expected-error @below {{'tile.store' (C5): `shifted` are runs of whole 16-byte words in global memory, of elements of 1, 2 or 4 bytes}}
  // expected-note @below {{expected: a #tile.blocked fragment of such runs}}
  // expected-note @below {{found: tensor<128xi64, #tile.blocked<vec = 4, threads = 32>> in !tile.global<512xi64>}}
  tile.store %w, %v[%i] shifted : tensor<128xi64, #tile.blocked<vec = 4, threads = 32>>, !tile.global<512xi64>
  tile.return
}
