// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-bounds))' --split-input-file --verify-diagnostics | FileCheck %s

!A = !tile.shared<128x64xbf16, swizzle = 128>
!Mine = !tile.shared<64x64xbf16, swizzle = 128>
!Acc = tensor<64x64xf32, #tile.wgmma>
!P = !tile.pending<!Acc>
!A2 = !tile.shared<64x32xbf16, swizzle = 64>
!F = tensor<16x16xbf16, #tile.mma_a<warps = [1, 1]>>
!Row = tensor<32xbf16, #tile.blocked<vec = 1, threads = 32>>
!InRow = tensor<32xi1, #tile.blocked<vec = 1, threads = 32>>
!T = !tile.shared<8x32xbf16>
!F2 = tensor<64x64xbf16, #tile.wgmma>
!M = !tile.global<?x?xbf16>
!T2 = !tile.shared<64xf32>

// The last part that lies in its tile, for the last consumer and the last turn; what is not known, or behind a branch.
// CHECK-LABEL: tile.kernel @consumers_2
tile.kernel @consumers_2(%x: bf16, %far: index) grid 1 threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c2 = arith.constant 2 : index
  %a = tile.alloc : !A
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    %mine = arith.muli %group, %c64 : index
    %part = tile.subtile %a[%mine, %c0] : !A -> !Mine
    %other = tile.subtile %a[%far, %c0] : !A -> !Mine
    %is_first = arith.cmpi eq, %group, %c0 : index
    scf.if %is_first {
      %next = arith.addi %mine, %c64 : index
      %behind = tile.subtile %a[%next, %c0] : !A -> !Mine
    }
    // As often as the consumer's number says: for the last one never.
    scf.for %i = %group to %c1 step %c1 {
      %next = arith.addi %mine, %c64 : index
      %behind = tile.subtile %a[%next, %c0] : !A -> !Mine
    }
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @matrices_2
tile.kernel @matrices_2(%x: bf16, %n: index) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c56 = arith.constant 56 : index
  %c64 = arith.constant 64 : index
  %c248 = arith.constant 248 : index
  %a = tile.alloc : !A2
  tile.store %x, %a[%c0] : bf16, !A2
  scf.for %i = %c0 to %c64 step %c16 {
    %f = tile.load_matrix %a[%i, %c16] : !A2 -> !F
    %g = tile.load_matrix %a[%n, %c0] : !A2 -> !F
  }
  // A row that a mask cuts off may start anywhere.
  %t = tile.alloc : !T
  %row = tile.splat %x : bf16 -> !Row
  %mask = tile.lane_mask %c8 : !InRow
  tile.store %row, %t[%c248] mask %mask : !InRow : !Row, !T
  tile.return
}

// Parts that are there for some numbers only, each turn of a loop written out; a loop without turns.
// CHECK-LABEL: tile.kernel @left_out_2
tile.kernel @left_out_2(%x: !M {tile.dims = ["M", "N"]}, %v: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %n = tile.extent "N"
  %a = tile.alloc : !A
  %f = tile.splat %v : bf16 -> !F2
  %few = arith.minsi %n, %c128 : index
  %third = arith.cmpi slt, %c128, %few : index
  scf.if %third {
    tile.store_matrix %f, %a[%c128, %c0] : !F2, !A
  }
  %never = arith.cmpi slt, %c128, %c64 : index
  scf.if %never {
    tile.store_matrix %f, %a[%c128, %c0] : !F2, !A
  }
  scf.for %i = %c8 to %c8 step %c8 {
    tile.store_matrix %f, %a[%c128, %c0] : !F2, !A
  }
  tile.return
}

// CHECK-LABEL: tile.kernel @ranks_2
tile.kernel @ranks_2(%x: f32, %n: index) grid 2 cluster 2 threads 32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %t = tile.alloc : !T2
  tile.store %x, %t[%c0] : f32, !T2
  tile.cluster_barrier
  %me = tile.cluster_rank
  %mine = tile.remote %t at %me : !T2 -> !tile.remote<!T2>
  %some = tile.remote %t at %n : !T2 -> !tile.remote<!T2>
  scf.for %r = %c0 to %c2 step %c1 {
    %theirs = tile.remote %t at %r : !T2 -> !tile.remote<!T2>
    %v = tile.load %theirs[%c0] : !tile.remote<!T2> -> f32
  }
  tile.cluster_barrier
  tile.return
}

// -----

!A = !tile.shared<128x64xbf16, swizzle = 128>
!F = tensor<64x64xbf16, #tile.wgmma>
!Mine = !tile.shared<64x64xbf16, swizzle = 128>
!A2 = !tile.shared<64x32xbf16, swizzle = 64>
!F2 = tensor<16x16xbf16, #tile.mma_a<warps = [1, 1]>>
!T = !tile.shared<64x64xbf16, swizzle = 128>
!T2 = !tile.shared<64x72xbf16>
!Row = tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
!T3 = !tile.shared<64xf32>

// A branch that is taken.
tile.kernel @taken(%v: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %a = tile.alloc : !A
  %f = tile.splat %v : bf16 -> !F
  %always = arith.cmpi slt, %c64, %c128 : index
  scf.if %always {
    // expected-error @below {{'tile.store_matrix': its 64 rows lie in the tile, which has 128}}
    // expected-note @below {{expected: the first row from 0 to 64, a multiple of 8}}
    // expected-note @below {{found: 128}}
    // expected-note @below {{try: a larger tile, or a smaller part of it}}
    tile.store_matrix %f, %a[%c128, %c0] : !F, !A
  }
  tile.return
}

tile.kernel @part_past() grid 1 threads 512 {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = tile.alloc : !A
  tile.specialize producer registers 24 {
  } consumers 3 registers 160 {
  ^consumer(%group: index):
    %mine = arith.muli %group, %c64 : index
    // expected-error @below {{'tile.subtile': its 64 rows lie in the tile, which has 128}}
    // expected-note @below {{expected: the first row from 0 to 64, a multiple of 8}}
    // expected-note @below {{found: 128}}
    // expected-note @below {{try: a larger tile, or a smaller part of it}}
    %part = tile.subtile %a[%mine, %c0] : !A -> !Mine
  }
  tile.return
}

tile.kernel @between(%x: bf16) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = tile.alloc : !A2
  tile.store %x, %a[%c0] : bf16, !A2
  // expected-error @below {{'tile.load_matrix': its 16 columns lie in the tile, which has 32}}
  // expected-note @below {{expected: the first column from 0 to 16, a multiple of 8}}
  // expected-note @below {{found: 4}}
  // expected-note @below {{try: 0}}
  %f = tile.load_matrix %a[%c0, %c4] : !A2 -> !F2
  tile.return
}

// The last turn of a loop.
tile.kernel @last_turn(%x: bf16) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c65 = arith.constant 65 : index
  %a = tile.alloc : !A2
  tile.store %x, %a[%c0] : bf16, !A2
  scf.for %i = %c0 to %c65 step %c16 {
    // expected-error @below {{'tile.load_matrix': its 16 rows lie in the tile, which has 64}}
    // expected-note @below {{expected: the first row from 0 to 48, a multiple of 8}}
    // expected-note @below {{found: 64}}
    // expected-note @below {{try: a larger tile, or a smaller part of it}}
    %f = tile.load_matrix %a[%i, %c0] : !A2 -> !F2
  }
  tile.return
}

tile.kernel @written_past(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %t = tile.alloc : !T
  %f = tile.splat %x : bf16 -> !F
  // expected-error @below {{'tile.store_matrix': its 64 columns lie in the tile, which has 64}}
  // expected-note @below {{expected: the first column from 0 to 0, a multiple of 8}}
  // expected-note @below {{found: 8}}
  // expected-note @below {{try: a larger tile, or a smaller part of it}}
  tile.store_matrix %f, %t[%c0, %c8] : !F, !T
  tile.return
}

tile.kernel @rows_past(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %t = tile.alloc : !T2
  %f = tile.splat %x : bf16 -> !F
  tile.store %f, %t[%c8] rows 72 : !F, !T2
  // expected-error @below {{'tile.store': its elements lie in !tile.shared<64x72xbf16>}}
  // expected-note @below {{expected: at most 4608 elements, from first to last}}
  // expected-note @below {{found: 5104}}
  // expected-note @below {{try: a larger tile, or fewer elements}}
  tile.store %f, %t[%c0] rows 80 : !F, !T2
  tile.return
}

tile.kernel @rows_overlap(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T2
  %f = tile.splat %x : bf16 -> !F
  // expected-error @below {{'tile.store': rows that are written do not overlap}}
  // expected-note @below {{expected: a row stride of at least 64}}
  // expected-note @below {{found: 36}}
  // expected-note @below {{try: `rows 64`}}
  tile.store %f, %t[%c0] rows 36 : !F, !T2
  tile.return
}

tile.kernel @run_past(%x: f32) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.alloc : !T3
  tile.store %x, %t[%c0] : f32, !T3
  // expected-error @below {{'tile.load': its elements lie in !tile.shared<64xf32>}}
  // expected-note @below {{expected: an offset from 0 to 0}}
  // expected-note @below {{found: 1}}
  // expected-note @below {{try: a larger tile, or fewer elements}}
  %row = tile.load %t[%c1] : !T3 -> !Row
  tile.return
}

tile.kernel @no_such_rank(%x: f32) grid 4 cluster 2 threads 32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = tile.alloc : !T3
  tile.store %x, %t[%c0] : f32, !T3
  tile.cluster_barrier
  scf.for %r = %c0 to %c4 step %c1 {
    // expected-error @below {{'tile.remote': the cluster has a CTA of that rank}}
    // expected-note @below {{expected: 0 to 1}}
    // expected-note @below {{found: 3}}
    // expected-note @below {{try: `cluster 4` on the kernel}}
    %theirs = tile.remote %t at %r : !T3 -> !tile.remote<!T3>
    %v = tile.load %theirs[%c0] : !tile.remote<!T3> -> f32
  }
  tile.cluster_barrier
  tile.return
}

tile.kernel @no_cluster(%x: f32) grid 4 threads 32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.alloc : !T3
  tile.store %x, %t[%c0] : f32, !T3
  tile.cluster_barrier
  // expected-error @below {{'tile.remote': the cluster has a CTA of that rank}}
  // expected-note @below {{expected: 0 to 0}}
  // expected-note @below {{found: 1}}
  // expected-note @below {{try: `cluster 2` on the kernel}}
  %theirs = tile.remote %t at %c1 : !T3 -> !tile.remote<!T3>
  tile.return
}
