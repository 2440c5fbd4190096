// RUN: kiln-opt %s --cpu-lower --split-input-file | FileCheck %s

// CHECK-LABEL: llvm.func @scale(%arg0: !llvm.ptr {llvm.noalias, llvm.readonly}, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr {llvm.noalias})
// CHECK: llvm.load %{{.*}} invariant {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: llvm.fadd %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: llvm.intr.masked.store %{{.*}} {alignment = 4 : i32} : vector<16xf32>, vector<16xi1> into !llvm.ptr
tile.kernel @scale(%x: !tile.global<1000xf32>, %y: !tile.global<1000xf32>) grid 16 {
  %c64 = arith.constant 64 : index
  %c1000 = arith.constant 1000 : index
  %id = tile.cta_id
  %o = arith.muli %id, %c64 : index
  %left = arith.subi %c1000, %o : index
  %m = tile.lane_mask %left : tensor<64xi1, #tile.simd>
  %v = tile.load %x[%o] : !tile.global<1000xf32> -> tensor<64xf32, #tile.simd>
  %w = arith.addf %v, %v : tensor<64xf32, #tile.simd>
  tile.store %w, %y[%o] mask %m : tensor<64xi1, #tile.simd> : tensor<64xf32, #tile.simd>, !tile.global<1000xf32>
  tile.return
}

// -----

// A matmul's accumulators travel through the loop as native vectors.
// CHECK-LABEL: llvm.func @mma
// CHECK: ^bb{{.*}}(%{{.*}}: i64, %{{.*}}: vector<16xf32>, %{{.*}}: vector<16xf32>, %{{.*}}: vector<16xf32>, %{{.*}}: vector<16xf32>):
// CHECK-COUNT-4: llvm.intr.fma(%{{.*}}) : (vector<16xf32>, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
tile.kernel @mma(%a: !tile.global<2x8xf32>, %b: !tile.global<8x32xf32>, %c: !tile.global<2x32xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %t = tile.alloc {offset = 256 : i64} : !tile.shared<8x32xf32>
  %zero = arith.constant dense<0.0> : tensor<2x32xf32, #tile.simd>
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (tensor<2x32xf32, #tile.simd>) {
    %ob = arith.muli %k, %c32 : index
    %col = tile.load %a[%k] rows 8 : !tile.global<2x8xf32> -> tensor<2xf32, #tile.simd_column>
    %row = tile.load %b[%ob] : !tile.global<8x32xf32> -> tensor<32xf32, #tile.simd>
    %next = tile.mma %col, %row, %acc : tensor<2xf32, #tile.simd_column>, tensor<32xf32, #tile.simd>, tensor<2x32xf32, #tile.simd>
    scf.yield %next : tensor<2x32xf32, #tile.simd>
  }
  tile.store %r, %c[%c0] rows 32 : tensor<2x32xf32, #tile.simd>, !tile.global<2x32xf32>
  tile.return
}

// -----

// bool is one byte in memory: read against 0, written as 0 or 1.
// CHECK-LABEL: llvm.func @bools
// CHECK: %[[RAW:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<16xi8>
// CHECK: llvm.icmp "ne" %[[RAW]], %{{.*}} : vector<16xi8>
// CHECK: llvm.zext %{{.*}} : vector<16xi1> to vector<16xi8>
tile.kernel @bools(%x: !tile.global<16xi1>, %y: !tile.global<16xi1>) grid 1 {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<true> : tensor<16xi1, #tile.simd>
  %v = tile.load %x[%c0] : !tile.global<16xi1> -> tensor<16xi1, #tile.simd>
  %n = arith.xori %v, %t : tensor<16xi1, #tile.simd>
  tile.store %n, %y[%c0] : tensor<16xi1, #tile.simd>, !tile.global<16xi1>
  tile.return
}

// -----

// The first unit is stored before the second is computed.
// CHECK-LABEL: llvm.func @depth_first
// CHECK-COUNT-2: llvm.load %{{.*}} -> vector<16xf32>
// CHECK: llvm.fmul
// CHECK: llvm.fadd
// CHECK: llvm.store
// CHECK: llvm.fmul
// CHECK: llvm.fadd
// CHECK: llvm.store
tile.kernel @depth_first(%x: !tile.global<32xf32>, %y: !tile.global<32xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<32xf32> -> tensor<32xf32, #tile.simd>
  %a = arith.mulf %v, %v : tensor<32xf32, #tile.simd>
  %b = arith.addf %a, %v : tensor<32xf32, #tile.simd>
  tile.store %b, %y[%c0] : tensor<32xf32, #tile.simd>, !tile.global<32xf32>
  tile.return
}
