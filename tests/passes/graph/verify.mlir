// RUN: kiln-opt %s --graph-verify -split-input-file -verify-diagnostics

// What users write: composites, functions, views.
func.func @written(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  %0 = math.exp %x : tensor<4x8xf32>
  %1 = graph.softmax %0 axis 1 : tensor<4x8xf32>
  %2 = graph.divi %i, %i : tensor<4x8xi32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xi32>
}

// -----

func.func @foreign(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'math.cbrt' is not an op of the graph level}}
  %0 = math.cbrt %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Division traps on 0; only its guards may hold it.
func.func @unguarded(%x: tensor<8xi32>) -> tensor<8xi32> {
  // expected-error@+1 {{'arith.divsi' may only stand after graph-decompose}}
  %0 = arith.divsi %x, %x : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

func.func @dtype(%x: tensor<8xf64>) -> tensor<8xf64> {
  // expected-error@+3 {{'arith.addf' does not take these dtypes}}
  // expected-note@+2 {{expected: f32 to f32}}
  // expected-note@+1 {{found: 8xf64, 8xf64 to 8xf64}}
  %0 = arith.addf %x, %x : tensor<8xf64>
  return %0 : tensor<8xf64>
}
