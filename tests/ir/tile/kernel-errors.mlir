// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'tile.kernel' (C1): arguments must be global memory, then scalars}}
// expected-note @below {{expected: !tile.global, or a number}}
// expected-note @below {{found: tensor<4xf32>}}
tile.kernel @k(%x: !tile.global<64xf32>, %y: tensor<4xf32>) grid 1 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C1): arguments must be global memory, then scalars}}
// expected-note @below {{expected: !tile.global}}
// expected-note @below {{found: !tile.shared<64xf32>}}
tile.kernel @k(%x: !tile.shared<64xf32>) grid 1 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C2): nothing may be returned}}
// expected-note @below {{expected: no result types}}
// expected-note @below {{found: 1}}
// expected-note @below {{try: an argument for each result}}
"tile.kernel"() <{sym_name = "k", function_type = () -> f32, grid = 1 : i64}> ({
  tile.return
}) : () -> ()

// -----

// expected-error @below {{'tile.kernel' (C3): the grid must not be negative}}
// expected-note @below {{expected: 0 or more CTAs}}
// expected-note @below {{found: -1}}
tile.kernel @k(%x: !tile.global<64xf32>) grid -1 {
  tile.return
}
