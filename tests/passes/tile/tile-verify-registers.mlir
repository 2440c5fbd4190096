// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify-registers))' --verify-diagnostics

!A = !tile.shared<128x64xbf16, swizzle = 128>
!B = !tile.shared<192x64xbf16, swizzle = 128>
!Acc = tensor<128x192xf32, #tile.wgmma>
!P = !tile.pending<!Acc>
!A2 = !tile.shared<64x64xbf16, swizzle = 128>
!B2 = !tile.shared<256x64xbf16, swizzle = 128>
!P2 = !tile.pending<tensor<64x256xf32, #tile.wgmma>>

// A consumer of 168 registers holds no 192 sums.
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

// Whatever a role has later, an atom's sums must fit the launch's 128.
tile.kernel @atom() grid 1 threads 512 {
  tile.specialize producer registers 24 {
  } consumers 3 registers 160 {
  ^consumer(%group: index):
    %a = tile.alloc : !A2
    %b = tile.alloc : !B2
    %none = tile.wgmma_none : !P2
    // expected-error @below {{'tile.wgmma': an atom's sums fit the registers that the launch gives a thread}}
    // expected-note @below {{expected: at most 120 of 128}}
    // expected-note @below {{found: 128}}
    // expected-note @below {{try: a narrower product, or fewer threads}}
    %p = tile.wgmma %a, %b transpose, %none : !A2, !B2, !P2 -> !P2
  }
  tile.return
}
