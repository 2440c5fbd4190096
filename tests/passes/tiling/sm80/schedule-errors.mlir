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
