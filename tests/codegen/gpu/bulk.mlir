// RUN: kiln-opt %s --gpu-lower=target=sm_90a --split-input-file | FileCheck %s

// A tile in panels is a copy each, coordinates innermost first; one map for loads and one for stores of the same box is
// one parameter. What threads wrote is shown to the copy, which one of them starts; all wait, one for something.
// CHECK-LABEL: llvm.func @panels
// CHECK-SAME: %[[MAP:arg1]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: ptx.arguments = [{buffer = 0 : i64}, {map = {argument = 0 : i64, box = array<i64: 64, 64>, l2 = 128 : i64, swizzle = 128 : i64}}]
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.barrier0
// CHECK: ptx.tma_store %[[T:.*]], %[[MAP]][%[[C:.*]], %[[R:.*]]] if %[[ONE:.*]]
// CHECK-DAG: %[[C64:.*]] = llvm.add %[[C]], %{{.*}} : i32
// CHECK-DAG: %[[T64:.*]] = llvm.getelementptr %{{.*}}[8192]
// CHECK: ptx.tma_store %[[T64]], %[[MAP]][%[[C64]], %[[R]]] if %[[ONE]]
// CHECK: ptx.bulk_commit if %[[ONE]]
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK-NEXT: nvvm.barrier0
// CHECK: ptx.tma_store %{{.*}}, %[[MAP]][%{{.*}}, %{{.*}}] add if %[[ONE]]
// CHECK: nvvm.cp.async.bulk.wait_group 0
// CHECK-NOT: read
// CHECK: llvm.return
!T = !tile.shared<64x128xbf16, swizzle = 128, panel = 64>
!M = !tile.global<512x512xbf16>
tile.kernel @panels(%y: !M) grid 8 threads 128 attributes {shared_bytes = 16384 : i64} {
  %c64 = arith.constant 64 : index
  %t = tile.alloc {offset = 0 : i64} : !T
  %id = tile.cta_id
  %row = arith.muli %id, %c64 : index
  tile.tma_store %t, %y[%row, %id] : !T, !M
  tile.tma_store_wait 1
  tile.tma_store %t, %y[%row, %row] add : !T, !M
  tile.tma_store_wait 0 written
  tile.return
}

// -----

// Runs of bytes. What a count leaves out is told to the barrier as if it had come.
// CHECK-LABEL: llvm.func @runs
// CHECK: ptx.mbarrier_arrive %[[FULL:.*]] expect %{{.*}} if %[[ONE:.*]]
// CHECK: %[[BYTES:.*]] = llvm.mul %{{.*}}, %{{.*}} : i32
// CHECK: ptx.bulk_load %{{.*}}, %{{.*}}, %[[BYTES]], %[[FULL]] if %[[ONE]]
// CHECK: %[[REST:.*]] = llvm.sub %{{.*}}, %[[BYTES]] : i32
// CHECK: ptx.mbarrier_complete %[[FULL]], %[[REST]] if %[[ONE]]
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.barrier0
// CHECK: ptx.bulk_store %{{.*}}, %{{.*}}, %[[BYTES]] if %[[ONE]]
// CHECK: ptx.bulk_commit if %[[ONE]]
!T = !tile.shared<64xf32>
!Ring = !tile.ring<1 x !T>
tile.kernel @runs(%x: !tile.global<64xf32>, %y: !tile.global<64xf32>, %n: index) grid 1 threads 128 attributes {shared_bytes = 272 : i64} {
  %c0 = arith.constant 0 : index
  %r = tile.alloc_ring readers 1 {offset = 0 : i64} : !Ring
  tile.fill %r[%c0] {
  ^slot(%t: !T, %full: !tile.mbarrier):
    tile.bulk_load %x[%c0] count %n, %t signal %full : !tile.global<64xf32>, !T
  } : !Ring
  %t = tile.ring_wait %r[%c0] : !Ring -> !T
  tile.proxy_fence
  tile.bulk_store %t, %y[%c0] count %n : !T, !tile.global<64xf32>
  tile.tma_store_wait 0
  tile.return
}

// -----

// Dependent launches: what the launch before writes is not read-only, though nothing here writes it.
// CHECK-LABEL: llvm.func @dependent
// CHECK: nvvm.griddepcontrol wait
// CHECK-NOT: invariant
// CHECK: nvvm.griddepcontrol launch_dependents
tile.kernel @dependent(%x: !tile.global<128xf32>, %y: !tile.global<128xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  tile.grid_wait
  %v = tile.load %x[%c0] aligned 4 : !tile.global<128xf32> -> tensor<128xf32, #tile.blocked<vec = 4, threads = 32>>
  tile.store %v, %y[%c0] aligned 4 : tensor<128xf32, #tile.blocked<vec = 4, threads = 32>>, !tile.global<128xf32>
  tile.grid_release
  tile.return
}

// -----

// CHECK-LABEL: llvm.func @remote
// CHECK: %[[THERE:.*]] = nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: llvm.load %{{.*}} : !llvm.ptr<7> -> f32
// CHECK: ptx.store [%{{.*}} : f32], %{{.*}} if %{{.*}} : !llvm.ptr<7>
// What was written is seen behind the second barrier; for the third, nothing was.
// CHECK: nvvm.cluster.arrive
// CHECK-NOT: relaxed
// CHECK: nvvm.cluster.wait
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK: nvvm.cluster.wait
!T = !tile.shared<128xf32>
tile.kernel @remote(%y: !tile.global<128xf32>) grid 2 cluster 2 threads 128 attributes {shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.alloc {offset = 0 : i64} : !T
  %rank = tile.cluster_rank
  %other = arith.xori %rank, %c1 : index
  %there = tile.remote %t at %other : !T -> !tile.remote<!T>
  tile.cluster_barrier
  %v = tile.load %there[%c0] : !tile.remote<!T> -> tensor<128xf32, #tile.blocked<vec = 1, threads = 128>>
  %s = tile.load %there[%c1] : !tile.remote<!T> -> f32
  tile.store %s, %there[%c0] : f32, !tile.remote<!T>
  tile.cluster_barrier
  tile.store %v, %y[%c0] : tensor<128xf32, #tile.blocked<vec = 1, threads = 128>>, !tile.global<128xf32>
  tile.cluster_barrier
  tile.return
}

// -----

// A tensor taken for another has a map of its own, whose extents the launch works out; rounding has one, too.
// CHECK-LABEL: llvm.func @views
// CHECK-SAME: ptx.arguments = [{buffer = 0 : i64}, {buffer = 1 : i64}, {scalar = 2 : i64}, {map = {argument = 0 : i64, box = array<i64: 64, 1, 32>, l2 = 128 : i64, swizzle = 128 : i64, tf32, view = ["floordiv(M, 8)", "8", "K"]}}, {map = {argument = 1 : i64, box = array<i64: 64, 32>, l2 = 128 : i64, swizzle = 128 : i64, view = ["floordiv(M, 8)", "8 * K"]}}]
// CHECK: ptx.tma_load %{{.*}}, %arg3[%{{.*}}, %{{.*}}, %[[EIGHTS:.*]]], %{{.*}} if
// CHECK: ptx.tma_store %{{.*}}, %arg4[%{{.*}}, %[[EIGHTS]]] if
!T = !tile.shared<64x32xf32, swizzle = 128>
!Ring = !tile.ring<1 x !T>
!M = !tile.global<?x?xf32>
tile.kernel @views(%x: !M {tile.dims = ["M", "K"]}, %y: !M {tile.dims = ["M", "K"]}, %g: index) grid 1 threads 128 attributes {shared_bytes = 9216 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.alloc_ring readers 1 {offset = 0 : i64} : !Ring
  tile.fill %r[%c0] {
  ^slot(%t: !T, %full: !tile.mbarrier):
    tile.tma_load %x[%g, %c1, %c0] as ["floordiv(M, 8)", "8", "K"] box [64, 1, 32], %t signal %full tf32 : !M, !T
  } : !Ring
  %t = tile.ring_wait %r[%c0] : !Ring -> !T
  tile.tma_store %t, %y[%g, %c0] as ["floordiv(M, 8)", "8 * K"] : !T, !M
  tile.tma_store_wait 0
  tile.return
}
