// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(graph-align{target=sm_90a explain}))' -split-input-file -verify-diagnostics | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(graph-align{target=avx512}))' -split-input-file | FileCheck %s --check-prefix=CPU

// Inputs are copied, those of one shape by one kernel, and a copy serves every reader; a result that only kernels read
// is stored with padded rows.
// CHECK-LABEL: func.func @square
// CPU-LABEL: func.func @square
// CPU-NOT: layouts
func.func @square(%x: tensor<1793x1793xbf16>, %w: tensor<1793x1793xbf16>) -> tensor<1793x1793xbf16> {
  // CHECK: %[[COPY:.*]]:2 = graph.kernel "pointwise" (%[[A:.*]] = %arg0 : tensor<1793x1793xbf16>, %[[B:.*]] = %arg1 : tensor<1793x1793xbf16>)
  // CHECK-SAME: result_layouts = [#graph.layout<strides = [1856, 1]>, #graph.layout<strides = [1856, 1]>]
  // CHECK-NEXT: graph.yield %[[A]], %[[B]]
  // CHECK: %[[Y:.*]] = graph.kernel "matmul" (%{{.*}} = %[[COPY]]#0 : tensor<1793x1793xbf16>, %{{.*}} = %[[COPY]]#1 : tensor<1793x1793xbf16>)
  // CHECK-SAME: input_layouts = [#graph.layout<strides = [1856, 1]>, #graph.layout<strides = [1856, 1]>]
  // CHECK-SAME: result_layouts = [#graph.layout<strides = [1856, 1]>]
  // expected-remark-re @below {{`operand 0, 1793x1793xbf16`: copied, row 1856, time {{.*}} us, copy {{.*}} us; not as it is, row 1793, time {{.*}} us}}
  // expected-remark-re @below {{`operand 1, 1793x1793xbf16`: copied, row 1856, time {{.*}} us, copy {{.*}} us; not as it is, row 1793, time {{.*}} us}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<1793x1793xbf16>, %c = %w : tensor<1793x1793xbf16>) -> tensor<1793x1793xbf16> {
    %1 = graph.matmul %a, %c : (tensor<1793x1793xbf16>, tensor<1793x1793xbf16>) -> tensor<1793x1793xf32>
    %2 = arith.truncf %1 : tensor<1793x1793xf32> to tensor<1793x1793xbf16>
    graph.yield %2 : tensor<1793x1793xbf16>
  }
  // CHECK: graph.kernel "matmul" (%{{.*}} = %[[Y]] : tensor<1793x1793xbf16>, %{{.*}} = %[[COPY]]#1 : tensor<1793x1793xbf16>)
  // CHECK-SAME: input_layouts = [#graph.layout<strides = [1856, 1]>, #graph.layout<strides = [1856, 1]>]
  // CHECK-NOT: result_layouts
  // expected-remark-re @below {{`operand 0, 1793x1793xbf16`: padded by its producer, row 1856, time {{[^,]*}} us; not as it is, row 1793}}
  // expected-remark-re @below {{`operand 1, 1793x1793xbf16`: copied, row 1856, time {{[^,]*}} us; not as it is}}
  %3 = graph.kernel "matmul" (%a = %0 : tensor<1793x1793xbf16>, %c = %w : tensor<1793x1793xbf16>) -> tensor<1793x1793xbf16> {
    %1 = graph.matmul %a, %c transpose_b : (tensor<1793x1793xbf16>, tensor<1793x1793xbf16>) -> tensor<1793x1793xf32>
    %2 = arith.truncf %1 : tensor<1793x1793xf32> to tensor<1793x1793xbf16>
    graph.yield %2 : tensor<1793x1793xbf16>
  }
  return %3 : tensor<1793x1793xbf16>
}

// -----

// A result that is returned as well stays dense, and so do all its readers but the matmul.
// CHECK-LABEL: func.func @returned
func.func @returned(%x: tensor<2048x2049xbf16>, %w: tensor<2056x2049xbf16>) -> (tensor<2048x2049xbf16>, tensor<2048x2056xf32>) {
  // CHECK: %[[H:.*]] = graph.kernel "pointwise" (%{{.*}} = %arg0 : tensor<2048x2049xbf16>) -> tensor<2048x2049xbf16> {
  %0 = graph.kernel "pointwise" (%a = %x : tensor<2048x2049xbf16>) -> tensor<2048x2049xbf16> {
    %1 = math.absf %a : tensor<2048x2049xbf16>
    graph.yield %1 : tensor<2048x2049xbf16>
  }
  // CHECK: graph.kernel "pointwise" (%{{.*}} = %[[H]] : tensor<2048x2049xbf16>) -> {{.*}}result_layouts = [#graph.layout<strides = [2112, 1]>]
  // CHECK: graph.kernel "pointwise" (%{{.*}} = %arg1 : tensor<2056x2049xbf16>) -> {{.*}}result_layouts = [#graph.layout<strides = [2112, 1]>]
  // CHECK: graph.kernel "matmul"
  // expected-remark @below {{`operand 0, 2048x2049xbf16`: copied, row}}
  // expected-remark @below {{`operand 1, 2056x2049xbf16`: copied, row}}
  %2 = graph.kernel "matmul" (%a = %0 : tensor<2048x2049xbf16>, %c = %w : tensor<2056x2049xbf16>) -> tensor<2048x2056xf32> {
    %1 = graph.matmul %a, %c transpose_b : (tensor<2048x2049xbf16>, tensor<2056x2049xbf16>) -> tensor<2048x2056xf32>
    graph.yield %1 : tensor<2048x2056xf32>
  }
  // CHECK: return %[[H]]
  return %0, %2 : tensor<2048x2049xbf16>, tensor<2048x2056xf32>
}

// -----

// Where each element is read by one tile, a copy costs more than it saves. Short rows are padded to 16 bytes.
// CHECK-LABEL: func.func @thin
func.func @thin(%x: tensor<16384x1025xbf16>, %w: tensor<1025x64xbf16>, %v: tensor<65x4096xbf16>) -> (tensor<16384x64xf32>, tensor<65x4096xf32>) {
  // CHECK: graph.kernel "matmul" (%{{.*}} = %arg0 : tensor<16384x1025xbf16>, %{{.*}} = %arg1 : tensor<1025x64xbf16>) -> tensor<16384x64xf32> {
  // expected-remark-re @below {{`operand 0, 16384x1025xbf16`: as it is, row 1025, time {{.*}} us; not copied, row {{.*}}, copy}}
  %0 = graph.kernel "matmul" (%a = %x : tensor<16384x1025xbf16>, %c = %w : tensor<1025x64xbf16>) -> tensor<16384x64xf32> {
    %1 = graph.matmul %a, %c : (tensor<16384x1025xbf16>, tensor<1025x64xbf16>) -> tensor<16384x64xf32>
    graph.yield %1 : tensor<16384x64xf32>
  }
  // CHECK: graph.kernel "pointwise" (%{{.*}} = %arg2 : tensor<65x4096xbf16>) -> tensor<65x65xbf16>
  // CHECK-SAME: result_layouts = [#graph.layout<strides = [72, 1]>]
  %2 = graph.kernel "pointwise" (%a = %v : tensor<65x4096xbf16>) -> tensor<65x65xbf16> {
    %1 = graph.slice %a from [0, 0] to [65, 65] step [1, 1] : tensor<65x4096xbf16> -> tensor<65x65xbf16>
    graph.yield %1 : tensor<65x65xbf16>
  }
  // expected-remark @below {{`operand 0, 65x65xbf16`: padded by its producer}}
  %3 = graph.kernel "matmul" (%a = %2 : tensor<65x65xbf16>, %c = %v : tensor<65x4096xbf16>) -> tensor<65x4096xf32> {
    %1 = graph.matmul %a, %c : (tensor<65x65xbf16>, tensor<65x4096xbf16>) -> tensor<65x4096xf32>
    graph.yield %1 : tensor<65x4096xf32>
  }
  return %0, %3 : tensor<16384x64xf32>, tensor<65x4096xf32>
}

// -----

// f32 operands go through registers in any case.
// CHECK-LABEL: func.func @f32
// CHECK-NOT: layouts
func.func @f32(%x: tensor<1793x1793xf32>, %w: tensor<1793x1793xf32>) -> tensor<1793x1793xf32> {
  %0 = graph.kernel "matmul" (%a = %x : tensor<1793x1793xf32>, %c = %w : tensor<1793x1793xf32>) -> tensor<1793x1793xf32> {
    %1 = graph.matmul %a, %c : (tensor<1793x1793xf32>, tensor<1793x1793xf32>) -> tensor<1793x1793xf32>
    graph.yield %1 : tensor<1793x1793xf32>
  }
  return %0 : tensor<1793x1793xf32>
}

// -----

// A kernel without a matmul shifts what starts anywhere: its schedule's business, the graph stays as it is.
// CHECK-LABEL: func.func @softmax
// CHECK: graph.kernel "row" (%{{.*}} = %arg0 : tensor<65536x1023xbf16>)
// CHECK-NOT: layouts
func.func @softmax(%x: tensor<65536x1023xbf16>) -> tensor<65536x1023xf32> {
  // expected-remark-re @below {{`operand 0, 65536x1023xbf16`: shifted, row 1023, time {{.*}} us; not narrow accesses, row 1023, time {{.*}} us; not copied, row 1024, time {{.*}} us, copy}}
  // expected-remark-re @below {{`result 0, 65536x1023xf32`: shifted, row 1023, time {{.*}} us; not narrow accesses, row 1023, time {{[^,;]*}} us{{$}}}}
  %0 = graph.kernel "row" (%a = %x : tensor<65536x1023xbf16>) -> tensor<65536x1023xf32> {
    %1 = arith.extf %a : tensor<65536x1023xbf16> to tensor<65536x1023xf32>
    %2 = graph.reduce <max> %1 axes [1] : tensor<65536x1023xf32> -> tensor<65536xf32>
    %3 = graph.broadcast %2 dims [0] : tensor<65536xf32> -> tensor<65536x1023xf32>
    %4 = arith.subf %1, %3 : tensor<65536x1023xf32>
    graph.yield %4 : tensor<65536x1023xf32>
  }
  return %0 : tensor<65536x1023xf32>
}

// -----

// A window starts anywhere in rows that are aligned, and padding them does not help.
// CHECK-LABEL: func.func @window
func.func @window(%x: tensor<8192x1024xbf16>) -> tensor<8191x1023xbf16> {
  // expected-remark-re @below {{`operand 0, 8192x1024xbf16`: shifted, {{.*}}}}
  // expected-remark @below {{`result 0, 8191x1023xbf16`: shifted}}
  %0 = graph.kernel "pointwise" (%a = %x : tensor<8192x1024xbf16>) -> tensor<8191x1023xbf16> {
    %1 = graph.slice %a from [1, 1] to [8192, 1024] step [1, 1] : tensor<8192x1024xbf16> -> tensor<8191x1023xbf16>
    graph.yield %1 : tensor<8191x1023xbf16>
  }
  return %0 : tensor<8191x1023xbf16>
}
