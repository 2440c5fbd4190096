// RUN: kiln-opt %s --pass-pipeline='builtin.module(graph-verify,func.func(graph-decompose,cse),graph-verify{decomposed})' | FileCheck %s

// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[M:.*]] = graph.reduce <max> %[[X:.*]] axes [0]
  // CHECK-NEXT: %[[MB:.*]] = graph.broadcast %[[M]] dims [1]
  // CHECK-NEXT: %[[D:.*]] = arith.subf %[[X]], %[[MB]]
  // CHECK-NEXT: %[[E:.*]] = math.exp %[[D]]
  // CHECK-NEXT: %[[S:.*]] = graph.reduce <sum> %[[E]] axes [0]
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<8xf32>
  // CHECK-NEXT: %[[I:.*]] = arith.divf %[[ONE]], %[[S]] : tensor<8xf32>
  // CHECK-NEXT: %[[IB:.*]] = graph.broadcast %[[I]] dims [1]
  // CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[E]], %[[IB]]
  // CHECK-NEXT: return %[[Y]]
  %0 = graph.softmax %x axis 0 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @layer_norm
func.func @layer_norm(%x: tensor<2x3x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x3x8xf32> {
  // CHECK: %[[SUM:.*]] = graph.reduce <sum> %[[X:.*]] axes [2]
  // CHECK: %[[N:.*]] = arith.constant dense<8.0{{.*}}> : tensor<2x3xf32>
  // CHECK: %[[MEAN:.*]] = arith.divf %[[SUM]], %[[N]]
  // CHECK: %[[MB:.*]] = graph.broadcast %[[MEAN]] dims [0, 1]
  // CHECK: %[[C:.*]] = arith.subf %[[X]], %[[MB]]
  // CHECK: %[[SQ:.*]] = arith.mulf %[[C]], %[[C]]
  // CHECK: %[[SUM2:.*]] = graph.reduce <sum> %[[SQ]] axes [2]
  // CHECK: %[[VAR:.*]] = arith.divf %[[SUM2]], %[[N]]
  // CHECK: %[[EPS:.*]] = arith.constant dense<9.99999974E-6>
  // CHECK: %[[VE:.*]] = arith.addf %[[VAR]], %[[EPS]]
  // CHECK: %[[R:.*]] = math.rsqrt %[[VE]]
  // CHECK: %[[RB:.*]] = graph.broadcast %[[R]] dims [0, 1]
  // CHECK: %[[N1:.*]] = arith.mulf %[[C]], %[[RB]]
  // CHECK: %[[SC:.*]] = graph.broadcast %{{.*}} dims [2]
  // CHECK: %[[N2:.*]] = arith.mulf %[[N1]], %[[SC]]
  // CHECK: %[[BI:.*]] = graph.broadcast %{{.*}} dims [2]
  // CHECK: arith.addf %[[N2]], %[[BI]]
  %0 = graph.layer_norm %x scale %s bias %b eps 1.0e-5 : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  return %0 : tensor<2x3x8xf32>
}

// Integers are converted before they are summed; over no axes nothing is left to do.
// CHECK-LABEL: func.func @mean
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[I:.*]]: tensor<3xi64>)
func.func @mean(%x: tensor<4x8xf32>, %i: tensor<3xi64>) -> (tensor<4xf32>, tensor<f32>, tensor<3xf32>, tensor<4x8xf32>) {
  // CHECK: %[[S:.*]] = graph.reduce <sum> %[[X]] axes [1]
  // CHECK: %[[N:.*]] = arith.constant dense<8.0{{.*}}> : tensor<4xf32>
  // CHECK: %[[M:.*]] = arith.divf %[[S]], %[[N]]
  %0 = graph.reduce <mean> %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK: %[[F:.*]] = arith.sitofp %[[I]] : tensor<3xi64> to tensor<3xf32>
  // CHECK: %[[SI:.*]] = graph.reduce <sum> %[[F]] axes [0] : tensor<3xf32> -> tensor<f32>
  // CHECK: %[[MI:.*]] = arith.divf %[[SI]]
  %1 = graph.reduce <mean> %i axes [0] : tensor<3xi64> -> tensor<f32>
  %2 = graph.reduce <mean> %i axes [] : tensor<3xi64> -> tensor<3xf32>
  %3 = graph.reduce <sum> %x axes [] : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: return %[[M]], %[[MI]], %[[F]], %[[X]]
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<f32>, tensor<3xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @relu
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : tensor<4xf32>
  // CHECK: arith.maximumf %{{.*}}, %[[ZERO]]
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @divide
// CHECK-SAME: (%[[A:.*]]: tensor<4xi32>, %[[B:.*]]: tensor<4xi32>)
func.func @divide(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0>
  // CHECK: %[[BY0:.*]] = arith.cmpi eq, %[[B]], %[[ZERO]]
  // CHECK: %[[MIN:.*]] = arith.constant dense<-2147483648>
  // CHECK: %[[AMIN:.*]] = arith.cmpi eq, %[[A]], %[[MIN]]
  // CHECK: %[[M1:.*]] = arith.constant dense<-1>
  // CHECK: %[[BM1:.*]] = arith.cmpi eq, %[[B]], %[[M1]]
  // CHECK: %[[OVER:.*]] = arith.andi %[[AMIN]], %[[BM1]]
  // CHECK: %[[BAD:.*]] = arith.ori %[[BY0]], %[[OVER]]
  // CHECK: %[[ONE:.*]] = arith.constant dense<1>
  // CHECK: %[[SAFE:.*]] = arith.select %[[BAD]], %[[ONE]], %[[B]]
  // CHECK: %[[Q:.*]] = arith.divsi %[[A]], %[[SAFE]]
  // CHECK: %[[QUOT:.*]] = arith.select %[[BY0]], %[[ZERO]], %[[Q]]
  // CHECK: %[[R:.*]] = arith.remsi %[[A]], %[[SAFE]]
  // CHECK: %[[REM:.*]] = arith.select %[[BY0]], %[[A]], %[[R]]
  // CHECK: return %[[QUOT]], %[[REM]]
  %0 = graph.divi %a, %b : tensor<4xi32>
  %1 = graph.remi %a, %b : tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @saturate
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @saturate(%x: tensor<4xf32>) -> tensor<4xi64> {
  // CHECK-DAG: %[[LO:.*]] = arith.constant dense<-9.22337203E+18>
  // CHECK-DAG: %[[HI:.*]] = arith.constant dense<9.22337203E+18>
  // CHECK-DAG: %[[GE:.*]] = arith.cmpf oge, %[[X]], %[[LO]]
  // CHECK-DAG: %[[LT:.*]] = arith.cmpf olt, %[[X]], %[[HI]]
  // CHECK-DAG: %[[BELOW:.*]] = arith.cmpf olt, %[[X]], %[[LO]]
  // CHECK-DAG: %[[ABOVE:.*]] = arith.cmpf oge, %[[X]], %[[HI]]
  // CHECK: %[[IN:.*]] = arith.andi %[[GE]], %[[LT]]
  // CHECK: %[[SAFE:.*]] = arith.select %[[IN]], %[[X]], %{{.*}}
  // CHECK: %[[I:.*]] = arith.fptosi %[[SAFE]] : tensor<4xf32> to tensor<4xi64>
  // CHECK: %[[MAX:.*]] = arith.constant dense<9223372036854775807>
  // CHECK: %[[UP:.*]] = arith.select %[[ABOVE]], %[[MAX]], %[[I]]
  // CHECK: %[[MIN:.*]] = arith.constant dense<-9223372036854775808>
  // CHECK: arith.select %[[BELOW]], %[[MIN]], %[[UP]]
  %0 = graph.fptosi %x : tensor<4xf32> to tensor<4xi64>
  return %0 : tensor<4xi64>
}

// Combinations of nothing are constants, and nothing computes a tensor without elements.
// CHECK-LABEL: func.func @empty
func.func @empty(%x: tensor<3x0xf32>, %i: tensor<0x2xi32>, %a: tensor<4x0xf32>, %b: tensor<0x5xf32>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<4x5xf32>, tensor<0xi32>, tensor<3x0xf32>) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : tensor<3xf32>
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.0{{.*}}> : tensor<3xf32>
  // CHECK-DAG: %[[NAN:.*]] = arith.divf %[[ZERO]], %[[ZERO]]
  // CHECK-DAG: %[[I:.*]] = arith.constant dense<0> : tensor<2xi32>
  // CHECK-DAG: %[[MM:.*]] = arith.constant dense<0.0{{.*}}> : tensor<4x5xf32>
  // CHECK-DAG: %[[E:.*]] = arith.constant dense<> : tensor<0xi32>
  // CHECK-DAG: %[[EX:.*]] = arith.constant dense<> : tensor<3x0xf32>
  %0 = graph.reduce <sum> %x axes [1] : tensor<3x0xf32> -> tensor<3xf32>
  %1 = graph.reduce <prod> %x axes [1] : tensor<3x0xf32> -> tensor<3xf32>
  %2 = graph.reduce <mean> %x axes [1] : tensor<3x0xf32> -> tensor<3xf32>
  %3 = graph.reduce <sum> %i axes [0] : tensor<0x2xi32> -> tensor<2xi32>
  %4 = graph.matmul %a, %b : (tensor<4x0xf32>, tensor<0x5xf32>) -> tensor<4x5xf32>
  %5 = graph.reduce <max> %i axes [1] : tensor<0x2xi32> -> tensor<0xi32>
  %6 = graph.softmax %x axis 1 : tensor<3x0xf32>
  // CHECK: return %[[ZERO]], %[[ONE]], %[[NAN]], %[[I]], %[[MM]], %[[E]], %[[EX]]
  return %0, %1, %2, %3, %4, %5, %6
    : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<4x5xf32>, tensor<0xi32>, tensor<3x0xf32>
}

// CHECK-LABEL: func.func @pieces
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>, %[[E:.*]]: tensor<0xf32>)
func.func @pieces(%x: tensor<2xf32>, %e: tensor<0xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  // CHECK: %[[XX:.*]] = graph.concat %[[X]], %[[X]] axis 0
  %0 = graph.concat %x, %e axis 0 : (tensor<2xf32>, tensor<0xf32>) -> tensor<2xf32>
  %1 = graph.concat %x, %e, %x axis 0 : (tensor<2xf32>, tensor<0xf32>, tensor<2xf32>) -> tensor<4xf32>
  // CHECK: return %[[X]], %[[XX]]
  return %0, %1 : tensor<2xf32>, tensor<4xf32>
}

// Functions of one element are expanded late, where a device may have an instruction for them.
// CHECK-LABEL: func.func @late
func.func @late(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: graph.gelu <exact>
  // CHECK: graph.sigmoid
  %0 = graph.gelu <exact> %x : tensor<4xf32>
  %1 = graph.sigmoid %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Constants of functions are not folded here: the build host's libm decides nothing.
// CHECK-LABEL: func.func @no_folding
func.func @no_folding() -> tensor<4xf32> {
  // CHECK: math.exp
  %0 = arith.constant dense<1.5> : tensor<4xf32>
  %1 = math.exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
