// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{'graph.custom_kernel' (C1): the symbol is a tile program of the module}}
  // expected-note @below {{expected: a tile.kernel}}
  // expected-note @below {{found: no tile.kernel @f}}
  %0 = graph.custom_kernel @f(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

tile.kernel @copy(%y: !tile.global<1xf32>, %x: !tile.global<1xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<1xf32> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<1xf32>
  tile.return
}
func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {
  // expected-error @below {{'graph.custom_kernel' (C1): what a tile program only reads comes before what it writes}}
  // expected-note @below {{expected: the results last}}
  // expected-note @below {{found: @copy, which only reads `arg1` behind them}}
  %0 = graph.custom_kernel @copy(%x) : (tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

tile.kernel @copy(%x: !tile.global<1xf32>, %y: !tile.global<1xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<1xf32> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<1xf32>
  tile.return
}
func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {
  // expected-error @below {{'graph.custom_kernel' (C2): operands are the arguments that are read, results those that are written}}
  // expected-note @below {{expected: 1 operands, 1 results}}
  // expected-note @below {{found: 2 operands, 1 results}}
  %0 = graph.custom_kernel @copy(%x, %x) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

tile.kernel @copy(%x: !tile.global<1xf32> {tile.name = "x"}, %y: !tile.global<1xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<1xf32> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<1xf32>
  tile.return
}
func.func @f(%x: tensor<1xi32>) -> tensor<1xf32> {
  // expected-error @below {{'graph.custom_kernel' (C3): operand 0 (`x` of @copy): element types are the program's}}
  // expected-note @below {{expected: f32}}
  // expected-note @below {{found: i32}}
  %0 = graph.custom_kernel @copy(%x) : (tensor<1xi32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

tile.kernel @copy(%x: !tile.global<1xf32>, %y: !tile.global<1xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<1xf32> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<1xf32>
  tile.return
}
func.func @f(%x: tensor<1x1xf32>) -> tensor<1xf32> {
  // expected-error @below {{'graph.custom_kernel' (C4): operand 0 (`arg0` of @copy): ranks are the program's}}
  // expected-note @below {{expected: 1}}
  // expected-note @below {{found: 2}}
  %0 = graph.custom_kernel @copy(%x) : (tensor<1x1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

tile.kernel @copy(%x: !tile.global<1xf32>, %y: !tile.global<1xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<1xf32> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<1xf32>
  tile.return
}
func.func @f(%x: tensor<1xf32>) -> tensor<2xf32> {
  // expected-error @below {{'graph.custom_kernel' (C4): result 0 (`arg1` of @copy): static extents are the program's}}
  // expected-note @below {{expected: dimension 0 = 1}}
  // expected-note @below {{found: 2}}
  %0 = graph.custom_kernel @copy(%x) : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

tile.kernel @copy(%x: !tile.global<?xf32> {tile.dims = ["N"]}, %y: !tile.global<?xf32> {tile.dims = ["N"]}) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<?xf32> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<?xf32>
  tile.return
}
func.func @f(%x: tensor<3xf32>) -> tensor<2xf32> {
  // expected-error @below {{'graph.custom_kernel' (C4): result 0 (`arg1` of @copy): extents of one name are equal}}
  // expected-note @below {{expected: N = 3, as of `arg0`}}
  // expected-note @below {{found: 2}}
  %0 = graph.custom_kernel @copy(%x) : (tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

tile.kernel @copy(%x: !tile.global<2x3xf32, strides = [4, 1]>, %y: !tile.global<1xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<2x3xf32, strides = [4, 1]> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<1xf32>
  tile.return
}
func.func @f(%x: tensor<2x3xf32>) -> tensor<1xf32> {
  // expected-error @below {{'graph.custom_kernel' (C5): operand 0 (`arg0` of @copy): a graph's tensors are dense}}
  // expected-note @below {{expected: a stride of 3 in dimension 0}}
  // expected-note @below {{found: 4}}
  %0 = graph.custom_kernel @copy(%x) : (tensor<2x3xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

tile.kernel @copy(%x: !tile.global<2x3xf32> {tile.aligned = 4}, %y: !tile.global<1xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<2x3xf32> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<1xf32>
  tile.return
}
func.func @f(%x: tensor<2x3xf32>) -> tensor<1xf32> {
  // expected-error @below {{'graph.custom_kernel' (C5): operand 0 (`arg0` of @copy): rows start where the program needs them}}
  // expected-note @below {{expected: rows of a multiple of 4 elements}}
  // expected-note @below {{found: rows of 3}}
  %0 = graph.custom_kernel @copy(%x) : (tensor<2x3xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

tile.kernel @scale(%x: !tile.global<1xf32>, %y: !tile.global<1xf32>, %factor: f32) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<1xf32> -> f32
  %p = arith.mulf %v, %factor : f32
  tile.store %p, %y[%c0] : f32, !tile.global<1xf32>
  tile.return
}
func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {
  // expected-error @below {{'graph.custom_kernel' (C6): there is a number for each scalar argument}}
  // expected-note @below {{expected: f32}}
  // expected-note @below {{found: i64, f32}}
  %0 = graph.custom_kernel @scale(%x) scalars [1, 1.0 : f32] : (tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

tile.kernel @copy(%x: !tile.global<1xf32>, %y: !tile.global<1xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<1xf32> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<1xf32>
  tile.return
}
func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {
  // expected-error @below {{'graph.custom_kernel' (C7): the reference takes the operands}}
  // expected-note @below {{expected: tensor<1xf32>}}
  // expected-note @below {{found: none}}
  %0 = graph.custom_kernel @copy(%x) : (tensor<1xf32>) -> tensor<1xf32> reference {
    %1 = arith.constant dense<0.0> : tensor<1xf32>
    graph.yield %1 : tensor<1xf32>
  }
  return %0 : tensor<1xf32>
}

// -----

tile.kernel @copy(%x: !tile.global<1xf32>, %y: !tile.global<1xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<1xf32> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<1xf32>
  tile.return
}
func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {
  // expected-error @below {{'graph.custom_kernel' (C7): the reference yields the results}}
  // expected-note @below {{expected: tensor<1xf32>}}
  // expected-note @below {{found: none}}
  %0 = graph.custom_kernel @copy(%x) : (tensor<1xf32>) -> tensor<1xf32> reference {
  ^reference(%v: tensor<1xf32>):
    graph.yield
  }
  return %0 : tensor<1xf32>
}

// -----

tile.kernel @copy(%x: !tile.global<?xf32> {tile.dims = ["N"]}, %y: !tile.global<?xf32> {tile.dims = ["N"]}) grid 1
    attributes {tile.ranges = {N = [4, 8]}} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<?xf32> -> f32
  tile.store %v, %y[%c0] : f32, !tile.global<?xf32>
  tile.return
}
func.func @ends(%x: tensor<4xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %0 = graph.custom_kernel @copy(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.custom_kernel @copy(%y) : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<4xf32>, tensor<8xf32>
}
func.func @beyond(%x: tensor<9xf32>) -> tensor<9xf32> {
  // expected-error @below {{'graph.custom_kernel' (C4): operand 0 (`arg0` of @copy): extents are in the ranges that the program declares}}
  // expected-note @below {{expected: N in [4, 8]}}
  // expected-note @below {{found: 9}}
  %0 = graph.custom_kernel @copy(%x) : (tensor<9xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
