// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// Two consumers multiply 128x64 by 64x256 steps, a producer fills their ring; each op of Hopper's stands here once.
!A = !tile.shared<128x64xbf16, swizzle = 128>
!B = !tile.shared<64x256xbf16, swizzle = 128, panel = 64>
!Bh = !tile.shared<64x64xbf16, swizzle = 128>
!Ring = !tile.ring<4 x !A, !B>
!Acc = tensor<64x256xf32, #tile.wgmma>
!P = !tile.pending<!Acc>
!Chunk = !tile.shared<64x64xbf16, swizzle = 128>

// CHECK: tile.kernel @matmul(%{{.*}}: !tile.global<?x?xbf16> {tile.dims = ["M", "K"], tile.name = "a"}, %{{.*}}: !tile.global<?x256xbf16> {tile.dims = ["K", "N"]}, %{{.*}}: !tile.global<?x256xbf16, strides = [?, 1]> {tile.dims = ["M", "N"]}, %{{.*}}: f32) grid "min(sms, ceildiv(M, 128)) * 2" cluster 2 threads 384 {
tile.kernel @matmul(%a: !tile.global<?x?xbf16> {tile.dims = ["M", "K"], tile.name = "a"}, %b: !tile.global<?x256xbf16> {tile.dims = ["K", "N"]}, %c: !tile.global<?x256xbf16, strides = [?, 1]> {tile.dims = ["M", "N"]}, %alpha: f32) grid "min(sms, ceildiv(M, 128)) * 2" cluster 2 threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // CHECK: tile.extent "M"
  %m = tile.extent "M"
  // CHECK: tile.stride %{{.*}}[0] : <?x256xbf16, strides = [?, 1]>
  %stride = tile.stride %c[0] : !tile.global<?x256xbf16, strides = [?, 1]>
  %first = tile.cta_id
  // CHECK: tile.cta_count
  %ctas = tile.cta_count
  // CHECK: tile.cluster_rank
  %rank = tile.cluster_rank
  // CHECK: %[[RING:.*]] = tile.alloc_ring readers 2 multicast : <4 x <128x64xbf16, swizzle = 128>, <64x256xbf16, swizzle = 128, panel = 64>>
  %ring = tile.alloc_ring readers 2 multicast : !Ring
  // CHECK: tile.alloc_turns : <2>
  %turns = tile.alloc_turns : !tile.turns<2>
  // CHECK: tile.cluster_barrier
  tile.cluster_barrier
  // CHECK: tile.grid_wait
  tile.grid_wait
  // CHECK: tile.grid_release
  tile.grid_release
  // CHECK: tile.specialize producer registers 40 {
  tile.specialize producer registers 40 {
    scf.for %t = %first to %m step %ctas {
      // CHECK: tile.rasterize %{{.*}} of[%{{.*}}, %{{.*}}] group 8
      %tm, %tn = tile.rasterize %t of [%m, %c1] group 8
      %mask = arith.constant 3 : i16
      // CHECK: tile.fill %[[RING]][%{{.*}}] {
      // CHECK-NEXT: ^{{.*}}(%{{.*}}: !tile.shared<128x64xbf16, swizzle = 128>, %{{.*}}: !tile.shared<64x256xbf16, swizzle = 128, panel = 64>, %{{.*}}: !tile.mbarrier):
      tile.fill %ring[%t] {
      ^slot(%as: !A, %bs: !B, %full: !tile.mbarrier):
        // CHECK-NEXT: tile.tma_load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} signal %{{.*}} : <?x?xbf16>, <128x64xbf16, swizzle = 128>
        tile.tma_load %a[%tm, %c0], %as signal %full : !tile.global<?x?xbf16>, !A
        %half = arith.muli %rank, %c64 : index
        %other = arith.subi %c64, %half : index
        %first_panels = tile.subtile %bs[%c0, %half] : !B -> !tile.shared<64x128xbf16, swizzle = 128, panel = 64>
        // CHECK: tile.tma_load %{{.*}}[%{{.*}}, %{{.*}}] box [64, 128], %{{.*}} signal %{{.*}} multicast %{{.*}} {l2 = 256 : i64}
        tile.tma_load %b[%c0, %half] box [64, 128], %first_panels signal %full multicast %mask {l2 = 256} : !tile.global<?x256xbf16>, !tile.shared<64x128xbf16, swizzle = 128, panel = 64>
      // CHECK: } : <4 x <128x64xbf16, swizzle = 128>, <64x256xbf16, swizzle = 128, panel = 64>>
      } : !Ring
    }
  // CHECK: } consumers 2 registers 232 {
  // CHECK-NEXT: ^{{.*}}(%{{.*}}: index):
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    // CHECK: tile.alloc_ring : <2 x <64x64xbf16, swizzle = 128>>
    %chunks = tile.alloc_ring : !tile.ring<2 x !Chunk>
    // CHECK: tile.wgmma_none : <tensor<64x256xf32, #tile.wgmma>>
    %none = tile.wgmma_none : !P
    %mine = arith.muli %group, %c64 : index
    // CHECK: tile.take_turn %{{.*}} : <2>
    tile.take_turn %turns : !tile.turns<2>
    %sum = scf.for %i = %c0 to %m step %c1 iter_args(%acc = %none) -> !P {
      // CHECK: tile.ring_wait %[[RING]][%{{.*}}] : <4 x <128x64xbf16, swizzle = 128>, <64x256xbf16, swizzle = 128, panel = 64>> -> !tile.shared<128x64xbf16, swizzle = 128>, !tile.shared<64x256xbf16, swizzle = 128, panel = 64>
      %as, %bs = tile.ring_wait %ring[%i] : !Ring -> !A, !B
      // CHECK: tile.subtile %{{.*}}[%{{.*}}, %{{.*}}] : <128x64xbf16, swizzle = 128> -> <64x64xbf16, swizzle = 128>
      %rows = tile.subtile %as[%mine, %c0] : !A -> !Chunk
      %more = arith.cmpi ne, %i, %c0 : index
      // CHECK: tile.wgmma %{{.*}}, %{{.*}}, %{{.*}} if %{{.*}} : !tile.shared<64x64xbf16, swizzle = 128>, <64x256xbf16, swizzle = 128, panel = 64>, !tile.pending<tensor<64x256xf32, #tile.wgmma>> -> <tensor<64x256xf32, #tile.wgmma>>
      %p = tile.wgmma %rows, %bs, %acc if %more : !Chunk, !B, !P -> !P
      // CHECK: tile.wgmma_wait %{{.*}} in_flight 1 : <tensor<64x256xf32, #tile.wgmma>> -> !tile.pending<tensor<64x256xf32, #tile.wgmma>>
      %q = tile.wgmma_wait %p in_flight 1 : !P -> !P
      %before = arith.subi %i, %c1 : index
      // CHECK: tile.ring_release %[[RING]][%{{.*}}] if %{{.*}} : <4 x <128x64xbf16, swizzle = 128>, <64x256xbf16, swizzle = 128, panel = 64>>
      tile.ring_release %ring[%before] if %more : !Ring
      scf.yield %q : !P
    }
    // CHECK: tile.pass_turn %{{.*}} : <2>
    tile.pass_turn %turns : !tile.turns<2>
    // CHECK: tile.wgmma_wait %{{.*}} : <tensor<64x256xf32, #tile.wgmma>> -> tensor<64x256xf32, #tile.wgmma>
    %out = tile.wgmma_wait %sum : !P -> !Acc
    tile.ring_release %ring[%m] : !Ring
    // CHECK: tile.reduce_rows <max> %{{.*}} : tensor<64x256xf32, #tile.wgmma> -> tensor<64xf32, #tile.wgmma_rows>
    %max = tile.reduce_rows <max> %out : !Acc -> tensor<64xf32, #tile.wgmma_rows>
    // CHECK: tile.broadcast %{{.*}} : tensor<64xf32, #tile.wgmma_rows> -> tensor<64x256xf32, #tile.wgmma>
    %each = tile.broadcast %max : tensor<64xf32, #tile.wgmma_rows> -> !Acc
    // CHECK: tile.coordinates 1 : tensor<64x256xi32, #tile.wgmma>
    %columns = tile.coordinates 1 : tensor<64x256xi32, #tile.wgmma>
    %y = arith.truncf %each : !Acc to tensor<64x256xbf16, #tile.wgmma>
    // CHECK: tile.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<64x256xbf16, #tile.wgmma> -> tensor<64x64xbf16, #tile.wgmma>
    %part = tile.extract %y[%c0, %c64] : tensor<64x256xbf16, #tile.wgmma> -> tensor<64x64xbf16, #tile.wgmma>
    // CHECK: tile.relayout %{{.*}} : tensor<64x64xbf16, #tile.wgmma> -> tensor<64x64xbf16, #tile.wgmma_a>
    %left = tile.relayout %part : tensor<64x64xbf16, #tile.wgmma> -> tensor<64x64xbf16, #tile.wgmma_a>
    %chunk = tile.slot %chunks[%c0] : !tile.ring<2 x !Chunk> -> !Chunk
    // CHECK: tile.tma_store_wait 1
    tile.tma_store_wait 1
    // CHECK: tile.store_matrix %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] transpose : tensor<64x64xbf16, #tile.wgmma>, <64x64xbf16, swizzle = 128>
    tile.store_matrix %part, %chunk[%c0, %c0] transpose : tensor<64x64xbf16, #tile.wgmma>, !Chunk
    // CHECK: tile.tma_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] add : <64x64xbf16, swizzle = 128>, <?x256xbf16, strides = [?, 1]>
    tile.tma_store %chunk, %c[%mine, %c64] add : !Chunk, !tile.global<?x256xbf16, strides = [?, 1]>
    // CHECK: tile.remote %{{.*}} at %{{.*}} : <64x64xbf16, swizzle = 128> -> <<64x64xbf16, swizzle = 128>>
    %far = tile.remote %chunk at %rank : !Chunk -> !tile.remote<!Chunk>
    %x = tile.load %far[%c0] : !tile.remote<!Chunk> -> bf16
    // CHECK: tile.proxy_fence
    tile.proxy_fence
    // CHECK: tile.tma_store_wait 0 written
    tile.tma_store_wait 0 written
  }
  tile.return
}

// A row at a time by bulk copies, without roles.
!Row = !tile.shared<1024xf32>
// CHECK: tile.kernel @rows(%{{.*}}: !tile.global<?x1024xf32> {tile.aligned = 4 : i64, tile.dims = ["M", "N"]}) grid "M" threads 128 {
tile.kernel @rows(%x: !tile.global<?x1024xf32> {tile.aligned = 4, tile.dims = ["M", "N"]}) grid "M" threads 128 {
  %c0 = arith.constant 0 : index
  %n = tile.extent "N"
  %ring = tile.alloc_ring readers 1 : !tile.ring<2 x !Row>
  tile.fill %ring[%c0] {
  ^slot(%t: !Row, %full: !tile.mbarrier):
    // CHECK: tile.bulk_load %{{.*}}[%{{.*}}] count %{{.*}}, %{{.*}} signal %{{.*}} : <?x1024xf32>, <1024xf32>
    tile.bulk_load %x[%c0] count %n, %t signal %full : !tile.global<?x1024xf32>, !Row
  } : !tile.ring<2 x !Row>
  %t = tile.ring_wait %ring[%c0] : !tile.ring<2 x !Row> -> !Row
  // CHECK: tile.bulk_store %{{.*}}, %{{.*}}[%{{.*}}] count %{{.*}} : <1024xf32>, <?x1024xf32>
  tile.bulk_store %t, %x[%c0] count %n : !Row, !tile.global<?x1024xf32>
  tile.tma_store_wait 0
  tile.ring_release %ring[%c0] : !tile.ring<2 x !Row>
  %early = tile.alloc : !tile.shared<16x32xf32>
  // CHECK: tile.async_load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : <?x1024xf32>, <16x32xf32>
  tile.async_load %x[%c0, %n], %early : !tile.global<?x1024xf32>, !tile.shared<16x32xf32>
  tile.return
}
