// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: llvm.func @barriers
llvm.func @barriers(%b: !llvm.ptr<3>, %parity: i32, %bytes: i32, %rank: i32, %p: i1) {
  // CHECK: ptx.mbarrier_wait %{{.*}} parity %{{.*}}
  ptx.mbarrier_wait %b parity %parity
  // CHECK: ptx.mbarrier_arrive %{{[^ ]*$}}
  ptx.mbarrier_arrive %b
  // CHECK: ptx.mbarrier_arrive %{{.*}} expect %{{.*}} if %{{.*}}
  ptx.mbarrier_arrive %b expect %bytes if %p
  // CHECK: ptx.mbarrier_arrive %{{.*}} at %{{.*}} if %{{.*}}
  ptx.mbarrier_arrive %b at %rank if %p
  // CHECK: ptx.mbarrier_complete %{{.*}}, %{{.*}} if %{{.*}}
  ptx.mbarrier_complete %b, %bytes if %p
  // CHECK: ptx.barrier_arrive %{{.*}}, %{{.*}}
  ptx.barrier_arrive %rank, %bytes
  llvm.return
}

// CHECK-LABEL: llvm.func @copies
llvm.func @copies(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %map: !llvm.ptr, %x: i32, %y: i32, %mask: i16, %p: i1) {
  // CHECK: ptx.tma_load %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} multicast %{{.*}} if %{{.*}}
  ptx.tma_load %s, %map[%x, %y], %s multicast %mask if %p
  // CHECK: ptx.tma_load %{{.*}}, %{{.*}}[%{{.*}}], %{{[^ ]*$}}
  ptx.tma_load %s, %map[%x], %s
  // CHECK: ptx.tma_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] add if %{{.*}}
  ptx.tma_store %s, %map[%x, %y] add if %p
  // CHECK: ptx.bulk_load %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} if %{{.*}}
  ptx.bulk_load %s, %g, %x, %s if %p
  // CHECK: ptx.bulk_store %{{.*}}, %{{.*}}, %{{.*}} if %{{.*}}
  ptx.bulk_store %s, %g, %x if %p
  // CHECK: ptx.bulk_commit if %{{.*}}
  ptx.bulk_commit if %p
  llvm.return
}

// CHECK-LABEL: llvm.func @products
llvm.func @products(%a: i64, %b: i64, %w: i32, %f: f32, %p: i1) {
  // CHECK: ptx.wgmma_fence [%{{.*}}, %{{.*}} : f32, i32]
  %r:2 = ptx.wgmma_fence [%f, %w : f32, i32]
  // CHECK: ptx.wgmma_fence []
  ptx.wgmma_fence []
  // CHECK: ptx.wgmma f32 [%{{.*}} : f32, f32, f32, f32] if %{{.*}}, bf16 %{{.*}}, bf16 %{{.*}} transposed
  %d:4 = ptx.wgmma f32 [%f, %f, %f, %f : f32, f32, f32, f32] if %p, bf16 %a, bf16 %b transposed
  // CHECK: ptx.wgmma f32 [%{{.*}} : f32, f32, f32, f32], f16 [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}], f16 %{{[^ ]*$}}
  %e:4 = ptx.wgmma f32 [%d#0, %d#1, %d#2, %d#3 : f32, f32, f32, f32], f16 [%w, %w, %w, %w], f16 %b
  // CHECK: ptx.wgmma s32 [%{{.*}} : i32, i32, i32, i32], s8 %{{.*}}, s8 %{{[^ ]*$}}
  %i:4 = ptx.wgmma s32 [%w, %w, %w, %w : i32, i32, i32, i32], s8 %a, s8 %b
  // CHECK: ptx.wgmma_wait 1 [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32, f32]
  %v:4 = ptx.wgmma_wait 1 [%e#0, %e#1, %e#2, %e#3 : f32, f32, f32, f32]
  llvm.return
}
