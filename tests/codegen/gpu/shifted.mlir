// RUN: kiln-opt %s --gpu-lower --split-input-file | FileCheck %s

// A warp's run anywhere in memory: two words of 16 bytes, of which the second holds the run's last element, whatever
// alignment the program finds; two choices of words and a funnel shift. Nothing is predicated, nothing branches.
// CHECK-LABEL: llvm.func @load
// CHECK: %[[PAST:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: %[[DOWN:.*]] = llvm.sub %{{.*}}, %[[PAST]] : i32
// CHECK: %[[BY:.*]] = llvm.sext %[[DOWN]] : i32 to i64
// CHECK: %[[WORD:.*]] = llvm.getelementptr %{{.*}}[%[[BY]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK: llvm.load %[[WORD]] invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: llvm.icmp "eq" %[[PAST]]
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-4: llvm.intr.fshr(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, i32) -> i32
// CHECK-NOT: llvm.intr.fshr
// CHECK: llvm.return
tile.kernel @load(%x: !tile.global<4096xbf16>, %y: !tile.global<1024xbf16>) grid 4 threads 32 {
  %c = arith.constant 1023 : index
  %c256 = arith.constant 256 : index
  %id = tile.cta_id
  %o = arith.muli %id, %c : index
  %p = arith.muli %id, %c256 : index
  %v = tile.load %x[%o] shifted : !tile.global<4096xbf16> -> tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>
  tile.store %v, %y[%p] aligned 8 : tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>, !tile.global<1024xbf16>
  tile.return
}

// -----

// The warp's two runs lie behind each other: lane 0's first word of the second has its beginning from lane 31 in the
// first. Of the first run only lane 0 has an end, of the second only lane 31.
// CHECK-LABEL: llvm.func @store
// CHECK-COUNT-4: nvvm.shfl.sync idx
// CHECK-COUNT-4: llvm.intr.fshl
// CHECK: %[[ALONE:.*]] = llvm.or
// CHECK: ptx.store [%{{.*}} : i32, i32, i32, i32], %{{.*}} if %[[ALONE]] : !llvm.ptr<1>
// CHECK-COUNT-8: ptx.store [%{{.*}} : i16], %{{.*}} if
// CHECK-NOT: ptx.store
// CHECK-COUNT-4: nvvm.shfl.sync idx
// CHECK-COUNT-4: llvm.intr.fshl
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-COUNT-8: ptx.store [%{{.*}} : i16], %{{.*}} if
// CHECK-NOT: ptx.store
// CHECK: llvm.return
tile.kernel @store(%x: !tile.global<2048xbf16>, %y: !tile.global<4096xbf16>) grid 4 threads 32 {
  %c = arith.constant 1023 : index
  %c512 = arith.constant 512 : index
  %id = tile.cta_id
  %o = arith.muli %id, %c : index
  %p = arith.muli %id, %c512 : index
  %v = tile.load %x[%p] aligned 8 : !tile.global<2048xbf16> -> tensor<512xbf16, #tile.blocked<vec = 8, threads = 32>>
  tile.store %v, %y[%o] shifted : tensor<512xbf16, #tile.blocked<vec = 8, threads = 32>>, !tile.global<4096xbf16>
  tile.return
}

// -----

// Elements of 4 bytes need no funnel shift, rows at 8 bytes no choice by 4; what is there in any case has no predicate.
// CHECK-LABEL: llvm.func @masked
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-2: ptx.load %{{.*}} if %{{.*}} : !llvm.ptr<1> -> i32, i32, i32, i32
// CHECK-NOT: ptx.load
// CHECK-COUNT-4: llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i32
// CHECK-NOT: llvm.intr.fsh
// CHECK: llvm.return
tile.kernel @masked(%x: !tile.global<4096xf32>) grid 4 threads 32 {
  %c = arith.constant 1002 : index
  %c202 = arith.constant 202 : index
  %id = tile.cta_id
  %o = arith.muli %id, %c : index
  %m = tile.lane_mask %c202 aligned 2 : tensor<256xi1, #tile.blocked<vec = 4, threads = 32>>
  %v = tile.load %x[%o] aligned 2 shifted mask %m : tensor<256xi1, #tile.blocked<vec = 4, threads = 32>> : !tile.global<4096xf32> -> tensor<256xf32, #tile.blocked<vec = 4, threads = 32>>
  tile.store %v, %x[%o] aligned 2 shifted mask %m : tensor<256xi1, #tile.blocked<vec = 4, threads = 32>> : tensor<256xf32, #tile.blocked<vec = 4, threads = 32>>, !tile.global<4096xf32>
  tile.return
}

// -----

// What turns out to be aligned is not shifted, and neither is what no run of first lanes is.
// CHECK-LABEL: llvm.func @not_shifted
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-8: ptx.store [%{{.*}} : i16]
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
tile.kernel @not_shifted(%x: !tile.global<256xbf16>, %y: !tile.global<256xbf16>, %z: !tile.global<256xi1>) grid 1 threads 32 {
  %c = arith.constant 0 : index
  %i = tile.cta_id
  %m = tile.load %z[%c] : !tile.global<256xi1> -> tensor<256xi1, #tile.blocked<vec = 8, threads = 32>>
  %v = tile.load %x[%c] shifted : !tile.global<256xbf16> -> tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>
  tile.store %v, %y[%i] shifted mask %m : tensor<256xi1, #tile.blocked<vec = 8, threads = 32>> : tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>, !tile.global<256xbf16>
  tile.return
}

// -----

// A row in shared memory, at any element: the same words, by addresses of 32 bits.
// CHECK-LABEL: llvm.func @from_shared
// CHECK: %[[PAST:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: %[[DOWN:.*]] = llvm.sub %{{.*}}, %[[PAST]] : i32
// CHECK: %[[WORD:.*]] = llvm.getelementptr %{{.*}}[%[[DOWN]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK: ptx.load %[[WORD]] if %{{.*}} : !llvm.ptr<3> -> i32, i32, i32, i32
// CHECK: ptx.load %{{.*}} if %{{.*}} : !llvm.ptr<3> -> i32, i32, i32, i32
// CHECK-NOT: ptx.load
// CHECK-COUNT-4: llvm.intr.fshr
// CHECK: ptx.store [%{{.*}} : i32, i32, i32, i32], %{{.*}} if %{{.*}} : !llvm.ptr<1>
// CHECK-NOT: ptx.store
// CHECK: llvm.return
!Row = tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>
!InRow = tensor<256xi1, #tile.blocked<vec = 8, threads = 32>>
tile.kernel @from_shared(%y: !tile.global<4096xbf16>, %n: index) grid 4 threads 32 attributes {shared_bytes = 12800 : i64} {
  %c8 = arith.constant 8 : index
  %t = tile.alloc {offset = 0 : i64} : !tile.shared<32x200xbf16>
  %id = tile.cta_id
  %to = arith.muli %id, %c8 : index
  %in = tile.lane_mask %n aligned 8 : !InRow
  %v = tile.load %t[%id] shifted mask %in : !InRow : !tile.shared<32x200xbf16> -> !Row
  tile.store %v, %y[%to] aligned 8 mask %in : !InRow : !Row, !tile.global<4096xbf16>
  tile.return
}
