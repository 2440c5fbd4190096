// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-shared{target=sm_80}))' -verify-diagnostics

// More than one CTA of the target may have.
// expected-error@+4 {{'tile.kernel': the shared tiles of a CTA must fit its memory}}
// expected-note@+3 {{expected: at most 166912 bytes on sm_80}}
// expected-note@+2 {{found: 262144}}
// expected-note@+1 {{try: a schedule with smaller tiles or fewer stages}}
tile.kernel @ring(%x: !tile.global<8xf32>) grid 1 threads 128 {
  %a = tile.alloc_ring : !tile.ring<4 x !tile.shared<128x128xf32>>
  tile.return
}
