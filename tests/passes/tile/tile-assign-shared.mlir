// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-shared))' | FileCheck %s

// CHECK: tile.kernel @k_2({{.*}}) grid 1 attributes {shared_bytes = 1280 : i64}
tile.kernel @k_2(%x: !tile.global<8xf32>) grid 1 {
  // CHECK: tile.alloc {offset = 0 : i64} : <3xf32>
  %a = tile.alloc : !tile.shared<3xf32>
  // CHECK: tile.alloc {offset = 256 : i64} : <100x2xf32>
  %b = tile.alloc : !tile.shared<100x2xf32>
  // CHECK: tile.alloc {offset = 1280 : i64} : <0xf32>
  %c = tile.alloc : !tile.shared<0xf32>
  tile.return
}
