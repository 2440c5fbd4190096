// RUN: kiln-opt %s -allow-unregistered-dialect --pass-pipeline='builtin.module(tile.kernel(tile-expand))' | FileCheck %s

// CHECK-LABEL: tile.kernel @index
tile.kernel @index(%x: !tile.global<64xf32>, %n: index) grid 1 {
  // CHECK: %[[C:.*]] = tile.cta_id
  %c = tile.cta_id
  // CHECK: %[[SIZE:.*]] = arith.constant 64 : index
  %m = tile.size !tile.shared<128x64xbf16>[1]
  // CHECK: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK: %[[L:.*]] = arith.subi %[[C]], %[[ONE]] : index
  // CHECK: arith.muli %[[L]], %[[SIZE]] : index
  %a = tile.index (%c - 1) * %m
  // CHECK: arith.ceildivui
  // CHECK: arith.divui
  // CHECK: arith.minsi
  // CHECK: arith.maxsi
  %b = tile.index max(min(ceildiv(%c, %n), floordiv(%c, %n)), %n)
  // CHECK: "user"
  "user"(%a, %b) : (index, index) -> ()
  tile.return
}

// The last coordinate is the fastest. In 32 bits: a division of 64 is a function on a GPU.
// CHECK-LABEL: tile.kernel @unravel(
// CHECK-SAME: %[[N0:[a-z0-9]*]]: index, %[[N1:[a-z0-9]*]]: index, %[[N2:[a-z0-9]*]]: index
tile.kernel @unravel(%x: !tile.global<64xf32>, %n0: index, %n1: index, %n2: index) grid 1 {
  // CHECK: %[[C:.*]] = tile.cta_id
  %c = tile.cta_id
  // CHECK: %[[P:.*]] = arith.index_cast %[[C]] : index to i32
  // CHECK: %[[E2:.*]] = arith.index_cast %[[N2]] : index to i32
  // CHECK: %[[R2:.*]] = arith.remui %[[P]], %[[E2]] : i32
  // CHECK: %[[K:.*]] = arith.index_castui %[[R2]] : i32 to index
  // CHECK: %[[Q2:.*]] = arith.divui %[[P]], %[[E2]] : i32
  // CHECK: %[[E1:.*]] = arith.index_cast %[[N1]] : index to i32
  // CHECK: %[[R1:.*]] = arith.remui %[[Q2]], %[[E1]] : i32
  // CHECK: %[[J:.*]] = arith.index_castui %[[R1]] : i32 to index
  // CHECK: %[[Q1:.*]] = arith.divui %[[Q2]], %[[E1]] : i32
  // CHECK: %[[I:.*]] = arith.index_castui %[[Q1]] : i32 to index
  %i, %j, %k = tile.unravel %c of [%n0, %n1, %n2]
  // CHECK: "user"(%[[I]], %[[J]], %[[K]])
  "user"(%i, %j, %k) : (index, index, index) -> ()
  tile.return
}

// CHECK-LABEL: tile.kernel @fold_columns
tile.kernel @fold_columns(%x: !tile.global<64xf32>) grid 1 threads 128 {
  // CHECK: %[[X:.*]]:2 = "somewhere"
  %y, %s = "somewhere"() : () -> (tensor<64x16xf32, #tile.wgmma>, tensor<64x8xf32, #tile.wgmma>)
  // CHECK: %[[P:.*]] = tile.extract %[[X]]#0[%{{.*}}, %{{.*}}]
  // CHECK: %[[S:.*]] = arith.maximumf %[[X]]#1, %[[P]]
  // CHECK: %[[Q:.*]] = tile.extract %[[X]]#0[%{{.*}}, %{{.*}}]
  // CHECK: %[[T:.*]] = arith.maximumf %[[S]], %[[Q]]
  // CHECK: "user"(%[[T]])
  %t = tile.fold_columns <max> %y into %s : tensor<64x16xf32, #tile.wgmma>, tensor<64x8xf32, #tile.wgmma>
  "user"(%t) : (tensor<64x8xf32, #tile.wgmma>) -> ()
  tile.return
}

// CHECK-LABEL: tile.kernel @mask_columns
tile.kernel @mask_columns(%x: !tile.global<64xf32>, %limit: index) grid 1 threads 128 {
  // CHECK: %[[X:.*]] = "somewhere"
  %y = "somewhere"() : () -> tensor<64x16xf32, #tile.wgmma>
  // CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : index to i32
  // CHECK: %[[L:.*]] = tile.splat %[[N]] : i32 -> tensor<64x16xi32, #tile.wgmma>
  // CHECK: %[[C:.*]] = tile.coordinates 1
  // CHECK: %[[M:.*]] = arith.cmpi slt, %[[C]], %[[L]]
  // CHECK: %[[Z:.*]] = arith.constant dense<0xFF800000>
  // CHECK: %[[A:.*]] = arith.select %[[M]], %[[X]], %[[Z]]
  %a = tile.mask_columns %y from %limit : tensor<64x16xf32, #tile.wgmma>
  // CHECK: %[[R:.*]] = tile.coordinates 0
  // CHECK: %[[D:.*]] = arith.addi %[[R]], %{{.*}}
  // CHECK: arith.cmpi slt, %{{.*}}, %[[D]]
  // CHECK: %[[B:.*]] = arith.select
  %b = tile.mask_columns %y from %limit diagonal : tensor<64x16xf32, #tile.wgmma>
  // CHECK: "user"(%[[A]], %[[B]])
  "user"(%a, %b) : (tensor<64x16xf32, #tile.wgmma>, tensor<64x16xf32, #tile.wgmma>) -> ()
  tile.return
}

// Limits are what is left of the matrix.
// CHECK-LABEL: tile.kernel @async_load
// CHECK-SAME: %[[X:[a-z0-9]*]]: !tile.global<?x?xbf16>
tile.kernel @async_load(%x: !tile.global<?x?xbf16> {tile.dims = ["M", "K"], tile.aligned = 8}, %r: index, %k: index) grid 1 threads 128 {
  // CHECK: %[[T:.*]] = tile.alloc
  %t = tile.alloc : !tile.shared<32x64xbf16>
  // CHECK: %[[STRIDE:.*]] = tile.stride %[[X]][0]
  // CHECK: %[[ROW:.*]] = arith.muli %[[R:.*]], %[[STRIDE]] : index
  // CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %[[K:.*]] : index
  // CHECK: %[[M:.*]] = tile.extent "M"
  // CHECK: %[[ROWS:.*]] = arith.subi %[[M]], %[[R]] : index
  // CHECK: %[[N:.*]] = tile.extent "K"
  // CHECK: %[[COLUMNS:.*]] = arith.subi %[[N]], %[[K]] : index
  // CHECK: tile.async_copy %[[X]][%[[AT]]] stride %[[STRIDE]] limit[%[[ROWS]], %[[COLUMNS]]], %[[T]]
  tile.async_load %x[%r, %k], %t : !tile.global<?x?xbf16>, !tile.shared<32x64xbf16>
  tile.return
}
