// RUN: kiln-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'#tile.blocked' (C1): runs lie along one dimension}}
// expected-note @below {{expected: rank 1}}
// expected-note @below {{found: rank 2}}
func.func private @f(tensor<8x256xf32, #tile.blocked<vec = 8, threads = 32>>)

// -----

// expected-error @below {{'#tile.blocked' (C2): runs and threads must be those of hardware}}
// expected-note @below {{expected: vec a power of two up to 16, threads a multiple of 32 up to 1024}}
// expected-note @below {{found: vec = 3, threads = 32}}
func.func private @f(tensor<96xf32, #tile.blocked<vec = 3, threads = 32>>)

// -----

// expected-error @below {{'#tile.blocked' (C2): runs and threads must be those of hardware}}
// expected-note @below {{expected: vec a power of two up to 16, threads a multiple of 32 up to 1024}}
// expected-note @below {{found: vec = 4, threads = 48}}
func.func private @f(tensor<192xf32, #tile.blocked<vec = 4, threads = 48>>)

// -----

// expected-error @below {{'#tile.blocked' (C3): elements must be dealt out evenly}}
// expected-note @below {{expected: a multiple of 256}}
// expected-note @below {{found: 128}}
func.func private @f(tensor<128xf32, #tile.blocked<vec = 8, threads = 32>>)

// -----

// expected-error @below {{'#tile.mma_acc' (C1): atoms have rows and columns}}
// expected-note @below {{expected: rank 2}}
// expected-note @below {{found: rank 1}}
func.func private @f(tensor<128xf32, #tile.mma_acc<warps = [2, 2]>>)

// -----

// expected-error @below {{'#tile.mma_acc' (C2): warps must be those of a CTA}}
// expected-note @below {{expected: 1 to 32 in all}}
// expected-note @below {{found: [8, 8]}}
func.func private @f(tensor<128x128xf32, #tile.mma_acc<warps = [8, 8]>>)

// -----

// expected-error @below {{'#tile.mma_acc' (C3): rows must be dealt out evenly}}
// expected-note @below {{expected: a multiple of 32}}
// expected-note @below {{found: 48}}
func.func private @f(tensor<48x64xf32, #tile.mma_acc<warps = [2, 2]>>)

// -----

// expected-error @below {{'#tile.mma_acc' (C3): columns must be dealt out evenly}}
// expected-note @below {{expected: a multiple of 16}}
// expected-note @below {{found: 8}}
func.func private @f(tensor<64x8xf32, #tile.mma_acc<warps = [2, 2]>>)

// -----

// expected-error @below {{'#tile.mma_a' (C1): atoms have rows and columns}}
// expected-note @below {{expected: rank 2}}
// expected-note @below {{found: rank 1}}
func.func private @f(tensor<128xbf16, #tile.mma_a<warps = [2, 2]>>)

// -----

// expected-error @below {{'#tile.mma_a' (C2): warps must be those of a CTA}}
// expected-note @below {{expected: 1 to 32 in all}}
// expected-note @below {{found: [0, 2]}}
func.func private @f(tensor<128x16xbf16, #tile.mma_a<warps = [0, 2]>>)

// -----

// expected-error @below {{'#tile.mma_a' (C3): columns must be dealt out evenly}}
// expected-note @below {{expected: a multiple of 16}}
// expected-note @below {{found: 8}}
func.func private @f(tensor<128x8xbf16, #tile.mma_a<warps = [2, 2]>>)

// -----

// expected-error @below {{'#tile.mma_a' (C4): elements must be those of the atom}}
// expected-note @below {{expected: 16 bits}}
// expected-note @below {{found: f32}}
func.func private @f(tensor<128x16xf32, #tile.mma_a<warps = [2, 2]>>)

// -----

// expected-error @below {{'#tile.mma_b' (C1): atoms have rows and columns}}
// expected-note @below {{expected: rank 2}}
// expected-note @below {{found: rank 1}}
func.func private @f(tensor<128xbf16, #tile.mma_b<warps = [2, 2]>>)

// -----

// expected-error @below {{'#tile.mma_b' (C2): warps must be those of a CTA}}
// expected-note @below {{expected: 1 to 32 in all}}
// expected-note @below {{found: [33, 1]}}
func.func private @f(tensor<16x128xbf16, #tile.mma_b<warps = [33, 1]>>)

// -----

// expected-error @below {{'#tile.mma_b' (C3): columns must be dealt out evenly}}
// expected-note @below {{expected: a multiple of 16}}
// expected-note @below {{found: 8}}
func.func private @f(tensor<16x8xbf16, #tile.mma_b<warps = [2, 2]>>)

// -----

// expected-error @below {{'#tile.mma_b' (C4): elements must be those of the atom}}
// expected-note @below {{expected: 16 bits}}
// expected-note @below {{found: f32}}
func.func private @f(tensor<16x128xf32, #tile.mma_b<warps = [2, 2]>>)

// -----

// expected-error @below {{'#tile.outer' (C1): an outer product has rows and columns}}
// expected-note @below {{expected: rank 2}}
// expected-note @below {{found: rank 1}}
func.func private @f(tensor<64xf32, #tile.outer<threads = [16, 16]>>)

// -----

// expected-error @below {{'#tile.outer' (C2): threads must be those of a CTA}}
// expected-note @below {{expected: a multiple of 32 up to 1024 in all}}
// expected-note @below {{found: [3, 16]}}
func.func private @f(tensor<64x64xf32, #tile.outer<threads = [3, 16]>>)

// -----

// expected-error @below {{'#tile.outer' (C3): columns must be dealt out evenly}}
// expected-note @below {{expected: a multiple of 64}}
// expected-note @below {{found: 32}}
func.func private @f(tensor<64x32xf32, #tile.outer<threads = [16, 16]>>)

// -----

// expected-error @below {{'#tile.outer_a' (C1): a slice has one dimension}}
// expected-note @below {{expected: rank 1}}
// expected-note @below {{found: rank 2}}
func.func private @f(tensor<64x1xf32, #tile.outer_a<threads = [16, 16]>>)

// -----

// expected-error @below {{'#tile.outer_a' (C2): threads must be those of a CTA}}
// expected-note @below {{expected: a multiple of 32 up to 1024 in all}}
// expected-note @below {{found: [64, 32]}}
func.func private @f(tensor<256xf32, #tile.outer_a<threads = [64, 32]>>)

// -----

// expected-error @below {{'#tile.outer_a' (C3): elements must be dealt out evenly}}
// expected-note @below {{expected: a multiple of 64}}
// expected-note @below {{found: 32}}
func.func private @f(tensor<32xf32, #tile.outer_a<threads = [16, 16]>>)

// -----

// expected-error @below {{'#tile.outer_b' (C1): a slice has one dimension}}
// expected-note @below {{expected: rank 1}}
// expected-note @below {{found: rank 2}}
func.func private @f(tensor<64x1xf32, #tile.outer_b<threads = [16, 16]>>)

// -----

// expected-error @below {{'#tile.outer_b' (C2): threads must be those of a CTA}}
// expected-note @below {{expected: a multiple of 32 up to 1024 in all}}
// expected-note @below {{found: [64, 32]}}
func.func private @f(tensor<256xf32, #tile.outer_b<threads = [64, 32]>>)

// -----

// expected-error @below {{'#tile.outer_b' (C3): elements must be dealt out evenly}}
// expected-note @below {{expected: a multiple of 64}}
// expected-note @below {{found: 32}}
func.func private @f(tensor<32xf32, #tile.outer_b<threads = [16, 16]>>)

// -----

// expected-error @below {{'#tile.wgmma' (C1): an accumulator has rows and columns}}
// expected-note @below {{expected: rank 2}}
// expected-note @below {{found: rank 1}}
func.func private @f(tensor<64xf32, #tile.wgmma>)

// -----

// expected-error @below {{'#tile.wgmma' (C2): rows must be whole atoms}}
// expected-note @below {{expected: a multiple of 64}}
// expected-note @below {{found: 32}}
func.func private @f(tensor<32x64xf32, #tile.wgmma>)

// -----

// expected-error @below {{'#tile.wgmma' (C2): columns must be whole atoms}}
// expected-note @below {{expected: a multiple of 8}}
// expected-note @below {{found: 12}}
func.func private @f(tensor<64x12xf32, #tile.wgmma>)

// -----

// expected-error @below {{'#tile.wgmma_a' (C1): an operand has rows and columns}}
// expected-note @below {{expected: rank 2}}
// expected-note @below {{found: rank 1}}
func.func private @f(tensor<64xbf16, #tile.wgmma_a>)

// -----

// expected-error @below {{'#tile.wgmma_a' (C2): columns must be whole atoms}}
// expected-note @below {{expected: a multiple of 16}}
// expected-note @below {{found: 8}}
func.func private @f(tensor<64x8xbf16, #tile.wgmma_a>)

// -----

// expected-error @below {{'#tile.wgmma_a' (C2): columns must be whole atoms}}
// expected-note @below {{expected: a multiple of 32}}
// expected-note @below {{found: 16}}
func.func private @f(tensor<64x16xf8E4M3FN, #tile.wgmma_a>)

// -----

// expected-error @below {{'#tile.wgmma_a' (C3): elements must be those of the atom}}
// expected-note @below {{expected: 8, 16 or 32 bits}}
// expected-note @below {{found: f64}}
func.func private @f(tensor<64x16xf64, #tile.wgmma_a>)

// -----

// expected-error @below {{'#tile.wgmma_rows' (C1): a slice has one dimension}}
// expected-note @below {{expected: rank 1}}
// expected-note @below {{found: rank 2}}
func.func private @f(tensor<64x1xf32, #tile.wgmma_rows>)

// -----

// expected-error @below {{'#tile.wgmma_rows' (C2): rows must be whole atoms}}
// expected-note @below {{expected: a multiple of 64}}
// expected-note @below {{found: 16}}
func.func private @f(tensor<16xf32, #tile.wgmma_rows>)

// -----

// expected-error @below {{'#tile.wgmma_columns' (C1): a slice has one dimension}}
// expected-note @below {{expected: rank 1}}
// expected-note @below {{found: rank 2}}
func.func private @f(tensor<1x64xf32, #tile.wgmma_columns>)

// -----

// expected-error @below {{'#tile.wgmma_columns' (C2): columns must be whole atoms}}
// expected-note @below {{expected: a multiple of 8}}
// expected-note @below {{found: 4}}
func.func private @f(tensor<4xf32, #tile.wgmma_columns>)
