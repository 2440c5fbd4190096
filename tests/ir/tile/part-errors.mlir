// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// Parts, rows and columns, and other layouts of fragments.

!F = tensor<64x128xf32, #tile.wgmma>
!G = tensor<64x256xf32, #tile.wgmma>
tile.kernel @k(%x: f32) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %f = tile.splat %x : f32 -> !F
  // expected-error @below {{'tile.extract' (C1): a part has the layout and elements of a matrix that is no smaller}}
  // expected-note @below {{expected: tensor<64x128xf32, #tile.wgmma>}}
  // expected-note @below {{found: tensor<64x256xf32, #tile.wgmma>}}
  %g = tile.extract %f[%c0, %c0] : !F -> !G
  tile.return
}

// -----

// Column 4 lies in other threads.
!F = tensor<64x128xf32, #tile.wgmma>
!G = tensor<64x64xf32, #tile.wgmma>
tile.kernel @k(%x: f32) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %f = tile.splat %x : f32 -> !F
  // expected-error @below {{'tile.extract' (C2): each thread holds its elements of the part}}
  // expected-note @below {{expected: offsets at which a tensor<64x64xf32, #tile.wgmma> lies in a tensor<64x128xf32, #tile.wgmma>}}
  // expected-note @below {{found: [0, 4]}}
  %g = tile.extract %f[%c0, %c4] : !F -> !G
  tile.return
}

// -----

!F = tensor<64x128xf32, #tile.wgmma>
!G = tensor<64x64xf32, #tile.wgmma>
tile.kernel @k(%x: f32) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %f = tile.splat %x : f32 -> !F
  // expected-error @below {{'tile.extract' (C2): each thread holds its elements of the part}}
  // expected-note @below {{expected: offsets at which a tensor<64x64xf32, #tile.wgmma> lies in a tensor<64x128xf32, #tile.wgmma>}}
  // expected-note @below {{found: [0, 128]}}
  %g = tile.extract %f[%c0, %c128] : !F -> !G
  tile.return
}

// -----

!T = !tile.shared<64x64xbf16, swizzle = 128>
!U = !tile.shared<64x64xbf16>
tile.kernel @k() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T
  // expected-error @below {{'tile.subtile' (C1): a part has the elements and swizzle of a matrix that is no smaller}}
  // expected-note @below {{expected: !tile.shared<64x64xbf16, swizzle = 128>}}
  // expected-note @below {{found: !tile.shared<64x64xbf16>}}
  %u = tile.subtile %t[%c0, %c0] : !T -> !U
  tile.return
}

// -----

// Half of the rows of two panels: their distance would be another's.
!T = !tile.shared<128x128xbf16, swizzle = 128, panel = 64>
!U = !tile.shared<64x128xbf16, swizzle = 128, panel = 64>
tile.kernel @k() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T
  // expected-error @below {{'tile.subtile' (C2): a part lies in memory as its type says}}
  // expected-note @below {{expected: rows by 8 of 64 columns, or several panels with all 128 rows}}
  // expected-note @below {{found: !tile.shared<64x128xbf16, swizzle = 128, panel = 64>}}
  %u = tile.subtile %t[%c0, %c0] : !T -> !U
  tile.return
}

// -----

!T = !tile.shared<64x64xbf16, swizzle = 128>
!U = !tile.shared<64x32xbf16, swizzle = 128>
tile.kernel @k() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T
  // expected-error @below {{'tile.subtile' (C2): a part lies in memory as its type says}}
  // expected-note @below {{expected: rows by 8 of 64 columns, or several panels with all 64 rows}}
  // expected-note @below {{found: !tile.shared<64x32xbf16, swizzle = 128>}}
  %u = tile.subtile %t[%c0, %c0] : !T -> !U
  tile.return
}

// -----

!T = !tile.shared<128x64xbf16, swizzle = 128>
!U = !tile.shared<64x64xbf16, swizzle = 128>
tile.kernel @k() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = tile.alloc : !T
  // expected-error @below {{'tile.subtile' (C2): a part lies in its tile, at a row that the swizzle starts again with}}
  // expected-note @below {{expected: rows up to 64 by 8, columns up to 0 by 64}}
  // expected-note @below {{found: [4, 0]}}
  %u = tile.subtile %t[%c4, %c0] : !T -> !U
  tile.return
}

// -----

!F = tensor<64x128xf32, #tile.wgmma>
!R = tensor<128xf32, #tile.wgmma_rows>
tile.kernel @k(%x: f32) grid 1 threads 128 {
  %f = tile.splat %x : f32 -> !F
  // expected-error @below {{'tile.reduce_rows' (C1): rows of an accumulator become one element each}}
  // expected-note @below {{expected: #tile.wgmma to #tile.wgmma_rows of its rows and elements}}
  // expected-note @below {{found: tensor<64x128xf32, #tile.wgmma>, tensor<128xf32, #tile.wgmma_rows>}}
  %r = tile.reduce_rows <max> %f : !F -> !R
  tile.return
}

// -----

!F = tensor<64x128xf32, #tile.wgmma>
!C = tensor<64xf32, #tile.wgmma_columns>
tile.kernel @k(%x: f32) grid 1 threads 128 {
  %c = tile.splat %x : f32 -> !C
  // expected-error @below {{'tile.broadcast' (C1): an element per row or column becomes an accumulator's}}
  // expected-note @below {{expected: #tile.wgmma_rows or #tile.wgmma_columns to #tile.wgmma of its rows or columns and elements}}
  // expected-note @below {{found: tensor<64xf32, #tile.wgmma_columns>, tensor<64x128xf32, #tile.wgmma>}}
  %f = tile.broadcast %c : !C -> !F
  tile.return
}

// -----

!F = tensor<64x128xbf16, #tile.wgmma>
!A = tensor<64x64xbf16, #tile.wgmma_a>
tile.kernel @k(%x: bf16) grid 1 threads 128 {
  %f = tile.splat %x : bf16 -> !F
  // expected-error @below {{'tile.relayout' (C1): another layout changes no element}}
  // expected-note @below {{expected: tensor<64x128xbf16, #tile.wgmma>}}
  // expected-note @below {{found: tensor<64x64xbf16, #tile.wgmma_a>}}
  %a = tile.relayout %f : !F -> !A
  tile.return
}

// -----

!F = tensor<64x128xf32, #tile.wgmma>
!A = tensor<64x128xf32, #tile.wgmma_a>
tile.kernel @k(%x: f32) grid 1 threads 128 {
  %f = tile.splat %x : f32 -> !F
  // expected-error @below {{'tile.relayout' (C2): every thread, or of 8-bit elements its quad, holds the elements that it needs}}
  // expected-note @below {{expected: a layout that tensor<64x128xf32, #tile.wgmma> has all elements of}}
  // expected-note @below {{found: tensor<64x128xf32, #tile.wgmma_a>}}
  // expected-note @below {{try: tile.store and tile.load through a shared tile}}
  %a = tile.relayout %f : !F -> !A
  tile.return
}

// -----

!F = tensor<64x128xbf16, #tile.wgmma>
!A = tensor<64x128xbf16, #tile.mma_acc<warps = [2, 2]>>
tile.kernel @k(%x: bf16) grid 1 threads 128 {
  %f = tile.splat %x : bf16 -> !F
  // expected-error @below {{'tile.relayout' (C2): every thread, or of 8-bit elements its quad, holds the elements that it needs}}
  // expected-note @below {{expected: a layout that tensor<64x128xbf16, #tile.wgmma> has all elements of}}
  // expected-note @below {{found: tensor<64x128xbf16, #tile.mma_acc<warps = [2, 2]>>}}
  // expected-note @below {{try: tile.store and tile.load through a shared tile}}
  %a = tile.relayout %f : !F -> !A
  tile.return
}

// -----

tile.kernel @k() grid 1 threads 128 {
  // expected-error @below {{'tile.coordinates' (C1): the fragment has the dimension}}
  // expected-note @below {{expected: below 2}}
  // expected-note @below {{found: 2}}
  %c = tile.coordinates 2 : tensor<64x128xi32, #tile.wgmma>
  tile.return
}

// -----

tile.kernel @k() grid 1 threads 128 {
  // expected-error @below {{'tile.coordinates' (C2): coordinates are 32-bit integers}}
  // expected-note @below {{expected: i32}}
  // expected-note @below {{found: f32}}
  %c = tile.coordinates 1 : tensor<64x128xf32, #tile.wgmma>
  tile.return
}

// -----

!F = tensor<64x128xbf16, #tile.wgmma>
!T = !tile.shared<64x64xbf16, swizzle = 128>
tile.kernel @k(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %f = tile.splat %x : bf16 -> !F
  %t = tile.alloc : !T
  // expected-error @below {{'tile.store_matrix' (C1): an accumulator of 16-bit elements goes to a tile that holds it}}
  // expected-note @below {{expected: #tile.wgmma or #tile.mma_acc, a tile of at least 64x128 of its elements}}
  // expected-note @below {{found: tensor<64x128xbf16, #tile.wgmma>, !tile.shared<64x64xbf16, swizzle = 128>}}
  tile.store_matrix %f, %t[%c0, %c0] : !F, !T
  tile.return
}

// -----

!F = tensor<64x8xbf16, #tile.wgmma>
!T = !tile.shared<64x12xbf16>
tile.kernel @k(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %f = tile.splat %x : bf16 -> !F
  %t = tile.alloc : !T
  // expected-error @below {{'tile.store_matrix' (C2): the tile must have rows of 16-byte chunks}}
  // expected-note @below {{expected: rows a multiple of 16 bytes}}
  // expected-note @below {{found: !tile.shared<64x12xbf16>}}
  tile.store_matrix %f, %t[%c0, %c0] : !F, !T
  tile.return
}

// -----

!F = tensor<64x8xbf16, #tile.wgmma>
!T = !tile.shared<64x64xbf16, swizzle = 128>
tile.kernel @k(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %f = tile.splat %x : bf16 -> !F
  %t = tile.alloc : !T
  // expected-error @below {{'tile.store_matrix' (C3): matrices of 8x8 are written whole}}
  // expected-note @below {{expected: a row and column that are multiples of 8}}
  // expected-note @below {{found: [0, 4]}}
  tile.store_matrix %f, %t[%c0, %c4] : !F, !T
  tile.return
}
