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

// expected-error@+3 {{arguments and results must be static tensors of a dtype that ops take}}
// expected-note@+2 {{expected: a type such as tensor<8x128xf32>}}
// expected-note@+1 {{found: tensor<8xf64>}}
func.func @dtype(%x: tensor<8xf64>) -> tensor<8xf64> {
  // expected-error@+3 {{'arith.addf' does not take these dtypes}}
  // expected-note@+2 {{expected: f32, f16, bf16 to f32, f16, bf16}}
  // expected-note@+1 {{found: 8xf64, 8xf64 to 8xf64}}
  %0 = arith.addf %x, %x : tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

func.func @scalarCondition(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+3 {{'arith.constant' works on tensors only}}
  // expected-note@+2 {{expected: a static tensor without an encoding}}
  // expected-note@+1 {{found: i1}}
  %c = arith.constant true
  // expected-error@+3 {{'arith.select' works on tensors only}}
  // expected-note@+2 {{expected: a static tensor without an encoding}}
  // expected-note@+1 {{found: i1}}
  %0 = arith.select %c, %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+3 {{arguments and results must be static tensors of a dtype that ops take}}
// expected-note@+2 {{expected: a type such as tensor<8x128xf32>}}
// expected-note@+1 {{found: vector<4xf32>}}
func.func @vector(%x: vector<4xf32>) {
  // expected-error@+3 {{'arith.addf' works on tensors only}}
  // expected-note@+2 {{expected: a static tensor without an encoding}}
  // expected-note@+1 {{found: vector<4xf32>}}
  %0 = arith.addf %x, %x : vector<4xf32>
  return
}

// -----

// expected-error@+3 {{arguments and results must be static tensors of a dtype that ops take}}
// expected-note@+2 {{expected: a type such as tensor<8x128xf32>}}
// expected-note@+1 {{found: tensor<?xf32>}}
func.func @dynamic(%x: tensor<?xf32>) {
  // expected-error@+3 {{'arith.addf' works on tensors only}}
  // expected-note@+2 {{expected: a static tensor without an encoding}}
  // expected-note@+1 {{found: tensor<?xf32>}}
  %0 = arith.addf %x, %x : tensor<?xf32>
  return
}

// -----

// expected-error@+3 {{arguments and results must be static tensors of a dtype that ops take}}
// expected-note@+2 {{expected: a type such as tensor<8x128xf32>}}
// expected-note@+1 {{found: f32}}
func.func @returned(%x: f32) -> f32 {
  return %x : f32
}

// -----

// expected-error@+3 {{arguments and results must be static tensors of a dtype that ops take}}
// expected-note@+2 {{expected: a type such as tensor<8x128xf32>}}
// expected-note@+1 {{found: tensor<4xf32, #tile.simd>}}
func.func @encoded(%x: tensor<4xf32, #tile.simd>) {
  // expected-error@+3 {{'arith.addf' works on tensors only}}
  // expected-note@+2 {{expected: a static tensor without an encoding}}
  // expected-note@+1 {{found: tensor<4xf32, #tile.simd>}}
  %0 = arith.addf %x, %x : tensor<4xf32, #tile.simd>
  return
}

// -----

// expected-error@+3 {{arguments and results must be static tensors of a dtype that ops take}}
// expected-note@+2 {{expected: a type such as tensor<8x128xf32>}}
// expected-note@+1 {{found: tensor<4xui32>}}
func.func @unsigned(%c: tensor<4xi1>, %x: tensor<4xui32>) {
  // expected-error@+3 {{'arith.select' does not take these dtypes}}
  // expected-note@+2 {{expected: f32, f16, bf16, i32, i64, bool to f32, f16, bf16, i32, i64, bool}}
  // expected-note@+1 {{found: 4xi1, 4xui32, 4xui32 to 4xui32}}
  %0 = arith.select %c, %x, %x : tensor<4xi1>, tensor<4xui32>
  return
}

// -----

func.func @sparse() {
  // expected-error@+4 {{'arith.constant' spells its elements out}}
  // expected-note@+3 {{expected: dense<...>}}
  // expected-note@+2 {{found: sparse<...>}}
  // expected-note@+1 {{try: an argument with graph.param}}
  %0 = arith.constant sparse<[[0], [2]], [1.0, 2.0]> : tensor<4xf32>
  return
}

// -----

func.func @resource() {
  // expected-error@+4 {{'arith.constant' spells its elements out}}
  // expected-note@+3 {{expected: dense<...>}}
  // expected-note@+2 {{found: dense_resource<...>}}
  // expected-note@+1 {{try: an argument with graph.param}}
  %0 = arith.constant dense_resource<blob> : tensor<4xf32>
  return
}

// -----

// Integers wrap, floats are rounded op by op: nothing may be promised or allowed beyond that.
func.func @flags(%x: tensor<4xi32>, %l: tensor<4xi64>, %f: tensor<4xf32>) {
  // expected-error@+3 {{'arith.addi' takes no flags}}
  // expected-note@+2 {{expected: no flags}}
  // expected-note@+1 {{found: overflow<nsw, nuw>}}
  %0 = arith.addi %x, %x overflow<nsw, nuw> : tensor<4xi32>
  // expected-error@+3 {{'arith.trunci' takes no flags}}
  // expected-note@+2 {{expected: no flags}}
  // expected-note@+1 {{found: overflow<nsw>}}
  %1 = arith.trunci %l overflow<nsw> : tensor<4xi64> to tensor<4xi32>
  // expected-error@+3 {{'arith.addf' takes no flags}}
  // expected-note@+2 {{expected: no flags}}
  // expected-note@+1 {{found: fastmath<fast>}}
  %4 = arith.addf %f, %f fastmath<fast> : tensor<4xf32>
  // expected-error@+3 {{'math.exp' takes no flags}}
  // expected-note@+2 {{expected: no flags}}
  // expected-note@+1 {{found: fastmath<nnan>}}
  %5 = math.exp %f fastmath<nnan> : tensor<4xf32>
  return
}

// -----

// Extents whose product overflows, as well.
// expected-error@+3 {{'func.func': a tensor must fit in memory}}
// expected-note@+2 {{expected: at most 2^47 bytes}}
// expected-note@+1 {{found: 4294967296x4294967296xf32}}
func.func @argument(%x: tensor<4294967296x4294967296xf32>) {
  return
}

// -----

func.func @result(%x: tensor<f32>) {
  // expected-error@+3 {{'graph.broadcast': a tensor must fit in memory}}
  // expected-note@+2 {{expected: at most 2^47 bytes}}
  // expected-note@+1 {{found: 0x35184372088833xf32}}
  %0 = graph.broadcast %x dims [] : tensor<f32> -> tensor<0x35184372088833xf32>
  return
}
