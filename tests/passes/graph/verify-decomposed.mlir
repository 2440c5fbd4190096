// RUN: kiln-opt %s --graph-verify=decomposed -split-input-file -verify-diagnostics

func.func @decomposed(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = arith.divsi %x, %y : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

func.func @composite(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'graph.softmax' may only stand before graph-decompose}}
  %0 = graph.softmax %x axis 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @exact(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  // expected-error@+3 {{'arith.divsi' takes no flags}}
  // expected-note@+2 {{expected: no flags}}
  // expected-note@+1 {{found: exact}}
  %0 = arith.divsi %x, %y exact : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// Only f32 sums, and integers become 16-bit floats only through what f32 holds exactly.
func.func @halves(%x: tensor<4x8xbf16>, %i: tensor<8xi64>) {
  // expected-error@+3 {{'graph.matmul' does not take these dtypes}}
  // expected-note@+2 {{expected: f32, f16, bf16 to f32}}
  // expected-note@+1 {{found: 4x8xbf16, 4x8xbf16 to 4x4xbf16}}
  %0 = graph.matmul %x, %x transpose_b : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x4xbf16>
  // expected-error@+3 {{'graph.reduce' does not take these dtypes}}
  // expected-note@+2 {{expected: f32, i32, i64, bool to f32, i32, i64, bool}}
  // expected-note@+1 {{found: 4x8xbf16 to 4xbf16}}
  %1 = graph.reduce <max> %x axes [1] : tensor<4x8xbf16> -> tensor<4xbf16>
  // expected-error@+3 {{'arith.sitofp' does not take these dtypes}}
  // expected-note@+2 {{expected: i32, i64 to f32}}
  // expected-note@+1 {{found: 8xi64 to 8xf16}}
  %2 = arith.sitofp %i : tensor<8xi64> to tensor<8xf16>
  %3 = arith.mulf %x, %x : tensor<4x8xbf16>
  return
}
