// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --emit-bytecode | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<128x384xf32>, %w: tensor<384x384xf32>, %b: tensor<384xf32>) -> tensor<128x384xf32> {
  // CHECK: graph.matmul %{{.*}}, %{{.*}} transpose_b : (tensor<128x384xf32>, tensor<384x384xf32>) -> tensor<128x384xf32>
  %0 = graph.matmul %x, %w transpose_b : (tensor<128x384xf32>, tensor<384x384xf32>) -> tensor<128x384xf32>
  // CHECK: graph.broadcast %{{.*}} dims [1] : tensor<384xf32> -> tensor<128x384xf32>
  %1 = graph.broadcast %b dims [1] : tensor<384xf32> -> tensor<128x384xf32>
  %2 = arith.addf %0, %1 : tensor<128x384xf32>
  // CHECK: graph.gelu <exact> %{{.*}} : tensor<128x384xf32>
  %3 = graph.gelu <exact> %2 : tensor<128x384xf32>
  return %3 : tensor<128x384xf32>
}

// CHECK-LABEL: func.func @kernel
func.func @kernel(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // CHECK: graph.kernel "row" (%{{.*}} = %{{.*}} : tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK-SAME: input_layouts = [#graph.layout<strides = [16, 1] align 64>]
  // CHECK-SAME: schedule = #graph.schedule<"row", {rows = 4 : i64}>
  %0 = graph.kernel "row" (%a = %x : tensor<4x8xf32>) -> tensor<4xf32> attributes {
      input_layouts = [#graph.layout<strides = [16, 1] align 64>], schedule = #graph.schedule<"row", {rows = 4 : i64}>} {
    // CHECK: graph.reduce <sum> %{{.*}} axes [1]
    %s = graph.reduce <sum> %a axes [1] : tensor<4x8xf32> -> tensor<4xf32>
    graph.yield %s : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @moves
func.func @moves(%x: tensor<4x6xf32>, %i: tensor<3xi32>) -> (tensor<3x6xf32>, tensor<2x3xf32>, tensor<8x6xf32>, tensor<2x5xi64>) {
  // CHECK: graph.gather %{{.*}} at %{{.*}} axis 0 : (tensor<4x6xf32>, tensor<3xi32>) -> tensor<3x6xf32>
  %0 = graph.gather %x at %i axis 0 : (tensor<4x6xf32>, tensor<3xi32>) -> tensor<3x6xf32>
  // CHECK: graph.slice %{{.*}} from [1, 0] to [3, 6] step [1, 2] : tensor<4x6xf32> -> tensor<2x3xf32>
  %1 = graph.slice %x from [1, 0] to [3, 6] step [1, 2] : tensor<4x6xf32> -> tensor<2x3xf32>
  // CHECK: graph.concat %{{.*}}, %{{.*}} axis 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %2 = graph.concat %x, %x axis 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  // CHECK: graph.iota axis 1 : tensor<2x5xi64>
  %3 = graph.iota axis 1 : tensor<2x5xi64>
  return %0, %1, %2, %3 : tensor<3x6xf32>, tensor<2x3xf32>, tensor<8x6xf32>, tensor<2x5xi64>
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<4x6xf32>, %s: tensor<f32>) -> (tensor<2x12xf32>, tensor<6x4xf32>, tensor<1x1xf32>) {
  // CHECK: graph.reshape %{{.*}} : tensor<4x6xf32> -> tensor<2x12xf32>
  %0 = graph.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  // CHECK: graph.transpose %{{.*}} perm [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = graph.transpose %x perm [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  // CHECK: graph.reshape %{{.*}} : tensor<f32> -> tensor<1x1xf32>
  %2 = graph.reshape %s : tensor<f32> -> tensor<1x1xf32>
  return %0, %1, %2 : tensor<2x12xf32>, tensor<6x4xf32>, tensor<1x1xf32>
}

// CHECK-LABEL: func.func @activations
func.func @activations(%x: tensor<4x6xf32>, %w: tensor<6xf32>) -> tensor<4x6xf32> {
  // CHECK: graph.relu %{{.*}} : tensor<4x6xf32>
  %0 = graph.relu %x : tensor<4x6xf32>
  // CHECK: graph.sigmoid %{{.*}} : tensor<4x6xf32>
  %1 = graph.sigmoid %0 : tensor<4x6xf32>
  // CHECK: graph.gelu <tanh> %{{.*}} : tensor<4x6xf32>
  %2 = graph.gelu <tanh> %1 : tensor<4x6xf32>
  // CHECK: graph.softmax %{{.*}} axis 1 : tensor<4x6xf32>
  %3 = graph.softmax %2 axis 1 : tensor<4x6xf32>
  // CHECK: graph.layer_norm %{{.*}} scale %{{.*}} bias %{{.*}} eps 1.000000e-05 : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %4 = graph.layer_norm %3 scale %w bias %w eps 1.0e-5 : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %4 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @integers
func.func @integers(%x: tensor<4xi32>, %f: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi64>) {
  // CHECK: graph.divi %{{.*}}, %{{.*}} : tensor<4xi32>
  %0 = graph.divi %x, %x : tensor<4xi32>
  // CHECK: graph.remi %{{.*}}, %{{.*}} : tensor<4xi32>
  %1 = graph.remi %0, %x : tensor<4xi32>
  // CHECK: graph.fptosi %{{.*}} : tensor<4xf32> to tensor<4xi64>
  %2 = graph.fptosi %f : tensor<4xf32> to tensor<4xi64>
  return %1, %2 : tensor<4xi32>, tensor<4xi64>
}

// CHECK-LABEL: func.func @halves
func.func @halves(%a: tensor<4x8xbf16>, %b: tensor<8x2xbf16>) -> (tensor<4x2xbf16>, tensor<4x2xf32>, tensor<4x8xf16>) {
  // CHECK: graph.matmul %{{.*}}, %{{.*}} : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
  %0 = graph.matmul %a, %b : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
  // CHECK: graph.matmul %{{.*}}, %{{.*}} : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  %1 = graph.matmul %a, %b : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  // CHECK: graph.gelu <tanh> %{{.*}} : tensor<4x8xbf16>
  %2 = graph.gelu <tanh> %a : tensor<4x8xbf16>
  %3 = arith.extf %2 : tensor<4x8xbf16> to tensor<4x8xf32>
  // CHECK: arith.truncf %{{.*}} : tensor<4x8xf32> to tensor<4x8xf16>
  %4 = arith.truncf %3 : tensor<4x8xf32> to tensor<4x8xf16>
  return %0, %1, %4 : tensor<4x2xbf16>, tensor<4x2xf32>, tensor<4x8xf16>
}

// CHECK-LABEL: tile.kernel @scale
tile.kernel @scale(%x: !tile.global<?xbf16> {tile.dims = ["N"]}, %y: !tile.global<?xbf16> {tile.dims = ["N"]},
                   %factor: f32) grid "N" {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<?xbf16> -> bf16
  tile.store %v, %y[%c0] : bf16, !tile.global<?xbf16>
  tile.return
}

// CHECK-LABEL: func.func @programs
func.func @programs(%x: tensor<4xbf16>) -> (tensor<4xbf16>, tensor<4xbf16>) {
  // CHECK: graph.custom_kernel @scale(%{{.*}}) scalars [2.000000e+00 : f32] : (tensor<4xbf16>) -> tensor<4xbf16>
  %0 = graph.custom_kernel @scale(%x) scalars [2.0 : f32] : (tensor<4xbf16>) -> tensor<4xbf16>
  // CHECK: graph.custom_kernel @scale(%{{.*}}) scalars [1.000000e+00 : f32] class "none" : (tensor<4xbf16>) -> tensor<4xbf16> reference {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xbf16>):
  // CHECK-NEXT: graph.yield %[[A]] : tensor<4xbf16>
  %1 = graph.custom_kernel @scale(%0) scalars [1.0 : f32] class "none" : (tensor<4xbf16>) -> tensor<4xbf16> reference {
  ^reference(%a: tensor<4xbf16>):
    graph.yield %a : tensor<4xbf16>
  }
  return %0, %1 : tensor<4xbf16>, tensor<4xbf16>
}
