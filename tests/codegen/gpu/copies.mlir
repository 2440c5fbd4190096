// RUN: kiln-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-expand,tile-unroll,tile-verify),canonicalize,cse,loop-invariant-code-motion,tile.kernel(tile-assign-shared{target=sm_80}),gpu-lower{target=sm_80})' | FileCheck %s

// Strides that the launch tells: where a copy reads is carried from turn to turn, by a number of bytes made once. A
// thread's chunks of a row lie 128 bytes apart, in both memories. Chunks are there or not, where rows have whole ones: one
// bit decides, of a comparison a turn and one made before.
// CHECK-LABEL: llvm.func @launched
// CHECK-SAME: %[[A:arg0]]: !llvm.ptr<1> {{.*}}, %[[B:arg1]]: !llvm.ptr<1> {{.*}}, %{{.*}}: i64, %[[K:.*]]: i64, %[[N:.*]]: i64)
// CHECK: %[[RIGHT:.*]] = llvm.getelementptr %[[SLOT:.*]][128]
// CHECK: %[[LAST:.*]] = llvm.getelementptr %[[SLOT]][384]
// CHECK: %[[C128:.*]] = llvm.mlir.constant(128 : i64)
// CHECK: %[[STEP:.*]] = llvm.mul %{{.*}}, %[[C128]] : i64
// CHECK: %[[FROM:.*]] = llvm.getelementptr %[[A]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
// CHECK: %[[FROM_B:.*]] = llvm.getelementptr %[[B]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
// CHECK: llvm.br ^[[LOOP:.*]](%{{.*}}, %[[FROM]], %[[FROM_B]] : i32, !llvm.ptr<1>, !llvm.ptr<1>)
// CHECK: ^[[LOOP]](%[[S:.*]]: i32, %[[P:.*]]: !llvm.ptr<1>, %[[Q:.*]]: !llvm.ptr<1>):
// CHECK: llvm.mul %[[S]], %{{.*}} overflow<nsw, nuw> : i32
// CHECK-NOT: i64
// CHECK: %[[THERE:.*]] = llvm.and
// CHECK-NEXT: %[[BIT:.*]] = llvm.zext %[[THERE]] : i1 to i32
// CHECK-NEXT: %[[BYTES:.*]] = llvm.shl %[[BIT]], %{{.*}} : i32
// CHECK-NEXT: nvvm.cp.async.shared.global %{{.*}}, %[[P]], 16, cache = cg, %[[BYTES]]
// CHECK: nvvm.cp.async.shared.global %[[SLOT]], %[[Q]], 16
// CHECK-NEXT: %[[Q1:.*]] = llvm.getelementptr %[[Q]][128]
// CHECK: nvvm.cp.async.shared.global %[[RIGHT]], %[[Q1]], 16
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.shared.global %[[LAST]],
// CHECK-NOT: nvvm.cp.async.shared
// CHECK: %[[P2:.*]] = llvm.getelementptr %[[P]][%[[C128]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK-NEXT: %[[Q2:.*]] = llvm.getelementptr %[[Q]][%[[STEP]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK-NEXT: llvm.br ^[[LOOP]](%{{.*}}, %[[P2]], %[[Q2]] :
!Matrix = !tile.global<?x?xbf16>
!A = !tile.shared<32x64xbf16, swizzle = 128>
!B = !tile.shared<32x256xbf16, swizzle = 128>
tile.kernel @launched(%a: !Matrix {tile.name = "a", tile.dims = ["M", "K"], tile.aligned = 8},
                      %b: !Matrix {tile.name = "b", tile.dims = ["K", "N"], tile.aligned = 8}) grid 4 threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %k = tile.extent "K"
  %steps = tile.index ceildiv(%k, %c64)
  %as = tile.alloc : !A
  %bs = tile.alloc : !B
  scf.for %s = %c0 to %steps step %c1 {
    %at = tile.index %s * %c64
    tile.async_load %a[%c0, %at], %as : !Matrix, !A
    tile.async_load %b[%at, %c0], %bs : !Matrix, !B
    tile.async_commit
    tile.async_wait 0
    tile.barrier
  }
  tile.return
}

// -----

// A chunk of a row with another end is cut there. What limits leave whole has no size.
// CHECK-LABEL: llvm.func @cut
// CHECK: %[[LEFT:.*]] = llvm.intr.smax(%{{.*}}, %{{.*}}) : (i32, i32) -> i32
// CHECK: %[[BYTES:.*]] = llvm.mul %[[LEFT]], %{{.*}} : i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[BYTES]] :
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg :
// CHECK-NOT: nvvm.cp.async
tile.kernel @cut(%x: !tile.global<32x64xbf16>) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %t = tile.alloc : !tile.shared<32x64xbf16>
  tile.async_copy %x[%c0] rows 64 limit [%c32, %c63], %t : !tile.global<32x64xbf16>, !tile.shared<32x64xbf16>
  tile.barrier
  tile.async_copy %x[%c0] rows 64 limit [%c32, %c64], %t : !tile.global<32x64xbf16>, !tile.shared<32x64xbf16>
  tile.return
}

// -----

// A start that grows differently from turn to turn is computed in each.
// CHECK-LABEL: llvm.func @squares
// CHECK: llvm.br ^[[LOOP:.*]](%{{.*}} : i32)
// CHECK: ^[[LOOP]](%[[S:.*]]: i32):
// CHECK: %[[SQUARE:.*]] = llvm.mul %[[S]], %[[S]]
// CHECK: nvvm.cp.async
tile.kernel @squares(%x: !tile.global<?x64xbf16> {tile.dims = ["R", "C"]}) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = tile.alloc : !tile.shared<32x64xbf16>
  scf.for %s = %c0 to %c8 step %c1 {
    %row = tile.index %s * %s
    tile.async_load %x[%row, %c0], %t : !tile.global<?x64xbf16>, !tile.shared<32x64xbf16>
    tile.barrier
  }
  tile.return
}

// -----

// Matrices of a tile whose rows lie whole periods of the swizzle apart share an address.
// CHECK-LABEL: llvm.func @matrices
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK-NEXT: nvvm.ldmatrix %[[AT]]
// CHECK: %[[DOWN:.*]] = llvm.getelementptr %[[AT]][8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK-NEXT: nvvm.ldmatrix %[[DOWN]]
!T = !tile.shared<64x256xbf16, swizzle = 128>
!Y = tensor<16x16xbf16, #tile.mma_b<warps = [1, 1]>>
tile.kernel @matrices(%x: !tile.global<64xbf16>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %t = tile.alloc : !T
  %y0 = tile.load_matrix %t[%c0, %c0] : !T -> !Y
  %y1 = tile.load_matrix %t[%c16, %c0] : !T -> !Y
  tile.store %y0, %x[%c0] rows 0 : !Y, !tile.global<64xbf16>
  tile.store %y1, %x[%c16] rows 0 : !Y, !tile.global<64xbf16>
  tile.return
}
