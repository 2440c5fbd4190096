// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(graph-decompose,cse,graph-fuse))' | FileCheck %s
// The result parses, and fusing nothing gives one kernel per op.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(graph-decompose,cse,graph-fuse))' | kiln-opt | FileCheck %s

// Reads x once and writes once.
// CHECK-LABEL: func.func @one
// CHECK: graph.kernel "pointwise" (%{{.*}} = %{{.*}} : tensor<1024xf32>) -> tensor<1024xf32> {
// CHECK-NOT: graph.kernel
func.func @one(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %s = math.sin %x : tensor<1024xf32>
  %c = math.cos %x : tensor<1024xf32>
  %ss = arith.mulf %s, %s : tensor<1024xf32>
  %cc = arith.mulf %c, %c : tensor<1024xf32>
  %y = arith.addf %ss, %cc : tensor<1024xf32>
  return %y : tensor<1024xf32>
}

// CHECK-LABEL: func.func @linear
// CHECK: graph.kernel "matmul"
// CHECK: graph.matmul
// CHECK: graph.broadcast
// CHECK: graph.gelu
// CHECK: arith.addf
// CHECK-NOT: graph.kernel
func.func @linear(%x: tensor<128x384xf32>, %w: tensor<384x1536xf32>, %b: tensor<1536xf32>, %r: tensor<128x1536xf32>) -> tensor<128x1536xf32> {
  %0 = graph.matmul %x, %w : (tensor<128x384xf32>, tensor<384x1536xf32>) -> tensor<128x1536xf32>
  %1 = graph.broadcast %b dims [1] : tensor<1536xf32> -> tensor<128x1536xf32>
  %2 = arith.addf %0, %1 : tensor<128x1536xf32>
  %3 = graph.gelu <exact> %2 : tensor<128x1536xf32>
  %4 = arith.addf %3, %r : tensor<128x1536xf32>
  return %4 : tensor<128x1536xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK: graph.kernel "row"
// CHECK-NOT: graph.kernel
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.softmax %x axis 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @softmax_columns
// CHECK: graph.kernel "column"
// CHECK-NOT: graph.kernel
func.func @softmax_columns(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.softmax %x axis 0 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The gathered rows, the sum and the norm are one row kernel.
// CHECK-LABEL: func.func @embed
// CHECK: graph.kernel "row"
// CHECK: graph.gather
// CHECK: graph.reduce
// CHECK: math.rsqrt
// CHECK-NOT: graph.kernel
func.func @embed(%ids: tensor<2x128xi64>, %word: tensor<30522x384xf32>, %pos: tensor<512x384xf32>, %s: tensor<384xf32>, %b: tensor<384xf32>) -> tensor<2x128x384xf32> {
  %0 = graph.gather %word at %ids axis 0 : (tensor<30522x384xf32>, tensor<2x128xi64>) -> tensor<2x128x384xf32>
  %1 = graph.slice %pos from [0, 0] to [128, 384] step [1, 1] : tensor<512x384xf32> -> tensor<128x384xf32>
  %2 = graph.broadcast %1 dims [1, 2] : tensor<128x384xf32> -> tensor<2x128x384xf32>
  %3 = arith.addf %0, %2 : tensor<2x128x384xf32>
  %4 = graph.layer_norm %3 scale %s bias %b eps 1.0e-12 : (tensor<2x128x384xf32>, tensor<384xf32>, tensor<384xf32>) -> tensor<2x128x384xf32>
  return %4 : tensor<2x128x384xf32>
}

// A value that others need is stored by the kernel that computes it, and stays on chip for its own readers.
// CHECK-LABEL: func.func @two_outputs
// CHECK: %[[Y:.*]]:2 = graph.kernel "matmul"
// CHECK: %[[M:.*]] = graph.matmul
// CHECK: %[[G:.*]] = graph.gelu <tanh> %[[M]]
// CHECK: graph.yield %[[M]], %[[G]]
// CHECK-NOT: math.exp
// CHECK: return %[[Y]]#0, %[[Y]]#1
func.func @two_outputs(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %m = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %g = graph.gelu <tanh> %m : tensor<4x8xf32>
  %dead = math.exp %g : tensor<4x8xf32>
  return %m, %g : tensor<4x8xf32>, tensor<4x8xf32>
}

// Reductions over one space share a pass; other spaces, and other shapes, do not.
// CHECK-LABEL: func.func @siblings
// CHECK: graph.kernel "row" {{.*}} -> tensor<4xf32>, tensor<4xf32>
// CHECK: graph.kernel "column" {{.*}} -> tensor<8xf32>
// CHECK: graph.kernel "pointwise" {{.*}} -> tensor<4x8xf32>, tensor<4x8xf32>
// CHECK-NOT: graph.kernel
func.func @siblings(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = graph.reduce <sum> %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b = graph.reduce <max> %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %c = graph.reduce <max> %x axes [0] : tensor<4x8xf32> -> tensor<8xf32>
  %d = math.exp %x : tensor<4x8xf32>
  %e = math.sin %x : tensor<4x8xf32>
  return %a, %b, %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// A cheap prologue is computed as the matmul reads its operand.
// CHECK-LABEL: func.func @prologue
// CHECK: graph.kernel "matmul"
// CHECK: arith.mulf
// CHECK: graph.matmul
// CHECK-NOT: graph.kernel
func.func @prologue(%x: tensor<128x64xf32>, %w: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %c = arith.constant dense<0.5> : tensor<128x64xf32>
  %h = arith.mulf %x, %c : tensor<128x64xf32>
  %y = graph.matmul %h, %w : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  return %y : tensor<128x64xf32>
}

// Outputs that are inputs, appear twice, or are constants.
// CHECK-LABEL: func.func @outputs
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-DAG: %[[C:.*]] = arith.constant dense<[1.{{.*}}, 2.{{.*}}]>
// CHECK-DAG: %[[Y:.*]] = graph.kernel "pointwise" (%{{.*}} = %[[X]]
// CHECK-DAG: %[[S:.*]] = graph.kernel "pointwise" () -> tensor<4xf32>
// CHECK-DAG: %[[R:.*]] = graph.reshape %[[X]] : tensor<4xf32> -> tensor<2x2xf32>
// CHECK: return %[[Y]], %[[X]], %[[Y]], %[[C]], %[[S]], %[[R]]
func.func @outputs(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<2x2xf32>) {
  %y = math.exp %x : tensor<4xf32>
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = arith.constant dense<3.0> : tensor<4xf32>
  %r = graph.reshape %x : tensor<4xf32> -> tensor<2x2xf32>
  return %y, %x, %y, %c, %s, %r : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<2x2xf32>
}

// A transformer layer is the eleven kernels one would list by hand.
// CHECK-LABEL: func.func @layer
// CHECK: graph.kernel "matmul"
// CHECK: graph.matmul
// CHECK: arith.addf
// CHECK: graph.reshape
// CHECK: graph.transpose
// CHECK: graph.yield %{{.*}} : tensor<2x12x128x32xf32>
// CHECK: graph.kernel "matmul"
// CHECK: graph.matmul
// CHECK: arith.addf
// CHECK: graph.reshape
// CHECK: graph.transpose
// CHECK: graph.yield %{{.*}} : tensor<2x12x128x32xf32>
// CHECK: graph.kernel "matmul"
// CHECK: graph.matmul
// CHECK: arith.addf
// CHECK: graph.reshape
// CHECK: graph.transpose
// CHECK: graph.yield %{{.*}} : tensor<2x12x128x32xf32>
// CHECK: graph.kernel "matmul"
// CHECK: graph.matmul
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: graph.yield %{{.*}} : tensor<2x12x128x128xf32>
// CHECK: graph.kernel "row"
// CHECK: graph.reduce <max>
// CHECK: math.exp
// CHECK: graph.reduce <sum>
// CHECK: arith.divf
// CHECK: graph.yield %{{.*}} : tensor<2x12x128x128xf32>
// CHECK: graph.kernel "matmul"
// CHECK: graph.matmul
// CHECK: graph.transpose
// CHECK: graph.reshape
// CHECK: graph.yield %{{.*}} : tensor<256x384xf32>
// CHECK: graph.kernel "matmul"
// CHECK: graph.matmul
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: graph.yield %{{.*}} : tensor<2x128x384xf32>
// CHECK: graph.kernel "row"
// CHECK: graph.reduce <sum>
// CHECK: graph.reduce <sum>
// CHECK: math.rsqrt
// CHECK: arith.addf
// CHECK: graph.yield %{{.*}} : tensor<2x128x384xf32>
// CHECK: graph.kernel "matmul"
// CHECK: graph.matmul
// CHECK: arith.addf
// CHECK: graph.gelu
// CHECK: graph.yield %{{.*}} : tensor<256x1536xf32>
// CHECK: graph.kernel "matmul"
// CHECK: graph.matmul
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: graph.yield %{{.*}} : tensor<2x128x384xf32>
// CHECK: graph.kernel "row"
// CHECK: graph.reduce <sum>
// CHECK: graph.reduce <sum>
// CHECK: math.rsqrt
// CHECK: arith.addf
// CHECK: graph.yield %{{.*}} : tensor<2x128x384xf32>
// CHECK-NOT: graph.kernel
func.func @layer(%x: tensor<2x128x384xf32>, %mask: tensor<2x128xi64>, %q0_w: tensor<384x384xf32> {graph.name = "q0_w", graph.param}, %q0_b: tensor<384xf32> {graph.name = "q0_b", graph.param}, %k0_w: tensor<384x384xf32> {graph.name = "k0_w", graph.param}, %k0_b: tensor<384xf32> {graph.name = "k0_b", graph.param}, %v0_w: tensor<384x384xf32> {graph.name = "v0_w", graph.param}, %v0_b: tensor<384xf32> {graph.name = "v0_b", graph.param}, %o0_w: tensor<384x384xf32> {graph.name = "o0_w", graph.param}, %o0_b: tensor<384xf32> {graph.name = "o0_b", graph.param}, %n0_s: tensor<384xf32> {graph.name = "n0_s", graph.param}, %n0_b: tensor<384xf32> {graph.name = "n0_b", graph.param}, %f0_w: tensor<1536x384xf32> {graph.name = "f0_w", graph.param}, %f0_b: tensor<1536xf32> {graph.name = "f0_b", graph.param}, %g0_w: tensor<384x1536xf32> {graph.name = "g0_w", graph.param}, %g0_b: tensor<384xf32> {graph.name = "g0_b", graph.param}, %m0_s: tensor<384xf32> {graph.name = "m0_s", graph.param}, %m0_b: tensor<384xf32> {graph.name = "m0_b", graph.param}) -> tensor<2x128x384xf32> {
  %1 = arith.sitofp %mask : tensor<2x128xi64> to tensor<2x128xf32>
  %2 = graph.reshape %1 : tensor<2x128xf32> -> tensor<2x1x1x128xf32>
  %3 = arith.constant dense<1.0> : tensor<2x1x1x128xf32>
  %4 = arith.subf %3, %2 : tensor<2x1x1x128xf32>
  %5 = arith.constant dense<-1.0e9> : tensor<2x1x1x128xf32>
  %6 = arith.mulf %4, %5 : tensor<2x1x1x128xf32>
  %7 = graph.reshape %x : tensor<2x128x384xf32> -> tensor<256x384xf32>
  %8 = graph.matmul %7, %q0_w transpose_b : (tensor<256x384xf32>, tensor<384x384xf32>) -> tensor<256x384xf32>
  %9 = graph.broadcast %q0_b dims [1] : tensor<384xf32> -> tensor<256x384xf32>
  %10 = arith.addf %8, %9 : tensor<256x384xf32>
  %11 = graph.reshape %10 : tensor<256x384xf32> -> tensor<2x128x12x32xf32>
  %12 = graph.transpose %11 perm [0, 2, 1, 3] : tensor<2x128x12x32xf32> -> tensor<2x12x128x32xf32>
  %13 = graph.reshape %x : tensor<2x128x384xf32> -> tensor<256x384xf32>
  %14 = graph.matmul %13, %k0_w transpose_b : (tensor<256x384xf32>, tensor<384x384xf32>) -> tensor<256x384xf32>
  %15 = graph.broadcast %k0_b dims [1] : tensor<384xf32> -> tensor<256x384xf32>
  %16 = arith.addf %14, %15 : tensor<256x384xf32>
  %17 = graph.reshape %16 : tensor<256x384xf32> -> tensor<2x128x12x32xf32>
  %18 = graph.transpose %17 perm [0, 2, 1, 3] : tensor<2x128x12x32xf32> -> tensor<2x12x128x32xf32>
  %19 = graph.reshape %x : tensor<2x128x384xf32> -> tensor<256x384xf32>
  %20 = graph.matmul %19, %v0_w transpose_b : (tensor<256x384xf32>, tensor<384x384xf32>) -> tensor<256x384xf32>
  %21 = graph.broadcast %v0_b dims [1] : tensor<384xf32> -> tensor<256x384xf32>
  %22 = arith.addf %20, %21 : tensor<256x384xf32>
  %23 = graph.reshape %22 : tensor<256x384xf32> -> tensor<2x128x12x32xf32>
  %24 = graph.transpose %23 perm [0, 2, 1, 3] : tensor<2x128x12x32xf32> -> tensor<2x12x128x32xf32>
  %25 = graph.matmul %12, %18 transpose_b : (tensor<2x12x128x32xf32>, tensor<2x12x128x32xf32>) -> tensor<2x12x128x128xf32>
  %26 = arith.constant dense<0.17677669> : tensor<2x12x128x128xf32>
  %27 = arith.mulf %25, %26 : tensor<2x12x128x128xf32>
  %28 = graph.broadcast %6 dims [0, 1, 2, 3] : tensor<2x1x1x128xf32> -> tensor<2x12x128x128xf32>
  %29 = arith.addf %27, %28 : tensor<2x12x128x128xf32>
  %30 = graph.softmax %29 axis 3 : tensor<2x12x128x128xf32>
  %31 = graph.matmul %30, %24 : (tensor<2x12x128x128xf32>, tensor<2x12x128x32xf32>) -> tensor<2x12x128x32xf32>
  %32 = graph.transpose %31 perm [0, 2, 1, 3] : tensor<2x12x128x32xf32> -> tensor<2x128x12x32xf32>
  %33 = graph.reshape %32 : tensor<2x128x12x32xf32> -> tensor<2x128x384xf32>
  %34 = graph.reshape %33 : tensor<2x128x384xf32> -> tensor<256x384xf32>
  %35 = graph.matmul %34, %o0_w transpose_b : (tensor<256x384xf32>, tensor<384x384xf32>) -> tensor<256x384xf32>
  %36 = graph.broadcast %o0_b dims [1] : tensor<384xf32> -> tensor<256x384xf32>
  %37 = arith.addf %35, %36 : tensor<256x384xf32>
  %38 = graph.reshape %37 : tensor<256x384xf32> -> tensor<2x128x384xf32>
  %39 = arith.addf %38, %x : tensor<2x128x384xf32>
  %40 = graph.layer_norm %39 scale %n0_s bias %n0_b eps 1.0e-12 : (tensor<2x128x384xf32>, tensor<384xf32>, tensor<384xf32>) -> tensor<2x128x384xf32>
  %41 = graph.reshape %40 : tensor<2x128x384xf32> -> tensor<256x384xf32>
  %42 = graph.matmul %41, %f0_w transpose_b : (tensor<256x384xf32>, tensor<1536x384xf32>) -> tensor<256x1536xf32>
  %43 = graph.broadcast %f0_b dims [1] : tensor<1536xf32> -> tensor<256x1536xf32>
  %44 = arith.addf %42, %43 : tensor<256x1536xf32>
  %45 = graph.gelu <exact> %44 : tensor<256x1536xf32>
  %46 = graph.reshape %45 : tensor<256x1536xf32> -> tensor<2x128x1536xf32>
  %47 = graph.reshape %46 : tensor<2x128x1536xf32> -> tensor<256x1536xf32>
  %48 = graph.matmul %47, %g0_w transpose_b : (tensor<256x1536xf32>, tensor<384x1536xf32>) -> tensor<256x384xf32>
  %49 = graph.broadcast %g0_b dims [1] : tensor<384xf32> -> tensor<256x384xf32>
  %50 = arith.addf %48, %49 : tensor<256x384xf32>
  %51 = graph.reshape %50 : tensor<256x384xf32> -> tensor<2x128x384xf32>
  %52 = arith.addf %51, %40 : tensor<2x128x384xf32>
  %53 = graph.layer_norm %52 scale %m0_s bias %m0_b eps 1.0e-12 : (tensor<2x128x384xf32>, tensor<384xf32>, tensor<384xf32>) -> tensor<2x128x384xf32>
  return %53 : tensor<2x128x384xf32>
}

// Between kernels lies what the graph rounds: the way back to f32 is taken in the kernel that reads it.
// CHECK-LABEL: func.func @halves
func.func @halves(%a: tensor<128x64xbf16>, %b: tensor<64x256xbf16>) -> (tensor<128x256xbf16>, tensor<256xbf16>) {
  // CHECK: graph.kernel "matmul" {{.*}} -> tensor<128x256xbf16>
  // CHECK-NOT: arith.extf
  // CHECK: arith.truncf
  // CHECK: graph.kernel "row" (%[[X:.*]] = {{.*}} : tensor<128x256xbf16>) -> tensor<128x256xbf16>
  // CHECK-NEXT: arith.extf %[[X]]
  // CHECK: graph.kernel "column" (%[[Y:.*]] = {{.*}} : tensor<128x256xbf16>) -> tensor<256xbf16>
  // CHECK-NEXT: arith.extf %[[Y]]
  %0 = graph.matmul %a, %b : (tensor<128x64xbf16>, tensor<64x256xbf16>) -> tensor<128x256xbf16>
  %1 = graph.softmax %0 axis 1 : tensor<128x256xbf16>
  %2 = graph.reduce <sum> %0 axes [0] : tensor<128x256xbf16> -> tensor<256xbf16>
  return %1, %2 : tensor<128x256xbf16>, tensor<256xbf16>
}
