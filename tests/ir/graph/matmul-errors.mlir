// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<f32> {
  // expected-error @below {{'graph.matmul' (C1): both operands must have the same rank, at least 2}}
  // expected-note @below {{expected: rank 2 for b}}
  // expected-note @below {{found: a 4xf32, b 4xf32}}
  // expected-note @below {{try: broadcast or reshape an operand}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @f(%a: tensor<2x4x5xf32>, %b: tensor<5x6xf32>) -> tensor<2x4x6xf32> {
  // expected-error @below {{'graph.matmul' (C1): both operands must have the same rank, at least 2}}
  // expected-note @below {{expected: rank 3 for b}}
  // expected-note @below {{found: a 2x4x5xf32, b 5x6xf32}}
  // expected-note @below {{try: broadcast or reshape an operand}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<2x4x5xf32>, tensor<5x6xf32>) -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}

// -----

func.func @f(%a: tensor<2x3x4x5xf32>, %b: tensor<1x3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  // expected-error @below {{'graph.matmul' (C2): batch extents must agree}}
  // expected-note @below {{expected: [2, 3]}}
  // expected-note @below {{found: [1, 3] (a 2x3x4x5xf32, b 1x3x5x6xf32)}}
  // expected-note @below {{try: broadcast an operand}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<2x3x4x5xf32>, tensor<1x3x5x6xf32>) -> tensor<2x3x4x6xf32>
  return %0 : tensor<2x3x4x6xf32>
}

// -----

func.func @f(%a: tensor<4x5xf32>, %b: tensor<6x5xf32>) -> tensor<4x5xf32> {
  // expected-error @below {{'graph.matmul' (C3): the contracted extents must agree}}
  // expected-note @below {{expected: K = 5 from a 4x5xf32}}
  // expected-note @below {{found: K = 6 from b 6x5xf32}}
  // expected-note @below {{try: transpose_b}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<4x5xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @f(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.matmul' (C3): the contracted extents must agree}}
  // expected-note @below {{expected: K = 5 from a 4x5xf32}}
  // expected-note @below {{found: K = 6 from b 5x6xf32}}
  // expected-note @below {{try: drop transpose_b}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b transpose_b : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%a: tensor<4x5xf32>, %b: tensor<6x7xf32>) -> tensor<5x7xf32> {
  // expected-error @below {{'graph.matmul' (C3): the contracted extents must agree}}
  // expected-note @below {{expected: K = 4 from a 4x5xf32}}
  // expected-note @below {{found: K = 6 from b 6x7xf32}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b transpose_a : (tensor<4x5xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// -----

func.func @f(%a: tensor<4x5xf32>, %b: tensor<5x6xf64>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.matmul' (C4): element types must agree}}
  // expected-note @below {{expected: f32}}
  // expected-note @below {{found: f64}}
  // expected-note @below {{try: cast one operand}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<4x5xf32>, tensor<5x6xf64>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%a: tensor<4x5xi32>, %b: tensor<5x6xi32>) -> tensor<4x6xi32> {
  // The other half of (C4): floats only.
  // expected-error @below {{'graph.matmul' op operand #0 must be statically shaped tensor of 64-bit float}}
  %0 = graph.matmul %a, %b : (tensor<4x5xi32>, tensor<5x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// Operands of 16 bits may give f32, but not the reverse.
func.func @f(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>) -> tensor<4x6xbf16> {
  // expected-error @below {{'graph.matmul' op inferred type(s) 'tensor<4x6xf32>' are incompatible with return type(s) of operation 'tensor<4x6xbf16>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
}
