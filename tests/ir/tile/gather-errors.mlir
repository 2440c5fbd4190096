// RUN: kiln-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --pass-pipeline='builtin.module(tile.kernel(tile-unroll))' --verify-diagnostics

tile.kernel @k(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %o = tile.lanes : tensor<8xi64, #tile.simd>
  // expected-error @below {{'tile.gather' (C1): the value's element type must be the memory's}}
  // expected-note @below {{expected: f32}}
  // expected-note @below {{found: i32}}
  %v = tile.gather %x[%o : tensor<8xi64, #tile.simd>] : !tile.global<64xf32> -> tensor<8xi32, #tile.simd>
  tile.return
}

tile.kernel @k_2(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %o = tile.lanes : tensor<8xi64, #tile.simd>
  %m = tile.lane_mask %i : tensor<4xi1, #tile.simd>
  // expected-error @below {{'tile.gather' (C2): a mask must match the value}}
  // expected-note @below {{expected: tensor<8xi1, #tile.simd>}}
  // expected-note @below {{found: tensor<4xi1, #tile.simd>}}
  %v = tile.gather %x[%o : tensor<8xi64, #tile.simd>] mask %m : tensor<4xi1, #tile.simd> : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_3(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %o = tile.lanes : tensor<8xi64, #tile.simd>
  // expected-error @below {{'tile.gather' (C3): one offset per lane}}
  // expected-note @below {{expected: 16}}
  // expected-note @below {{found: 8}}
  %v = tile.gather %x[%o : tensor<8xi64, #tile.simd>] : !tile.global<64xf32> -> tensor<16xf32, #tile.simd>
  tile.return
}

tile.kernel @k_4(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %o = tile.lanes : tensor<8xi64, #tile.simd>
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  // expected-error @below {{'tile.scatter' (C1): the value's element type must be the memory's}}
  // expected-note @below {{expected: i32}}
  // expected-note @below {{found: f32}}
  tile.scatter %v, %y[%o : tensor<8xi64, #tile.simd>] : tensor<8xf32, #tile.simd>, !tile.global<64xi32>
  tile.return
}

tile.kernel @k_5(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %o = tile.lanes : tensor<8xi64, #tile.simd>
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  %m = arith.constant true
  // expected-error @below {{'tile.scatter' (C2): a mask must match the value}}
  // expected-note @below {{expected: tensor<8xi1, #tile.simd>}}
  // expected-note @below {{found: i1}}
  tile.scatter %v, %x[%o : tensor<8xi64, #tile.simd>] mask %m : i1 : tensor<8xf32, #tile.simd>, !tile.global<64xf32>
  tile.return
}

tile.kernel @k_6(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %o = tile.lanes : tensor<8xi64, #tile.simd>
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<16xf32, #tile.simd>
  // expected-error @below {{'tile.scatter' (C3): one offset per lane}}
  // expected-note @below {{expected: 16}}
  // expected-note @below {{found: 8}}
  tile.scatter %v, %x[%o : tensor<8xi64, #tile.simd>] : tensor<16xf32, #tile.simd>, !tile.global<64xf32>
  tile.return
}

tile.kernel @k_7(%x: !tile.global<64xf32>) grid 1 {
  %zero = arith.constant 0 : i32
  %o = tile.splat %zero : i32 -> tensor<8xi32, #tile.simd>
  // expected-error @below {{'tile.gather' op operand #1 must be a fragment of i64 offsets, but got 'tensor<8xi32, #tile.simd>'}}
  %v = tile.gather %x[%o : tensor<8xi32, #tile.simd>] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  tile.return
}
