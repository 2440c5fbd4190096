// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<6xf32>) -> tensor<4x6xi32> {
  // expected-error @below {{'graph.broadcast' (C1): element types must agree}}
  // expected-note @below {{expected: f32}}
  // expected-note @below {{found: i32}}
  // expected-note @below {{try: cast the operand first}}
  %0 = graph.broadcast %x dims [1] : tensor<6xf32> -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<2x4x6xf32> {
  // expected-error @below {{'graph.broadcast' (C2): dims must place each operand dimension, in order}}
  // expected-note @below {{expected: 2 ascending dims below 3}}
  // expected-note @below {{found: [1]}}
  %0 = graph.broadcast %x dims [1] : tensor<4x6xf32> -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<2x6x4xf32> {
  // expected-error @below {{'graph.broadcast' (C2): dims must place each operand dimension, in order}}
  // expected-note @below {{expected: 2 ascending dims below 3}}
  // expected-note @below {{found: [2, 1]}}
  %0 = graph.broadcast %x dims [2, 1] : tensor<4x6xf32> -> tensor<2x6x4xf32>
  return %0 : tensor<2x6x4xf32>
}

// -----

func.func @f(%x: tensor<4x4xf32>) -> tensor<2x4x6xf32> {
  // expected-error @below {{'graph.broadcast' (C2): dims must place each operand dimension, in order}}
  // expected-note @below {{expected: 2 ascending dims below 3}}
  // expected-note @below {{found: [1, 1]}}
  %0 = graph.broadcast %x dims [1, 1] : tensor<4x4xf32> -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<2x4x6xf32> {
  // expected-error @below {{'graph.broadcast' (C2): dims must place each operand dimension, in order}}
  // expected-note @below {{expected: 2 ascending dims below 3}}
  // expected-note @below {{found: [1, 3]}}
  %0 = graph.broadcast %x dims [1, 3] : tensor<4x6xf32> -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<2x4x6xf32> {
  // expected-error @below {{'graph.broadcast' (C2): dims must place each operand dimension, in order}}
  // expected-note @below {{expected: 2 ascending dims below 3}}
  // expected-note @below {{found: [-1, 2]}}
  %0 = graph.broadcast %x dims [-1, 2] : tensor<4x6xf32> -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{'graph.broadcast' (C3): extent of dimension 1 must be 1 or the result's}}
  // expected-note @below {{expected: 1 or 8}}
  // expected-note @below {{found: 6}}
  %0 = graph.broadcast %x dims [0, 1] : tensor<4x6xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<6xf32>) -> tensor<6xi32> {
  // expected-error @below {{'graph.reshape' (C1): element types must agree}}
  // expected-note @below {{expected: f32}}
  // expected-note @below {{found: i32}}
  // expected-note @below {{try: cast the operand first}}
  %0 = graph.reshape %x : tensor<6xf32> -> tensor<6xi32>
  return %0 : tensor<6xi32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<5x5xf32> {
  // expected-error @below {{'graph.reshape' (C2): element counts must agree}}
  // expected-note @below {{expected: 24 elements}}
  // expected-note @below {{found: 25 (5x5xf32)}}
  %0 = graph.reshape %x : tensor<4x6xf32> -> tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'graph.transpose' (C1): perm must be a permutation of the operand's dimensions}}
  // expected-note @below {{expected: each of 0..1 once}}
  // expected-note @below {{found: [0, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.transpose %x perm [0, 0] : tensor<4x6xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.transpose' (C1): perm must be a permutation of the operand's dimensions}}
  // expected-note @below {{expected: each of 0..1 once}}
  // expected-note @below {{found: [0, 2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.transpose %x perm [0, 2] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  // expected-error @below {{'graph.transpose' (C1): perm must be a permutation of the operand's dimensions}}
  // expected-note @below {{expected: each of 0..1 once}}
  // expected-note @below {{found: [-1, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.transpose %x perm [-1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<6xf32> {
  // expected-error @below {{'graph.transpose' (C1): perm must be a permutation of the operand's dimensions}}
  // expected-note @below {{expected: each of 0..1 once}}
  // expected-note @below {{found: [1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.transpose %x perm [1] : tensor<4x6xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

func.func @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{'graph.transpose' (C1): perm must be a permutation of the operand's dimensions}}
  // expected-note @below {{expected: []}}
  // expected-note @below {{found: [0]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.transpose %x perm [0] : tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.slice' (C1): one start, limit and step per dimension}}
  // expected-note @below {{expected: 2 of each}}
  // expected-note @below {{found: 1, 2 and 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice %x from [0] to [4, 6] step [1, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.slice' (C1): one start, limit and step per dimension}}
  // expected-note @below {{expected: 2 of each}}
  // expected-note @below {{found: 2, 3 and 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice %x from [0, 0] to [4, 6, 1] step [1, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.slice' (C1): one start, limit and step per dimension}}
  // expected-note @below {{expected: 2 of each}}
  // expected-note @below {{found: 2, 2 and 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice %x from [0, 0] to [4, 6] step [] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.slice' (C2): the window of dimension 0 must lie inside it}}
  // expected-note @below {{expected: 0 <= start <= limit <= 4}}
  // expected-note @below {{found: start -1, limit 4}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice %x from [-1, 0] to [4, 6] step [1, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.slice' (C2): the window of dimension 1 must lie inside it}}
  // expected-note @below {{expected: 0 <= start <= limit <= 6}}
  // expected-note @below {{found: start 3, limit 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice %x from [0, 3] to [4, 2] step [1, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.slice' (C2): the window of dimension 1 must lie inside it}}
  // expected-note @below {{expected: 0 <= start <= limit <= 6}}
  // expected-note @below {{found: start 0, limit 7}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice %x from [0, 0] to [4, 7] step [1, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.slice' (C3): the step of dimension 0 must be positive}}
  // expected-note @below {{expected: at least 1}}
  // expected-note @below {{found: 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice %x from [0, 0] to [4, 6] step [0, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'graph.slice' (C3): the step of dimension 1 must be positive}}
  // expected-note @below {{expected: at least 1}}
  // expected-note @below {{found: -2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = graph.slice %x from [0, 0] to [4, 6] step [1, -2] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
