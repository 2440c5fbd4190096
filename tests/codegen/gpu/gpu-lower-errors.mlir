// RUN: kiln-opt %s --gpu-lower --split-input-file --verify-diagnostics

tile.kernel @function(%x: !tile.global<64xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<64xf32> -> tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
  // expected-error @below {{'math.exp' cannot be lowered for a gpu}}
  // expected-note @below {{no row of codegen/gpu names it}}
  %w = math.exp %v : tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
  tile.store %w, %x[%c0] : tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>, !tile.global<64xf32>
  tile.return
}

// -----

tile.kernel @fast(%x: !tile.global<64xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<64xf32> -> tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
  // expected-error @below {{asks for fast maths, which changes results}}
  %w = arith.addf %v, %v fastmath<contract> : tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>
  tile.store %w, %x[%c0] : tensor<64xf32, #tile.blocked<vec = 2, threads = 32>>, !tile.global<64xf32>
  tile.return
}

// -----

// expected-error @below {{has no threads; on a gpu a CTA has them}}
tile.kernel @no_threads() grid 1 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel': a launch has no more CTAs than a gpu counts to}}
// expected-note @below {{expected: at most 2147483647}}
// expected-note @below {{found: 2147483648}}
// expected-note @below {{try: smaller tensors, or larger tiles}}
tile.kernel @vast_grid() grid 2147483648 threads 32 {
  tile.return
}

// -----

// expected-error @below {{needs more shared memory than a CTA has}}
// expected-note @below {{expected: at most 166912 bytes on sm_80}}
// expected-note @below {{found: 200000}}
tile.kernel @shared() grid 1 threads 32 attributes {shared_bytes = 200000 : i64} {
  tile.return
}

// -----

tile.kernel @no_offset() grid 1 threads 32 {
  // expected-error @below {{has no offset; tile-assign-shared sets it}}
  %t = tile.alloc : !tile.shared<16xf32>
  tile.return
}

// -----

tile.kernel @past_the_end() grid 1 threads 32 attributes {shared_bytes = 64 : i64} {
  // expected-error @below {{cannot lie at this offset}}
  // expected-note @below {{expected: a multiple of 16, the tile's end at most 64}}
  // expected-note @below {{found: 16}}
  %t = tile.alloc {offset = 16 : i64} : !tile.shared<16xf32>
  tile.return
}

// -----

tile.kernel @swizzled() grid 1 threads 32 attributes {shared_bytes = 2048 : i64} {
  // expected-error @below {{cannot lie at this offset}}
  // expected-note @below {{expected: a multiple of 1024, the tile's end at most 2048}}
  // expected-note @below {{found: 512}}
  %t = tile.alloc {offset = 512 : i64} : !tile.shared<8x16xbf16, swizzle = 32>
  tile.return
}

// -----

// Slots of a ring are 1024 bytes apart, whatever their tiles need.
tile.kernel @ring_past_the_end() grid 1 threads 32 attributes {shared_bytes = 1024 : i64} {
  // expected-error @below {{cannot lie at this offset}}
  // expected-note @below {{expected: a multiple of 1024, the tile's end at most 1024}}
  // expected-note @below {{found: 0}}
  %r = tile.alloc_ring {offset = 0 : i64} : !tile.ring<2 x !tile.shared<8x16xbf16, swizzle = 32>>
  tile.return
}

// -----

tile.kernel @registers(%x: !tile.global<8192xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  // expected-error @below {{cannot be lowered for a gpu}}
  // expected-note @below {{a thread has 255 registers for a fragment, found: 'tensor<8192xf32, #tile.blocked<vec = 4, threads = 32>>'}}
  %v = tile.load %x[%c0] : !tile.global<8192xf32> -> tensor<8192xf32, #tile.blocked<vec = 4, threads = 32>>
  tile.return
}

// -----

// expected-error @below {{cannot be lowered for a gpu}}
// expected-note @below {{no such elements in memory, found: '!tile.global<16xi4>'}}
tile.kernel @nibbles(%x: !tile.global<16xi4>) grid 1 threads 32 {
  tile.return
}

// -----

tile.kernel @tensor(%x: !tile.global<16xf32>) grid 1 threads 32 {
  // expected-error @below {{cannot be lowered for a gpu}}
  // expected-note @below {{no such type is computed with, found: 'tensor<16xf32>'}}
  %v = arith.constant dense<1.0> : tensor<16xf32>
  tile.return
}

// -----

tile.kernel @constants() grid 1 threads 32 {
  // expected-error @below {{a fragment's constant must have one value}}
  // expected-error @below {{failed to legalize operation 'arith.constant'}}
  %v = arith.constant sparse<[[0]], [1.0]> : tensor<32xf32, #tile.blocked<vec = 1, threads = 32>>
  tile.return
}

// -----

tile.kernel @units(%x: !tile.global<512xf32>) grid 1 threads 32 {
  %c0 = arith.constant 0 : index
  %acc = arith.constant dense<0.0> : tensor<64xf32, #tile.blocked<vec = 1, threads = 32>>
  %v = tile.load %x[%c0] : !tile.global<512xf32> -> tensor<512xf32, #tile.blocked<vec = 4, threads = 32>>
  // expected-error @below {{a unit must lie in the thread of its lane}}
  // expected-note @below {{expected: #tile.blocked with 8 times the accumulator's vec and as many threads}}
  // expected-note @below {{found}}
  // expected-error @below {{failed to legalize operation 'tile.fold_units'}}
  %u = tile.fold_units <add> %v into %acc : tensor<512xf32, #tile.blocked<vec = 4, threads = 32>>, tensor<64xf32, #tile.blocked<vec = 1, threads = 32>> -> tensor<64xf32, #tile.blocked<vec = 1, threads = 32>>
  tile.return
}
