// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @f(%i: i32) {
  // expected-error @below {{'tile.lookup' (C1): the table must be a matrix}}
  // expected-note @below {{expected: `dense` rows of f32 or i32}}
  // expected-note @below {{found: tensor<2xf32>}}
  %x = tile.lookup dense<[1.0, 2.0]> : tensor<2xf32> at %i : i32 -> f32
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error @below {{'tile.lookup' (C1): the table must be a matrix}}
  // expected-note @below {{expected: `dense` rows of f32 or i32}}
  // expected-note @below {{found: tensor<2x1xf64>}}
  %x = tile.lookup dense<[[1.0], [2.0]]> : tensor<2x1xf64> at %i : i32 -> f64
  return
}

// -----

func.func @f(%i: i32) {
  // expected-error @below {{'tile.lookup' (C2): there must be one result per column}}
  // expected-note @below {{expected: 2}}
  // expected-note @below {{found: 1}}
  %x = tile.lookup dense<[[1.0, 2.0]]> : tensor<1x2xf32> at %i : i32 -> f32
  return
}

// -----

func.func @f(%i: tensor<8xi32, #tile.simd>) {
  // expected-error @below {{'tile.lookup' (C2): a result must match the index}}
  // expected-note @below {{expected: tensor<8xf32, #tile.simd>}}
  // expected-note @below {{found: tensor<8xf32>}}
  %x = tile.lookup dense<[[1.0]]> : tensor<1x1xf32> at %i : tensor<8xi32, #tile.simd> -> tensor<8xf32>
  return
}

// -----

func.func @f(%i: i64) {
  // expected-error @below {{operand #0 must be an i32, or a vector or fragment of it, but got 'i64'}}
  %x = tile.lookup dense<[[1.0]]> : tensor<1x1xf32> at %i : i64 -> f32
  return
}

// -----

func.func @f(%x: bf16) {
  // expected-error @below {{'tile.approx' (C1): the elements must be f32}}
  // expected-note @below {{expected: f32}}
  // expected-note @below {{found: bf16}}
  %y = tile.approx <rcp> %x : bf16
  return
}
