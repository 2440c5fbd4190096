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

// -----

// expected-error @below {{'tile.kernel' (C1): arguments must be global memory, then scalars}}
// expected-note @below {{expected: no memory behind a scalar}}
// expected-note @below {{found: !tile.global<64xf32>}}
tile.kernel @k(%x: f32, %y: !tile.global<64xf32>) grid 1 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C3): the grid must be whole clusters}}
// expected-note @below {{expected: a multiple of 2}}
// expected-note @below {{found: 5}}
tile.kernel @k(%x: !tile.global<64xf32>) grid 5 cluster 2 threads 128 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C3): the grid must be of names that there are}}
// expected-note @below {{expected: K, M, sms}}
// expected-note @below {{found: N}}
tile.kernel @k(%x: !tile.global<?x64xf32> {tile.dims = ["M", "K"]}) grid "min(sms, ceildiv(M, 128) * ceildiv(N, 256))" threads 128 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C3): the grid must be a number or an expression}}
// expected-note @below {{expected: such as ceildiv(M, 128) * N}}
// expected-note @below {{found: }}
tile.kernel @k(%x: !tile.global<64xf32>) grid "sms +" threads 128 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C3): there must be one grid}}
// expected-note @below {{expected: a count or an expression}}
// expected-note @below {{found: both}}
"tile.kernel"() <{sym_name = "k", function_type = () -> (), grid = 1 : i64, grid_of = "sms"}> ({
  tile.return
}) : () -> ()

// -----

// expected-error @below {{'tile.kernel' (C6): the dimensions of argument 1 must have names}}
// expected-note @below {{expected: 2 names}}
// expected-note @below {{found: none on !tile.global<?x64xf32>}}
// expected-note @below {{try: `{tile.dims = ["M", "K"]}`}}
tile.kernel @k(%x: !tile.global<64xf32>, %y: !tile.global<?x64xf32>) grid 1 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C6): the dimensions of argument 0 must have names}}
// expected-note @below {{expected: 2 names}}
// expected-note @below {{found: ["M"] on !tile.global<?x64xf32>}}
// expected-note @below {{try: `{tile.dims = ["M", "K"]}`}}
tile.kernel @k(%x: !tile.global<?x64xf32> {tile.dims = ["M"]}) grid 1 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C6): extents of one name, K, are equal}}
// expected-note @below {{expected: 64}}
// expected-note @below {{found: 128 in argument 1}}
tile.kernel @k(%x: !tile.global<?x64xf32> {tile.dims = ["M", "K"]}, %y: !tile.global<128x?xf32> {tile.dims = ["K", "N"]}) grid 1 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C7): a cluster is a few CTAs}}
// expected-note @below {{expected: 1 to 8}}
// expected-note @below {{found: 16}}
tile.kernel @k() grid 16 cluster 16 threads 128 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C7): CTAs of one thread of execution form no cluster}}
// expected-note @below {{expected: `threads` on the kernel}}
// expected-note @below {{found: none}}
tile.kernel @k() grid 16 cluster 2 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C8): `tile.aligned` of argument 0 must count elements}}
// expected-note @below {{expected: an integer of at least 1 on memory}}
// expected-note @below {{found: 0 : i64 on !tile.global<64xf32>}}
tile.kernel @k(%x: !tile.global<64xf32> {tile.aligned = 0}) grid 1 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C9): `tile.tensor` of argument 0 must count tensors}}
// expected-note @below {{expected: an integer of at least 0 on memory}}
// expected-note @below {{found: -1 : i64}}
tile.kernel @k(%x: !tile.global<64xf32> {tile.tensor = -1}) grid 1 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C9): `tile.tensor` must stand on all memory or none}}
// expected-note @below {{expected: 2 arguments with it}}
// expected-note @below {{found: 1}}
tile.kernel @k(%x: !tile.global<64xf32> {tile.tensor = 1}, %y: !tile.global<64xf32>) grid 1 {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C10): `tile.ranges` are of extents that there are}}
// expected-note @below {{expected: [least, most] from 0 of M}}
// expected-note @below {{found: {N = [0, 4]}}}
// expected-note @below {{try: `{K = [64, 1024]}`}}
tile.kernel @k(%x: !tile.global<?xf32> {tile.dims = ["M"]}) grid 1 attributes {tile.ranges = {N = [0, 4]}} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C10): `tile.ranges` are of extents that there are}}
// expected-note @below {{expected: [least, most] from 0 of M}}
// expected-note @below {{found: {M = [4, 0]}}}
// expected-note @below {{try: `{K = [64, 1024]}`}}
tile.kernel @k(%x: !tile.global<?xf32> {tile.dims = ["M"]}) grid 1 attributes {tile.ranges = {M = [4, 0]}} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C10): `tile.ranges` are of extents that there are}}
// expected-note @below {{expected: [least, most] from 0 of M}}
// expected-note @below {{found: {M = [-1, 0]}}}
// expected-note @below {{try: `{K = [64, 1024]}`}}
tile.kernel @k(%x: !tile.global<?xf32> {tile.dims = ["M"]}) grid 1 attributes {tile.ranges = {M = [-1, 0]}} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C10): `tile.ranges` are of extents that there are}}
// expected-note @below {{expected: [least, most] from 0 of M}}
// expected-note @below {{found: {M = 4 : i64}}}
// expected-note @below {{try: `{K = [64, 1024]}`}}
tile.kernel @k(%x: !tile.global<?xf32> {tile.dims = ["M"]}) grid 1 attributes {tile.ranges = {M = 4}} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' (C10): `tile.ranges` are of extents that there are}}
// expected-note @below {{expected: [least, most] from 0 of M}}
// expected-note @below {{found: [0, 4]}}
// expected-note @below {{try: `{K = [64, 1024]}`}}
tile.kernel @k(%x: !tile.global<?xf32> {tile.dims = ["M"]}) grid 1 attributes {tile.ranges = [0, 4]} {
  tile.return
}
