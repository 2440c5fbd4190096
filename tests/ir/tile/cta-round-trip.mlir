// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// A CTA of four warps multiplies 32x32 by way of a ring of two stages, then sums a row.
// CHECK-LABEL: tile.kernel @cta
// CHECK-SAME: grid 4 threads 128 {
tile.kernel @cta(%a: !tile.global<128x64xbf16>, %b: !tile.global<64x32xbf16>, %y: !tile.global<128x32xf32>) grid 4 threads 128 {
  %cta = tile.cta_id
  // CHECK: %[[W:.*]] = tile.warp_id
  %w = tile.warp_id
  %zero = arith.constant 0 : index
  %n = arith.constant 32 : index
  // CHECK: %[[R:.*]] = tile.alloc_ring : <2 x <32x64xbf16, swizzle = 128>>
  %r = tile.alloc_ring : !tile.ring<2 x !tile.shared<32x64xbf16, swizzle = 128>>
  %s = tile.alloc : !tile.shared<64x32xbf16, swizzle = 64>
  // CHECK: %[[S:.*]] = tile.slot %[[R]][%{{.*}}] : <2 x <32x64xbf16, swizzle = 128>> -> !tile.shared<32x64xbf16, swizzle = 128>
  %t = tile.slot %r[%cta] : !tile.ring<2 x !tile.shared<32x64xbf16, swizzle = 128>> -> !tile.shared<32x64xbf16, swizzle = 128>
  // CHECK: tile.async_copy %{{.*}}[%{{.*}}] rows 64 limit[%{{.*}}, %{{.*}}], %[[S]] : <128x64xbf16>, <32x64xbf16, swizzle = 128>
  tile.async_copy %a[%zero] rows 64 limit [%n, %n], %t : !tile.global<128x64xbf16>, !tile.shared<32x64xbf16, swizzle = 128>
  // CHECK: tile.async_commit
  tile.async_commit
  // CHECK: tile.async_wait 0
  tile.async_wait 0
  // CHECK: tile.barrier
  tile.barrier
  // CHECK: tile.load_matrix %{{.*}}[%{{.*}}, %{{.*}}] : <32x64xbf16, swizzle = 128> -> tensor<32x16xbf16, #tile.mma_a<warps = [2, 2]>>
  %x = tile.load_matrix %t[%zero, %zero] : !tile.shared<32x64xbf16, swizzle = 128> -> tensor<32x16xbf16, #tile.mma_a<warps = [2, 2]>>
  // CHECK: tile.load_matrix %{{.*}}[%{{.*}}, %{{.*}}] transpose :
  %z = tile.load_matrix %s[%zero, %zero] transpose : !tile.shared<64x32xbf16, swizzle = 64> -> tensor<16x32xbf16, #tile.mma_b<warps = [2, 2]>>
  %f = arith.constant 0.0 : f32
  %acc = tile.splat %f : f32 -> tensor<32x32xf32, #tile.mma_acc<warps = [2, 2]>>
  // CHECK: tile.mma %{{.*}} : tensor<32x16xbf16, #tile.mma_a<warps = [2, 2]>>, tensor<16x32xbf16, #tile.mma_b<warps = [2, 2]>>, tensor<32x32xf32, #tile.mma_acc<warps = [2, 2]>>
  %p = tile.mma %x, %z, %acc : tensor<32x16xbf16, #tile.mma_a<warps = [2, 2]>>, tensor<16x32xbf16, #tile.mma_b<warps = [2, 2]>>, tensor<32x32xf32, #tile.mma_acc<warps = [2, 2]>>
  tile.store %p, %y[%zero] aligned 8 rows 32 : tensor<32x32xf32, #tile.mma_acc<warps = [2, 2]>>, !tile.global<128x32xf32>
  // CHECK: tile.lane_mask %{{.*}} aligned 2 : tensor<256xi1, #tile.blocked<vec = 2, threads = 128>>
  %m = tile.lane_mask %n aligned 2 : tensor<256xi1, #tile.blocked<vec = 2, threads = 128>>
  // CHECK: tile.load %{{.*}}[%{{.*}}] aligned 2 mask %{{.*}} : tensor<256xi1, #tile.blocked<vec = 2, threads = 128>> :
  %v = tile.load %y[%zero] aligned 2 mask %m : tensor<256xi1, #tile.blocked<vec = 2, threads = 128>> : !tile.global<128x32xf32> -> tensor<256xf32, #tile.blocked<vec = 2, threads = 128>>
  %scratch = tile.alloc : !tile.shared<256xf32>
  // CHECK: tile.fold <add> %{{.*}} through %{{.*}} : !tile.shared<256xf32> : tensor<256xf32, #tile.blocked<vec = 2, threads = 128>> -> f32
  %sum = tile.fold <add> %v through %scratch : !tile.shared<256xf32> : tensor<256xf32, #tile.blocked<vec = 2, threads = 128>> -> f32
  tile.return
}
