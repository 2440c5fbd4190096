// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --emit-bytecode | kiln-opt | FileCheck %s

// CHECK: tile.kernel @outer(%{{.*}}: !tile.global<1024xf32>, %{{.*}}: !tile.global<32x32xf32, strides = [40, 1]>) grid 16
tile.kernel @outer(%x: !tile.global<1024xf32>, %y: !tile.global<32x32xf32, strides = [40, 1]>) grid 16 {
  %id = tile.cta_id
  // CHECK: tile.load %{{.*}}[%{{.*}}] : !tile.global<1024xf32> -> tensor<64xf32, #tile.simd>
  %v = tile.load %x[%id] : !tile.global<1024xf32> -> tensor<64xf32, #tile.simd>
  %m = tile.lane_mask %id : tensor<64xi1, #tile.simd>
  %e = math.exp %v : tensor<64xf32, #tile.simd>
  %t = tile.alloc : !tile.shared<128x64xf32, swizzle = 128>
  %a = tile.load %t[%id] rows 64 : !tile.shared<128x64xf32, swizzle = 128> -> tensor<8xf32, #tile.simd_column>
  %acc = tile.load %t[%id] rows 64 : !tile.shared<128x64xf32, swizzle = 128> -> tensor<8x64xf32, #tile.simd>
  // CHECK: tile.mma
  %r = tile.mma %a, %e, %acc : tensor<8xf32, #tile.simd_column>, tensor<64xf32, #tile.simd>, tensor<8x64xf32, #tile.simd>
  tile.store %r, %t[%id] rows 64 : tensor<8x64xf32, #tile.simd>, !tile.shared<128x64xf32, swizzle = 128>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}] mask %{{.*}} : tensor<64xi1, #tile.simd> : tensor<64xf32, #tile.simd>
  tile.store %e, %y[%id] mask %m : tensor<64xi1, #tile.simd> : tensor<64xf32, #tile.simd>, !tile.global<32x32xf32, strides = [40, 1]>
  tile.return
}

// CHECK: tile.kernel @lanes(%{{.*}}: !tile.global<1024xf32>) grid 1
tile.kernel @lanes(%x: !tile.global<1024xf32>) grid 1 {
  // CHECK: tile.lanes : tensor<64xi64, #tile.simd>
  %lane = tile.lanes : tensor<64xi64, #tile.simd>
  // CHECK: tile.gather %{{.*}}[%{{.*}} : tensor<64xi64, #tile.simd>] : !tile.global<1024xf32> -> tensor<64xf32, #tile.simd>
  %v = tile.gather %x[%lane : tensor<64xi64, #tile.simd>] : !tile.global<1024xf32> -> tensor<64xf32, #tile.simd>
  %zero = arith.constant 0.0 : f32
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<8xf32, #tile.simd>
  %start = tile.splat %zero : f32 -> tensor<8xf32, #tile.simd>
  // CHECK: tile.fold_units <add> %{{.*}} into %{{.*}} : tensor<64xf32, #tile.simd>, tensor<8xf32, #tile.simd> -> tensor<8xf32, #tile.simd>
  %units = tile.fold_units <add> %v into %start : tensor<64xf32, #tile.simd>, tensor<8xf32, #tile.simd> -> tensor<8xf32, #tile.simd>
  // CHECK: tile.fold <add> %{{.*}} : tensor<8xf32, #tile.simd> -> f32
  %sum = tile.fold <add> %units : tensor<8xf32, #tile.simd> -> f32
  %all = tile.splat %sum : f32 -> tensor<64xf32, #tile.simd>
  // CHECK: tile.scatter %{{.*}}, %{{.*}}[%{{.*}} : tensor<64xi64, #tile.simd>] : tensor<64xf32, #tile.simd>, !tile.global<1024xf32>
  tile.scatter %all, %x[%lane : tensor<64xi64, #tile.simd>] : tensor<64xf32, #tile.simd>, !tile.global<1024xf32>
  // CHECK: tile.return
  tile.return
}

// CHECK: tile.kernel @functions
tile.kernel @functions(%x: !tile.global<64xi32>) grid 1 {
  %id = tile.cta_id
  %i = tile.load %x[%id] : !tile.global<64xi32> -> tensor<8xi32, #tile.simd>
  // CHECK: tile.lookup dense<{{.*}}> : tensor<2x2xf32> at %{{.*}} : tensor<8xi32, #tile.simd> -> tensor<8xf32, #tile.simd>, tensor<8xf32, #tile.simd>
  %high, %low = tile.lookup dense<[[1.0, 0.0], [0.5, 0.25]]> : tensor<2x2xf32> at %i : tensor<8xi32, #tile.simd> -> tensor<8xf32, #tile.simd>, tensor<8xf32, #tile.simd>
  %s = tile.load %x[%id] : !tile.global<64xi32> -> i32
  // CHECK: tile.lookup dense<{{.*}}> : tensor<3x1xi32> at %{{.*}} : i32 -> i32
  %t = tile.lookup dense<[[1], [2], [4]]> : tensor<3x1xi32> at %s : i32 -> i32
  // CHECK: tile.approx <exp2> %{{.*}} : tensor<8xf32, #tile.simd>
  %e = tile.approx <exp2> %low : tensor<8xf32, #tile.simd>
  tile.return
}
