// RUN: kiln-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --pass-pipeline='builtin.module(tile.kernel(tile-unroll))' --verify-diagnostics

tile.kernel @k(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %s = arith.constant 0.0 : f64
  // expected-error @below {{'tile.splat' (C1): the scalar must have the element type}}
  // expected-note @below {{expected: f32}}
  // expected-note @below {{found: f64}}
  %v = tile.splat %s : f64 -> tensor<8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_2(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %s = arith.constant 0 : i32
  // expected-error @below {{'tile.splat' (C1): the scalar must have the element type}}
  // expected-note @below {{expected: i1}}
  // expected-note @below {{found: i32}}
  %v = tile.splat %s : i32 -> tensor<8xi1, #tile.simd>
  tile.return
}

tile.kernel @k_3(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<64xf32, #tile.simd>
  %a = tile.load %x[%i] : !tile.global<64xf32> -> tensor<16xf32, #tile.simd>
  // expected-error @below {{'tile.fold_units' (C1): acc must hold one lane per unit of 8}}
  // expected-note @below {{expected: 8 elements of f32 per lane}}
  // expected-note @below {{found: tensor<64xf32, #tile.simd> into tensor<16xf32, #tile.simd>}}
  %r = tile.fold_units <add> %v into %a : tensor<64xf32, #tile.simd>, tensor<16xf32, #tile.simd> -> tensor<16xf32, #tile.simd>
  tile.return
}

tile.kernel @k_4(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<64xf32, #tile.simd>
  %a = tile.load %y[%i] : !tile.global<64xi32> -> tensor<8xi32, #tile.simd>
  // expected-error @below {{'tile.fold_units' (C1): acc must hold one lane per unit of 8}}
  // expected-note @below {{expected: 8 elements of i32 per lane}}
  // expected-note @below {{found: tensor<64xf32, #tile.simd> into tensor<8xi32, #tile.simd>}}
  %r = tile.fold_units <add> %v into %a : tensor<64xf32, #tile.simd>, tensor<8xi32, #tile.simd> -> tensor<8xi32, #tile.simd>
  tile.return
}

tile.kernel @k_5(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<12xf32, #tile.simd>
  %a = tile.load %x[%i] : !tile.global<64xf32> -> tensor<1xf32, #tile.simd>
  // expected-error @below {{'tile.fold_units' (C1): acc must hold one lane per unit of 8}}
  // expected-note @below {{expected: 8 elements of f32 per lane}}
  // expected-note @below {{found: tensor<12xf32, #tile.simd> into tensor<1xf32, #tile.simd>}}
  %r = tile.fold_units <add> %v into %a : tensor<12xf32, #tile.simd>, tensor<1xf32, #tile.simd> -> tensor<1xf32, #tile.simd>
  tile.return
}

tile.kernel @k_6(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<64xf32, #tile.simd>
  %a = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  // expected-error @below {{'tile.fold_units' (C2): the result must have acc's type}}
  // expected-note @below {{expected: tensor<8xf32, #tile.simd>}}
  // expected-note @below {{found: tensor<8xf64, #tile.simd>}}
  %r = tile.fold_units <add> %v into %a : tensor<64xf32, #tile.simd>, tensor<8xf32, #tile.simd> -> tensor<8xf64, #tile.simd>
  tile.return
}

tile.kernel @k_7(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<12xf32, #tile.simd>
  // expected-error @below {{'tile.fold' (C1): lanes must halve down to one}}
  // expected-note @below {{expected: a power of two}}
  // expected-note @below {{found: 12}}
  %r = tile.fold <add> %v : tensor<12xf32, #tile.simd> -> f32
  tile.return
}

tile.kernel @k_8(%x: !tile.global<64xf32>) grid 1 {
  %i = tile.cta_id
  %v = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  // expected-error @below {{'tile.fold' (C2): the result must be of the element type}}
  // expected-note @below {{expected: f32}}
  // expected-note @below {{found: f64}}
  %r = tile.fold <add> %v : tensor<8xf32, #tile.simd> -> f64
  tile.return
}

tile.kernel @k_9(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %a = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<4xf32, #tile.simd_column>
  %b = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  %c = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<5x8xf32, #tile.simd>
  // expected-error @below {{'tile.mma' (C1): the extents must match}}
  // expected-note @below {{expected: a column of M, a row of N and an MxN accumulator}}
  // expected-note @below {{found: tensor<4xf32, #tile.simd_column>, tensor<8xf32, #tile.simd>, tensor<5x8xf32, #tile.simd>}}
  %r = tile.mma %a, %b, %c : tensor<4xf32, #tile.simd_column>, tensor<8xf32, #tile.simd>, tensor<5x8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_10(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %a = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<4xf32, #tile.simd_column>
  %b = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  %c = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<4x16xf32, #tile.simd>
  // expected-error @below {{'tile.mma' (C1): the extents must match}}
  // expected-note @below {{expected: a column of M, a row of N and an MxN accumulator}}
  // expected-note @below {{found: tensor<4xf32, #tile.simd_column>, tensor<8xf32, #tile.simd>, tensor<4x16xf32, #tile.simd>}}
  %r = tile.mma %a, %b, %c : tensor<4xf32, #tile.simd_column>, tensor<8xf32, #tile.simd>, tensor<4x16xf32, #tile.simd>
  tile.return
}

tile.kernel @k_11(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %a = tile.load %x[%i] : !tile.global<64xf32> -> tensor<4xf32, #tile.simd>
  %b = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  %c = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<4x8xf32, #tile.simd>
  // expected-error @below {{'tile.mma' (C1): the extents must match}}
  // expected-note @below {{expected: a column of M, a row of N and an MxN accumulator}}
  // expected-note @below {{found: tensor<4xf32, #tile.simd>, tensor<8xf32, #tile.simd>, tensor<4x8xf32, #tile.simd>}}
  %r = tile.mma %a, %b, %c : tensor<4xf32, #tile.simd>, tensor<8xf32, #tile.simd>, tensor<4x8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_12(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %a = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<4xf32, #tile.simd_column>
  %b = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<8xf32, #tile.simd_column>
  %c = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<4x8xf32, #tile.simd>
  // expected-error @below {{'tile.mma' (C1): the extents must match}}
  // expected-note @below {{expected: a column of M, a row of N and an MxN accumulator}}
  // expected-note @below {{found: tensor<4xf32, #tile.simd_column>, tensor<8xf32, #tile.simd_column>, tensor<4x8xf32, #tile.simd>}}
  %r = tile.mma %a, %b, %c : tensor<4xf32, #tile.simd_column>, tensor<8xf32, #tile.simd_column>, tensor<4x8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_13(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %a = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<4xf32, #tile.simd_column>
  %b = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  %c = tile.load %x[%i] : !tile.global<64xf32> -> tensor<8xf32, #tile.simd>
  // expected-error @below {{'tile.mma' (C1): the extents must match}}
  // expected-note @below {{expected: a column of M, a row of N and an MxN accumulator}}
  // expected-note @below {{found: tensor<4xf32, #tile.simd_column>, tensor<8xf32, #tile.simd>, tensor<8xf32, #tile.simd>}}
  %r = tile.mma %a, %b, %c : tensor<4xf32, #tile.simd_column>, tensor<8xf32, #tile.simd>, tensor<8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_14(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %a = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<4xf32, #tile.simd_column>
  %b = tile.load %y[%i] : !tile.global<64xi32> -> tensor<8xi32, #tile.simd>
  %c = tile.load %x[%i] rows 8 : !tile.global<64xf32> -> tensor<4x8xf32, #tile.simd>
  // expected-error @below {{'tile.mma' (C2): the element types must be the atom's}}
  // expected-note @below {{expected: one float type}}
  // expected-note @below {{found: tensor<4xf32, #tile.simd_column>, tensor<8xi32, #tile.simd>, tensor<4x8xf32, #tile.simd>}}
  %r = tile.mma %a, %b, %c : tensor<4xf32, #tile.simd_column>, tensor<8xi32, #tile.simd>, tensor<4x8xf32, #tile.simd>
  tile.return
}

tile.kernel @k_15(%x: !tile.global<64xf32>, %y: !tile.global<64xi32>) grid 1 {
  %i = tile.cta_id
  %a = tile.load %y[%i] rows 8 : !tile.global<64xi32> -> tensor<4xi32, #tile.simd_column>
  %b = tile.load %y[%i] : !tile.global<64xi32> -> tensor<8xi32, #tile.simd>
  %c = tile.load %y[%i] rows 8 : !tile.global<64xi32> -> tensor<4x8xi32, #tile.simd>
  // expected-error @below {{'tile.mma' (C2): the element types must be the atom's}}
  // expected-note @below {{expected: one float type}}
  // expected-note @below {{found: tensor<4xi32, #tile.simd_column>, tensor<8xi32, #tile.simd>, tensor<4x8xi32, #tile.simd>}}
  %r = tile.mma %a, %b, %c : tensor<4xi32, #tile.simd_column>, tensor<8xi32, #tile.simd>, tensor<4x8xi32, #tile.simd>
  tile.return
}
