// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.softmax' (C1): the axis must be within the rank}}
  // expected-note @below {{expected: 0 <= axis < 2}}
  // expected-note @below {{found: axis 2}}
  %0 = graph.softmax %x axis 2 : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.softmax' (C1): the axis must be within the rank}}
  // expected-note @below {{expected: 0 <= axis < 2}}
  // expected-note @below {{found: axis -1}}
  %0 = graph.softmax %x axis -1 : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'graph.softmax' (C1): the axis must be within the rank}}
  // expected-note @below {{expected: 0 <= axis < 0}}
  // expected-note @below {{found: axis 0}}
  %0 = graph.softmax %x axis 0 : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Along an empty dimension there is nothing to do, and that is done.
func.func @f(%x: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %0 = graph.softmax %x axis 1 : tensor<4x0xf32>
  return %0 : tensor<4x0xf32>
}

// -----

func.func @f(%x: tensor<f32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<f32> {
  // expected-error @below {{'graph.layer_norm' (C1): there must be a dimension to normalise}}
  // expected-note @below {{expected: rank 1 or more}}
  // expected-note @below {{found: rank 0}}
  %0 = graph.layer_norm %x scale %s bias %b eps 1.0e-5 : (tensor<f32>, tensor<6xf32>, tensor<6xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %s: tensor<4xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.layer_norm' (C2): scale and bias must be vectors as long as x's last dimension}}
  // expected-note @below {{expected: 6xf32}}
  // expected-note @below {{found: 4xf32}}
  %0 = graph.layer_norm %x scale %s bias %b eps 1.0e-5 : (tensor<4x6xf32>, tensor<4xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %b: tensor<1x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.layer_norm' (C2): scale and bias must be vectors as long as x's last dimension}}
  // expected-note @below {{expected: 6xf32}}
  // expected-note @below {{found: 1x6xf32}}
  %0 = graph.layer_norm %x scale %s bias %b eps 1.0e-5 : (tensor<4x6xf32>, tensor<6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %b: tensor<6xf64>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.layer_norm' (C2): scale and bias must be vectors as long as x's last dimension}}
  // expected-note @below {{expected: 6xf32}}
  // expected-note @below {{found: 6xf64}}
  %0 = graph.layer_norm %x scale %s bias %b eps 1.0e-5 : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf64>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.layer_norm' (C3): eps must be finite and not negative}}
  // expected-note @below {{expected: eps >= 0}}
  // expected-note @below {{found: -1}}
  %0 = graph.layer_norm %x scale %s bias %b eps -1.0 : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.layer_norm' (C3): eps must be finite and not negative}}
  // expected-note @below {{expected: eps >= 0}}
  // expected-note @below {{found: inf}}
  %0 = graph.layer_norm %x scale %s bias %b eps 0x7FF0000000000000 : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.layer_norm' (C3): eps must be finite and not negative}}
  // expected-note @below {{expected: eps >= 0}}
  // expected-note @below {{found: nan}}
  %0 = graph.layer_norm %x scale %s bias %b eps 0x7FF8000000000000 : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<24xf32> {
  // expected-error @below {{'graph.layer_norm' (C4): the result must have x's type}}
  // expected-note @below {{expected: 4x6xf32}}
  // expected-note @below {{found: 24xf32}}
  %0 = graph.layer_norm %x scale %s bias %b eps 1.0e-5 : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf64> {
  // expected-error @below {{'graph.layer_norm' (C4): the result must have x's type}}
  // expected-note @below {{expected: 4x6xf32}}
  // expected-note @below {{found: 4x6xf64}}
  %0 = graph.layer_norm %x scale %s bias %b eps 1.0e-5 : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}
