// RUN: kiln-opt %s --split-input-file --verify-diagnostics

llvm.func @k(%s: !llvm.ptr<3>, %map: !llvm.ptr) {
  // expected-error @below {{'ptx.tma_load' (C1): a tensor map has few dimensions}}
  // expected-note @below {{expected: 1 to 5 coordinates}}
  // expected-note @below {{found: 0}}
  ptx.tma_load %s, %map[], %s
  llvm.return
}

// -----

llvm.func @k(%s: !llvm.ptr<3>, %map: !llvm.ptr, %x: i32) {
  // expected-error @below {{'ptx.tma_store' (C1): a tensor map has few dimensions}}
  // expected-note @below {{expected: 1 to 5 coordinates}}
  // expected-note @below {{found: 6}}
  ptx.tma_store %s, %map[%x, %x, %x, %x, %x, %x]
  llvm.return
}

// -----

llvm.func @k(%w: i32, %b: i64, %f: f32) {
  // expected-error @below {{'ptx.wgmma' (C1): a lies in shared memory or in registers}}
  // expected-note @below {{expected: a descriptor or 4 registers}}
  // expected-note @below {{found: none and 2 registers}}
  %d:4 = ptx.wgmma f32 [%f, %f, %f, %f : f32, f32, f32, f32], bf16 [%w, %w], bf16 %b
  llvm.return
}

// -----

llvm.func @k(%a: i64, %f: f32) {
  // expected-error @below {{'ptx.wgmma' (C2): sums are a thread's part of 64xN}}
  // expected-note @below {{expected: N/2 f32, N/2 i32 (s32) or N/4 i32 (f16), N up to 256}}
  // expected-note @below {{found: 3 of f32}}
  %d:3 = ptx.wgmma f32 [%f, %f, %f : f32, f32, f32], bf16 %a, bf16 %a
  llvm.return
}

// -----

llvm.func @k(%a: i64, %f: f32) {
  // expected-error @below {{'ptx.wgmma' (C3): there is no such product}}
  // expected-note @below {{expected: sums of f32, f16 or s32 and elements as wgmma has them}}
  // expected-note @below {{found: f32 of bf16 and f16}}
  %d:4 = ptx.wgmma f32 [%f, %f, %f, %f : f32, f32, f32, f32], bf16 %a, f16 %a
  llvm.return
}

// -----

llvm.func @k(%a: i64, %f: f32) {
  // expected-error @below {{'ptx.wgmma' (C4): what may be transposed}}
  // expected-note @below {{expected: 16-bit elements in shared memory}}
  // expected-note @below {{found: e4m3}}
  %d:4 = ptx.wgmma f32 [%f, %f, %f, %f : f32, f32, f32, f32], e4m3 %a, e4m3 %a transposed
  llvm.return
}

// -----

llvm.func @k(%f: f32) {
  // expected-error @below {{'ptx.wgmma_wait' (C1): groups in flight are few}}
  // expected-note @below {{expected: 0 to 7}}
  // expected-note @below {{found: 8}}
  %d = ptx.wgmma_wait 8 [%f : f32]
  llvm.return
}
