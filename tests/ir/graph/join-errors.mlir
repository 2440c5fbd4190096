// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @f() -> tensor<0xf32> {
  // expected-error @below {{'graph.concat' (C1): there must be something to join}}
  // expected-note @below {{expected: at least 1 operand}}
  // expected-note @below {{found: none}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.concat axis 0 : () -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.concat' (C2): the axis must be within the rank}}
  // expected-note @below {{expected: 0 <= axis < 2}}
  // expected-note @below {{found: axis 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.concat %x, %y axis 2 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.concat' (C2): the axis must be within the rank}}
  // expected-note @below {{expected: 0 <= axis < 2}}
  // expected-note @below {{found: axis -1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.concat %x, %y axis -1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<4x6xi32>) -> tensor<4x12xf32> {
  // expected-error @below {{'graph.concat' (C3): operand 1 must match the first in all but dimension 1}}
  // expected-note @below {{expected: 4x6xf32}}
  // expected-note @below {{found: 4x6xi32}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.concat %x, %y axis 1 : (tensor<4x6xf32>, tensor<4x6xi32>) -> tensor<4x12xf32>
  return %0 : tensor<4x12xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>) -> tensor<4x12xf32> {
  // expected-error @below {{'graph.concat' (C3): operand 1 must match the first in all but dimension 1}}
  // expected-note @below {{expected: 4x6xf32}}
  // expected-note @below {{found: 5x6xf32}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.concat %x, %y axis 1 : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x12xf32>
  return %0 : tensor<4x12xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %y: tensor<4x6x1xf32>) -> tensor<4x12xf32> {
  // expected-error @below {{'graph.concat' (C3): operand 1 must match the first in all but dimension 1}}
  // expected-note @below {{expected: 4x6xf32}}
  // expected-note @below {{found: 4x6x1xf32}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.concat %x, %y axis 1 : (tensor<4x6xf32>, tensor<4x6x1xf32>) -> tensor<4x12xf32>
  return %0 : tensor<4x12xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  // expected-error @below {{'graph.gather' (C1): the axis must be within the rank}}
  // expected-note @below {{expected: 0 <= axis < 2}}
  // expected-note @below {{found: axis 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.gather %x at %i axis 2 : (tensor<4x6xf32>, tensor<3xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xi32>) -> tensor<4x3xf32> {
  // expected-error @below {{'graph.gather' (C1): the axis must be within the rank}}
  // expected-note @below {{expected: 0 <= axis < 2}}
  // expected-note @below {{found: axis -1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.gather %x at %i axis -1 : (tensor<4x6xf32>, tensor<3xi32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @f(%x: tensor<0x6xf32>, %i: tensor<3xi64>) -> tensor<3x6xf32> {
  // expected-error @below {{'graph.gather' (C2): there must be something to read along the axis}}
  // expected-note @below {{expected: an extent of at least 1}}
  // expected-note @below {{found: 0 (0x6xf32)}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.gather %x at %i axis 0 : (tensor<0x6xf32>, tensor<3xi64>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// -----

// Nothing is read where the result is empty.
func.func @f(%x: tensor<0x6xf32>, %i: tensor<0xi64>) -> tensor<0x6xf32> {
  %0 = graph.gather %x at %i axis 0 : (tensor<0x6xf32>, tensor<0xi64>) -> tensor<0x6xf32>
  return %0 : tensor<0x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xf32>) -> tensor<3x6xf32> {
  // expected-error @below {{'graph.gather' op operand #1 must be statically shaped tensor of 64-bit signless integer or 32-bit signless integer values, but got 'tensor<3xf32>'}}
  %0 = graph.gather %x at %i axis 0 : (tensor<4x6xf32>, tensor<3xf32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// -----

func.func @f() -> tensor<2x5xi64> {
  // expected-error @below {{'graph.iota' (C1): the axis must be within the rank}}
  // expected-note @below {{expected: 0 <= axis < 2}}
  // expected-note @below {{found: axis 2}}
  %0 = graph.iota axis 2 : tensor<2x5xi64>
  return %0 : tensor<2x5xi64>
}

// -----

func.func @f() -> tensor<i64> {
  // expected-error @below {{'graph.iota' (C1): the axis must be within the rank}}
  // expected-note @below {{expected: 0 <= axis < 0}}
  // expected-note @below {{found: axis 0}}
  %0 = graph.iota axis 0 : tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @f() -> tensor<2xi1> {
  // expected-error @below {{'graph.iota' (C2): elements must hold an index}}
  // expected-note @below {{expected: an integer or float dtype}}
  // expected-note @below {{found: bool}}
  %0 = graph.iota axis 0 : tensor<2xi1>
  return %0 : tensor<2xi1>
}
