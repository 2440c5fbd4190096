// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'!tile.global' (C1): elements must be numbers}}
// expected-note @below {{expected: an integer or a float}}
// expected-note @below {{found: index}}
func.func private @f(!tile.global<8xindex>)

// -----

// expected-error @below {{'!tile.global' (C1): elements must be numbers}}
// expected-note @below {{expected: an integer or a float}}
// expected-note @below {{found: tensor<4xf32>}}
func.func private @f(!tile.global<8xtensor<4xf32>>)

// -----

// expected-error @below {{'!tile.global' (C2): one stride per dimension}}
// expected-note @below {{expected: 1}}
// expected-note @below {{found: 2}}
func.func private @f(!tile.global<8xf32, strides = [1, 2]>)

// -----

// expected-error @below {{'!tile.global' (C2): one stride per dimension}}
// expected-note @below {{expected: 2}}
// expected-note @below {{found: 1}}
func.func private @f(!tile.global<8x4xf32, strides = [1]>)

// -----

// expected-error @below {{'!tile.shared' (C1): elements must be numbers}}
// expected-note @below {{expected: an integer or a float}}
// expected-note @below {{found: index}}
func.func private @f(!tile.shared<8xindex>)

// -----

// expected-error @below {{'!tile.shared' (C2): a swizzle must be a row of chunks}}
// expected-note @below {{expected: 0, 32, 64 or 128 bytes}}
// expected-note @below {{found: 16}}
func.func private @f(!tile.shared<8xf32, swizzle = 16>)

// -----

// expected-error @below {{'!tile.shared' (C2): a swizzle must be a row of chunks}}
// expected-note @below {{expected: 0, 32, 64 or 128 bytes}}
// expected-note @below {{found: -32}}
func.func private @f(!tile.shared<8xf32, swizzle = -32>)

// -----

// expected-error @below {{'!tile.shared' (C3): a swizzle must not reach into the next row}}
// expected-note @below {{expected: a multiple of 128 bytes}}
// expected-note @below {{found: rows of 192 bytes}}
func.func private @f(!tile.shared<8x96xbf16, swizzle = 128>)

// -----

// expected-error @below {{'#tile.simd' (C1): a fragment must be a vector, or rows of one}}
// expected-note @below {{expected: rank 1 or 2}}
// expected-note @below {{found: rank 3}}
func.func private @f(tensor<2x4x8xf32, #tile.simd>)

// -----

// expected-error @below {{'#tile.simd' (C1): a fragment must be a vector, or rows of one}}
// expected-note @below {{expected: rank 1 or 2}}
// expected-note @below {{found: rank 0}}
func.func private @f(tensor<f32, #tile.simd>)

// -----

// expected-error @below {{'#tile.simd' (C2): a fragment must hold something}}
// expected-note @below {{expected: static extents of at least 1}}
// expected-note @below {{found: 0}}
func.func private @f(tensor<4x0xf32, #tile.simd>)

// -----

// expected-error @below {{'#tile.simd' (C2): a fragment must hold something}}
// expected-note @below {{expected: static extents of at least 1}}
// expected-note @below {{found: ?}}
func.func private @f(tensor<?xf32, #tile.simd>)

// -----

// expected-error @below {{'#tile.simd_column' (C1): a column must have rows and nothing else}}
// expected-note @below {{expected: rank 1}}
// expected-note @below {{found: rank 2}}
func.func private @f(tensor<4x8xf32, #tile.simd_column>)

// -----

// expected-error @below {{'#tile.simd_column' (C2): a fragment must hold something}}
// expected-note @below {{expected: a static extent of at least 1}}
// expected-note @below {{found: 0}}
func.func private @f(tensor<0xf32, #tile.simd_column>)

// -----

// expected-error @below {{'!tile.shared' (C4): a panel must be as wide as the swizzle, and divide the columns}}
// expected-note @below {{expected: panels of 64 columns of a matrix of them}}
// expected-note @below {{found: panel = 32 of 256 columns}}
func.func private @f(!tile.shared<8x256xbf16, swizzle = 128, panel = 32>)

// -----

// expected-error @below {{'!tile.shared' (C4): a panel must be as wide as the swizzle, and divide the columns}}
// expected-note @below {{expected: no panels without a swizzle}}
// expected-note @below {{found: panel = 64 of 256 columns}}
func.func private @f(!tile.shared<8x256xbf16, swizzle = 0, panel = 64>)
