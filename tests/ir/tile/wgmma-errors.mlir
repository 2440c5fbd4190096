// RUN: kiln-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --pass-pipeline='builtin.module(tile.kernel(tile-unroll))' --split-input-file --verify-diagnostics

!A = !tile.shared<64x64xbf16, swizzle = 128>
!P = !tile.pending<tensor<64x64xf16, #tile.wgmma>>
!B = !tile.shared<64x64xf16, swizzle = 128>
!P2 = !tile.pending<tensor<64x64xf32, #tile.wgmma>>
!B2 = !tile.shared<128x64xbf16, swizzle = 128>
!B3 = !tile.shared<264x64xbf16, swizzle = 128>
!P3 = !tile.pending<tensor<64x264xf32, #tile.wgmma>>
!A2 = !tile.shared<64x128xi8, swizzle = 128>
!B4 = !tile.shared<40x128xi8, swizzle = 128>
!P4 = !tile.pending<tensor<64x40xi32, #tile.wgmma>>
!A3 = !tile.shared<64x64xbf16>
!A4 = !tile.shared<64x128xbf16, swizzle = 128>
!A5 = !tile.shared<64x128xf8E4M3FN, swizzle = 128>
!B5 = !tile.shared<128x128xf8E5M2, swizzle = 128>
!P5 = !tile.pending<tensor<64x128xf32, #tile.wgmma>>
!A6 = !tile.shared<64x64xf32, swizzle = 128, panel = 32>
!B6 = !tile.shared<64x64xbf16, swizzle = 128>
!F = tensor<64x64xbf16, #tile.wgmma>
!P6 = !tile.pending<tensor<64x64xi32, #tile.wgmma>>
!F2 = tensor<64x64xf32, #tile.wgmma>
!P7 = !tile.pending<!F2>

tile.kernel @k() grid 1 threads 128 {
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P
  // expected-error @below {{'tile.wgmma' (C1): element types are those of an atom}}
  // expected-note @below {{expected: sums in a #tile.wgmma fragment, of a row of the table}}
  // expected-note @below {{found: bf16, bf16, tensor<64x64xf16, #tile.wgmma>}}
  %p = tile.wgmma %a, %a transpose, %none : !A, !A, !P -> !P
  tile.return
}

tile.kernel @k_2() grid 1 threads 128 {
  %a = tile.alloc : !A
  %b = tile.alloc : !B
  %none = tile.wgmma_none : !P2
  // expected-error @below {{'tile.wgmma' (C1): element types are those of an atom}}
  // expected-note @below {{expected: sums in a #tile.wgmma fragment, of a row of the table}}
  // expected-note @below {{found: bf16, f16, tensor<64x64xf32, #tile.wgmma>}}
  %p = tile.wgmma %a, %b transpose, %none : !A, !B, !P2 -> !P2
  tile.return
}

tile.kernel @k_3() grid 1 threads 128 {
  %a = tile.alloc : !A
  %b = tile.alloc : !B2
  %none = tile.wgmma_none : !P2
  // expected-error @below {{'tile.wgmma' (C2): the extents match}}
  // expected-note @below {{expected: MxK by KxN into MxN, the result as what is added to}}
  // expected-note @below {{found: !tile.shared<64x64xbf16, swizzle = 128>, !tile.shared<128x64xbf16, swizzle = 128>, !tile.pending<tensor<64x64xf32, #tile.wgmma>>, !tile.pending<tensor<64x64xf32, #tile.wgmma>>}}
  %p = tile.wgmma %a, %b transpose, %none : !A, !B2, !P2 -> !P2
  tile.return
}

tile.kernel @k_4() grid 1 threads 128 {
  %a = tile.alloc : !A
  %b = tile.alloc : !B3
  %none = tile.wgmma_none : !P3
  // expected-error @below {{'tile.wgmma' (C3): extents are whole atoms}}
  // expected-note @below {{expected: M a multiple of 64, N of 8 up to 256, K of 16}}
  // expected-note @below {{found: M = 64, N = 264, K = 64}}
  %p = tile.wgmma %a, %b transpose, %none : !A, !B3, !P3 -> !P3
  tile.return
}

tile.kernel @k_5() grid 1 threads 128 {
  %a = tile.alloc : !A2
  %b = tile.alloc : !B4
  %none = tile.wgmma_none : !P4
  // expected-error @below {{'tile.wgmma' (C3): extents are whole atoms}}
  // expected-note @below {{expected: M a multiple of 64, N of 16 up to 256, K of 32}}
  // expected-note @below {{found: M = 64, N = 40, K = 128}}
  %p = tile.wgmma %a, %b transpose, %none : !A2, !B4, !P4 -> !P4
  tile.return
}

tile.kernel @k_6() grid 1 threads 128 {
  %a = tile.alloc : !A3
  %none = tile.wgmma_none : !P2
  // expected-error @below {{'tile.wgmma' (C4): a shared operand has rows, or panels, as long as its swizzle}}
  // expected-note @below {{expected: panels of 64 columns}}
  // expected-note @below {{found: !tile.shared<64x64xbf16>}}
  %p = tile.wgmma %a, %a transpose, %none : !A3, !A3, !P2 -> !P2
  tile.return
}

// Rows of two swizzles: they must be cut into panels.
tile.kernel @k_7() grid 1 threads 128 {
  %a = tile.alloc : !A4
  %none = tile.wgmma_none : !P2
  // expected-error @below {{'tile.wgmma' (C4): a shared operand has rows, or panels, as long as its swizzle}}
  // expected-note @below {{expected: panels of 64 columns}}
  // expected-note @below {{found: !tile.shared<64x128xbf16, swizzle = 128>}}
  %p = tile.wgmma %a, %a transpose, %none : !A4, !A4, !P2 -> !P2
  tile.return
}

tile.kernel @k_8() grid 1 threads 128 {
  %a = tile.alloc : !A5
  %b = tile.alloc : !B5
  %none = tile.wgmma_none : !P5
  // expected-error @below {{'tile.wgmma' (C5): b must have its rows along k}}
  // expected-note @below {{expected: 16 bits, or rows along k}}
  // expected-note @below {{found: elements of 8 bits}}
  // expected-note @below {{try: a transposed b}}
  %p = tile.wgmma %a, %b, %none : !A5, !B5, !P5 -> !P5
  tile.return
}

tile.kernel @k_9() grid 1 threads 128 {
  %a = tile.alloc : !A6
  %none = tile.wgmma_none : !P2
  // expected-error @below {{'tile.wgmma' (C5): a must have its rows along k}}
  // expected-note @below {{expected: 16 bits, or rows along k}}
  // expected-note @below {{found: elements of 32 bits}}
  // expected-note @below {{try: no transposed a}}
  %p = tile.wgmma %a transpose, %a transpose, %none : !A6, !A6, !P2 -> !P2
  tile.return
}

tile.kernel @k_10(%x: bf16) grid 1 threads 128 {
  %a = tile.splat %x : bf16 -> !F
  %b = tile.alloc : !B6
  %none = tile.wgmma_none : !P2
  // expected-error @below {{'tile.wgmma' (C6): a in registers is a #tile.wgmma_a fragment as it is}}
  // expected-note @below {{expected: #tile.wgmma_a, no transpose}}
  // expected-note @below {{found: tensor<64x64xbf16, #tile.wgmma>}}
  %p = tile.wgmma %a, %b, %none : !F, !B6, !P2 -> !P2
  tile.return
}

tile.kernel @k_11() grid 1 threads 128 {
  %a = tile.alloc : !A5
  %none = tile.wgmma_none : !P2
  // expected-error @below {{'tile.wgmma' (C7): only integers are `unsigned`}}
  // expected-note @below {{expected: i8}}
  // expected-note @below {{found: f8E4M3FN}}
  %p = tile.wgmma %a unsigned, %a transpose, %none : !A5, !A5, !P2 -> !P2
  tile.return
}

tile.kernel @k_12() grid 1 threads 128 {
  %a = tile.alloc : !A2
  %none = tile.wgmma_none : !P6
  // expected-error @below {{'tile.wgmma' (C7): a and b are `unsigned` alike}}
  // expected-note @below {{expected: both or none}}
  // expected-note @below {{found: b alone}}
  %p = tile.wgmma %a, %a transpose unsigned, %none : !A2, !A2, !P6 -> !P6
  tile.return
}

tile.kernel @k_13() grid 1 threads 128 {
  %none = tile.wgmma_none : !P2
  // expected-error @below {{'tile.wgmma_wait' (C1): groups in flight are few}}
  // expected-note @below {{expected: 0 to 7}}
  // expected-note @below {{found: 8}}
  %q = tile.wgmma_wait %none in_flight 8 : !P2 -> !P2
  tile.return
}

// One group is left in flight, and it is this one: its sums may not be read yet.
tile.kernel @k_14() grid 1 threads 128 {
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P7
  %p = tile.wgmma %a, %a transpose, %none : !A, !A, !P7 -> !P7
  // expected-error @below {{'tile.wgmma_wait' (C2): what may be in flight stays pending}}
  // expected-note @below {{expected: !tile.pending<tensor<64x64xf32, #tile.wgmma>>}}
  // expected-note @below {{found: tensor<64x64xf32, #tile.wgmma>}}
  %q = tile.wgmma_wait %p in_flight 1 : !P7 -> !F2
  tile.return
}

tile.kernel @k_15() grid 1 threads 128 {
  %a = tile.alloc : !A
  %none = tile.wgmma_none : !P7
  %p = tile.wgmma %a, %a transpose, %none : !A, !A, !P7 -> !P7
  %u = tile.wgmma %a, %a transpose, %none : !A, !A, !P7 -> !P7
  // expected-error @below {{'tile.wgmma_wait' (C2): what is done is a fragment}}
  // expected-note @below {{expected: tensor<64x64xf32, #tile.wgmma>}}
  // expected-note @below {{found: !tile.pending<tensor<64x64xf32, #tile.wgmma>>}}
  %q = tile.wgmma_wait %p in_flight 1 : !P7 -> !P7
  tile.return
}

// -----

// expected-error @below {{'!tile.pending' (C1): what is in flight is a warpgroup's accumulator}}
// expected-note @below {{expected: a #tile.wgmma fragment}}
// expected-note @below {{found: tensor<64x16xbf16, #tile.wgmma_a>}}
func.func private @f(!tile.pending<tensor<64x16xbf16, #tile.wgmma_a>>)
