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
  // expected-note @below {{expected: a multiple of 4 from 0 to 1073741824}}
  // expected-note @below {{found: 6}}
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
// expected-note @below {{the cpu target has no such elements in memory, found: '!tile.global<16xf8E5M2>'}}
tile.kernel @f8(%x: !tile.global<16xf8E5M2>) grid 1 {
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

// -----

// Where a 16-bit float rounds is written: sums are f32, and so is the way from an integer or a double.
tile.kernel @halves(%x: !tile.global<16xbf16>, %n: !tile.global<16xi32>, %d: !tile.global<16xf64>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%c0] : !tile.global<16xbf16> -> tensor<16xbf16, #tile.simd>
  // expected-error @below {{'tile.fold' op has no 16-bit arithmetic on the cpu target: extend to f32 first}}
  // expected-error @below {{failed to legalize operation 'tile.fold'}}
  %s = tile.fold <add> %v : tensor<16xbf16, #tile.simd> -> bf16
  tile.return
}

// -----

tile.kernel @integers(%n: !tile.global<16xi32>, %y: !tile.global<16xf16>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %n[%c0] : !tile.global<16xi32> -> tensor<16xi32, #tile.simd>
  // expected-error @below {{'arith.sitofp' op goes through f32 on the cpu target}}
  // expected-error @below {{failed to legalize operation 'arith.sitofp'}}
  %s = arith.sitofp %v : tensor<16xi32, #tile.simd> to tensor<16xf16, #tile.simd>
  tile.store %s, %y[%c0] : tensor<16xf16, #tile.simd>, !tile.global<16xf16>
  tile.return
}

// -----

tile.kernel @doubles(%n: !tile.global<16xf64>, %y: !tile.global<16xf16>) grid 1 {
  %c0 = arith.constant 0 : index
  %v = tile.load %n[%c0] : !tile.global<16xf64> -> tensor<16xf64, #tile.simd>
  // expected-error @below {{'arith.truncf' op rounds f32 alone to 16 bits on the cpu target}}
  // expected-error @below {{failed to legalize operation 'arith.truncf'}}
  %s = arith.truncf %v : tensor<16xf64, #tile.simd> to tensor<16xf16, #tile.simd>
  tile.store %s, %y[%c0] : tensor<16xf16, #tile.simd>, !tile.global<16xf16>
  tile.return
}
