// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(graph-fuse))' -split-input-file -verify-diagnostics

func.func @composite(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'graph.softmax' must be decomposed before fusion}}
  %0 = graph.softmax %x axis 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @foreign(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'math.cbrt' is not an op of the graph level}}
  %0 = math.cbrt %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{graph-fuse ran before: this function holds kernels}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    %1 = math.exp %a : tensor<8xf32>
    graph.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{a graph has one block}}
func.func @blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  llvm.br ^next
^next:
  return %x : tensor<8xf32>
}
