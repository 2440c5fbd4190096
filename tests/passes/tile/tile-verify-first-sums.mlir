// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-first-sums))' --split-input-file --verify-diagnostics | FileCheck %s

!A = !tile.shared<64x64xbf16, swizzle = 128>
!Acc = tensor<64x64xf32, #tile.wgmma>
!P = !tile.pending<!Acc>
!F = tensor<64x64xbf16, #tile.wgmma>

// Conditions that are false in the first turn of the loop that carries the sum: whatever the bounds are, and in loops of
// loops; a sum that starts with zeros; a product that sees by itself that there is nothing.
// CHECK-LABEL: tile.kernel @fine_2
tile.kernel @fine_2(%x: bf16, %from: index, %n: index, %maybe: i1) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !Acc
  %a = tile.alloc : !A
  %f = tile.splat %x : bf16 -> !F
  tile.store %f, %a[%c0] rows 64 : !F, !A
  tile.proxy_fence
  tile.barrier
  %none = tile.wgmma_none : !P
  %alone = tile.wgmma %a, %a transpose, %none : !A, !A, !P -> !P
  %alone_done = tile.wgmma_wait %alone : !P -> !Acc
  %sum = scf.for %i = %from to %n step %c1 iter_args(%acc = %none) -> !P {
    %more = arith.cmpi sgt, %i, %from : index
    %p = tile.wgmma %a, %a transpose, %acc if %more : !A, !A, !P -> !P
    %q = tile.wgmma_wait %p in_flight 1 : !P -> !P
    scf.yield %q : !P
  }
  %done = tile.wgmma_wait %sum : !P -> !Acc
  %nested = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %none) -> !P {
    %inner = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %outer) -> !P {
      %step = arith.addi %i, %j : index
      %more = arith.cmpi ne, %step, %c0 : index
      %p = tile.wgmma %a, %a transpose, %acc if %more : !A, !A, !P -> !P
      %q = tile.wgmma_wait %p in_flight 1 : !P -> !P
      scf.yield %q : !P
    }
    scf.yield %inner : !P
  }
  %nested_done = tile.wgmma_wait %nested : !P -> !Acc
  %given = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> !P {
    %p = tile.wgmma %a, %a transpose, %acc if %maybe : !A, !A, !P -> !P
    %q = tile.wgmma_wait %p in_flight 1 : !P -> !P
    scf.yield %q : !P
  }
  %given_done = tile.wgmma_wait %given : !P -> !Acc
  // The first turn may take the other branch.
  %branched = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> !P {
    %more = arith.cmpi ne, %i, %c0 : index
    %p = scf.if %more -> !P {
      %more_p = tile.wgmma %a, %a transpose, %acc if %more : !A, !A, !P -> !P
      %q = tile.wgmma_wait %more_p in_flight 1 : !P -> !P
      scf.yield %q : !P
    } else {
      %first_p = tile.wgmma %a, %a transpose, %none : !A, !A, !P -> !P
      %q = tile.wgmma_wait %first_p in_flight 1 : !P -> !P
      scf.yield %q : !P
    }
    scf.yield %p : !P
  }
  %branched_done = tile.wgmma_wait %branched : !P -> !Acc
  %summed = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> !Acc {
    %p = tile.wgmma %a, %a transpose, %acc : !A, !A, !Acc -> !P
    %q = tile.wgmma_wait %p : !P -> !Acc
    scf.yield %q : !Acc
  }
  tile.return
}

// In the outer loop's first turn the inner one has none: the product behind it is the first.
// CHECK-LABEL: tile.kernel @later_2
tile.kernel @later_2(%x: bf16, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !A
  %f = tile.splat %x : bf16 -> !F
  tile.store %f, %a[%c0] rows 64 : !F, !A
  tile.proxy_fence
  tile.barrier
  %none = tile.wgmma_none : !P
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %none) -> !P {
    %inner = scf.for %j = %c0 to %i step %c1 iter_args(%acc = %outer) -> !P {
      %p = tile.wgmma %a, %a transpose, %acc : !A, !A, !P -> !P
      %q = tile.wgmma_wait %p in_flight 1 : !P -> !P
      scf.yield %q : !P
    }
    %more = arith.cmpi ne, %i, %c0 : index
    %p = tile.wgmma %a, %a transpose, %inner if %more : !A, !A, !P -> !P
    %q = tile.wgmma_wait %p in_flight 1 : !P -> !P
    scf.yield %q : !P
  }
  %done = tile.wgmma_wait %sum : !P -> !Acc
  tile.return
}

// -----

!A = !tile.shared<64x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x64xf32, #tile.wgmma>>
!Acc = tensor<64x64xf32, #tile.wgmma>
!P2 = !tile.pending<!Acc>

tile.kernel @without(%n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> !P {
    // expected-error @below {{'tile.wgmma': the first product on a tile.wgmma_none does not add to it}}
    // expected-note @below {{expected: a condition that is false in the loop's first turn}}
    // expected-note @below {{found: no condition}}
    // expected-note @below {{try: `if %more`, where %more is that the loop's variable is not its lower bound}}
    %p = tile.wgmma %a, %a transpose, %acc : !A, !A, !P -> !P
    %q = tile.wgmma_wait %p in_flight 1 : !P -> !P
    scf.yield %q : !P
  }
  tile.return
}

// One too low; by way of another loop.
tile.kernel @always(%from: index, %n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %none) -> !P {
    %inner = scf.for %j = %from to %n step %c1 iter_args(%acc = %outer) -> !P {
      %here = arith.addi %i, %j : index
      %more = arith.cmpi sge, %here, %from : index
      // expected-error @below {{'tile.wgmma': the first product on a tile.wgmma_none does not add to it}}
      // expected-note @below {{expected: a condition that is false in the loop's first turn}}
      // expected-note @below {{found: one that is true}}
      // expected-note @below {{try: `if %more`, where %more is that the loop's variable is not its lower bound}}
      %p = tile.wgmma %a, %a transpose, %acc if %more : !A, !A, !P -> !P
      %q = tile.wgmma_wait %p in_flight 1 : !P -> !P
      scf.yield %q : !P
    }
    scf.yield %inner : !P
  }
  tile.return
}

tile.kernel @at_once() grid 1 threads 128 {
  %true = arith.constant true
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  // expected-error @below {{'tile.wgmma': the first product on a tile.wgmma_none does not add to it}}
  // expected-note @below {{expected: a condition that is false, or none}}
  // expected-note @below {{found: one that is true}}
  // expected-note @below {{try: `if %more`, where %more is that the loop's variable is not its lower bound}}
  %p = tile.wgmma %a, %a transpose, %none if %true : !A, !A, !P -> !P
  tile.return
}

// What the product gave is not what is carried.
tile.kernel @lost(%n: index) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P2
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> !P2 {
    %more = arith.cmpi ne, %i, %c0 : index
    %p = tile.wgmma %a, %a transpose, %acc if %more : !A, !A, !P2 -> !P2
    scf.yield %acc : !P2
  }
  // expected-error @below {{'tile.wgmma_wait': what is waited for is the sums of a product}}
  // expected-note @below {{expected: the result of a tile.wgmma, carried to here}}
  // expected-note @below {{found: a tile.wgmma_none that met none}}
  // expected-note @below {{try: an scf.yield of what the product gave}}
  %done = tile.wgmma_wait %sum : !P2 -> !Acc
  tile.return
}
