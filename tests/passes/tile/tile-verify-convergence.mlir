// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-convergence))' --verify-diagnostics

!A = !tile.shared<64x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x64xf32, #tile.wgmma>>

tile.kernel @parted() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %w = tile.warp_id
  %first = arith.cmpi eq, %w, %c0 : index
  scf.if %first {
    // expected-error @below {{'tile.barrier': all threads that meet here come, and ask for the same}}
    // expected-note @below {{expected: a condition, bounds and operands that are the same in all warps}}
    // expected-note @below {{found: an scf.if decided by what differs from warp to warp}}
    // expected-note @below {{try: tile.specialize, whose roles are whole warpgroups}}
    tile.barrier
  }
  tile.return
}

// The number of turns differs, by way of what another loop carries.
tile.kernel @turns(%n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = tile.warp_id
  %count = scf.for %i = %c0 to %n step %c1 iter_args(%c = %c0) -> index {
    %next = arith.addi %c, %w : index
    scf.yield %next : index
  }
  scf.for %i = %c0 to %count step %c1 {
    // expected-error @below {{'tile.barrier': all threads that meet here come, and ask for the same}}
    // expected-note @below {{expected: a condition, bounds and operands that are the same in all warps}}
    // expected-note @below {{found: an scf.for decided by what differs from warp to warp}}
    // expected-note @below {{try: tile.specialize, whose roles are whole warpgroups}}
    tile.barrier
  }
  tile.return
}

tile.kernel @operand() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  %w = tile.warp_id
  %first = arith.cmpi eq, %w, %c0 : index
  // expected-error @below {{'tile.wgmma': all threads that meet here come, and ask for the same}}
  // expected-note @below {{expected: a condition, bounds and operands that are the same in all warps}}
  // expected-note @below {{found: an operand that differs from warp to warp}}
  // expected-note @below {{try: tile.specialize, whose roles are whole warpgroups}}
  %p = tile.wgmma %a, %a transpose, %none if %first : !A, !A, !P -> !P
  tile.return
}

// What a warp folds is its own.
tile.kernel @folded(%x: !tile.global<32xf32>) grid 1 threads 64 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = tile.load %x[%c0] : !tile.global<32xf32> -> tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>
  %sum = tile.fold <add> %v : tensor<32xf32, #tile.blocked<vec = 1, threads = 32>> -> f32
  %positive = arith.cmpf ogt, %sum, %zero : f32
  scf.if %positive {
    // expected-error @below {{'tile.barrier': all threads that meet here come, and ask for the same}}
    // expected-note @below {{expected: a condition, bounds and operands that are the same in all warps}}
    // expected-note @below {{found: an scf.if decided by what differs from warp to warp}}
    // expected-note @below {{try: tile.specialize, whose roles are whole warpgroups}}
    tile.barrier
  }
  tile.return
}
