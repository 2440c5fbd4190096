// RUN: kiln-opt %s --split-input-file --tile-schedule --tile-graph --canonicalize --cse | FileCheck %s

// A broadcast operand is read where it lies; rows of whole vectors need no mask.
// CHECK-LABEL: tile.kernel @pointwise_bias
// CHECK: scf.for %[[ROW:.*]] =
// CHECK: scf.for %[[CHUNK:.*]] =
// CHECK: %[[AT:.*]] = arith.muli %[[CHUNK]]
// CHECK: tile.load %{{.*}} : !tile.global<5x384xf32> -> tensor<64xf32, #tile.simd>
// CHECK: tile.load %{{.*}}[%[[AT]]] : !tile.global<384xf32> -> tensor<64xf32, #tile.simd>
// CHECK-NOT: mask
// CHECK: arith.addf %{{.*}} : tensor<64xf32, #tile.simd>
func.func @bias(%x: tensor<5x384xf32>, %b: tensor<384xf32>) -> tensor<5x384xf32> {
  %0 = graph.kernel "pointwise" (%a = %x : tensor<5x384xf32>, %c = %b : tensor<384xf32>) -> tensor<5x384xf32> attributes {symbol = "pointwise_bias"} {
    %1 = graph.broadcast %c dims [1] : tensor<384xf32> -> tensor<5x384xf32>
    %2 = arith.addf %a, %1 : tensor<5x384xf32>
    graph.yield %2 : tensor<5x384xf32>
  }
  return %0 : tensor<5x384xf32>
}

// -----

// A reshape and a transpose after a matmul only change where it stores.
// CHECK-LABEL: tile.kernel @matmul_heads
// CHECK: tile.mma
// CHECK: graph.gelu <exact> %{{.*}} : tensor<32xf32, #tile.simd>
// CHECK: tile.store %{{.*}} : tensor<32xf32, #tile.simd>, !tile.global<2x2x3x32xf32>
// CHECK-NOT: tile.scatter
func.func @heads(%x: tensor<6x16xf32>, %w: tensor<16x64xf32>) -> tensor<2x2x3x32xf32> {
  %0 = graph.kernel "matmul" (%a = %x : tensor<6x16xf32>, %c = %w : tensor<16x64xf32>) -> tensor<2x2x3x32xf32> attributes {symbol = "matmul_heads"} {
    %1 = graph.matmul %a, %c : (tensor<6x16xf32>, tensor<16x64xf32>) -> tensor<6x64xf32>
    %2 = graph.gelu <exact> %1 : tensor<6x64xf32>
    %3 = graph.reshape %2 : tensor<6x64xf32> -> tensor<2x3x2x32xf32>
    %4 = graph.transpose %3 perm [0, 2, 1, 3] : tensor<2x3x2x32xf32> -> tensor<2x2x3x32xf32>
    graph.yield %4 : tensor<2x2x3x32xf32>
  }
  return %0 : tensor<2x2x3x32xf32>
}

// -----

// Softmax: exp is computed once and kept for the last pass; sums follow the canonical order.
// CHECK-LABEL: tile.kernel @row_softmax
// CHECK: %[[KEPT:.*]] = tile.alloc : <384xf32>
// CHECK: tile.fold <max>
// CHECK: math.exp
// CHECK: tile.store %{{.*}}, %[[KEPT]]
// CHECK: tile.fold_units <add>
// CHECK: tile.fold <add>
// CHECK-NOT: math.exp
// CHECK: tile.load %[[KEPT]]
// CHECK: arith.divf
func.func @softmax(%x: tensor<5x384xf32>) -> tensor<5x384xf32> {
  %s = graph.kernel "row" (%a = %x : tensor<5x384xf32>) -> tensor<5x384xf32> attributes {symbol = "row_softmax"} {
    %m = graph.reduce <max> %a axes [1] : tensor<5x384xf32> -> tensor<5xf32>
    %mb = graph.broadcast %m dims [0] : tensor<5xf32> -> tensor<5x384xf32>
    %d = arith.subf %a, %mb : tensor<5x384xf32>
    %e = math.exp %d : tensor<5x384xf32>
    %su = graph.reduce <sum> %e axes [1] : tensor<5x384xf32> -> tensor<5xf32>
    %sb = graph.broadcast %su dims [0] : tensor<5xf32> -> tensor<5x384xf32>
    %y = arith.divf %e, %sb : tensor<5x384xf32>
    graph.yield %y : tensor<5x384xf32>
  }
  return %s : tensor<5x384xf32>
}

// -----

// Rows picked by an index that does not vary along the vector are contiguous loads.
// CHECK-LABEL: tile.kernel @pointwise_rows
// CHECK: %[[INDEX:.*]] = tile.load %{{.*}} : !tile.global<5xi32> -> i32
// CHECK: arith.maxsi %[[INDEX]]
// CHECK: tile.load %{{.*}} : !tile.global<10x64xf32> -> tensor<64xf32, #tile.simd>
// CHECK-NOT: tile.gather
func.func @rows(%t: tensor<10x64xf32>, %i: tensor<5xi32>) -> tensor<5x64xf32> {
  %0 = graph.kernel "pointwise" (%a = %t : tensor<10x64xf32>, %c = %i : tensor<5xi32>) -> tensor<5x64xf32> attributes {symbol = "pointwise_rows"} {
    %1 = graph.gather %a at %c axis 0 : (tensor<10x64xf32>, tensor<5xi32>) -> tensor<5x64xf32>
    graph.yield %1 : tensor<5x64xf32>
  }
  return %0 : tensor<5x64xf32>
}

// -----

// Equal kernels are built once.
// CHECK: tile.kernel @pointwise_same
// CHECK-NOT: tile.kernel
func.func @twice(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = graph.kernel "pointwise" (%a = %x : tensor<64xf32>) -> tensor<64xf32> attributes {symbol = "pointwise_same"} {
    %1 = arith.addf %a, %a : tensor<64xf32>
    graph.yield %1 : tensor<64xf32>
  }
  %2 = graph.kernel "pointwise" (%a = %0 : tensor<64xf32>) -> tensor<64xf32> attributes {symbol = "pointwise_same"} {
    %1 = arith.addf %a, %a : tensor<64xf32>
    graph.yield %1 : tensor<64xf32>
  }
  return %2 : tensor<64xf32>
}

// -----

// A concat of many pieces: each is read under its own guard.
// CHECK-LABEL: tile.kernel @pointwise_many_pieces
// CHECK-COUNT-8: tile.load
// CHECK: tile.return
func.func @many_pieces(%a: tensor<3x2xf32>, %b: tensor<3x2xf32>, %c: tensor<3x2xf32>, %d: tensor<3x2xf32>) -> tensor<24x2xf32> {
  %0 = graph.kernel "pointwise" (%p = %a : tensor<3x2xf32>, %q = %b : tensor<3x2xf32>, %r = %c : tensor<3x2xf32>, %s = %d : tensor<3x2xf32>) -> tensor<24x2xf32> attributes {symbol = "pointwise_many_pieces"} {
    %1 = graph.concat %p, %q, %r, %s, %q, %p, %s, %r axis 0 : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<24x2xf32>
    graph.yield %1 : tensor<24x2xf32>
  }
  return %0 : tensor<24x2xf32>
}

// -----

// A piece of a concat has the row's map but not its shape: it is not kept, and every read of it is guarded.
// CHECK-LABEL: tile.kernel @row_concat
// CHECK-NOT: tile.load %arg0[{{.*}}] : !tile.global<5x8xf32>
// CHECK: tile.load %arg0[{{.*}}] mask
// CHECK-NOT: tile.load %arg0[{{.*}}] : !tile.global<5x8xf32>
// CHECK: tile.return
func.func @concat(%x: tensor<5x8xf32>, %y: tensor<5x8xf32>) -> tensor<5x16xf32> {
  %0 = graph.kernel "row" (%a = %x : tensor<5x8xf32>, %b = %y : tensor<5x8xf32>) -> tensor<5x16xf32> attributes {symbol = "row_concat"} {
    %e = math.exp %a : tensor<5x8xf32>
    %c = graph.concat %e, %b axis 1 : (tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x16xf32>
    %m = graph.reduce <max> %c axes [1] : tensor<5x16xf32> -> tensor<5xf32>
    %mb = graph.broadcast %m dims [0] : tensor<5xf32> -> tensor<5x16xf32>
    %d = arith.subf %c, %mb : tensor<5x16xf32>
    graph.yield %d : tensor<5x16xf32>
  }
  return %0 : tensor<5x16xf32>
}
