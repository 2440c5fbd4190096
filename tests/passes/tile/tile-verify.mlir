// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify))' --split-input-file --verify-diagnostics | FileCheck %s

// What is in order stays as it is: conditions that all warps share, turns of consumers, tiles written behind a fence.
!A = !tile.shared<64x64xbf16, swizzle = 128>
!Acc = tensor<64x64xf32, #tile.wgmma>
!P = !tile.pending<!Acc>
// CHECK-LABEL: tile.kernel @fine
tile.kernel @fine(%x: bf16, %n: index) grid 1 threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %turns = tile.alloc_turns : !tile.turns<2>
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    %a = tile.alloc : !A
    %none = tile.wgmma_none : !P
    %mine = arith.cmpi eq, %group, %c0 : index
    scf.if %mine {
      tile.take_turn %turns : !tile.turns<2>
      tile.pass_turn %turns : !tile.turns<2>
    }
    %w = tile.warp_id
    %chosen = arith.cmpi eq, %w, %c0 : index
    scf.if %chosen {
      tile.store %x, %a[%c0] : bf16, !A
    }
    tile.proxy_fence
    tile.barrier
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> !P {
      %more = arith.cmpi ne, %i, %c0 : index
      %p = tile.wgmma %a, %a transpose, %acc if %more : !A, !A, !P -> !P
      %q = tile.wgmma_wait %p in_flight 1 : !P -> !P
      scf.yield %q : !P
    }
    %done = tile.wgmma_wait %sum : !P -> !Acc
  }
  tile.return
}

// -----

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

// -----

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

// -----

!A = !tile.shared<64x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x64xf32, #tile.wgmma>>
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

// -----

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

// -----

!T = !tile.shared<64x64xbf16, swizzle = 128>
tile.kernel @never_released(%a: !tile.global<64x64xbf16>, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'tile.alloc_ring': who fills a ring waits for who releases it, and the other way round}}
  // expected-note @below {{expected: tile.fill, tile.ring_wait and tile.ring_release}}
  // expected-note @below {{found: only tile.fill, tile.ring_wait}}
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  scf.for %i = %c0 to %n step %c1 {
    tile.fill %r[%i] {
    ^slot(%t: !T, %full: !tile.mbarrier):
      tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !T
    } : !tile.ring<2 x !T>
    %t = tile.ring_wait %r[%i] : !tile.ring<2 x !T> -> !T
  }
  tile.return
}

// -----

// Filled once, and kept: so often as the loop around it says.
!T = !tile.shared<64x64xbf16, swizzle = 128>
// CHECK-LABEL: tile.kernel @kept
tile.kernel @kept(%a: !tile.global<64x64xbf16>) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  scf.for %i = %c0 to %c2 step %c1 {
    tile.fill %r[%i] {
    ^slot(%t: !T, %full: !tile.mbarrier):
      tile.tma_load %a[%c0, %c0], %t signal %full : !tile.global<64x64xbf16>, !T
    } : !tile.ring<2 x !T>
  }
  %t = tile.ring_wait %r[%c0] : !tile.ring<2 x !T> -> !T
  %u = tile.ring_wait %r[%c1] : !tile.ring<2 x !T> -> !T
  tile.return
}

// -----

tile.kernel @never_passed() grid 1 threads 384 {
  // expected-error @below {{'tile.alloc_turns': a turn that is taken is passed on}}
  // expected-note @below {{expected: tile.take_turn and tile.pass_turn}}
  // expected-note @below {{found: only tile.take_turn}}
  %turns = tile.alloc_turns : !tile.turns<2>
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    tile.take_turn %turns : !tile.turns<2>
  }
  tile.return
}

// -----

!A = !tile.shared<64x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x64xf32, #tile.wgmma>>
tile.kernel @unseen(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  %part = tile.subtile %a[%c0, %c0] : !A -> !A
  // expected-note @below {{written here}}
  tile.store %x, %part[%c0] : bf16, !A
  tile.barrier
  tile.proxy_fence
  // expected-error @below {{'tile.wgmma': a tensor core sees what threads wrote behind a fence and a barrier}}
  // expected-note @below {{expected: tile.proxy_fence, then tile.barrier}}
  // expected-note @below {{found: a tile written without them}}
  %p = tile.wgmma %a, %a transpose, %none : !A, !A, !P -> !P
  tile.return
}

// -----

// Written for the next turn of the loop, behind the product of this one.
!A = !tile.shared<64x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x64xf32, #tile.wgmma>>
tile.kernel @unseen_in_turn(%x: bf16, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'tile.wgmma': a tensor core sees what threads wrote behind a fence and a barrier}}
    // expected-note @below {{expected: tile.proxy_fence, then tile.barrier}}
    // expected-note @below {{found: a tile written without them}}
    %p = tile.wgmma %a, %a transpose, %none : !A, !A, !P -> !P
    %q = tile.wgmma_wait %p : !P -> tensor<64x64xf32, #tile.wgmma>
    // expected-note @below {{written here}}
    tile.store %x, %a[%c0] : bf16, !A
    tile.barrier
  }
  tile.return
}

// -----

// A cluster's barrier is one for the CTA's threads, too.
!A = !tile.shared<64x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x64xf32, #tile.wgmma>>
tile.kernel @seen_by_the_cluster(%x: bf16, %n: index) grid 2 cluster 2 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  scf.for %i = %c0 to %n step %c1 {
    tile.store %x, %a[%i] : bf16, !A
  }
  tile.proxy_fence
  tile.cluster_barrier
  %p = tile.wgmma %a, %a transpose, %none if %false : !A, !A, !P -> !P
  %q = tile.wgmma_wait %p : !P -> tensor<64x64xf32, #tile.wgmma>
  tile.return
}

// -----

// Without a fence it is none for a tensor core.
!A = !tile.shared<64x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x64xf32, #tile.wgmma>>
tile.kernel @unfenced_by_the_cluster(%x: bf16) grid 2 cluster 2 threads 128 {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  // expected-note @below {{written here}}
  tile.store %x, %a[%c0] : bf16, !A
  tile.cluster_barrier
  // expected-error @below {{'tile.wgmma': a tensor core sees what threads wrote behind a fence and a barrier}}
  // expected-note @below {{expected: tile.proxy_fence, then tile.barrier}}
  // expected-note @below {{found: a tile written without them}}
  %p = tile.wgmma %a, %a transpose, %none : !A, !A, !P -> !P
  tile.return
}

// -----

// A consumer of 168 registers holds no 192 sums.
!A = !tile.shared<128x64xbf16, swizzle = 128>
!B = !tile.shared<192x64xbf16, swizzle = 128>
!Acc = tensor<128x192xf32, #tile.wgmma>
!P = !tile.pending<!Acc>
tile.kernel @registers(%x: f32) grid 1 threads 384 {
  // expected-error @below {{'tile.specialize': a consumer needs no more registers than it has}}
  // expected-note @below {{expected: at most 168}}
  // expected-note @below {{192 in fragments}}
  // expected-note @below {{try: smaller tiles, or fewer fragments at a time}}
  tile.specialize producer registers 40 {
  } consumers 2 registers 168 {
  ^consumer(%group: index):
    %a = tile.alloc : !A
    %b = tile.alloc : !B
    %none = tile.wgmma_none : !P
    // expected-remark @below {{the most registers are in use here}}
    %p = tile.wgmma %a, %b transpose, %none : !A, !B, !P -> !P
    %done = tile.wgmma_wait %p : !P -> !Acc
  }
  tile.return
}

// -----

// Whatever a role has later, an atom's sums must fit the launch's 128.
!A = !tile.shared<64x64xbf16, swizzle = 128>
!B = !tile.shared<256x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x256xf32, #tile.wgmma>>
tile.kernel @atom() grid 1 threads 512 {
  tile.specialize producer registers 24 {
  } consumers 3 registers 160 {
  ^consumer(%group: index):
    %a = tile.alloc : !A
    %b = tile.alloc : !B
    %none = tile.wgmma_none : !P
    // expected-error @below {{'tile.wgmma': an atom's sums fit the registers that the launch gives a thread}}
    // expected-note @below {{expected: at most 120 of 128}}
    // expected-note @below {{found: 128}}
    // expected-note @below {{try: a narrower product, or fewer threads}}
    %p = tile.wgmma %a, %b transpose, %none : !A, !B, !P -> !P
  }
  tile.return
}

// -----

// Two chunks in turn: the store of the turn before last must have read its own.
!F = tensor<64x64xbf16, #tile.wgmma>
!T = !tile.shared<64x64xbf16, swizzle = 128>
tile.kernel @overwritten(%c: !tile.global<64x64xbf16>, %x: bf16, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.splat %x : bf16 -> !F
  %chunks = tile.alloc_ring : !tile.ring<2 x !T>
  scf.for %i = %c0 to %n step %c1 {
    %chunk = tile.slot %chunks[%i] : !tile.ring<2 x !T> -> !T
    tile.tma_store_wait 2
    // expected-error @below {{'tile.store_matrix': a tile is written when the store before has read it}}
    // expected-note @below {{expected: a tile.tma_store_wait between, with fewer pending than there are slots}}
    // expected-note @below {{found: none}}
    tile.store_matrix %f, %chunk[%c0, %c0] : !F, !T
    // expected-note @below {{read here}}
    tile.tma_store %chunk, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  }
  tile.tma_store_wait 0
  tile.return
}

// -----

// One store in flight while the other chunk is written; slots that are known to differ need no wait.
!F = tensor<64x64xbf16, #tile.wgmma>
!T = !tile.shared<64x64xbf16, swizzle = 128>
// CHECK-LABEL: tile.kernel @in_turn
tile.kernel @in_turn(%c: !tile.global<64x64xbf16>, %x: bf16, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tile.splat %x : bf16 -> !F
  %chunks = tile.alloc_ring : !tile.ring<2 x !T>
  %pair = tile.alloc_ring : !tile.ring<2 x !T>
  scf.for %i = %c0 to %n step %c1 {
    %chunk = tile.slot %chunks[%i] : !tile.ring<2 x !T> -> !T
    tile.tma_store_wait 1
    tile.store_matrix %f, %chunk[%c0, %c0] : !F, !T
    tile.tma_store %chunk, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  }
  %one = tile.slot %pair[%c0] : !tile.ring<2 x !T> -> !T
  tile.store_matrix %f, %one[%c0, %c0] : !F, !T
  tile.tma_store %one, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  %two = tile.slot %pair[%c1] : !tile.ring<2 x !T> -> !T
  tile.store_matrix %f, %two[%c0, %c0] : !F, !T
  tile.tma_store %two, %c[%c0, %c0] : !T, !tile.global<64x64xbf16>
  tile.tma_store_wait 0
  tile.return
}
