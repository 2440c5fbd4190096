// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-alignments))' --split-input-file --verify-diagnostics | FileCheck %s

!Row = tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>
!InRow = tensor<256xi1, #tile.blocked<vec = 8, threads = 32>>
!T = !tile.shared<64x264xbf16>
!M = !tile.global<?x?xbf16>
!T2 = !tile.shared<64x64xbf16, swizzle = 128>
!F = tensor<64x64xbf16, #tile.wgmma>
!T3 = !tile.shared<4096xbf16>
!R = !tile.ring<1 x !T3>

// What arguments say of their rows, in sums and products; what nobody can say; numbers that a launch gives as they are.
// CHECK-LABEL: tile.kernel @fine_2
tile.kernel @fine_2(%x: !M {tile.dims = ["M", "N"], tile.aligned = 16}, %y: !M {tile.dims = ["M", "K"]}, %given: index)
    grid "sms" threads 64 {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c264 = arith.constant 264 : index
  %cta = tile.cta_id
  %ctas = tile.cta_count
  %m = tile.extent "M"
  %n = tile.extent "N"
  %k = tile.extent "K"
  %t = tile.alloc : !T
  scf.for %r = %cta to %m step %ctas {
    %at = arith.muli %r, %n : index
    %third = arith.muli %at, %c3 : index
    %sum = arith.addi %third, %c16 : index
    %a = tile.load %x[%sum] aligned 16 : !M -> !Row
    %left = arith.subi %n, %c16 : index
    %mask = tile.lane_mask %left aligned 8 : !InRow
    tile.store %a, %x[%at] aligned 8 mask %mask : !InRow : !Row, !M
    // A remainder, the smaller of two, an argument: who knows.
    %rest = arith.remui %k, %c16 : index
    %whole = arith.subi %k, %rest : index
    %b = tile.load %y[%whole] aligned 16 : !M -> !Row
    %less = arith.minsi %k, %c16 : index
    %c = tile.load %y[%less] aligned 16 : !M -> !Row
    %d = tile.load %y[%given] aligned 16 : !M -> !Row
    // Of rows that are no argument's nobody can say how many there are.
    %e = tile.load %y[%m] aligned 16 : !M -> !Row
    // What is added is taken away again.
    %more = arith.addi %k, %c16 : index
    %same = arith.subi %more, %k : index
    %f = tile.load %y[%same] aligned 16 : !M -> !Row
  }
  %w = tile.warp_id
  %in_tile = arith.muli %w, %c264 : index
  %line = tile.load %x[%c0] aligned 8 : !M -> !Row
  tile.store %line, %t[%in_tile] aligned 8 : !Row, !T
  tile.return
}

// Tensor maps ask for rows of whole 16 bytes, which a launch checks; one CTA has number 0.
// CHECK-LABEL: tile.kernel @maps_2
tile.kernel @maps_2(%x: !M {tile.dims = ["M", "N"]}, %y: !M {tile.dims = ["N", "K"]},
                  %z: !tile.global<9x7xbf16> {tile.dims = ["Nine", "Seven"]}, %v: bf16)
    grid "ceildiv(Nine, 9)" threads 128 {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %w = tile.warp_id
  %n = tile.extent "N"
  %k = tile.extent "K"
  %t = tile.alloc : !T2
  %f = tile.splat %v : bf16 -> !F
  tile.store_matrix %f, %t[%c0, %c0] : !F, !T2
  tile.tma_store %t, %x[%c0, %c0] : !T2, !M
  tile.tma_store %t, %y[%c0, %c0] as ["floordiv(N, 8)", "8 * K"] : !T2, !M
  tile.tma_store_wait 0
  %at = arith.muli %w, %n : index
  %a = tile.load %x[%at] aligned 8 : !M -> !Row
  %at_y = arith.muli %w, %k : index
  %b = tile.load %y[%at_y] aligned 2 : !M -> !Row
  %cta = tile.cta_id
  %seventh = arith.muli %cta, %c7 : index
  %c = tile.load %x[%seventh] aligned 8 : !M -> !Row
  tile.return
}

// A branch that asks first, of rows, of turns and of warps; one extent, asked for twice; one CTA at most; the producer,
// which is the first warp.
// CHECK-LABEL: tile.kernel @asked_2
tile.kernel @asked_2(%x: !M {tile.dims = ["M", "N"]}, %n: index) grid "min(sms, 1)" threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %w = tile.warp_id
  %long = tile.extent "N"
  %rest = arith.remui %long, %c8 : index
  %is_even = arith.cmpi eq, %rest, %c0 : index
  %row = arith.muli %w, %long : index
  scf.if %is_even {
    %a = tile.load %x[%row] aligned 8 : !M -> !Row
  } else {
    %a = tile.load %x[%row] : !M -> !Row
  }
  scf.for %i = %c0 to %n step %c1 {
    %odd = arith.remui %i, %c2 : index
    %is_first = arith.cmpi eq, %odd, %c0 : index
    %at = arith.muli %i, %c8 : index
    scf.if %is_first {
      %b = tile.load %x[%at] aligned 16 : !M -> !Row
    }
  }
  %again = tile.extent "N"
  %more = arith.addi %long, %c8 : index
  %eight = arith.subi %more, %again : index
  %c = tile.load %x[%eight] aligned 8 : !M -> !Row
  %cta = tile.cta_id
  %d = tile.load %x[%cta] aligned 8 : !M -> !Row
  %first = arith.muli %w, %c4 : index
  %ring = tile.alloc_ring readers 1 : !R
  tile.specialize producer registers 40 {
    tile.fill %ring[%c0] {
    ^slot(%run: !T3, %full: !tile.mbarrier):
      tile.bulk_load %x[%first], %run signal %full : !M, !T3
    } : !R
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    %run = tile.ring_wait %ring[%c0] : !R -> !T3
  }
  tile.return
}

// -----

!Row = tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>
!M = !tile.global<?x?xbf16>
!T = !tile.shared<64x264xbf16>
!InRow = tensor<256xi1, #tile.blocked<vec = 8, threads = 32>>
!T2 = !tile.shared<32x64xbf16>
!T3 = !tile.shared<4096xbf16>
!R = !tile.ring<1 x !T3>

tile.kernel @offset(%x: !M {tile.dims = ["M", "N"], tile.aligned = 8}) grid "sms" threads 32 {
  %cta = tile.cta_id
  %n = tile.extent "N"
  %at = arith.muli %cta, %n : index
  // expected-error @below {{'tile.load': `aligned` follows from what a launch checks of the offset}}
  // expected-note @below {{expected: multiples of 16}}
  // expected-note @below {{found: multiples of 8}}
  // expected-note @below {{try: `aligned 8`, or `tile.aligned = 16` on the arguments whose rows are so long}}
  %a = tile.load %x[%at] aligned 16 : !M -> !Row
  tile.return
}

// The turns of a loop by warps, each with a row of the tile.
tile.kernel @turns(%v: bf16, %n: index) grid 4 threads 64 {
  %c2 = arith.constant 2 : index
  %c264 = arith.constant 264 : index
  %t = tile.alloc : !T
  %row = tile.splat %v : bf16 -> !Row
  %w = tile.warp_id
  scf.for %r = %w to %n step %c2 {
    %at = arith.muli %r, %c264 : index
    // expected-error @below {{'tile.store': `aligned` follows from what a launch checks of the offset}}
    // expected-note @below {{expected: multiples of 16}}
    // expected-note @below {{found: multiples of 8}}
    // expected-note @below {{try: `aligned 8`, or `tile.aligned = 16` on the arguments whose rows are so long}}
    tile.store %row, %t[%at] aligned 16 : !Row, !T
  }
  tile.return
}

tile.kernel @count(%x: !M {tile.dims = ["M", "N"]}) grid "sms" threads 32 {
  %n = tile.extent "N"
  // expected-error @below {{'tile.lane_mask': `aligned` follows from what a launch checks of the count}}
  // expected-note @below {{expected: multiples of 8}}
  // expected-note @below {{found: multiples of 1}}
  // expected-note @below {{try: `aligned 1`, or `tile.aligned = 8` on the arguments whose rows are so long}}
  %mask = tile.lane_mask %n aligned 8 : !InRow
  tile.return
}

tile.kernel @constant(%x: !M {tile.dims = ["M", "N"], tile.aligned = 8}) grid "sms" threads 32 {
  %c12 = arith.constant 12 : index
  // expected-error @below {{'tile.load': `aligned` follows from what a launch checks of the offset}}
  // expected-note @below {{expected: multiples of 8}}
  // expected-note @below {{found: multiples of 4}}
  // expected-note @below {{try: `aligned 4`, or `tile.aligned = 8` on the arguments whose rows are so long}}
  %a = tile.load %x[%c12] aligned 8 : !M -> !Row
  tile.return
}

tile.kernel @chunks(%x: !M {tile.dims = ["M", "N"], tile.aligned = 4}, %m: index) grid "sms" threads 32 {
  %cta = tile.cta_id
  %n = tile.extent "N"
  %at = arith.muli %cta, %n : index
  %t = tile.alloc : !T2
  // expected-error @below {{'tile.async_copy': that copies move whole 16-byte chunks follows from what a launch checks of the offset}}
  // expected-note @below {{expected: multiples of 8}}
  // expected-note @below {{found: multiples of 4}}
  // expected-note @below {{try: `tile.aligned = 8` on the arguments whose rows are so long}}
  tile.async_copy %x[%at] rows 64 limit [%m, %n], %t : !M, !T2
  tile.return
}

tile.kernel @run(%x: !M {tile.dims = ["M", "N"]}) grid "sms" threads 32 {
  %c0 = arith.constant 0 : index
  %n = tile.extent "N"
  %ring = tile.alloc_ring readers 1 : !R
  tile.fill %ring[%c0] {
  ^slot(%row: !T3, %full: !tile.mbarrier):
    // expected-error @below {{'tile.bulk_load': that copies move whole 16-byte chunks follows from what a launch checks of the count}}
    // expected-note @below {{expected: multiples of 8}}
    // expected-note @below {{found: multiples of 1}}
    // expected-note @below {{try: `tile.aligned = 8` on the arguments whose rows are so long}}
    tile.bulk_load %x[%c0] count %n, %row signal %full : !M, !T3
  } : !R
  %row = tile.ring_wait %ring[%c0] : !R -> !T3
  tile.return
}

tile.kernel @stored_run(%y: !M {tile.dims = ["M", "N"]}) grid "sms" threads 32 {
  %c0 = arith.constant 0 : index
  %cta = tile.cta_id
  %n = tile.extent "N"
  %at = arith.muli %cta, %n : index
  %t = tile.alloc : !T3
  // expected-error @below {{'tile.bulk_store': that copies move whole 16-byte chunks follows from what a launch checks of the offset}}
  // expected-note @below {{expected: multiples of 8}}
  // expected-note @below {{found: multiples of 1}}
  // expected-note @below {{try: `tile.aligned = 8` on the arguments whose rows are so long}}
  tile.bulk_store %t, %y[%at] : !T3, !M
  tile.tma_store_wait 0
  tile.return
}
