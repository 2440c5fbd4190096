// RUN: kiln-opt %s --split-input-file --tile-schedule=target=sm_80 --tile-graph=target=sm_80 --verify-diagnostics

func.func @knob_of_another_target(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{a "pointwise" schedule has no knob `lanes`}}
  // expected-note @below {{expected: one of threads, groups, vec, runs, rows, across}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {symbol = "k", schedule = #graph.schedule<"pointwise", {lanes = 8 : i64}>} {
    %1 = arith.addf %a, %a : tensor<8xf32>
    graph.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @groups_of_several_warps(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{schedule knobs `groups, threads`: only warps, of 32 threads, share a CTA, found 2 and 64}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {symbol = "k", schedule = #graph.schedule<"pointwise", {threads = 64, groups = 2}>} {
    %1 = arith.addf %a, %a : tensor<8xf32>
    graph.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @odd_run(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{schedule knob `vec` must be a power of two, found 3}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {symbol = "k", schedule = #graph.schedule<"pointwise", {vec = 3}>} {
    %1 = arith.addf %a, %a : tensor<8xf32>
    graph.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// No schedule is legal: nothing is chosen, and the reason is that of the smallest.
func.func @no_schedule(%x: tensor<16x3xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{has no legal schedule on 'sm_80': registers of each of 64 threads: expected at most 255, found about 488}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<16x3xf32>) -> tensor<64x64xf32> attributes {symbol = "k"} {
    %1 = graph.concat %a, %a, %a, %a axis 0 : (tensor<16x3xf32>, tensor<16x3xf32>, tensor<16x3xf32>, tensor<16x3xf32>) -> tensor<64x3xf32>
    %2 = graph.concat %1, %1, %1 axis 1 : (tensor<64x3xf32>, tensor<64x3xf32>, tensor<64x3xf32>) -> tensor<64x9xf32>
    %3 = graph.matmul %2, %2 transpose_b : (tensor<64x9xf32>, tensor<64x9xf32>) -> tensor<64x64xf32>
    graph.yield %3 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @what_is_stored_at_every_point(%x: tensor<200000xf32>) -> tensor<200000xf32> {
  // expected-error @below {{schedule knob `ctas`: CTAs of more than a warp share the pieces of a row of more than 65536 elements whose outputs are all of rows, found 4}}
  %0 = graph.kernel "row" (%a = %x : tensor<200000xf32>) -> tensor<200000xf32> attributes {symbol = "k", schedule = #graph.schedule<"row", {threads = 512, ctas = 4}>} {
    %1 = graph.reduce <sum> %a axes [0] : tensor<200000xf32> -> tensor<f32>
    %2 = graph.broadcast %1 dims [] : tensor<f32> -> tensor<200000xf32>
    %3 = arith.subf %a, %2 : tensor<200000xf32>
    graph.yield %3 : tensor<200000xf32>
  }
  return %0 : tensor<200000xf32>
}

// -----

func.func @columns_in_two_passes(%x: tensor<2000x3xf32>) -> tensor<3xf32> {
  // expected-error @below {{schedule knob `ctas`: CTAs share reductions of one pass whose outputs are all of columns}}
  %0 = graph.kernel "column" (%a = %x : tensor<2000x3xf32>) -> tensor<3xf32> attributes {symbol = "k", schedule = #graph.schedule<"column", {warps = 4, ctas = 4}>} {
    %1 = graph.reduce <max> %a axes [0] : tensor<2000x3xf32> -> tensor<3xf32>
    %2 = graph.broadcast %1 dims [1] : tensor<3xf32> -> tensor<2000x3xf32>
    %3 = arith.subf %a, %2 : tensor<2000x3xf32>
    %4 = graph.reduce <sum> %3 axes [0] : tensor<2000x3xf32> -> tensor<3xf32>
    graph.yield %4 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @shared_pieces_and_other_columns(%x: tensor<2000x3xf32>) -> tensor<3xf32> {
  // expected-error @below {{schedule knobs `ctas, groups`: CTAs that share a piece have no other columns, found 2 and 4}}
  %0 = graph.kernel "column" (%a = %x : tensor<2000x3xf32>) -> tensor<3xf32> attributes {symbol = "k", schedule = #graph.schedule<"column", {warps = 1, ctas = 2, groups = 4}>} {
    %1 = graph.reduce <max> %a axes [0] : tensor<2000x3xf32> -> tensor<3xf32>
    graph.yield %1 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}
