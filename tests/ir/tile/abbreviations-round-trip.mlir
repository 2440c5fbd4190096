// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @abbreviations
tile.kernel @abbreviations(%x: !tile.global<64xf32>) grid 1 threads 128 {
  // CHECK: %[[C:.*]] = tile.cta_id
  %c = tile.cta_id
  // CHECK: %[[M:.*]] = tile.size !tile.shared<128x64xbf16>[0]
  %m = tile.size !tile.shared<128x64xbf16>[0]
  // CHECK: %[[A:.*]] = tile.index (%[[C]] - 1 - %[[M]]) * %[[M]]
  %a = tile.index (%c - 1 - %m) * %m
  // CHECK: %[[B:.*]] = tile.index min(%[[A]], ceildiv(%[[C]] + 7, 8) * 8) - max(floordiv(%[[C]], 2), 3)
  %b = tile.index min(%a, ceildiv(%c + 7, 8) * 8) - max(floordiv(%c, 2), 3)
  // CHECK: tile.index 5
  %five = tile.index 5
  // CHECK: %{{.*}}:3 = tile.unravel %[[B]] of[%[[A]], %[[M]], %[[C]]]
  %i, %j, %k = tile.unravel %b of [%a, %m, %c]
  // CHECK: %[[X:.*]] = arith.constant
  %y = arith.constant dense<1.0> : tensor<64x64xf32, #tile.wgmma>
  // CHECK: %[[S:.*]] = arith.constant
  %s = arith.constant dense<0.0> : tensor<64x8xf32, #tile.wgmma>
  // CHECK: tile.fold_columns <add> %[[X]] into %[[S]] : tensor<64x64xf32, #tile.wgmma>, tensor<64x8xf32, #tile.wgmma>
  %t = tile.fold_columns <add> %y into %s : tensor<64x64xf32, #tile.wgmma>, tensor<64x8xf32, #tile.wgmma>
  // CHECK: tile.mask_columns %[[X]] from %[[A]] diagonal : tensor<64x64xf32, #tile.wgmma>
  %u = tile.mask_columns %y from %a diagonal : tensor<64x64xf32, #tile.wgmma>
  tile.return
}

// CHECK-LABEL: tile.kernel @matrix
tile.kernel @matrix(%x: !tile.global<?x64xbf16> {tile.dims = ["M", "K"]}) grid 1 threads 128 {
  %c = tile.cta_id
  // CHECK: %[[T:.*]] = tile.alloc
  %t = tile.alloc : !tile.shared<32x64xbf16, swizzle = 128>
  // CHECK: tile.async_copy %{{.*}}[%{{.*}}] stride %{{.*}} limit[%{{.*}}, %{{.*}}], %[[T]]
  tile.async_copy %x[%c] stride %c limit [%c, %c], %t : !tile.global<?x64xbf16>, !tile.shared<32x64xbf16, swizzle = 128>
  tile.return
}
