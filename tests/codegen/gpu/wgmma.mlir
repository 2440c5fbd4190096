// RUN: kiln-opt %s --gpu-lower=target=sm_90a --split-input-file | FileCheck %s

// Descriptors of a slot's operands are one number and constants: 128 swizzled rows of 128 bytes, 8 of them 1024 bytes
// from the next 8 (hex 40), one atom 32 bytes of k from the next. Atoms of 64 rows, k outermost; only the first step of k asks
// whether sums count; those of nothing do not. Sums pass from product to wait and are a fragment behind it.
// CHECK-LABEL: llvm.func @products
// CHECK: %[[A:.*]] = llvm.or %{{.*}}, %{{.*}} : i64
// CHECK: ptx.wgmma_fence []
// CHECK: %[[NEVER:.*]] = llvm.mlir.constant(false) : i1
// CHECK: %[[B:.*]] = llvm.add %[[A]], %{{.*}} : i64
// CHECK: ptx.wgmma f32 [{{.*}}] if %[[NEVER]], bf16 %[[A]], bf16 %[[B]]{{$}}
// CHECK: %[[A64:.*]] = llvm.add %[[A]], %{{.*}} : i64
// CHECK: ptx.wgmma f32 [{{.*}}] if %[[NEVER]], bf16 %[[A64]], bf16 %[[B]]{{$}}
// CHECK-COUNT-6: ptx.wgmma f32
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: ptx.wgmma_fence []
// CHECK: %[[S:.*]]:4 = ptx.wgmma f32 [%{{.*}}#0, %{{.*}}#1, %{{.*}}#2, %{{.*}}#3 : f32, f32, f32, f32] if %[[MORE:.*]], bf16 %[[A]], bf16 %[[B]]{{$}}
// CHECK: ptx.wgmma f32 [{{.*}}] if %[[MORE]], bf16 %[[A64]], bf16 %[[B]]{{$}}
// CHECK: ptx.wgmma f32 [%[[S]]#0, {{[^]]*}}], bf16 %{{.*}}, bf16 %{{[^ ]*$}}
// CHECK-COUNT-5: ptx.wgmma f32
// CHECK-NOT: ptx.wgmma f32
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: %[[W:.*]]:8 = ptx.wgmma_wait 0 [
// CHECK: llvm.insertelement %[[W]]#0
!A = !tile.shared<128x64xbf16, swizzle = 128>
!B = !tile.shared<8x64xbf16, swizzle = 128>
!Ring = !tile.ring<1 x !A, !B>
!Sum = tensor<128x8xf32, #tile.wgmma>
!Flight = !tile.pending<!Sum>
tile.kernel @products(%a: !tile.global<128x64xbf16>, %b: !tile.global<8x64xbf16>, %y: !tile.global<128x8xf32>) grid 2 threads 128 attributes {shared_bytes = 17424 : i64} {
  %c0 = arith.constant 0 : index
  %id = tile.cta_id
  %ring = tile.alloc_ring readers 1 {offset = 0 : i64} : !Ring
  tile.fill %ring[%c0] {
  ^slot(%as: !A, %bs: !B, %full: !tile.mbarrier):
    tile.tma_load %a[%c0, %c0], %as signal %full : !tile.global<128x64xbf16>, !A
    tile.tma_load %b[%c0, %c0], %bs signal %full : !tile.global<8x64xbf16>, !B
  } : !Ring
  %as, %bs = tile.ring_wait %ring[%c0] : !Ring -> !A, !B
  %more = arith.cmpi ne, %id, %c0 : index
  %x = tile.load %y[%c0] rows 8 : !tile.global<128x8xf32> -> !Sum
  %none = tile.wgmma_none : !Flight
  %p = tile.wgmma %as, %bs transpose, %none : !A, !B, !Flight -> !Flight
  %q = tile.wgmma %as, %bs transpose, %p if %more : !A, !B, !Flight -> !Flight
  %s = tile.wgmma_wait %q : !Flight -> !Sum
  tile.ring_release %ring[%c0] : !Ring
  %z = arith.addf %s, %x : !Sum
  tile.store %z, %y[%c0] rows 8 : !Sum, !tile.global<128x8xf32>
  tile.return
}

// -----

// Registers that are computed are written before the fence: a of 16-bit pairs, sums that start as a fragment.
// CHECK-LABEL: llvm.func @registers
// CHECK: %[[F:.*]]:8 = ptx.wgmma_fence [%{{.*}} : f32, f32, f32, f32, i32, i32, i32, i32]
// CHECK: ptx.wgmma f32 [%[[F]]#0, %[[F]]#1, %[[F]]#2, %[[F]]#3 : f32, f32, f32, f32], f16 [%[[F]]#4, %[[F]]#5, %[[F]]#6, %[[F]]#7], f16 %{{[^ ]*$}}
!B = !tile.shared<8x16xf16, swizzle = 32>
!Ring = !tile.ring<1 x !B>
!Sum = tensor<64x8xf32, #tile.wgmma>
!Flight = !tile.pending<!Sum>
!A = tensor<64x16xf16, #tile.wgmma_a>
tile.kernel @registers(%b: !tile.global<8x16xf16>, %x: !tile.global<64x16xf16>, %y: !tile.global<64x8xf32>) grid 1 threads 128 attributes {shared_bytes = 1040 : i64} {
  %c0 = arith.constant 0 : index
  %ring = tile.alloc_ring readers 1 {offset = 0 : i64} : !Ring
  tile.fill %ring[%c0] {
  ^slot(%bs: !B, %full: !tile.mbarrier):
    tile.tma_load %b[%c0, %c0], %bs signal %full : !tile.global<8x16xf16>, !B
  } : !Ring
  %a = tile.load %x[%c0] rows 16 : !tile.global<64x16xf16> -> !A
  %s = tile.load %y[%c0] rows 8 : !tile.global<64x8xf32> -> !Sum
  %bs = tile.ring_wait %ring[%c0] : !Ring -> !B
  %p = tile.wgmma %a, %bs transpose, %s : !A, !B, !Sum -> !Flight
  %q = tile.wgmma_wait %p : !Flight -> !Sum
  tile.ring_release %ring[%c0] : !Ring
  tile.store %q, %y[%c0] rows 8 : !Sum, !tile.global<64x8xf32>
  tile.return
}

// -----

// What is computed while a product runs stays before the wait for it, not where it is used.
// CHECK-LABEL: llvm.func @beside
// CHECK: ptx.wgmma f32
// CHECK: llvm.fmul
// CHECK-NOT: llvm.fmul
// CHECK: ptx.wgmma_wait 0
// CHECK-NOT: llvm.fmul
// CHECK: ptx.store
!B = !tile.shared<8x16xf16, swizzle = 32>
!Ring = !tile.ring<1 x !B>
!Sum = tensor<64x8xf32, #tile.wgmma>
!Rows = tensor<64xf32, #tile.wgmma_rows>
!Flight = !tile.pending<!Sum>
!A = tensor<64x16xf16, #tile.wgmma_a>
tile.kernel @beside(%b: !tile.global<8x16xf16>, %x: !tile.global<64x16xf16>, %y: !tile.global<64x8xf32>, %z: !tile.global<64xf32>) grid 1 threads 128 attributes {shared_bytes = 1040 : i64} {
  %c0 = arith.constant 0 : index
  %ring = tile.alloc_ring readers 1 {offset = 0 : i64} : !Ring
  tile.fill %ring[%c0] {
  ^slot(%bs: !B, %full: !tile.mbarrier):
    tile.tma_load %b[%c0, %c0], %bs signal %full : !tile.global<8x16xf16>, !B
  } : !Ring
  %a = tile.load %x[%c0] rows 16 : !tile.global<64x16xf16> -> !A
  %s = tile.load %y[%c0] rows 8 : !tile.global<64x8xf32> -> !Sum
  %bs = tile.ring_wait %ring[%c0] : !Ring -> !B
  %p = tile.wgmma %a, %bs transpose, %s : !A, !B, !Sum -> !Flight
  %r = tile.reduce_rows <max> %s : !Sum -> !Rows
  %e = arith.mulf %r, %r : !Rows
  %q = tile.wgmma_wait %p : !Flight -> !Sum
  tile.ring_release %ring[%c0] : !Ring
  tile.store %e, %z[%c0] : !Rows, !tile.global<64xf32>
  tile.store %q, %y[%c0] rows 8 : !Sum, !tile.global<64x8xf32>
  tile.return
}

// -----

// 16-bit sums are two to a register; k along the rows of b, whose panels lie one behind the other (4096 bytes, hex 100).
// CHECK-LABEL: llvm.func @halves
// CHECK: llvm.mlir.constant(4611686293322072064 : i64)
// CHECK: ptx.wgmma f16 [%{{.*}} : i32, i32, {{.*}}], f16 %{{.*}} transposed, f16 %{{.*}} transposed
// CHECK: ptx.wgmma_wait 0
// CHECK: llvm.bitcast %{{.*}} : i32 to vector<2xf16>
!A = !tile.shared<32x64xf16, swizzle = 128>
!B = !tile.shared<32x128xf16, swizzle = 128, panel = 64>
!Ring = !tile.ring<1 x !A, !B>
!Sum = tensor<64x128xf16, #tile.wgmma>
!Flight = !tile.pending<!Sum>
tile.kernel @halves(%a: !tile.global<32x64xf16>, %b: !tile.global<32x128xf16>, %y: !tile.global<64x128xf16>) grid 1 threads 128 attributes {shared_bytes = 12304 : i64} {
  %c0 = arith.constant 0 : index
  %ring = tile.alloc_ring readers 1 {offset = 0 : i64} : !Ring
  tile.fill %ring[%c0] {
  ^slot(%as: !A, %bs: !B, %full: !tile.mbarrier):
    tile.tma_load %a[%c0, %c0], %as signal %full : !tile.global<32x64xf16>, !A
    tile.tma_load %b[%c0, %c0], %bs signal %full : !tile.global<32x128xf16>, !B
  } : !Ring
  %as, %bs = tile.ring_wait %ring[%c0] : !Ring -> !A, !B
  %none = tile.wgmma_none : !Flight
  %p = tile.wgmma %as transpose, %bs, %none : !A, !B, !Flight -> !Flight
  %q = tile.wgmma_wait %p : !Flight -> !Sum
  tile.ring_release %ring[%c0] : !Ring
  tile.store %q, %y[%c0] rows 128 : !Sum, !tile.global<64x128xf16>
  tile.return
}
