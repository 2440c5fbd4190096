// RUN: kiln-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

tile.kernel @size(%x: !tile.global<64xf32>) grid 1 {
  // expected-error @below {{'tile.size' (C1): !tile.shared<128x64xbf16> has 2 dimensions}}
  // expected-note @below {{expected: 0 to 1}}
  // expected-note @below {{found: 2}}
  %0 = tile.size !tile.shared<128x64xbf16>[2]
  tile.return
}

// -----

tile.kernel @index(%x: !tile.global<64xf32>) grid 1 {
  %c = tile.cta_id
  // expected-error @below {{expected SSA operand}}
  %0 = tile.index %c * (
  tile.return
}

// -----

tile.kernel @index_generic(%x: !tile.global<64xf32>) grid 1 {
  %c = tile.cta_id
  // expected-error @below {{'tile.index' (C1): an expression names operands}}
  // expected-note @below {{expected: names of 1 operands, from v0 on}}
  // expected-note @below {{found: 'v1'}}
  %0 = "tile.index"(%c) <{expression = "v0 + v1"}> : (index) -> index
  tile.return
}

// -----

tile.kernel @index_text(%x: !tile.global<64xf32>) grid 1 {
  %c = tile.cta_id
  // expected-error @below {{'tile.index' (C1)}}
  // expected-note @below {{expected: an expression such as v0 * 2 + v1}}
  // expected-note @below {{found: 'v0 +'}}
  %0 = "tile.index"(%c) <{expression = "v0 +"}> : (index) -> index
  tile.return
}

// -----

tile.kernel @unravel(%x: !tile.global<64xf32>) grid 1 {
  %c = tile.cta_id
  // expected-error @below {{'tile.unravel' (C1): a grid has a dimension}}
  // expected-note @below {{expected: 1 or more extents}}
  // expected-note @below {{found: none}}
  "tile.unravel"(%c) : (index) -> ()
  tile.return
}

// -----

tile.kernel @fold_columns(%x: !tile.global<64xf32>) grid 1 threads 128 {
  %a = arith.constant dense<0.0> : tensor<64x64xf32, #tile.wgmma>
  %b = arith.constant dense<0.0> : tensor<128x8xf32, #tile.wgmma>
  // expected-error @below {{'tile.fold_columns' (C1): rows are folded into their own sums}}
  // expected-note @below {{expected: #tile.wgmma fragments of the same rows and float elements}}
  // expected-note @below {{found: tensor<64x64xf32, #tile.wgmma> into tensor<128x8xf32, #tile.wgmma>}}
  %0 = tile.fold_columns <add> %a into %b : tensor<64x64xf32, #tile.wgmma>, tensor<128x8xf32, #tile.wgmma>
  tile.return
}

// -----

tile.kernel @fold_columns_unevenly(%x: !tile.global<64xf32>) grid 1 threads 128 {
  %a = arith.constant dense<0.0> : tensor<64x64xf32, #tile.wgmma>
  %b = arith.constant dense<0.0> : tensor<64x24xf32, #tile.wgmma>
  // expected-error @below {{'tile.fold_columns' (C2): every sum has as many columns}}
  // expected-note @below {{expected: a divisor of 64}}
  // expected-note @below {{found: 24}}
  %0 = tile.fold_columns <add> %a into %b : tensor<64x64xf32, #tile.wgmma>, tensor<64x24xf32, #tile.wgmma>
  tile.return
}

// -----

tile.kernel @mask_columns(%x: !tile.global<64xf32>, %limit: index) grid 1 threads 128 {
  %a = "somewhere"() : () -> tensor<64xf32, #tile.wgmma_rows>
  // expected-error @below {{'tile.mask_columns' (C1): what is masked has rows and columns, of floats}}
  // expected-note @below {{expected: a fragment of two dimensions}}
  // expected-note @below {{found: tensor<64xf32, #tile.wgmma_rows>}}
  %0 = tile.mask_columns %a from %limit : tensor<64xf32, #tile.wgmma_rows>
  tile.return
}
