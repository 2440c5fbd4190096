// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: llvm.func @accesses
llvm.func @accesses(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %p: i1, %f: f32) {
  // CHECK: %[[V:.*]]:4 = ptx.load %{{.*}} + 512 if %{{.*}} {read_only} : !llvm.ptr<1> -> i32, i32, i32, i32
  %v:4 = ptx.load %g + 512 if %p {read_only} : !llvm.ptr<1> -> i32, i32, i32, i32
  // CHECK: %[[H:.*]] = ptx.load %{{.*}} if %{{.*}} : !llvm.ptr<3> -> bf16
  %h = ptx.load %s if %p : !llvm.ptr<3> -> bf16
  // CHECK: ptx.store [%[[V]]#0, %[[V]]#1 : i32, i32], %{{.*}} + 8 if %{{.*}} : !llvm.ptr<3>
  ptx.store [%v#0, %v#1 : i32, i32], %s + 8 if %p : !llvm.ptr<3>
  // CHECK: ptx.store [%[[H]] : bf16], %{{.*}} if %{{.*}} : !llvm.ptr<1>
  ptx.store [%h : bf16], %g if %p : !llvm.ptr<1>
  // CHECK: ptx.approx <rsqrt> %{{.*}}
  %r = ptx.approx <rsqrt> %f
  llvm.return
}
