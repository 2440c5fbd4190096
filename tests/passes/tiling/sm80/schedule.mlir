// RUN: kiln-opt %s --graph-decompose --cse --graph-fuse --tile-schedule=target=sm_80 | FileCheck %s
// RUN: kiln-opt %s --graph-decompose --cse --graph-fuse --tile-schedule=target=sm_90a | FileCheck %s --check-prefix=H200

// 16 elements of a thread; the fewer SMs have the larger share of a small tensor.
// CHECK-LABEL: @dense
// CHECK: #graph.schedule<"pointwise", {across = 0 : i64, groups = 1 : i64, rows = 1 : i64, runs = 2 : i64, shifted = 0 : i64, threads = 256 : i64, turned = 0 : i64, vec = 8 : i64}>
func.func @dense(%x: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %y = arith.addf %x, %x : tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}

// CHECK-LABEL: @small
// CHECK: runs = 2 : i64, shifted = 0 : i64, threads = 256 : i64, turned = 0 : i64, vec = 4 : i64
// H200-LABEL: @small
// H200: runs = 1 : i64, shifted = 0 : i64, threads = 256 : i64, turned = 0 : i64, vec = 4 : i64
func.func @small(%x: tensor<460800xf32>) -> tensor<460800xf32> {
  %y = arith.addf %x, %x : tensor<460800xf32>
  return %y : tensor<460800xf32>
}

// Heads moved: rows of 64, 8 of them to a warp and 8 warps to a CTA.
// CHECK-LABEL: @heads
// CHECK: groups = 8 : i64, rows = 8 : i64, runs = 1 : i64, shifted = 0 : i64, threads = 32 : i64, turned = 0 : i64, vec = 2 : i64
func.func @heads(%x: tensor<32x1024x12x64xbf16>) -> tensor<32x12x1024x64xbf16> {
  %y = graph.transpose %x perm [0, 2, 1, 3] : tensor<32x1024x12x64xbf16> -> tensor<32x12x1024x64xbf16>
  return %y : tensor<32x12x1024x64xbf16>
}

// CHECK-LABEL: @turned
// CHECK: groups = 8 : i64, rows = 1 : i64, runs = 1 : i64, shifted = 0 : i64, threads = 32 : i64, turned = 1 : i64, vec = 2 : i64
func.func @turned(%x: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %y = graph.transpose %x perm [1, 0] : tensor<8192x8192xbf16> -> tensor<8192x8192xbf16>
  return %y : tensor<8192x8192xbf16>
}

// Rows: a warp, CTAs with 32 elements a thread, and past the registers.
// CHECK-LABEL: @rows
// CHECK: #graph.schedule<"row", {across = 0 : i64, ctas = 1 : i64, groups = 8 : i64, kept = 32 : i64, rows = 1 : i64, shifted = 0 : i64, threads = 32 : i64}>
// CHECK: groups = 1 : i64, kept = 32 : i64, rows = 1 : i64, shifted = 0 : i64, threads = 128 : i64
// CHECK: groups = 1 : i64, kept = 32 : i64, rows = 1 : i64, shifted = 0 : i64, threads = 512 : i64
// CHECK: groups = 1 : i64, kept = 32 : i64, rows = 1 : i64, shifted = 0 : i64, threads = 512 : i64
func.func @rows(%a: tensor<65536x1024xbf16>, %b: tensor<16384x4096xbf16>, %c: tensor<8192x16384xbf16>, %d: tensor<2048x131072xbf16>)
    -> (tensor<65536x1024xbf16>, tensor<16384x4096xbf16>, tensor<8192x16384xbf16>, tensor<2048x131072xbf16>) {
  %0 = graph.softmax %a axis 1 : tensor<65536x1024xbf16>
  %1 = graph.softmax %b axis 1 : tensor<16384x4096xbf16>
  %2 = graph.softmax %c axis 1 : tensor<8192x16384xbf16>
  %3 = graph.softmax %d axis 1 : tensor<2048x131072xbf16>
  return %0, %1, %2, %3 : tensor<65536x1024xbf16>, tensor<16384x4096xbf16>, tensor<8192x16384xbf16>, tensor<2048x131072xbf16>
}

// Short rows: several to a warp. Shorter ones: lanes across them. Few rows: more threads each.
// CHECK-LABEL: @short_rows
// CHECK: across = 0 : i64, ctas = 1 : i64, groups = 8 : i64, kept = 32 : i64, rows = 4 : i64, shifted = 0 : i64, threads = 32 : i64
// CHECK: across = 1 : i64, ctas = 1 : i64, groups = 8 : i64, kept = 32 : i64, rows = 1 : i64, shifted = 0 : i64, threads = 32 : i64
// CHECK: across = 0 : i64, ctas = 1 : i64, groups = 1 : i64, kept = 32 : i64, rows = 1 : i64, shifted = 0 : i64, threads = 128 : i64
func.func @short_rows(%a: tensor<262144x200xf32>, %b: tensor<1048576x8xf32>, %c: tensor<16x1024xf32>)
    -> (tensor<262144xf32>, tensor<1048576xf32>, tensor<16xf32>) {
  %0 = graph.reduce <sum> %a axes [1] : tensor<262144x200xf32> -> tensor<262144xf32>
  %1 = graph.reduce <sum> %b axes [1] : tensor<1048576x8xf32> -> tensor<1048576xf32>
  %2 = graph.reduce <sum> %c axes [1] : tensor<16x1024xf32> -> tensor<16xf32>
  return %0, %1, %2 : tensor<262144xf32>, tensor<1048576xf32>, tensor<16xf32>
}

// A row alone is read by as many CTAs as it has pieces; many rows have a CTA each, and so has what stores every point.
// CHECK-LABEL: @long_rows
// CHECK: ctas = 4096 : i64, {{.*}} threads = 512 : i64
// CHECK: ctas = 1 : i64
// CHECK: ctas = 1 : i64
func.func @long_rows(%a: tensor<268435456xbf16>, %b: tensor<4096x131072xf32>, %c: tensor<8388608xf32>)
    -> (tensor<bf16>, tensor<4096xf32>, tensor<8388608xf32>) {
  %0 = graph.reduce <sum> %a axes [0] : tensor<268435456xbf16> -> tensor<bf16>
  %1 = graph.reduce <sum> %b axes [1] : tensor<4096x131072xf32> -> tensor<4096xf32>
  %2 = graph.softmax %c axis 0 : tensor<8388608xf32>
  return %0, %1, %2 : tensor<bf16>, tensor<4096xf32>, tensor<8388608xf32>
}

// Few columns of many rows: CTAs share them, and read them as widely as their rows allow.
// CHECK-LABEL: @high_columns
// CHECK: ctas = 32 : i64, {{.*}} vec = 4 : i64, warps = 8 : i64
// CHECK: ctas = 64 : i64, {{.*}} vec = 8 : i64, warps = 8 : i64
func.func @high_columns(%a: tensor<1000000x100xbf16>, %b: tensor<65536x1024xbf16>) -> (tensor<100xbf16>, tensor<1024xbf16>) {
  %0 = graph.reduce <sum> %a axes [0] : tensor<1000000x100xbf16> -> tensor<100xbf16>
  %1 = graph.reduce <sum> %b axes [0] : tensor<65536x1024xbf16> -> tensor<1024xbf16>
  return %0, %1 : tensor<100xbf16>, tensor<1024xbf16>
}

// Columns: few are shared by warps and read narrowly, many have a warp each and are read 16 bytes at a time.
// CHECK-LABEL: @columns
// CHECK: #graph.schedule<"column", {ctas = 1 : i64, groups = 1 : i64, shifted = 0 : i64, unroll = 8 : i64, vec = 1 : i64, warps = 32 : i64}>
// CHECK: groups = 8 : i64, shifted = 0 : i64, unroll = 8 : i64, vec = 4 : i64, warps = 1 : i64
func.func @columns(%a: tensor<4096x1024xf32>, %b: tensor<64x1048576xf32>) -> (tensor<1024xf32>, tensor<1048576xf32>) {
  %0 = graph.reduce <sum> %a axes [0] : tensor<4096x1024xf32> -> tensor<1024xf32>
  %1 = graph.reduce <max> %b axes [0] : tensor<64x1048576xf32> -> tensor<1048576xf32>
  return %0, %1 : tensor<1024xf32>, tensor<1048576xf32>
}
