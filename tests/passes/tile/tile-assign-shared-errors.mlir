// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-shared))' -verify-diagnostics

// Each fits, both do not.
// expected-error@+4 {{the workspace of one thread is too large for these shapes}}
// expected-note@+3 {{expected: at most 1073741824 bytes}}
// expected-note@+2 {{found: 1073742080}}
// expected-note@+1 {{try: a smaller reduced extent}}
tile.kernel @sum(%x: !tile.global<8xf32>) grid 1 {
  %a = tile.alloc : !tile.shared<268435456xf32>
  %b = tile.alloc : !tile.shared<1xf32>
  tile.return
}

// More bytes than an i64 counts.
// expected-error@+4 {{the workspace of one thread is too large for these shapes}}
// expected-note@+3 {{expected: at most 1073741824 bytes}}
// expected-note@+2 {{found: at least 2147483648}}
// expected-note@+1 {{try: a smaller reduced extent}}
tile.kernel @overflow(%x: !tile.global<8xf32>) grid 1 {
  %a = tile.alloc : !tile.shared<4611686018427387904x4xf32>
  tile.return
}
