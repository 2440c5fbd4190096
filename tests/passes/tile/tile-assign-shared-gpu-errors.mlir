// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-shared{target=sm_80}))' -verify-diagnostics

!A = !tile.shared<128x64xbf16, swizzle = 128>
!B = !tile.shared<256x64xbf16, swizzle = 128>

// More than one CTA of the target may have.
// expected-error@+4 {{'tile.kernel': the shared tiles of a CTA must fit its memory}}
// expected-note@+3 {{expected: at most 166912 bytes on sm_80}}
// expected-note@+2 {{found: 262144: 4 x 65536}}
// expected-note@+1 {{try: a schedule with smaller tiles or fewer stages}}
tile.kernel @ring(%x: !tile.global<8xf32>) grid 1 threads 128 {
  %a = tile.alloc_ring : !tile.ring<4 x !tile.shared<128x128xf32>>
  tile.return
}

// Where the bytes go: slots and their barriers, a ring for each consumer, a tile.
// expected-error@+4 {{'tile.kernel': the shared tiles of a CTA must fit its memory}}
// expected-note@+3 {{expected: at most 166912 bytes on sm_80}}
// expected-note@+2 {{found: 230912: 4 x 49152 + 64, 512, 2 x 2 x 8192}}
// expected-note@+1 {{try: a schedule with smaller tiles or fewer stages}}
tile.kernel @parts() grid 1 threads 384 {
  %ring = tile.alloc_ring readers 2 : !tile.ring<4 x !A, !B>
  %bias = tile.alloc : !tile.shared<128xf32>
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    %chunks = tile.alloc_ring : !tile.ring<2 x !tile.shared<64x64xbf16, swizzle = 128>>
  }
  tile.return
}
