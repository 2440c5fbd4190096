// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-shared-memory))' --split-input-file --verify-diagnostics | FileCheck %s

!A = tensor<32x16xbf16, #tile.mma_a<warps = [2, 1]>>
!S = !tile.shared<32x16xbf16>
!Rs = !tile.ring<3 x !S>
!M = !tile.global<256x256xbf16>
!Rs2 = !tile.ring<2 x !S>
!F = tensor<64x32xbf16, #tile.wgmma>
!T = !tile.shared<64x64xbf16, swizzle = 128>
!F2 = tensor<64x48xbf16, #tile.wgmma>
!M2 = !tile.global<?x48xbf16>
!S2 = !tile.shared<64x64xbf16>
!M3 = !tile.global<?x?xbf16>
!Acc = tensor<64x64xf32, #tile.wgmma>
!P = !tile.pending<!Acc>
!Q = tensor<16x64xbf16, #tile.mma_acc<warps = [1, 4]>>
!B = tensor<64x64xbf16, #tile.wgmma>

// Copies one and two turns ahead in a ring of three slots.
// CHECK-LABEL: tile.kernel @ahead_2
tile.kernel @ahead_2(%x: !M, %n: index) grid 1 threads 64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ring = tile.alloc_ring : !Rs
  scf.for %s = %c0 to %c2 step %c1 {
    %slot = tile.slot %ring[%s] : !Rs -> !S
    tile.async_copy %x[%c0] rows 256 limit [%n, %n], %slot : !M, !S
    tile.async_commit
  }
  scf.for %s = %c0 to %n step %c1 {
    tile.async_wait 1
    tile.barrier
    %here = tile.slot %ring[%s] : !Rs -> !S
    %a = tile.load_matrix %here[%c0, %c0] : !S -> !A
    %soon = arith.addi %s, %c2 : index
    %more = arith.cmpi slt, %soon, %n : index
    scf.if %more {
      %slot = tile.slot %ring[%soon] : !Rs -> !S
      tile.async_copy %x[%c0] rows 256 limit [%n, %n], %slot : !M, !S
    }
    tile.async_commit
  }
  tile.return
}

// By turns a copy, and a read of the copy before; a tile that another role writes; what an unknown turn writes.
// CHECK-LABEL: tile.kernel @by_turns_2
tile.kernel @by_turns_2(%x: !M, %v: bf16, %n: index, %i: index) grid 1 threads 64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %t = tile.alloc : !S
  %ring = tile.alloc_ring : !Rs2
  scf.for %s = %i to %n step %c1 {
    %odd = arith.remui %s, %c2 : index
    %is_odd = arith.cmpi eq, %odd, %c1 : index
    scf.if %is_odd {
      tile.async_wait 0
      tile.barrier
      %a = tile.load_matrix %t[%c0, %c0] : !S -> !A
    } else {
      tile.async_copy %x[%c0] rows 256 limit [%n, %n], %t : !M, !S
      tile.async_commit
    }
    %slot = tile.slot %ring[%s] : !Rs2 -> !S
    tile.store %v, %slot[%s] : bf16, !S
  }
  tile.barrier
  %some = tile.slot %ring[%i] : !Rs2 -> !S
  %b = tile.load_matrix %some[%c0, %c0] : !S -> !A
  tile.return
}

// The same in turns that are known.
// CHECK-LABEL: tile.kernel @by_known_turns_2
tile.kernel @by_known_turns_2(%x: !M, %n: index) grid 1 threads 64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %t = tile.alloc : !S
  scf.for %s = %c0 to %n step %c1 {
    %odd = arith.remui %s, %c2 : index
    %is_odd = arith.cmpi eq, %odd, %c1 : index
    scf.if %is_odd {
      tile.async_wait 0
      tile.barrier
      %a = tile.load_matrix %t[%c0, %c0] : !S -> !A
    } else {
      tile.async_copy %x[%c0] rows 256 limit [%n, %n], %t : !M, !S
      tile.async_commit
    }
  }
  tile.return
}

// Both halves; and a turn's own quarter, of which there are as many as turns.
// CHECK-LABEL: tile.kernel @whole_2
tile.kernel @whole_2(%c: !tile.global<64x64xbf16>, %x: bf16, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %f = tile.splat %x : bf16 -> !F
  %t = tile.alloc : !T
  %u = tile.alloc : !T
  tile.store_matrix %f, %t[%c0, %c0] : !F, !T
  tile.store_matrix %f, %t[%c0, %c32] : !F, !T
  tile.tma_store %t, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  scf.for %i = %c0 to %n step %c32 {
    tile.store_matrix %f, %u[%c0, %i] : !F, !T
  }
  tile.tma_store %u, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  tile.tma_store_wait 0
  tile.return
}

// Columns behind a tensor's last are not stored, and need not be there.
// CHECK-LABEL: tile.kernel @clipped_2
tile.kernel @clipped_2(%c: !M2 {tile.dims = ["M", "N"]}, %x: bf16) grid "ceildiv(M, 64)" threads 128 {
  %c0 = arith.constant 0 : index
  %f = tile.splat %x : bf16 -> !F2
  %t = tile.alloc : !T
  tile.store_matrix %f, %t[%c0, %c0] : !F2, !T
  tile.tma_store %t, %c[%c0, %c0] : !T, !M2
  tile.tma_store_wait 0
  tile.return
}

// A store by tensor map meets the threads that waited for their copies.
// CHECK-LABEL: tile.kernel @met_by_store_2
tile.kernel @met_by_store_2(%x: !M3 {tile.dims = ["M", "N"], tile.aligned = 8}) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !S2
  tile.async_load %x[%c0, %c0], %t : !M3, !S2
  tile.async_commit
  tile.async_wait 0
  tile.tma_store %t, %x[%c0, %c0] : !S2, !M3
  tile.tma_store_wait 0
  tile.return
}

// Sixteen rows of an operand of 64: the sums of the others are nobody's.
// CHECK-LABEL: tile.kernel @few_rows_2
tile.kernel @few_rows_2(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %queries = tile.alloc : !T
  %keys = tile.alloc : !T
  %q = tile.splat %x : bf16 -> !Q
  %k = tile.splat %x : bf16 -> !B
  tile.store_matrix %q, %queries[%c0, %c0] : !Q, !T
  tile.store_matrix %k, %keys[%c0, %c0] : !B, !T
  tile.proxy_fence
  tile.barrier
  %none = tile.wgmma_none : !P
  %p = tile.wgmma %queries, %keys transpose, %none : !T, !T, !P -> !P
  %s = tile.wgmma_wait %p : !P -> !Acc
  tile.return
}

// -----

!S = !tile.shared<32x16xbf16>
!A = tensor<32x16xbf16, #tile.mma_a<warps = [2, 1]>>
!M = !tile.global<256x256xbf16>
!Rs = !tile.ring<3 x !S>
!T = !tile.shared<64x64xbf16, swizzle = 128>
!F = tensor<64x64xbf16, #tile.wgmma>
!R = !tile.ring<2 x !T>
!T2 = !tile.shared<64xf32>
!F2 = tensor<64x32xbf16, #tile.wgmma>
!Acc = tensor<64x64xf32, #tile.wgmma>
!P = !tile.pending<!Acc>

tile.kernel @not_waited(%x: !M, %n: index) grid 1 threads 64 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !S
  // expected-note @below {{written here}}
  tile.async_copy %x[%c0] rows 256 limit [%n, %n], %t : !M, !S
  tile.async_commit
  tile.barrier
  // expected-error @below {{'tile.load_matrix': copies by threads have been waited for before their tile is read}}
  // expected-note @below {{expected: a tile.async_wait that leaves fewer groups than were committed since, then a tile.barrier}}
  // expected-note @below {{found: a copy that may be on its way}}
  // expected-note @below {{try: a smaller number of groups, or a tile.async_commit behind each}}
  %a = tile.load_matrix %t[%c0, %c0] : !S -> !A
  tile.return
}

// The first turn waits for its copy; the second one's was not committed.
tile.kernel @not_committed(%x: !M, %n: index) grid 1 threads 64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ring = tile.alloc_ring : !Rs
  scf.for %s = %c0 to %c2 step %c1 {
    %slot = tile.slot %ring[%s] : !Rs -> !S
    // expected-note @below {{written here}}
    tile.async_copy %x[%c0] rows 256 limit [%n, %n], %slot : !M, !S
    tile.async_commit
  }
  scf.for %s = %c0 to %n step %c1 {
    tile.async_wait 1
    tile.barrier
    %here = tile.slot %ring[%s] : !Rs -> !S
    // expected-error @below {{'tile.load_matrix': copies by threads have been waited for before their tile is read}}
    // expected-note @below {{expected: a tile.async_wait that leaves fewer groups than were committed since, then a tile.barrier}}
    // expected-note @below {{found: a copy that may be on its way}}
    // expected-note @below {{try: a smaller number of groups, or a tile.async_commit behind each}}
    %a = tile.load_matrix %here[%c0, %c0] : !S -> !A
    %soon = arith.addi %s, %c2 : index
    %slot = tile.slot %ring[%soon] : !Rs -> !S
    tile.async_copy %x[%c0] rows 256 limit [%n, %n], %slot : !M, !S
  }
  tile.return
}

tile.kernel @not_met(%x: !M, %n: index) grid 1 threads 64 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !S
  // expected-note @below {{written here}}
  tile.async_copy %x[%c0] rows 256 limit [%n, %n], %t : !M, !S
  tile.async_commit
  tile.barrier
  tile.async_wait 0
  // expected-error @below {{'tile.load_matrix': threads meet between the wait for their copies and the reads of all of them}}
  // expected-note @below {{expected: tile.async_wait, then tile.barrier}}
  // expected-note @below {{found: no tile.barrier behind the wait}}
  // expected-note @below {{try: tile.barrier behind tile.async_wait}}
  %a = tile.load_matrix %t[%c0, %c0] : !S -> !A
  tile.return
}

tile.kernel @never_written(%c: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T
  // expected-error @below {{'tile.tma_store': a shared tile is written before it is read}}
  // expected-note @below {{expected: a store or a copy to the tile before}}
  // expected-note @below {{found: none}}
  // expected-note @below {{try: that store or copy, or a read that is left out in the first turn}}
  tile.tma_store %t, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  tile.tma_store_wait 0
  tile.return
}

// Written, but to the slot behind.
tile.kernel @another_slot(%c: !tile.global<64x64xbf16>, %x: bf16) grid 1 threads 256 {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  tile.specialize producer registers 40 {
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    %f = tile.splat %x : bf16 -> !F
    %ring = tile.alloc_ring : !R
    %one = tile.slot %ring[%c3] : !R -> !T
    tile.store_matrix %f, %one[%c0, %c0] : !F, !T
    %other = tile.slot %ring[%c0] : !R -> !T
    // expected-error @below {{'tile.tma_store': a shared tile is written before it is read}}
    // expected-note @below {{expected: a store or a copy to the tile before}}
    // expected-note @below {{found: none}}
    // expected-note @below {{try: that store or copy, or a read that is left out in the first turn}}
    tile.tma_store %other, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
    tile.tma_store_wait 0
  }
  tile.return
}

// What threads read in a first turn, and leave out; what nobody ever writes.
tile.kernel @left_out(%x: f32, %n: index) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.alloc : !T2
  %u = tile.alloc : !T2
  scf.for %i = %c0 to %n step %c1 {
    %before = tile.load %t[%c0] : !T2 -> f32
    %is_first = arith.cmpi eq, %i, %c0 : index
    %v = arith.select %is_first, %x, %before : f32
    tile.store %v, %t[%c0] : f32, !T2
  }
  // expected-error @below {{'tile.load': a shared tile is written before it is read}}
  // expected-note @below {{expected: a store or a copy to the tile before}}
  // expected-note @below {{found: none}}
  // expected-note @below {{try: that store or copy, or a read that is left out in the first turn}}
  %never = tile.load %u[%c0] : !T2 -> f32
  tile.return
}

// Half of a tile, again and again.
tile.kernel @half_written(%c: !tile.global<64x64xbf16>, %x: bf16, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.splat %x : bf16 -> !F2
  %t = tile.alloc : !T
  scf.for %i = %c0 to %n step %c1 {
    tile.tma_store_wait 0
    // expected-note @below {{written here}}
    tile.store_matrix %f, %t[%c0, %c0] : !F2, !T
    // expected-error @below {{'tile.tma_store': all of a tile is written before all of it is read}}
    // expected-note @below {{expected: 4096 elements}}
    // expected-note @below {{found: 2048 elements}}
    // expected-note @below {{try: a tile that is no larger}}
    tile.tma_store %t, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  }
  tile.tma_store_wait 0
  tile.return
}

// Not one row of it.
tile.kernel @no_row(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T
  // expected-note @below {{written here}}
  tile.store %x, %t[%c0] : bf16, !T
  tile.proxy_fence
  tile.barrier
  %none = tile.wgmma_none : !P
  // expected-error @below {{'tile.wgmma': all of a tile is written before all of it is read}}
  // expected-note @below {{expected: 64 elements}}
  // expected-note @below {{found: 1 elements}}
  // expected-note @below {{try: a tile that is no larger}}
  %p = tile.wgmma %t, %t transpose, %none : !T, !T, !P -> !P
  %s = tile.wgmma_wait %p : !P -> !Acc
  tile.return
}
