// RUN: kiln-opt %s --gpu-lower=target=sm_90a --split-input-file | FileCheck %s

// A thread's columns in turn, then its quad's; a row's number for its columns; parts are registers; a slice is written
// by one thread of those that hold it.
// CHECK-LABEL: llvm.func @rows
// CHECK-COUNT-7: llvm.intr.maximum
// CHECK: nvvm.shfl.sync bfly
// CHECK: nvvm.shfl.sync bfly
// CHECK: %[[TOP:.*]] = llvm.intr.maximum
// CHECK: llvm.fsub
// CHECK-NOT: nvvm.shfl
// CHECK-COUNT-2: llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<1>
// CHECK: ptx.store [%{{.*}} : f32], %{{.*}} if %[[QUAD:.*]] : !llvm.ptr<1>
// CHECK: ptx.store [%{{.*}} : f32], %{{.*}} + 32 if %[[QUAD]] : !llvm.ptr<1>
!F = tensor<64x32xf32, #tile.wgmma>
!Part = tensor<64x8xf32, #tile.wgmma>
!Rows = tensor<64xf32, #tile.wgmma_rows>
tile.kernel @rows(%y: !tile.global<4096xf32>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %x = tile.load %y[%c0] rows 64 : !tile.global<4096xf32> -> !F
  %top = tile.reduce_rows <max> %x : !F -> !Rows
  %wide = tile.broadcast %top : !Rows -> !F
  %s = arith.subf %x, %wide : !F
  %part = tile.extract %s[%c0, %c16] : !F -> !Part
  tile.store %part, %y[%c0] rows 64 : !Part, !tile.global<4096xf32>
  tile.store %top, %y[%c0] : !Rows, !tile.global<4096xf32>
  tile.return
}

// -----

// Two atoms side by side are one instruction; columns on change bits of the swizzled address (16 of 2 bytes: 32).
// CHECK-LABEL: llvm.func @matrices
// CHECK: %[[AT:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: %[[CHUNK:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: %[[MOVED:.*]] = llvm.xor %{{.*}}, %[[CHUNK]] : i32
// CHECK: %[[FIRST:.*]] = llvm.inttoptr %[[MOVED]]
// CHECK: nvvm.stmatrix %[[FIRST]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {
// CHECK: %[[C32:.*]] = llvm.mlir.constant(32 : i32)
// CHECK: %[[NEXT:.*]] = llvm.xor %[[MOVED]], %[[C32]] : i32
// CHECK: nvvm.stmatrix
// CHECK-NOT: nvvm.stmatrix
!H = tensor<64x32xbf16, #tile.wgmma>
!T = !tile.shared<64x64xbf16, swizzle = 128>
tile.kernel @matrices(%y: !tile.global<4096xbf16>) grid 1 threads 128 attributes {shared_bytes = 8192 : i64} {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {offset = 0 : i64} : !T
  %h = tile.load %y[%c0] rows 64 : !tile.global<4096xbf16> -> !H
  tile.store_matrix %h, %t[%c0, %c0] : !H, !T
  tile.return
}

// -----

// An accumulator, rounded, is the left operand of the next product: nothing moves.
// CHECK-LABEL: llvm.func @relayout
// CHECK-NOT: shfl
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK-COUNT-4: llvm.store %{{.*}} : i32, !llvm.ptr<1>
!H = tensor<64x16xbf16, #tile.wgmma>
!A = tensor<64x16xbf16, #tile.wgmma_a>
tile.kernel @relayout(%x: !tile.global<1024xbf16>, %y: !tile.global<1024xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %h = tile.load %x[%c0] rows 16 : !tile.global<1024xbf16> -> !H
  %a = tile.relayout %h : !H -> !A
  tile.store %a, %y[%c0] rows 16 : !A, !tile.global<1024xbf16>
  tile.return
}

// -----

// CHECK-LABEL: llvm.func @coordinates
// CHECK: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i32)
// CHECK: llvm.add %[[ROW:.*]], %[[EIGHT]] : i32
!I = tensor<64x8xi32, #tile.wgmma>
tile.kernel @coordinates(%y: !tile.global<512xi32>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %rows = tile.coordinates 0 : !I
  %columns = tile.coordinates 1 : !I
  %s = arith.subi %rows, %columns : !I
  tile.store %s, %y[%c0] rows 8 : !I, !tile.global<512xi32>
  tile.return
}

// -----

// An accumulator of bytes is the next product's operand after two exchanges within the quad for each word of four.
// CHECK-LABEL: llvm.func @relayout_bytes
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<1> -> i16
// CHECK: nvvm.shfl.sync idx %{{.*}}, %[[MINE:.*]], %[[EVEN:.*]], %{{.*}} : i32 -> i32
// CHECK: nvvm.shfl.sync idx %{{.*}}, %[[MINE]], %[[ODD:.*]], %{{.*}} : i32 -> i32
// CHECK-COUNT-6: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl
// CHECK-COUNT-4: llvm.store %{{.*}} : i32, !llvm.ptr<1>
!H = tensor<64x32xf8E4M3FN, #tile.wgmma>
!A = tensor<64x32xf8E4M3FN, #tile.wgmma_a>
tile.kernel @relayout_bytes(%x: !tile.global<2048xf8E4M3FN>, %y: !tile.global<2048xf8E4M3FN>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %h = tile.load %x[%c0] aligned 16 rows 32 : !tile.global<2048xf8E4M3FN> -> !H
  %a = tile.relayout %h : !H -> !A
  tile.store %a, %y[%c0] aligned 16 rows 32 : !A, !tile.global<2048xf8E4M3FN>
  tile.return
}
