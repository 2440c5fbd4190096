// RUN: kiln-opt %s --split-input-file --tile-graph --verify-diagnostics

func.func @unknown_knob(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{a "pointwise" schedule has no knob `bm`}}
  // expected-note @below {{expected: one of lanes, tile}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {symbol = "k", schedule = #graph.schedule<"pointwise", {bm = 8 : i64}>} {
    %1 = arith.addf %a, %a : tensor<8xf32>
    graph.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @illegal_value(%x: tensor<8xf32>) -> tensor<f32> {
  // expected-error @below {{illegal value of schedule knob `lanes`}}
  // expected-note @below {{expected: a multiple of 8 in 8..256}}
  // expected-note @below {{found: 12 : i64}}
  %0 = graph.kernel "row" (%a = %x : tensor<8xf32>) -> tensor<f32> attributes {symbol = "k", schedule = #graph.schedule<"row", {lanes = 12 : i64}>} {
    %1 = graph.reduce <sum> %a axes [0] : tensor<8xf32> -> tensor<f32>
    graph.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func @other_family(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{schedule is for family "row", the kernel is "pointwise"}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {symbol = "k", schedule = #graph.schedule<"row", {lanes = 8 : i64}>} {
    %1 = arith.addf %a, %a : tensor<8xf32>
    graph.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @indivisible_tile(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{schedule knobs `bm, mr`: the CTA tile must be a multiple of the register tile, found 20 and 8}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<8x8xf32>) -> tensor<8x8xf32> attributes {symbol = "k", schedule = #graph.schedule<"matmul", {bm = 20 : i64}>} {
    %1 = graph.matmul %a, %a : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

func.func @wrong_kind(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{is a "pointwise" kernel, but says "row"}}
  %0 = graph.kernel "row" (%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {symbol = "k"} {
    %1 = arith.addf %a, %a : tensor<8xf32>
    graph.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @two_anchors(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  // expected-error @below {{cannot be one kernel: a kernel has one anchor: a matmul or reductions}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<8x8xf32>) -> tensor<8xf32> attributes {symbol = "k"} {
    %1 = graph.matmul %a, %a : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = graph.reduce <sum> %1 axes [1] : tensor<8x8xf32> -> tensor<8xf32>
    graph.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @unnamed(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{has no symbol: run graph-name-kernels first}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    %1 = arith.addf %a, %a : tensor<8xf32>
    graph.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @unscheduled(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{has no schedule: run tile-schedule first}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {symbol = "k"} {
    %1 = arith.addf %a, %a : tensor<8xf32>
    graph.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
