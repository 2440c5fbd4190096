// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(graph-fuse{explain max-ops=6 max-operands=8}))' -split-input-file -verify-diagnostics -o /dev/null

func.func @anchors(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4xf32> {
  // expected-note@+1 {{`math.exp` is here}}
  %a = math.exp %x : tensor<4x8xf32>
  // expected-remark@+2 {{`math.exp` into `graph.matmul`: apart; not merged by matmul-prologue (functions and divisions are not computed once per tile), kept 256 B}}
  // expected-note@+1 {{`graph.matmul` is here}}
  %m = graph.matmul %a, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  // expected-note@+2 {{`graph.matmul` is here}}
  // expected-remark@+1 {{`graph.matmul` into `graph.matmul`: apart; not merged by one-anchor (each holds a matmul), kept 512 B}}
  %n = graph.matmul %m, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  // expected-remark@+1 {{`graph.matmul` into `graph.reduce`: apart; not merged by one-anchor (one holds a matmul, the other a reduction), kept 256 B}}
  %r = graph.reduce <sum> %n axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @spaces(%x: tensor<4x8xf32>) -> tensor<f32> {
  // expected-note@+1 {{is here}}
  %a = graph.reduce <sum> %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  // expected-remark@+1 {{apart; not merged by one-space (one reduces 4x8xf32 axes [1], the other 4xf32 axes [0]), kept 32 B}}
  %b = graph.reduce <sum> %a axes [0] : tensor<4xf32> -> tensor<f32>
  return %b : tensor<f32>
}

// -----

// exp may not be computed for each of the 4096 repetitions of its 16 results.
func.func @recompute(%v: tensor<16xf32>, %x: tensor<4096x16xf32>) -> tensor<4096x16xf32> {
  // expected-note@+1 {{is here}}
  %e = math.exp %v : tensor<16xf32>
  %b = graph.broadcast %e dims [1] : tensor<16xf32> -> tensor<4096x16xf32>
  // expected-remark@+1 {{`math.exp` into `arith.addf`: apart; not merged by recompute (65520 elements more to compute, 262080 bytes' worth of work, against 128 bytes), kept 128 B}}
  %y = arith.addf %x, %b : tensor<4096x16xf32>
  return %y : tensor<4096x16xf32>
}

// -----

// The matmul needs exp and feeds the row kernel, so that exp cannot be in the row kernel.
func.func @cycle(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-note@+1 {{`math.exp` is here}}
  %e = math.exp %x : tensor<8x8xf32>
  // expected-remark@+2 {{apart; not merged by matmul-prologue}}
  // expected-note@+1 {{`graph.matmul` is here}}
  %m = graph.matmul %e, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark@+2 {{apart; not merged by one-anchor}}
  // expected-note@+1 {{`graph.reduce` is here}}
  %r = graph.reduce <sum> %m axes [1] : tensor<8x8xf32> -> tensor<8xf32>
  %b = graph.broadcast %r dims [0] : tensor<8xf32> -> tensor<8x8xf32>
  // expected-remark@+2 {{`graph.reduce` into `arith.addf`: merged by on-chip (the value stays on chip), saved 64 B}}
  // expected-remark@+1 {{`math.exp` into `arith.addf`: apart; not merged by cycle (another kernel needs a result of the first and feeds the second), kept 256 B}}
  %y = arith.addf %e, %b : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// Reading one value under two index maps computes it twice.
func.func @two_maps(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-note@+1 {{is here}}
  %e = math.exp %x : tensor<8x8xf32>
  %t = graph.transpose %e perm [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  // expected-remark@+1 {{apart; not merged by recompute (it would be computed under 2 index maps, at a weight of 16), kept 512 B}}
  %y = arith.addf %e, %t : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// What is stored by a pointwise kernel has as many elements as its other outputs.
func.func @form(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  // expected-note@+1 {{is here}}
  %a = math.exp %x : tensor<8xf32>
  %s = graph.slice %a from [0] to [4] step [1] : tensor<8xf32> -> tensor<4xf32>
  // expected-remark@+1 {{apart; not merged by kernel-form (outputs have different element counts, 8xf32 and 4xf32), kept 16 B}}
  %b = math.sin %s : tensor<4xf32>
  return %a, %b : tensor<8xf32>, tensor<4xf32>
}

// -----

func.func @sizes(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note@+1 {{is here}}
  %0 = math.exp %x : tensor<8xf32>
  // expected-note@+2 {{is here}}
  // expected-remark@+1 {{merged by on-chip (the value stays on chip), saved 64 B}}
  %1 = arith.addf %0, %0 : tensor<8xf32>
  // expected-note@+2 {{is here}}
  // expected-remark@+1 {{merged by on-chip (the value stays on chip), saved 64 B}}
  %2 = math.exp %1 : tensor<8xf32>
  // expected-note@+2 {{is here}}
  // expected-remark@+1 {{merged by on-chip (the value stays on chip), saved 64 B}}
  %3 = arith.subf %2, %y : tensor<8xf32>
  // expected-note@+2 {{is here}}
  // expected-remark@+1 {{merged by on-chip (the value stays on chip), saved 64 B}}
  %4 = math.exp %3 : tensor<8xf32>
  // expected-note@+2 {{is here}}
  // expected-remark@+1 {{merged by on-chip (the value stays on chip), saved 64 B}}
  %5 = arith.subf %4, %z : tensor<8xf32>
  // expected-remark@+1 {{apart; not merged by max-ops (7 ops together, the limit is 6), kept 64 B}}
  %6 = math.exp %5 : tensor<8xf32>
  return %6 : tensor<8xf32>
}

// -----

func.func @operands(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xi1>, %e: tensor<8xf32>, %f: tensor<8xf32>, %g: tensor<8xf32>, %h: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note@+1 {{is here}}
  %0 = math.fma %a, %b, %c : tensor<8xf32>
  // expected-note@+2 {{is here}}
  // expected-remark@+1 {{merged by on-chip (the value stays on chip), saved 64 B}}
  %1 = arith.select %d, %0, %e : tensor<8xi1>, tensor<8xf32>
  // expected-note@+2 {{is here}}
  // expected-remark@+1 {{merged by on-chip (the value stays on chip), saved 64 B}}
  %2 = math.fma %1, %f, %g : tensor<8xf32>
  // expected-remark@+1 {{apart; not merged by max-operands (9 operands and results together, the limit is 8), kept 64 B}}
  %3 = arith.addf %2, %h : tensor<8xf32>
  return %3 : tensor<8xf32>
}
