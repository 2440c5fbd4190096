// RUN: kiln-opt %s --tile-expand-functions --cse | FileCheck %s --implicit-check-not=math.sin --implicit-check-not=math.cos

// sin and cos of one value share their range reduction: after CSE, the pair costs little more than one. The reduction
// alone makes 64-bit integers, four of them.
// CHECK-LABEL: tile.kernel @pair
// CHECK-COUNT-4: arith.extui
// CHECK-NOT: arith.extui
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

// Of two values there are two reductions: what is counted above does tell them apart.
// CHECK-LABEL: tile.kernel @two
// CHECK-COUNT-8: arith.extui
// CHECK-NOT: arith.extui
// CHECK: tile.return
tile.kernel @two(%x: !tile.global<64xf32>, %y: !tile.global<64xf32>) grid 1 {
  %id = tile.cta_id
  %v = tile.load %x[%id] : !tile.global<64xf32> -> tensor<64xf32, #tile.simd>
  %w = tile.load %y[%id] : !tile.global<64xf32> -> tensor<64xf32, #tile.simd>
  %s = math.sin %v : tensor<64xf32, #tile.simd>
  %c = math.cos %w : tensor<64xf32, #tile.simd>
  %r = arith.addf %s, %c : tensor<64xf32, #tile.simd>
  tile.store %r, %y[%id] : tensor<64xf32, #tile.simd>, !tile.global<64xf32>
  tile.return
}
