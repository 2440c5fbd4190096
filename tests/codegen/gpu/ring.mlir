// RUN: kiln-opt %s --gpu-lower=target=sm_90a --split-input-file | FileCheck %s

// One thread makes the barriers ready: a producer's arrival completes "full", the readers' complete "empty".
// CHECK-LABEL: llvm.func @ring
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[TID]], %{{.*}} : i32
// CHECK: llvm.cond_br %[[FIRST]]
// CHECK: %[[FULL0:.*]] = llvm.getelementptr %{{.*}}[49152]
// CHECK: nvvm.mbarrier.init %[[FULL0]], %[[ONE:[^ ]*]] :
// CHECK: %[[EMPTY0:.*]] = llvm.getelementptr %{{.*}}[49160]
// CHECK: nvvm.mbarrier.init %[[EMPTY0]], %[[ONE]] :
// CHECK-COUNT-4: nvvm.mbarrier.init
// CHECK-NOT: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier0
// A fill waits for the other phase of "empty" than the readers for that of "full"; its copies are the first thread's.
// CHECK: %[[STAGE:.*]] = llvm.urem %[[I:.*]], %{{.*}} : i32
// CHECK: %[[EMPTY:.*]] = llvm.getelementptr %{{.*}}[49160]
// CHECK: %[[ROUND:.*]] = llvm.udiv %[[I]], %{{.*}} : i32
// CHECK: %[[PHASE:.*]] = llvm.and %[[ROUND]], %[[ONE]] : i32
// CHECK: %[[OTHER:.*]] = llvm.xor %[[PHASE]], %[[ONE]] : i32
// CHECK: ptx.mbarrier_wait %[[EMPTY]] parity %[[OTHER]]
// CHECK: %[[FULL:.*]] = llvm.getelementptr %{{.*}}[49152]
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16384 : i32)
// CHECK: ptx.mbarrier_arrive %[[FULL]] expect %[[BYTES]] if %[[FIRST]]
// CHECK: %[[A:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}]
// CHECK: ptx.tma_load %[[A]], %arg2[%[[I]], %{{.*}}], %[[FULL]] if %[[FIRST]]
// CHECK: %[[B:.*]] = llvm.getelementptr %[[A]][8192]
// CHECK: ptx.tma_load %[[B]], %arg3[%[[I]], %{{.*}}], %[[FULL]] if %[[FIRST]]
// CHECK: ptx.mbarrier_wait %[[FULL]] parity %[[PHASE]]
// CHECK: ptx.mbarrier_arrive %[[EMPTY]] if %[[FIRST]]
!T = !tile.shared<64x64xbf16, swizzle = 128>
!Ring = !tile.ring<3 x !T, !T>
!M = !tile.global<64x192xbf16>
tile.kernel @ring(%a: !M, %b: !M) grid 1 threads 128 attributes {shared_bytes = 49200 : i64} {
  %c0 = arith.constant 0 : index
  %i = tile.cta_id
  %ring = tile.alloc_ring readers 1 {offset = 0 : i64} : !Ring
  tile.fill %ring[%i] {
  ^slot(%as: !T, %bs: !T, %full: !tile.mbarrier):
    tile.tma_load %a[%c0, %i], %as signal %full : !M, !T
    tile.tma_load %b[%c0, %i], %bs signal %full : !M, !T
  } : !Ring
  %as, %bs = tile.ring_wait %ring[%i] : !Ring -> !T, !T
  tile.barrier
  tile.ring_release %ring[%i] : !Ring
  tile.return
}

// -----

// Barriers of two rings are seen by all behind one barrier; a release under a condition is a predicate.
// CHECK-LABEL: llvm.func @two
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NOT: nvvm.barrier0
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier0
// CHECK: %[[IF:.*]] = llvm.and %{{.*}}, %{{.*}} : i1
// CHECK: ptx.mbarrier_arrive %{{.*}} if %[[IF]]
// CHECK-NOT: llvm.cond_br
!T = !tile.shared<64xf32>
!Ring = !tile.ring<2 x !T>
tile.kernel @two(%x: !tile.global<64xf32>) grid 8 threads 128 attributes {shared_bytes = 1152 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 {offset = 0 : i64} : !Ring
  %q = tile.alloc_ring readers 1 {offset = 576 : i64} : !Ring
  tile.fill %r[%c0] {
  ^slot(%t: !T, %full: !tile.mbarrier):
    tile.bulk_load %x[%c0], %t signal %full : !tile.global<64xf32>, !T
  } : !Ring
  tile.fill %q[%c0] {
  ^slot(%t: !T, %full: !tile.mbarrier):
    tile.bulk_load %x[%c0], %t signal %full : !tile.global<64xf32>, !T
  } : !Ring
  %id = tile.cta_id
  %some = arith.cmpi ne, %id, %c0 : index
  %t = tile.ring_wait %r[%c0] : !Ring -> !T
  tile.ring_release %r[%c0] if %some : !Ring
  tile.return
}

// -----

// A slot that both CTAs of a cluster fill is released to both: thread 0 arrives at the first, thread 1 at the second.
// CHECK-LABEL: llvm.func @multicast
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-SAME: ptx.cluster = 2
// CHECK: %[[RELEASES:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[RELEASES]] :
// CHECK: nvvm.cluster.arrive
// CHECK: nvvm.cluster.wait
// CHECK: ptx.tma_load %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} multicast %{{.*}} if
// CHECK: %[[FEW:.*]] = llvm.icmp "ult" %[[T:.*]], %{{.*}} : i32
// CHECK: ptx.mbarrier_arrive %{{.*}} at %[[T]] if %[[FEW]]
!T = !tile.shared<64x64xbf16, swizzle = 128>
!Half = !tile.shared<32x64xbf16, swizzle = 128>
!Ring = !tile.ring<2 x !T>
!M = !tile.global<64x64xbf16>
tile.kernel @multicast(%a: !M) grid 2 cluster 2 threads 128 attributes {shared_bytes = 16416 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %both = arith.constant 3 : i16
  %rank = tile.cluster_rank
  %row = arith.muli %rank, %c32 : index
  %ring = tile.alloc_ring readers 1 multicast {offset = 0 : i64} : !Ring
  tile.fill %ring[%c0] {
  ^slot(%t: !T, %full: !tile.mbarrier):
    %half = tile.subtile %t[%row, %c0] : !T -> !Half
    tile.tma_load %a[%row, %c0], %half signal %full multicast %both : !M, !Half
  } : !Ring
  %t = tile.ring_wait %ring[%c0] : !Ring -> !T
  tile.ring_release %ring[%c0] : !Ring
  tile.cluster_barrier
  tile.return
}
