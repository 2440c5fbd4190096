// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-divisions))' --split-input-file --verify-diagnostics | FileCheck %s

// By what is not known, and elements, whose ops are guarded where they are made; in a branch that is never taken.
// CHECK-LABEL: tile.kernel @fine_2
tile.kernel @fine_2(%n: index, %x: i32) grid 1 threads 32 {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %half = arith.floordivsi %n, %c2 : index
  %some = arith.remui %c2, %n : index
  %guarded = arith.divsi %x, %zero : i32
  %none = arith.constant 0 : index
  %never = arith.cmpi ne, %none, %none : index
  scf.if %never {
    %tiles = arith.ceildivui %n, %none : index
  }
  tile.return
}

// -----

tile.kernel @by_nothing(%n: index) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'arith.ceildivui': an index is divided by something}}
  // expected-note @below {{expected: a divisor of 1 or more}}
  // expected-note @below {{found: 0}}
  // expected-note @below {{try: a branch around it that is taken where there is something}}
  %tall = arith.ceildivui %n, %c0 : index
  tile.return
}
