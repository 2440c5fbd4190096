// RUN: kiln-opt %s --pass-pipeline='builtin.module(graph-verify,func.func(graph-decompose,cse),graph-verify{decomposed})' | FileCheck %s

// Composites of 16-bit floats: f32 inside, one rounding at the end.

// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  // CHECK-NEXT: %[[X:.*]] = arith.extf %{{.*}} : tensor<4x8xbf16> to tensor<4x8xf32>
  // CHECK-NEXT: graph.reduce <max> %[[X]] axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK-NOT: bf16
  // CHECK: arith.divf {{.*}} : tensor<4xf32>
  // CHECK: %[[Y:.*]] = arith.mulf
  // CHECK-NEXT: %[[R:.*]] = arith.truncf %[[Y]] : tensor<4x8xf32> to tensor<4x8xbf16>
  // CHECK-NEXT: return %[[R]]
  %0 = graph.softmax %x axis 1 : tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// CHECK-LABEL: func.func @layer_norm
func.func @layer_norm(%x: tensor<3x8xf16>, %s: tensor<8xf16>, %b: tensor<8xf16>) -> tensor<3x8xf16> {
  // CHECK: arith.extf %{{.*}} : tensor<3x8xf16> to tensor<3x8xf32>
  // CHECK: graph.reduce <sum> %{{.*}} : tensor<3x8xf32> -> tensor<3xf32>
  // CHECK: arith.extf %{{.*}} : tensor<8xf16> to tensor<8xf32>
  // CHECK: arith.extf %{{.*}} : tensor<8xf16> to tensor<8xf32>
  // CHECK: %[[Y:.*]] = arith.addf %{{.*}} : tensor<3x8xf32>
  // CHECK-NEXT: %[[R:.*]] = arith.truncf %[[Y]] : tensor<3x8xf32> to tensor<3x8xf16>
  // CHECK-NEXT: return %[[R]]
  %0 = graph.layer_norm %x scale %s bias %b eps 1.0e-5 : (tensor<3x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<3x8xf16>
  return %0 : tensor<3x8xf16>
}

// CHECK-LABEL: func.func @reduce
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf16>, %[[E:.*]]: tensor<3x0xbf16>)
func.func @reduce(%x: tensor<4x8xf16>, %e: tensor<3x0xbf16>)
    -> (tensor<4xf16>, tensor<4xf16>, tensor<4x8xf16>, tensor<3xbf16>, tensor<3xbf16>) {
  // CHECK-NEXT: %[[W:.*]] = arith.extf %[[X]] : tensor<4x8xf16> to tensor<4x8xf32>
  // CHECK-NEXT: %[[S:.*]] = graph.reduce <sum> %[[W]] axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK-NEXT: %[[SR:.*]] = arith.truncf %[[S]] : tensor<4xf32> to tensor<4xf16>
  %0 = graph.reduce <sum> %x axes [1] : tensor<4x8xf16> -> tensor<4xf16>
  // The mean divides before it rounds.
  // CHECK-NEXT: %[[N:.*]] = arith.constant dense<8.0{{.*}}> : tensor<4xf32>
  // CHECK-NEXT: %[[M:.*]] = arith.divf %[[S]], %[[N]] : tensor<4xf32>
  // CHECK-NEXT: %[[MR:.*]] = arith.truncf %[[M]] : tensor<4xf32> to tensor<4xf16>
  %1 = graph.reduce <mean> %x axes [1] : tensor<4x8xf16> -> tensor<4xf16>
  %2 = graph.reduce <mean> %x axes [] : tensor<4x8xf16> -> tensor<4x8xf16>
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : tensor<3xbf16>
  %3 = graph.reduce <sum> %e axes [1] : tensor<3x0xbf16> -> tensor<3xbf16>
  // CHECK: arith.divf {{.*}} : tensor<3xf32>
  // CHECK: %[[NAN:.*]] = arith.truncf {{.*}} : tensor<3xf32> to tensor<3xbf16>
  %4 = graph.reduce <mean> %e axes [1] : tensor<3x0xbf16> -> tensor<3xbf16>
  // CHECK: return %[[SR]], %[[MR]], %[[X]], %[[ZERO]], %[[NAN]]
  return %0, %1, %2, %3, %4 : tensor<4xf16>, tensor<4xf16>, tensor<4x8xf16>, tensor<3xbf16>, tensor<3xbf16>
}

// CHECK-LABEL: func.func @matmul
// CHECK-SAME: (%[[A:.*]]: tensor<4x8xbf16>, %[[B:.*]]: tensor<2x8xbf16>)
func.func @matmul(%a: tensor<4x8xbf16>, %b: tensor<2x8xbf16>) -> (tensor<4x2xbf16>, tensor<4x2xf32>) {
  // CHECK-NEXT: %[[S:.*]] = graph.matmul %[[A]], %[[B]] transpose_b : (tensor<4x8xbf16>, tensor<2x8xbf16>) -> tensor<4x2xf32>
  // CHECK-NEXT: %[[R:.*]] = arith.truncf %[[S]] : tensor<4x2xf32> to tensor<4x2xbf16>
  %0 = graph.matmul %a, %b transpose_b : (tensor<4x8xbf16>, tensor<2x8xbf16>) -> tensor<4x2xbf16>
  %1 = graph.matmul %a, %b transpose_b : (tensor<4x8xbf16>, tensor<2x8xbf16>) -> tensor<4x2xf32>
  // CHECK-NEXT: return %[[R]], %[[S]]
  return %0, %1 : tensor<4x2xbf16>, tensor<4x2xf32>
}

// Named ops are the roundings: they stay, as do functions, which expand late.
// CHECK-LABEL: func.func @named
func.func @named(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK-NEXT: arith.mulf %{{.*}} : tensor<4xbf16>
  %0 = arith.mulf %x, %x : tensor<4xbf16>
  // CHECK-NEXT: math.fma %{{.*}} : tensor<4xbf16>
  %1 = math.fma %0, %x, %x : tensor<4xbf16>
  // CHECK-NEXT: math.sin %{{.*}} : tensor<4xbf16>
  %2 = math.sin %1 : tensor<4xbf16>
  // CHECK-NEXT: graph.gelu <exact> %{{.*}} : tensor<4xbf16>
  %3 = graph.gelu <exact> %2 : tensor<4xbf16>
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : tensor<4xbf16>
  // CHECK-NEXT: arith.maximumf %{{.*}}, %[[ZERO]] : tensor<4xbf16>
  %4 = graph.relu %3 : tensor<4xbf16>
  return %4 : tensor<4xbf16>
}

// An integer is first cut to what f32 holds exactly, so that only the last cast rounds.
// CHECK-LABEL: func.func @from_integers
// CHECK-SAME: (%[[I:.*]]: tensor<4xi32>, %[[B:.*]]: tensor<4xi1>)
func.func @from_integers(%i: tensor<4xi32>, %b: tensor<4xi1>) -> (tensor<4xf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xf16>) {
  // CHECK: %[[HI:.*]] = arith.constant dense<131072>
  // CHECK: %[[MIN:.*]] = arith.minsi %[[I]], %[[HI]]
  // CHECK: %[[LO:.*]] = arith.constant dense<-131072>
  // CHECK: %[[MAX:.*]] = arith.maxsi %[[MIN]], %[[LO]]
  // CHECK: %[[F:.*]] = arith.sitofp %[[MAX]] : tensor<4xi32> to tensor<4xf32>
  // CHECK: %[[F16:.*]] = arith.truncf %[[F]] : tensor<4xf32> to tensor<4xf16>
  %0 = arith.sitofp %i : tensor<4xi32> to tensor<4xf16>
  // CHECK: %[[REST:.*]] = arith.andi %[[I]], %{{.*}}
  // CHECK: %[[KEPT:.*]] = arith.andi %[[I]], %{{.*}}
  // CHECK: %[[ODD:.*]] = arith.ori %[[KEPT]], %{{.*}}
  // CHECK: arith.select {{.*}}, %[[KEPT]], %[[ODD]]
  // CHECK: arith.sitofp {{.*}} : tensor<4xi32> to tensor<4xf32>
  // CHECK: %[[BF16:.*]] = arith.truncf {{.*}} : tensor<4xf32> to tensor<4xbf16>
  %1 = arith.sitofp %i : tensor<4xi32> to tensor<4xbf16>
  // CHECK: arith.uitofp %[[B]] : tensor<4xi1> to tensor<4xf32>
  %2 = arith.uitofp %b : tensor<4xi1> to tensor<4xbf16>
  // CHECK: graph.iota axis 0 : tensor<4xi64>
  %3 = graph.iota axis 0 : tensor<4xf16>
  return %0, %1, %2, %3 : tensor<4xf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xf16>
}

// CHECK-LABEL: func.func @to_integer
func.func @to_integer(%x: tensor<4xf16>) -> tensor<4xi32> {
  // CHECK: arith.extf %{{.*}} : tensor<4xf16> to tensor<4xf32>
  // CHECK-NOT: xf16
  // CHECK: arith.fptosi %{{.*}} : tensor<4xf32> to tensor<4xi32>
  %0 = graph.fptosi %x : tensor<4xf16> to tensor<4xi32>
  return %0 : tensor<4xi32>
}
