// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x6xf32>) -> tensor<f32> {
  // expected-error @below {{'graph.reduce' (C1): axes must be distinct, ascending and within the rank}}
  // expected-note @below {{expected: axes of 0..1}}
  // expected-note @below {{found: [1, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce <sum> %x axes [1, 0] : tensor<4x6xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<f32> {
  // expected-error @below {{'graph.reduce' (C1): axes must be distinct, ascending and within the rank}}
  // expected-note @below {{expected: axes of 0..1}}
  // expected-note @below {{found: [1, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce <sum> %x axes [1, 1] : tensor<4x6xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<f32> {
  // expected-error @below {{'graph.reduce' (C1): axes must be distinct, ascending and within the rank}}
  // expected-note @below {{expected: axes of 0..1}}
  // expected-note @below {{found: [2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce <sum> %x axes [2] : tensor<4x6xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<f32> {
  // expected-error @below {{'graph.reduce' (C1): axes must be distinct, ascending and within the rank}}
  // expected-note @below {{expected: axes of 0..1}}
  // expected-note @below {{found: [-1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce <sum> %x axes [-1] : tensor<4x6xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'graph.reduce' (C1): axes must be distinct, ascending and within the rank}}
  // expected-note @below {{expected: no axes}}
  // expected-note @below {{found: [0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce <sum> %x axes [0] : tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @f(%x: tensor<3x0xf32>) -> tensor<3xf32> {
  // expected-error @below {{'graph.reduce' (C2): max of nothing has no value}}
  // expected-note @below {{expected: at least 1 element along the axes}}
  // expected-note @below {{found: 0 (3x0xf32)}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce <max> %x axes [1] : tensor<3x0xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<0xi32>) -> tensor<i32> {
  // expected-error @below {{'graph.reduce' (C2): min of nothing has no value}}
  // expected-note @below {{expected: at least 1 element along the axes}}
  // expected-note @below {{found: 0 (0xi32)}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce <min> %x axes [0] : tensor<0xi32> -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// Nothing is asked of the elements where nothing is combined, nor of the other dimensions.
func.func @f(%x: tensor<3x0xf32>, %b: tensor<4xi1>) -> (tensor<0xf32>, tensor<3xf32>, tensor<i1>) {
  %0 = graph.reduce <max> %x axes [0] : tensor<3x0xf32> -> tensor<0xf32>
  %1 = graph.reduce <sum> %x axes [1] : tensor<3x0xf32> -> tensor<3xf32>
  %2 = graph.reduce <max> %b axes [0] : tensor<4xi1> -> tensor<i1>
  return %0, %1, %2 : tensor<0xf32>, tensor<3xf32>, tensor<i1>
}

// -----

func.func @f(%x: tensor<4xi1>) -> tensor<i1> {
  // expected-error @below {{'graph.reduce' (C3): bool has no arithmetic}}
  // expected-note @below {{expected: max (any) or min (all)}}
  // expected-note @below {{found: sum}}
  // expected-note @below {{try: cast to i32 first}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce <sum> %x axes [0] : tensor<4xi1> -> tensor<i1>
  return %0 : tensor<i1>
}

// -----

func.func @f(%x: tensor<4xi1>) -> tensor<i1> {
  // expected-error @below {{'graph.reduce' (C3): bool has no arithmetic}}
  // expected-note @below {{expected: max (any) or min (all)}}
  // expected-note @below {{found: mean}}
  // expected-note @below {{try: cast to i32 first}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce <mean> %x axes [0] : tensor<4xi1> -> tensor<i1>
  return %0 : tensor<i1>
}

// -----

func.func @f(%x: tensor<4xi1>) -> tensor<i1> {
  // expected-error @below {{'graph.reduce' (C3): bool has no arithmetic}}
  // expected-note @below {{expected: max (any) or min (all)}}
  // expected-note @below {{found: prod}}
  // expected-note @below {{try: cast to i32 first}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce <prod> %x axes [0] : tensor<4xi1> -> tensor<i1>
  return %0 : tensor<i1>
}

// -----

func.func @f(%x: tensor<4x6xi32>) -> tensor<4xi32> {
  // The mean of integers is f32.
  // expected-error @below {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<4xi32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.reduce <mean> %x axes [1] : tensor<4x6xi32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
