// RUN: kiln-opt %s --split-input-file --tile-schedule=target=sm_80 --tile-graph=target=sm_80 --canonicalize --cse | FileCheck %s

// A row of an operand that is broadcast: a fragment per row, every access of 16 bytes, no branch, no mask.
// CHECK-LABEL: tile.kernel @pointwise_bias
// CHECK-SAME: grid 5 threads 96 {
// CHECK-NOT: scf
// CHECK-DAG: tile.load %{{.*}} aligned 4 : !tile.global<5x384xf32> -> tensor<384xf32, #tile.blocked<vec = 4, threads = 96>>
// CHECK-DAG: tile.load %{{.*}} aligned 4 : !tile.global<384xf32> -> tensor<384xf32, #tile.blocked<vec = 4, threads = 96>>
// CHECK: arith.addf
// CHECK-NEXT: tile.store %{{.*}} aligned 4
// CHECK-NEXT: tile.return
func.func @bias(%x: tensor<5x384xf32>, %b: tensor<384xf32>) -> tensor<5x384xf32> {
  %0 = graph.kernel "pointwise" (%a = %x : tensor<5x384xf32>, %c = %b : tensor<384xf32>) -> tensor<5x384xf32> attributes {symbol = "pointwise_bias"} {
    %1 = graph.broadcast %c dims [1] : tensor<384xf32> -> tensor<5x384xf32>
    %2 = arith.addf %a, %1 : tensor<5x384xf32>
    graph.yield %2 : tensor<5x384xf32>
  }
  return %0 : tensor<5x384xf32>
}

// -----

// Dense memory is one row, however many dimensions it has: 16 elements a thread; the last CTA alone has a mask.
// CHECK-LABEL: tile.kernel @pointwise_dense
// CHECK-SAME: grid 2051 threads 256 {
// CHECK: %[[CTA:.*]] = tile.cta_id
// CHECK: %[[WHOLE:.*]] = arith.cmpi slt, %[[CTA]]
// CHECK: scf.if %[[WHOLE]] {
// CHECK: tile.load %{{.*}} aligned 4 : !tile.global<8193x1025xf32> -> tensor<4096xf32, #tile.blocked<vec = 4, threads = 256>>
// CHECK-NOT: mask
// CHECK: } else {
// CHECK: tile.lane_mask
// CHECK: tile.load {{.*}} mask
// CHECK: tile.store {{.*}} mask
func.func @dense(%x: tensor<8193x1025xf32>) -> tensor<8193x1025xf32> {
  %0 = graph.kernel "pointwise" (%a = %x : tensor<8193x1025xf32>) -> tensor<8193x1025xf32> attributes {symbol = "pointwise_dense"} {
    %1 = arith.addf %a, %a : tensor<8193x1025xf32>
    graph.yield %1 : tensor<8193x1025xf32>
  }
  return %0 : tensor<8193x1025xf32>
}

// -----

// Two element types share one layout: what is 16 bytes of the wider is 8 of the narrower.
// CHECK-LABEL: tile.kernel @pointwise_mixed
// CHECK: tile.load %{{.*}} : !tile.global<1048576xbf16> -> tensor<4096xbf16, #tile.blocked<vec = 4, threads = 256>>
// CHECK: arith.extf
func.func @mixed(%x: tensor<1048576xbf16>, %y: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %0 = graph.kernel "pointwise" (%a = %x : tensor<1048576xbf16>, %b = %y : tensor<1048576xf32>) -> tensor<1048576xf32> attributes {symbol = "pointwise_mixed"} {
    %1 = arith.extf %a : tensor<1048576xbf16> to tensor<1048576xf32>
    %2 = arith.addf %1, %b : tensor<1048576xf32>
    graph.yield %2 : tensor<1048576xf32>
  }
  return %0 : tensor<1048576xf32>
}

// -----

// Short rows: a warp has several, and a CTA several warps; what they load is loaded before anything is stored. The last
// warp, which has fewer, takes them one by one.
// CHECK-LABEL: tile.kernel @pointwise_heads
// CHECK-SAME: threads 256 {
// CHECK-DAG: tile.warp_id
// CHECK: scf.if
// CHECK: scf.for
// CHECK: } else {
// CHECK-COUNT-8: tile.load %{{.*}} aligned 2 : !tile.global<8x65x12x64xf32> -> tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
// CHECK-COUNT-8: tile.store
func.func @heads(%x: tensor<8x65x12x64xf32>) -> tensor<8x12x65x64xf32> {
  %0 = graph.kernel "pointwise" (%a = %x : tensor<8x65x12x64xf32>) -> tensor<8x12x65x64xf32> attributes {symbol = "pointwise_heads", schedule = #graph.schedule<"pointwise", {threads = 32, groups = 8, vec = 2, runs = 1, rows = 8}>} {
    %1 = graph.transpose %a perm [0, 2, 1, 3] : tensor<8x65x12x64xf32> -> tensor<8x12x65x64xf32>
    graph.yield %1 : tensor<8x12x65x64xf32>
  }
  return %0 : tensor<8x12x65x64xf32>
}

// -----

// Rows of three: lanes run across them. What is dense stays a contiguous access, the rest is gathered.
// CHECK-LABEL: tile.kernel @pointwise_triples
// CHECK-SAME: grid 293 threads 256 {
// CHECK: tile.load %arg0[%{{.*}}] aligned 4 :
// CHECK: tile.gather %arg1
// CHECK: tile.store %{{.*}}, %arg2[%{{.*}}] aligned 4 :
func.func @triples(%x: tensor<100000x3xf32>, %b: tensor<3xf32>) -> tensor<100000x3xf32> {
  %0 = graph.kernel "pointwise" (%a = %x : tensor<100000x3xf32>, %c = %b : tensor<3xf32>) -> tensor<100000x3xf32> attributes {symbol = "pointwise_triples"} {
    %1 = graph.broadcast %c dims [1] : tensor<3xf32> -> tensor<100000x3xf32>
    %2 = arith.addf %a, %1 : tensor<100000x3xf32>
    graph.yield %2 : tensor<100000x3xf32>
  }
  return %0 : tensor<100000x3xf32>
}

// -----

// Lanes run along the dimension in which most bytes are contiguous: here that of three transposed operands, so that the
// store is the one that is scattered.
// CHECK-LABEL: tile.kernel @pointwise_transposed
// CHECK-COUNT-3: tile.load
// CHECK: tile.scatter
func.func @transposed(%x: tensor<512x1024xf32>, %y: tensor<512x1024xf32>, %z: tensor<512x1024xf32>) -> tensor<1024x512xf32> {
  %0 = graph.kernel "pointwise" (%a = %x : tensor<512x1024xf32>, %b = %y : tensor<512x1024xf32>, %c = %z : tensor<512x1024xf32>) -> tensor<1024x512xf32> attributes {symbol = "pointwise_transposed"} {
    %1 = arith.addf %a, %b : tensor<512x1024xf32>
    %2 = arith.addf %1, %c : tensor<512x1024xf32>
    %3 = graph.transpose %2 perm [1, 0] : tensor<512x1024xf32> -> tensor<1024x512xf32>
    graph.yield %3 : tensor<1024x512xf32>
  }
  return %0 : tensor<1024x512xf32>
}

// -----

// Nothing to do is no CTA; one element is one lane.
// CHECK-LABEL: tile.kernel @pointwise_nothing
// CHECK-SAME: grid 0
func.func @nothing(%x: tensor<0x5xf32>) -> tensor<0x5xf32> {
  %0 = graph.kernel "pointwise" (%a = %x : tensor<0x5xf32>) -> tensor<0x5xf32> attributes {symbol = "pointwise_nothing"} {
    %1 = arith.addf %a, %a : tensor<0x5xf32>
    graph.yield %1 : tensor<0x5xf32>
  }
  return %0 : tensor<0x5xf32>
}

// -----

// Contiguous along one dimension, stored along another: each warp leaves rows of a tile in shared memory, whose own rows
// are one element longer, and behind the barrier reads across them. Tiles at the edge take the masks.
// CHECK-LABEL: tile.kernel @pointwise_turned
// CHECK-SAME: grid 4160 threads 256 {
// CHECK: %[[TILE:.*]] = tile.alloc : <64x65xbf16>
// CHECK: scf.if
// CHECK-COUNT-8: tile.load %arg0[%{{.*}}] : !tile.global<4096x4099xbf16> -> tensor<64xbf16, #tile.blocked<vec = 2, threads = 32>>
// CHECK-COUNT-8: tile.store %{{.*}}, %[[TILE]]
// CHECK-NEXT: tile.barrier
// CHECK-COUNT-8: tile.gather %[[TILE]]
// CHECK-COUNT-8: tile.store %{{.*}}, %arg2[%{{.*}}] aligned 2 :
// CHECK: } else {
// CHECK: tile.lane_mask
func.func @turned(%x: tensor<4096x4099xbf16>, %b: tensor<4096xbf16>) -> tensor<4099x4096xbf16> {
  %0 = graph.kernel "pointwise" (%a = %x : tensor<4096x4099xbf16>, %c = %b : tensor<4096xbf16>) -> tensor<4099x4096xbf16> attributes {symbol = "pointwise_turned"} {
    %1 = graph.transpose %a perm [1, 0] : tensor<4096x4099xbf16> -> tensor<4099x4096xbf16>
    %2 = graph.broadcast %c dims [1] : tensor<4096xbf16> -> tensor<4099x4096xbf16>
    %3 = arith.addf %1, %2 : tensor<4099x4096xbf16>
    graph.yield %3 : tensor<4099x4096xbf16>
  }
  return %0 : tensor<4099x4096xbf16>
}
