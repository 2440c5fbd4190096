// RUN: kiln-opt %s --cpu-lower --split-input-file --verify-diagnostics

tile.kernel @function(%x: !tile.global<16xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<16xf32> -> tensor<16xf32, #tile.simd>
  // expected-error @below {{'math.exp' cannot be lowered for the cpu target}}
  // expected-note @below {{no row of codegen/cpu names it}}
  %w = math.exp %v : tensor<16xf32, #tile.simd>
  tile.store %w, %x[%c0] : tensor<16xf32, #tile.simd>, !tile.global<16xf32>
  tile.return
}

// -----

tile.kernel @fast(%x: !tile.global<16xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<16xf32> -> tensor<16xf32, #tile.simd>
  // expected-error @below {{asks for fast maths, which changes results}}
  %w = arith.addf %v, %v fastmath<reassoc> : tensor<16xf32, #tile.simd>
  tile.store %w, %x[%c0] : tensor<16xf32, #tile.simd>, !tile.global<16xf32>
  tile.return
}

// -----

tile.kernel @no_offset() grid 1 {
  // expected-error @below {{has no offset; tile-assign-shared sets it}}
  %t = tile.alloc : !tile.shared<16xf32>
  tile.return
}

// -----

tile.kernel @bad_offset() grid 1 {
  // expected-error @below {{cannot lie at this offset}}
  // expected-note @below {{expected: a multiple of 4 from 0 to 1073741824, found: 6}}
  %t = tile.alloc {offset = 6 : i64} : !tile.shared<16xf32>
  tile.return
}

// -----

tile.kernel @swizzled() grid 1 {
  // expected-error @below {{cannot be lowered for the cpu target}}
  // expected-note @below {{a shared tile on the cpu target is not swizzled, found: '!tile.shared<16xf32, swizzle = 128>'}}
  %t = tile.alloc {offset = 0 : i64} : !tile.shared<16xf32, swizzle = 128>
  tile.return
}

// -----

// expected-error @below {{cannot be lowered for the cpu target}}
// expected-note @below {{the cpu target has no such elements in memory, found: '!tile.global<16xbf16>'}}
tile.kernel @bf16(%x: !tile.global<16xbf16>) grid 1 {
  tile.return
}

// -----

tile.kernel @huge(%x: !tile.global<1048576xf32>) grid 1 {
  %c0 = arith.constant 0 : index
  // expected-error @below {{cannot be lowered for the cpu target}}
  // expected-note @below {{a fragment's row takes at most 16384 bits, found: 'tensor<1048576xf32, #tile.simd>'}}
  %v = tile.load %x[%c0] : !tile.global<1048576xf32> -> tensor<1048576xf32, #tile.simd>
  tile.return
}

// -----

tile.kernel @tensor(%x: !tile.global<16xf32>) grid 1 {
  // expected-error @below {{cannot be lowered for the cpu target}}
  // expected-note @below {{the cpu target computes with no such type, found: 'tensor<16xf32>'}}
  %v = arith.constant dense<1.0> : tensor<16xf32>
  tile.return
}
