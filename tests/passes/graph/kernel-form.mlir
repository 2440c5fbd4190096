// RUN: kiln-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(graph-fuse),tile-schedule,func.func(graph-name-kernels),tile-graph)' | FileCheck %s

// A transpose and a reshape that do not compose into one simple map still only say where the matmul stores.
// CHECK: tile.kernel @matmul
// CHECK: tile.mma
// CHECK-NOT: tile.kernel
func.func @regrouped(%x: tensor<6x6x1xf32>) -> tensor<2x12x3x3xf32> {
  %1 = graph.matmul %x, %x transpose_b : (tensor<6x6x1xf32>, tensor<6x6x1xf32>) -> tensor<6x6x6xf32>
  %2 = graph.transpose %1 perm [1, 0, 2] : tensor<6x6x6xf32> -> tensor<6x6x6xf32>
  %3 = graph.reshape %2 : tensor<6x6x6xf32> -> tensor<2x12x3x3xf32>
  %4 = arith.addf %3, %3 : tensor<2x12x3x3xf32>
  return %4 : tensor<2x12x3x3xf32>
}

// -----

// The same of a reduction that is broadcast back before the views.
// CHECK: tile.kernel @row
// CHECK: tile.fold <add>
// CHECK-NOT: tile.kernel
func.func @regrouped_rows(%x: tensor<6x6x6xf32>) -> tensor<2x12x3x3xf32> {
  %0 = graph.reduce <sum> %x axes [2] : tensor<6x6x6xf32> -> tensor<6x6xf32>
  %1 = graph.broadcast %0 dims [0, 1] : tensor<6x6xf32> -> tensor<6x6x6xf32>
  %s = arith.divf %x, %1 : tensor<6x6x6xf32>
  %2 = graph.transpose %s perm [1, 0, 2] : tensor<6x6x6xf32> -> tensor<6x6x6xf32>
  %3 = graph.reshape %2 : tensor<6x6x6xf32> -> tensor<2x12x3x3xf32>
  %4 = arith.addf %3, %3 : tensor<2x12x3x3xf32>
  return %4 : tensor<2x12x3x3xf32>
}

// -----

// Views that triple the index map at every step: past some length its parts are named, so that this takes no longer
// than its ops (it took hours).
// CHECK: tile.kernel @pointwise
// CHECK: math.exp
// CHECK-NOT: tile.kernel
func.func @long_maps(%x: tensor<7x11x13xf32>) -> tensor<7x11x13xf32> {
  %t0 = graph.transpose %x perm [2, 0, 1] : tensor<7x11x13xf32> -> tensor<13x7x11xf32>
  %r0 = graph.reshape %t0 : tensor<13x7x11xf32> -> tensor<7x11x13xf32>
  %t1 = graph.transpose %r0 perm [2, 0, 1] : tensor<7x11x13xf32> -> tensor<13x7x11xf32>
  %r1 = graph.reshape %t1 : tensor<13x7x11xf32> -> tensor<7x11x13xf32>
  %t2 = graph.transpose %r1 perm [2, 0, 1] : tensor<7x11x13xf32> -> tensor<13x7x11xf32>
  %r2 = graph.reshape %t2 : tensor<13x7x11xf32> -> tensor<7x11x13xf32>
  %t3 = graph.transpose %r2 perm [2, 0, 1] : tensor<7x11x13xf32> -> tensor<13x7x11xf32>
  %r3 = graph.reshape %t3 : tensor<13x7x11xf32> -> tensor<7x11x13xf32>
  %t4 = graph.transpose %r3 perm [2, 0, 1] : tensor<7x11x13xf32> -> tensor<13x7x11xf32>
  %r4 = graph.reshape %t4 : tensor<13x7x11xf32> -> tensor<7x11x13xf32>
  %t5 = graph.transpose %r4 perm [2, 0, 1] : tensor<7x11x13xf32> -> tensor<13x7x11xf32>
  %r5 = graph.reshape %t5 : tensor<13x7x11xf32> -> tensor<7x11x13xf32>
  %t6 = graph.transpose %r5 perm [2, 0, 1] : tensor<7x11x13xf32> -> tensor<13x7x11xf32>
  %r6 = graph.reshape %t6 : tensor<13x7x11xf32> -> tensor<7x11x13xf32>
  %t7 = graph.transpose %r6 perm [2, 0, 1] : tensor<7x11x13xf32> -> tensor<13x7x11xf32>
  %r7 = graph.reshape %t7 : tensor<13x7x11xf32> -> tensor<7x11x13xf32>
  %t8 = graph.transpose %r7 perm [2, 0, 1] : tensor<7x11x13xf32> -> tensor<13x7x11xf32>
  %r8 = graph.reshape %t8 : tensor<13x7x11xf32> -> tensor<7x11x13xf32>
  %t9 = graph.transpose %r8 perm [2, 0, 1] : tensor<7x11x13xf32> -> tensor<13x7x11xf32>
  %r9 = graph.reshape %t9 : tensor<13x7x11xf32> -> tensor<7x11x13xf32>
  %t10 = graph.transpose %r9 perm [2, 0, 1] : tensor<7x11x13xf32> -> tensor<13x7x11xf32>
  %r10 = graph.reshape %t10 : tensor<13x7x11xf32> -> tensor<7x11x13xf32>
  %t11 = graph.transpose %r10 perm [2, 0, 1] : tensor<7x11x13xf32> -> tensor<13x7x11xf32>
  %r11 = graph.reshape %t11 : tensor<13x7x11xf32> -> tensor<7x11x13xf32>
  %e = math.exp %r11 : tensor<7x11x13xf32>
  return %e : tensor<7x11x13xf32>
}

// -----

// The same of one element per row.
// CHECK: tile.kernel @row
// CHECK: tile.fold <add>
// CHECK-NOT: tile.kernel
func.func @regrouped_sums(%x: tensor<18x4x2xf32>) -> tensor<6x2x3x2xf32> {
  %0 = graph.reduce <sum> %x axes [2] : tensor<18x4x2xf32> -> tensor<18x4xf32>
  %1 = graph.transpose %0 perm [1, 0] : tensor<18x4xf32> -> tensor<4x18xf32>
  %2 = graph.reshape %1 : tensor<4x18xf32> -> tensor<6x2x3x2xf32>
  %3 = math.exp %2 : tensor<6x2x3x2xf32>
  return %3 : tensor<6x2x3x2xf32>
}
