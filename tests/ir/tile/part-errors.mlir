// RUN: kiln-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --pass-pipeline='builtin.module(tile.kernel(tile-unroll))' --verify-diagnostics

!F = tensor<64x128xf32, #tile.wgmma>
!G = tensor<64x256xf32, #tile.wgmma>
!G2 = tensor<64x64xf32, #tile.wgmma>
!T = !tile.shared<64x64xbf16, swizzle = 128>
!U = !tile.shared<64x64xbf16>
!T2 = !tile.shared<128x128xbf16, swizzle = 128, panel = 64>
!U2 = !tile.shared<64x128xbf16, swizzle = 128, panel = 64>
!U3 = !tile.shared<64x32xbf16, swizzle = 128>
!T3 = !tile.shared<128x64xbf16, swizzle = 128>
!U4 = !tile.shared<64x64xbf16, swizzle = 128>
!R = tensor<128xf32, #tile.wgmma_rows>
!C = tensor<64xf32, #tile.wgmma_columns>
!F2 = tensor<64x128xbf16, #tile.wgmma>
!A = tensor<64x64xbf16, #tile.wgmma_a>
!A2 = tensor<64x128xf32, #tile.wgmma_a>
!A3 = tensor<64x128xbf16, #tile.mma_acc<warps = [2, 2]>>
!F3 = tensor<64x8xbf16, #tile.wgmma>
!T4 = !tile.shared<64x12xbf16>

// Parts, rows and columns, and other layouts of fragments.

tile.kernel @k(%x: f32) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %f = tile.splat %x : f32 -> !F
  // expected-error @below {{'tile.extract' (C1): a part has the layout and elements of a matrix that is no smaller}}
  // expected-note @below {{expected: tensor<64x128xf32, #tile.wgmma>}}
  // expected-note @below {{found: tensor<64x256xf32, #tile.wgmma>}}
  %g = tile.extract %f[%c0, %c0] : !F -> !G
  tile.return
}

// Column 4 lies in other threads.
tile.kernel @k_2(%x: f32) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %f = tile.splat %x : f32 -> !F
  // expected-error @below {{'tile.extract' (C2): each thread holds its elements of the part}}
  // expected-note @below {{expected: offsets at which a tensor<64x64xf32, #tile.wgmma> lies in a tensor<64x128xf32, #tile.wgmma>}}
  // expected-note @below {{found: [0, 4]}}
  %g = tile.extract %f[%c0, %c4] : !F -> !G2
  tile.return
}

tile.kernel @k_3(%x: f32) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %f = tile.splat %x : f32 -> !F
  // expected-error @below {{'tile.extract' (C2): each thread holds its elements of the part}}
  // expected-note @below {{expected: offsets at which a tensor<64x64xf32, #tile.wgmma> lies in a tensor<64x128xf32, #tile.wgmma>}}
  // expected-note @below {{found: [0, 128]}}
  %g = tile.extract %f[%c0, %c128] : !F -> !G2
  tile.return
}

tile.kernel @k_4() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T
  // expected-error @below {{'tile.subtile' (C1): a part has the elements and swizzle of a matrix that is no smaller}}
  // expected-note @below {{expected: !tile.shared<64x64xbf16, swizzle = 128>}}
  // expected-note @below {{found: !tile.shared<64x64xbf16>}}
  %u = tile.subtile %t[%c0, %c0] : !T -> !U
  tile.return
}

// Half of the rows of two panels: their distance would be another's.
tile.kernel @k_5() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T2
  // expected-error @below {{'tile.subtile' (C2): a part lies in memory as its type says}}
  // expected-note @below {{expected: rows by 8 of 64 columns, or several panels with all 128 rows}}
  // expected-note @below {{found: !tile.shared<64x128xbf16, swizzle = 128, panel = 64>}}
  %u = tile.subtile %t[%c0, %c0] : !T2 -> !U2
  tile.return
}

tile.kernel @k_6() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %t = tile.alloc : !T
  // expected-error @below {{'tile.subtile' (C2): a part lies in memory as its type says}}
  // expected-note @below {{expected: rows by 8 of 64 columns, or several panels with all 64 rows}}
  // expected-note @below {{found: !tile.shared<64x32xbf16, swizzle = 128>}}
  %u = tile.subtile %t[%c0, %c0] : !T -> !U3
  tile.return
}

tile.kernel @k_7() grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = tile.alloc : !T3
  // expected-error @below {{'tile.subtile' (C2): a part lies in its tile, at a row that the swizzle starts again with}}
  // expected-note @below {{expected: rows up to 64 by 8, columns up to 0 by 64}}
  // expected-note @below {{found: [4, 0]}}
  %u = tile.subtile %t[%c4, %c0] : !T3 -> !U4
  tile.return
}

tile.kernel @k_8(%x: f32) grid 1 threads 128 {
  %f = tile.splat %x : f32 -> !F
  // expected-error @below {{'tile.reduce_rows' (C1): rows of an accumulator become one element each}}
  // expected-note @below {{expected: #tile.wgmma to #tile.wgmma_rows of its rows and elements}}
  // expected-note @below {{found: tensor<64x128xf32, #tile.wgmma>, tensor<128xf32, #tile.wgmma_rows>}}
  %r = tile.reduce_rows <max> %f : !F -> !R
  tile.return
}

tile.kernel @k_9(%x: f32) grid 1 threads 128 {
  %c = tile.splat %x : f32 -> !C
  // expected-error @below {{'tile.broadcast' (C1): an element per row or column becomes an accumulator's}}
  // expected-note @below {{expected: #tile.wgmma_rows or #tile.wgmma_columns to #tile.wgmma of its rows or columns and elements}}
  // expected-note @below {{found: tensor<64xf32, #tile.wgmma_columns>, tensor<64x128xf32, #tile.wgmma>}}
  %f = tile.broadcast %c : !C -> !F
  tile.return
}

tile.kernel @k_10(%x: bf16) grid 1 threads 128 {
  %f = tile.splat %x : bf16 -> !F2
  // expected-error @below {{'tile.relayout' (C1): another layout changes no element}}
  // expected-note @below {{expected: tensor<64x128xbf16, #tile.wgmma>}}
  // expected-note @below {{found: tensor<64x64xbf16, #tile.wgmma_a>}}
  %a = tile.relayout %f : !F2 -> !A
  tile.return
}

tile.kernel @k_11(%x: f32) grid 1 threads 128 {
  %f = tile.splat %x : f32 -> !F
  // expected-error @below {{'tile.relayout' (C2): every thread, or of 8-bit elements its quad, holds the elements that it needs}}
  // expected-note @below {{expected: a layout that tensor<64x128xf32, #tile.wgmma> has all elements of}}
  // expected-note @below {{found: tensor<64x128xf32, #tile.wgmma_a>}}
  // expected-note @below {{try: tile.store and tile.load through a shared tile}}
  %a = tile.relayout %f : !F -> !A2
  tile.return
}

tile.kernel @k_12(%x: bf16) grid 1 threads 128 {
  %f = tile.splat %x : bf16 -> !F2
  // expected-error @below {{'tile.relayout' (C2): every thread, or of 8-bit elements its quad, holds the elements that it needs}}
  // expected-note @below {{expected: a layout that tensor<64x128xbf16, #tile.wgmma> has all elements of}}
  // expected-note @below {{found: tensor<64x128xbf16, #tile.mma_acc<warps = [2, 2]>>}}
  // expected-note @below {{try: tile.store and tile.load through a shared tile}}
  %a = tile.relayout %f : !F2 -> !A3
  tile.return
}

tile.kernel @k_13() grid 1 threads 128 {
  // expected-error @below {{'tile.coordinates' (C1): the fragment has the dimension}}
  // expected-note @below {{expected: below 2}}
  // expected-note @below {{found: 2}}
  %c = tile.coordinates 2 : tensor<64x128xi32, #tile.wgmma>
  tile.return
}

tile.kernel @k_14() grid 1 threads 128 {
  // expected-error @below {{'tile.coordinates' (C2): coordinates are 32-bit integers}}
  // expected-note @below {{expected: i32}}
  // expected-note @below {{found: f32}}
  %c = tile.coordinates 1 : tensor<64x128xf32, #tile.wgmma>
  tile.return
}

tile.kernel @k_15(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %f = tile.splat %x : bf16 -> !F2
  %t = tile.alloc : !T
  // expected-error @below {{'tile.store_matrix' (C1): an accumulator of 16-bit elements goes to a tile that holds it}}
  // expected-note @below {{expected: #tile.wgmma or #tile.mma_acc, a tile of at least 64x128 of its elements}}
  // expected-note @below {{found: tensor<64x128xbf16, #tile.wgmma>, !tile.shared<64x64xbf16, swizzle = 128>}}
  tile.store_matrix %f, %t[%c0, %c0] : !F2, !T
  tile.return
}

tile.kernel @k_16(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %f = tile.splat %x : bf16 -> !F3
  %t = tile.alloc : !T4
  // expected-error @below {{'tile.store_matrix' (C2): the tile must have rows of 16-byte chunks}}
  // expected-note @below {{expected: rows a multiple of 16 bytes}}
  // expected-note @below {{found: !tile.shared<64x12xbf16>}}
  tile.store_matrix %f, %t[%c0, %c0] : !F3, !T4
  tile.return
}

tile.kernel @k_17(%x: bf16) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %f = tile.splat %x : bf16 -> !F3
  %t = tile.alloc : !T
  // expected-error @below {{'tile.store_matrix' (C3): matrices of 8x8 are written whole}}
  // expected-note @below {{expected: a row and column that are multiples of 8}}
  // expected-note @below {{found: [0, 4]}}
  tile.store_matrix %f, %t[%c0, %c4] : !F3, !T
  tile.return
}
