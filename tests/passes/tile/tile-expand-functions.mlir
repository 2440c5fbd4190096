// RUN: kiln-opt %s --tile-expand-functions --cse | FileCheck %s

// sin and cos share their range reduction: after CSE, the pair costs little more than one.
// CHECK-LABEL: tile.kernel @pair
// CHECK-NOT: math.sin
// CHECK-NOT: math.cos
// CHECK: arith.bitcast
// CHECK: tile.return
tile.kernel @pair(%x: !tile.global<64xf32>, %y: !tile.global<64xf32>) grid 1 {
  %id = tile.cta_id
  %v = tile.load %x[%id] : !tile.global<64xf32> -> tensor<64xf32, #tile.simd>
  %s = math.sin %v : tensor<64xf32, #tile.simd>
  %c = math.cos %v : tensor<64xf32, #tile.simd>
  %r = arith.addf %s, %c : tensor<64xf32, #tile.simd>
  tile.store %r, %y[%id] : tensor<64xf32, #tile.simd>, !tile.global<64xf32>
  tile.return
}
