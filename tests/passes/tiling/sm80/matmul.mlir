// RUN: kiln-opt %s --split-input-file --tile-schedule=target=sm_90a --tile-graph=target=sm_90a --canonicalize --cse | FileCheck %s

// Plain memory with rows of whole chunks: copied asynchronously, some blocks ahead; one barrier per block; the next
// k16's fragments are read before this one's atoms, the next block's first ones too; copies start behind fragments, one
// operand's behind those of each k16; the epilogue reads rows of the sums from shared memory and stores 16 bytes a thread.
// CHECK-LABEL: tile.kernel @matmul_nt
// CHECK-SAME: grid 512 threads 256
// CHECK: tile.alloc_ring : <4 x <128x64xbf16, swizzle = 128>>
// CHECK: tile.alloc_ring : <4 x <256x64xbf16, swizzle = 128>>
// CHECK-COUNT-3: tile.async_commit
// CHECK-NEXT: tile.async_wait 2
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: %[[A0:.*]] = tile.load_matrix
// CHECK-NEXT: %[[B0:.*]] = tile.load_matrix {{.*}} transpose
// CHECK-NEXT: scf.for %[[BLOCK:.*]] = %c0 to %c64 step %c1 iter_args(%[[SUM:.*]] = %{{.*}}, %[[A:.*]] = %[[A0]], %[[B:.*]] = %[[B0]])
// CHECK-NOT: tile.async_copy
// CHECK: tile.load_matrix
// CHECK-NEXT: tile.load_matrix
// CHECK: scf.if
// CHECK: tile.async_copy {{.*}} <128x64xbf16
// CHECK-NOT: tile.async_copy
// CHECK: }
// CHECK: = tile.mma %[[A]], %[[B]], %[[SUM]]
// CHECK-NEXT: tile.load_matrix
// CHECK-NEXT: tile.load_matrix {{.*}} transpose
// CHECK-NEXT: scf.if
// CHECK: tile.async_copy {{.*}} <256x64xbf16
// CHECK: }
// CHECK-NEXT: = tile.mma %
// CHECK-NEXT: tile.load_matrix
// CHECK-NEXT: tile.load_matrix
// CHECK-NEXT: = tile.mma %
// CHECK-NEXT: tile.async_commit
// CHECK-NEXT: tile.async_wait 2
// CHECK-NEXT: tile.barrier
// CHECK: %[[A1:.*]] = tile.load_matrix
// CHECK-NEXT: %[[B1:.*]] = tile.load_matrix
// CHECK-NEXT: %[[NEXT:.*]] = tile.mma %
// CHECK-NEXT: scf.yield %[[NEXT]], %[[A1]], %[[B1]]
// CHECK: tile.async_wait 0
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: %[[SUMS:.*]] = tile.alloc : <128x264xf32>
// CHECK-NEXT: tile.store %{{.*}}, %[[SUMS]]
// CHECK-NEXT: tile.barrier
// CHECK: scf.for
// CHECK-COUNT-4: tile.load %[[SUMS]]{{.*}} -> tensor<256xf32, #tile.blocked<vec = 8, threads = 32>>
// CHECK: arith.truncf
// CHECK-NOT: mask
// CHECK-COUNT-4: tile.store {{.*}} aligned 8 : tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>
func.func @nt(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = graph.kernel "matmul" (%a = %x : tensor<4096x4096xbf16>, %c = %w : tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> attributes {symbol = "matmul_nt"} {
    %1 = graph.matmul %a, %c transpose_b : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
    %2 = arith.truncf %1 : tensor<4096x4096xf32> to tensor<4096x4096xbf16>
    graph.yield %2 : tensor<4096x4096xbf16>
  }
  return %0 : tensor<4096x4096xbf16>
}

// -----

// Operands lie in shared memory as they do in memory; the fragments' loads turn them. Batches are in the grid.
// CHECK-LABEL: tile.kernel @matmul_tn
// CHECK-SAME: grid 12 threads
// CHECK: tile.alloc_ring : <4 x <64x64xf16, swizzle = 128>>
// CHECK: tile.load_matrix %{{.*}} transpose : {{.*}} #tile.mma_a
// CHECK: tile.load_matrix %{{.*}}] : {{.*}} #tile.mma_b
// CHECK: tile.load_matrix %{{.*}}[%c16, %c0] transpose : {{.*}} #tile.mma_a
func.func @tn(%x: tensor<3x128x64xf16>, %w: tensor<3x128x256xf16>) -> tensor<3x64x256xf32> {
  %0 = graph.kernel "matmul" (%a = %x : tensor<3x128x64xf16>, %c = %w : tensor<3x128x256xf16>) -> tensor<3x64x256xf32> attributes {symbol = "matmul_tn", schedule = #graph.schedule<"matmul", {bm = 64 : i64, bn = 64 : i64, stages = 4 : i64}>} {
    %1 = graph.matmul %a, %c transpose_a : (tensor<3x128x64xf16>, tensor<3x128x256xf16>) -> tensor<3x64x256xf32>
    graph.yield %1 : tensor<3x64x256xf32>
  }
  return %0 : tensor<3x64x256xf32>
}

// -----

// Residues in m, n and k: copies are limited, and zero behind the limit; a row that does not exist is the last one under
// a mask of no lanes.
// CHECK-LABEL: tile.kernel @matmul_residues
// CHECK-SAME: grid 12 threads 128
// CHECK: %[[DOWN:.*]] = arith.subi %c136, %{{.*}} : index
// CHECK: tile.async_copy %arg0[%{{.*}}] rows 72 limit[%[[DOWN]], %c72]
// CHECK: tile.async_copy %arg0[%{{.*}}] rows 72 limit[%[[DOWN]], %c8]
// CHECK: tile.async_commit
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = arith.cmpi slt
// CHECK: %[[COUNT:.*]] = arith.select %[[ROW]], %{{.*}}, %c0
// CHECK: tile.lane_mask %[[COUNT]]
// CHECK: tile.store {{.*}} mask
func.func @residues(%x: tensor<136x72xbf16>, %w: tensor<200x72xbf16>) -> tensor<136x200xbf16> {
  %0 = graph.kernel "matmul" (%a = %x : tensor<136x72xbf16>, %c = %w : tensor<200x72xbf16>) -> tensor<136x200xbf16> attributes {symbol = "matmul_residues", schedule = #graph.schedule<"matmul", {bm = 64 : i64, bn = 64 : i64}>} {
    %1 = graph.matmul %a, %c transpose_b : (tensor<136x72xbf16>, tensor<200x72xbf16>) -> tensor<136x200xf32>
    %2 = arith.truncf %1 : tensor<136x200xf32> to tensor<136x200xbf16>
    graph.yield %2 : tensor<136x200xbf16>
  }
  return %0 : tensor<136x200xbf16>
}

// -----

// Rows that do not start at 16 bytes come through registers: a warp's rows of the next block are loaded before the
// products and stored behind them. What a prologue makes of absent k's is cleared.
// CHECK-LABEL: tile.kernel @matmul_prologue
// CHECK: tile.alloc_ring : <2 x <64x64xbf16, swizzle = 128>>
// CHECK: tile.alloc_ring : <2 x <64x64xbf16, swizzle = 128>>
// CHECK-NOT: tile.async
// CHECK: tile.barrier
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %c3
// CHECK: %[[NEXT:.*]] = arith.addi %[[BLOCK]], %c1
// CHECK: %[[THERE:.*]] = arith.minsi %[[NEXT]], %c2
// CHECK: %[[MASK:.*]] = tile.lane_mask
// CHECK: tile.load %arg0[%{{.*}}] mask %[[MASK]]
// CHECK: math.exp
// CHECK: arith.truncf
// CHECK: arith.select %[[MASK]]
// CHECK-COUNT-3: = tile.mma %
// CHECK-NOT: math.exp
// CHECK: tile.slot %{{.*}}[%[[NEXT]]]
// CHECK-COUNT-32: tile.store {{.*}} aligned 2 : tensor<64xbf16, #tile.blocked<vec = 2, threads = 32>>
// CHECK-NEXT: tile.barrier
// CHECK: tile.slot %{{.*}}[%[[THERE]]]
// CHECK: = tile.mma %
// CHECK: scf.yield
func.func @prologue(%x: tensor<128x131xf32>, %w: tensor<131x66xbf16>) -> tensor<128x66xf32> {
  %0 = graph.kernel "matmul" (%a = %x : tensor<128x131xf32>, %c = %w : tensor<131x66xbf16>) -> tensor<128x66xf32> attributes {symbol = "matmul_prologue", schedule = #graph.schedule<"matmul", {bm = 64, bn = 64}>} {
    %e = math.exp %a : tensor<128x131xf32>
    %h = arith.truncf %e : tensor<128x131xf32> to tensor<128x131xbf16>
    %1 = graph.matmul %h, %c : (tensor<128x131xbf16>, tensor<131x66xbf16>) -> tensor<128x66xf32>
    graph.yield %1 : tensor<128x66xf32>
  }
  return %0 : tensor<128x66xf32>
}

// -----

// Outputs that run along m: rows are n, so that stores are contiguous; b is the left operand.
// CHECK-LABEL: tile.kernel @matmul_turned
// CHECK: tile.async_copy %arg1{{.*}} rows 256
// CHECK: tile.async_copy %arg0{{.*}} rows 64
// CHECK: tile.load_matrix {{.*}} #tile.mma_a
// CHECK-NOT: tile.scatter
// CHECK: tile.store {{.*}} !tile.global<256x128xf32>
func.func @turned(%x: tensor<128x64xbf16>, %w: tensor<64x256xbf16>) -> tensor<256x128xf32> {
  %0 = graph.kernel "matmul" (%a = %x : tensor<128x64xbf16>, %c = %w : tensor<64x256xbf16>) -> tensor<256x128xf32> attributes {symbol = "matmul_turned"} {
    %1 = graph.matmul %a, %c : (tensor<128x64xbf16>, tensor<64x256xbf16>) -> tensor<128x256xf32>
    %2 = graph.transpose %1 perm [1, 0] : tensor<128x256xf32> -> tensor<256x128xf32>
    graph.yield %2 : tensor<256x128xf32>
  }
  return %0 : tensor<256x128xf32>
}

// -----

// A row that a view cuts into heads is stored head by head.
// CHECK-LABEL: tile.kernel @matmul_heads
// CHECK-COUNT-8: tile.load %{{.*}} aligned 2 : !tile.shared<32x136xf32> -> tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
// CHECK-NOT: tile.scatter
// CHECK: tile.store {{.*}} aligned 2 {{.*}} !tile.global<2x4x3x64xbf16>
func.func @heads(%x: tensor<6x64xbf16>, %w: tensor<64x256xbf16>) -> tensor<2x4x3x64xbf16> {
  %0 = graph.kernel "matmul" (%a = %x : tensor<6x64xbf16>, %c = %w : tensor<64x256xbf16>) -> tensor<2x4x3x64xbf16> attributes {symbol = "matmul_heads", schedule = #graph.schedule<"matmul", {bm = 32, bn = 128, warpsM = 1, warpsN = 4}>} {
    %1 = graph.matmul %a, %c : (tensor<6x64xbf16>, tensor<64x256xbf16>) -> tensor<6x256xf32>
    %2 = arith.truncf %1 : tensor<6x256xf32> to tensor<6x256xbf16>
    %3 = graph.reshape %2 : tensor<6x256xbf16> -> tensor<2x3x4x64xbf16>
    %4 = graph.transpose %3 perm [0, 2, 1, 3] : tensor<2x3x4x64xbf16> -> tensor<2x4x3x64xbf16>
    graph.yield %4 : tensor<2x4x3x64xbf16>
  }
  return %0 : tensor<2x4x3x64xbf16>
}

// -----

// Sums that need more shared memory than the operands did go through it in slices of rows.
// CHECK-LABEL: tile.kernel @matmul_slices
// CHECK: tile.alloc_ring : <3 x <128x32xbf16, swizzle = 64>>
// CHECK: tile.load_matrix %[[A:.*]][%c0, %c0] : {{.*}} -> tensor<64x16xbf16, #tile.mma_a<warps = [2, 2]>>
// CHECK: tile.load_matrix %[[A]][%c64, %c0] : {{.*}} -> tensor<64x16xbf16, #tile.mma_a<warps = [2, 2]>>
// CHECK: scf.for {{.*}} -> (tensor<64x128xf32, #tile.mma_acc<warps = [2, 2]>>, tensor<64x128xf32, #tile.mma_acc<warps = [2, 2]>>,
// CHECK: %[[SUMS:.*]] = tile.alloc : <64x136xf32>
// CHECK: tile.store %{{.*}}#0, %[[SUMS]]
// CHECK: tile.barrier
// CHECK: scf.for
// CHECK: tile.barrier
// CHECK-NEXT: tile.store %{{.*}}#1, %[[SUMS]]
// CHECK-NEXT: tile.barrier
func.func @slices(%x: tensor<128x256xbf16>, %w: tensor<256x128xbf16>) -> tensor<128x128xf32> {
  %0 = graph.kernel "matmul" (%a = %x : tensor<128x256xbf16>, %c = %w : tensor<256x128xbf16>) -> tensor<128x128xf32> attributes {symbol = "matmul_slices", schedule = #graph.schedule<"matmul", {bk = 32, stages = 3}>} {
    %1 = graph.matmul %a, %c : (tensor<128x256xbf16>, tensor<256x128xbf16>) -> tensor<128x128xf32>
    graph.yield %1 : tensor<128x128xf32>
  }
  return %0 : tensor<128x128xf32>
}
