// RUN: kiln-opt %s --split-input-file --verify-diagnostics

llvm.func @k(%g: !llvm.ptr<1>, %p: i1) {
  // expected-error @below {{'ptx.load' (C1): an access has few registers of one type}}
  // expected-note @below {{expected: 1, 2 or 4 of one type, 16 bytes at most, several of 32 or 64 bits}}
  // expected-note @below {{found: i32, i32, i32}}
  %v:3 = ptx.load %g if %p : !llvm.ptr<1> -> i32, i32, i32
  llvm.return
}

// -----

llvm.func @k(%g: !llvm.ptr<1>, %p: i1) {
  // expected-error @below {{'ptx.load' (C1)}}
  // expected-note @below {{expected}}
  // expected-note @below {{found: i16, i16}}
  %v:2 = ptx.load %g if %p : !llvm.ptr<1> -> i16, i16
  llvm.return
}

// -----

llvm.func @k(%g: !llvm.ptr, %p: i1) {
  // expected-error @below {{'ptx.load' (C2): the pointer must say which memory}}
  // expected-note @below {{expected: !llvm.ptr<1>, !llvm.ptr<3> or !llvm.ptr<7>}}
  // expected-note @below {{found: !llvm.ptr}}
  %v = ptx.load %g if %p : !llvm.ptr -> i32
  llvm.return
}

// -----

llvm.func @k(%g: !llvm.ptr<1>, %p: i1) {
  // expected-error @below {{'ptx.load' (C3): the offset must fit the instruction}}
  // expected-note @below {{expected: 32 bits}}
  // expected-note @below {{found: 2147483648}}
  %v = ptx.load %g + 2147483648 if %p : !llvm.ptr<1> -> i32
  llvm.return
}

// -----

llvm.func @k(%s: !llvm.ptr<3>, %p: i1) {
  // expected-error @below {{'ptx.load' (C4): shared memory has no read-only path}}
  // expected-note @below {{expected: a pointer to global memory}}
  // expected-note @below {{found: !llvm.ptr<3>}}
  // expected-note @below {{try: drop `read_only`}}
  %v = ptx.load %s if %p {read_only} : !llvm.ptr<3> -> i32
  llvm.return
}

// -----

llvm.func @k(%g: !llvm.ptr<1>, %p: i1, %v: f32, %w: i32) {
  // expected-error @below {{'ptx.store' (C1): an access has few registers of one type}}
  // expected-note @below {{expected}}
  // expected-note @below {{found: f32, i32}}
  ptx.store [%v, %w : f32, i32], %g if %p : !llvm.ptr<1>
  llvm.return
}

// -----

llvm.func @k(%g: !llvm.ptr<4>, %p: i1, %v: f32) {
  // expected-error @below {{'ptx.store' (C2): the pointer must say which memory}}
  // expected-note @below {{expected}}
  // expected-note @below {{found: !llvm.ptr<4>}}
  ptx.store [%v : f32], %g if %p : !llvm.ptr<4>
  llvm.return
}

// -----

llvm.func @k(%g: !llvm.ptr<1>, %p: i1, %v: f32) {
  // expected-error @below {{'ptx.store' (C3): the offset must fit the instruction}}
  // expected-note @below {{expected}}
  // expected-note @below {{found: -2147483652}}
  ptx.store [%v : f32], %g + -2147483652 if %p : !llvm.ptr<1>
  llvm.return
}
