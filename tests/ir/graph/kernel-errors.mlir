// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'graph.kernel' (C1): one block argument per operand, of its type}}
  // expected-note @below {{expected: 4x8xf32, 4xf32}}
  // expected-note @below {{found: 4x8xf32}}
  %0 = "graph.kernel"(%x, %y) <{kind = "pointwise"}> ({
  ^bb0(%a: tensor<4x8xf32>):
    graph.yield %a : tensor<4x8xf32>
  }) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'graph.kernel' (C1): one block argument per operand, of its type}}
  // expected-note @below {{expected: 4x8xf32}}
  // expected-note @below {{found: 4x8xi32}}
  %0 = "graph.kernel"(%x) <{kind = "pointwise"}> ({
  ^bb0(%a: tensor<4x8xi32>):
    graph.yield %a : tensor<4x8xi32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xi32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'graph.kernel' (C2): the region must yield the results}}
  // expected-note @below {{expected: 4x8xf32}}
  // expected-note @below {{found: none}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    graph.yield
  }
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'graph.kernel' (C2): the region must yield the results}}
  // expected-note @below {{expected: 4x8xf32}}
  // expected-note @below {{found: 4xf32}}
  %0 = graph.kernel "pointwise" (%a = %y : tensor<4xf32>) -> tensor<4x8xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'graph.kernel' (C2): the region must yield the results}}
  // expected-note @below {{expected: 4x8xf32}}
  // expected-note @below {{found: no graph.yield}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    func.return
  }
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'graph.kernel' (C3): one layout per operand}}
  // expected-note @below {{expected: 1}}
  // expected-note @below {{found: 2}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      input_layouts = [#graph.layout<strides = [8, 1]>, #graph.layout<strides = [8, 1]>]} {
    graph.yield %a : tensor<4x8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'graph.kernel' (C3): one stride per dimension of each operand}}
  // expected-note @below {{expected: 2}}
  // expected-note @below {{found: 1}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      input_layouts = [#graph.layout<strides = [8]>]} {
    graph.yield %a : tensor<4x8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'graph.kernel' (C3): one layout per result}}
  // expected-note @below {{expected: 1}}
  // expected-note @below {{found: 0}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      result_layouts = []} {
    graph.yield %a : tensor<4x8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'graph.kernel' (C3): one stride per dimension of each result}}
  // expected-note @below {{expected: 2}}
  // expected-note @below {{found: 3}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      result_layouts = [#graph.layout<strides = [8, 8, 1]>]} {
    graph.yield %a : tensor<4x8xf32>
  }
  return
}
