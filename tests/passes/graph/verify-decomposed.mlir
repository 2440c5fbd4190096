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
