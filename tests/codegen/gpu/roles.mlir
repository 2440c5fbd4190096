// RUN: kiln-opt %s --gpu-lower=target=sm_90a --split-input-file | FileCheck %s

// Roles part by warpgroup; registers move; one thread produces. The last consumer gives the first its first turn; a
// warpgroup has a barrier of its own (1 and its number), turns those behind. Loops of a ring of 3 carry slot and phase.
// CHECK-LABEL: llvm.func @roles
// CHECK-SAME: nvvm.minctasm = 1 : i32
// CHECK-SAME: nvvm.reqntid = array<i32: 384, 1, 1>
// CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK: %[[GROUP:.*]] = llvm.lshr %[[WARP]], %{{.*}} : i32
// CHECK: %[[CONSUMER:.*]] = llvm.sub %[[GROUP]], %{{.*}} : i32
// CHECK: nvvm.barrier0
// CHECK: %[[PRODUCES:.*]] = llvm.icmp "eq" %[[GROUP]], %{{.*}} : i32
// CHECK: llvm.cond_br %[[PRODUCES]]
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: nvvm.elect.sync
// CHECK: llvm.cond_br
// CHECK: ^bb{{.*}}(%{{.*}}: i32, %[[SLOT:.*]]: i32, %[[PHASE:.*]]: i32):
// CHECK-NOT: llvm.urem
// CHECK: %[[ELSE:.*]] = llvm.xor %[[PHASE]], %{{.*}} : i32
// CHECK: ptx.mbarrier_wait %{{.*}} parity %[[ELSE]]
// CHECK: ptx.tma_load %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}], %{{[^ ]*$}}
// CHECK: %[[MORE:.*]] = llvm.add %[[SLOT]], %{{.*}} : i32
// CHECK: %[[WRAPS:.*]] = llvm.icmp "eq" %[[MORE]], %{{.*}} : i32
// CHECK: llvm.select %[[WRAPS]]
// CHECK: nvvm.setmaxregister increase 232
// CHECK: llvm.icmp "eq" %[[CONSUMER]]
// CHECK: llvm.cond_br
// CHECK: ptx.barrier_arrive %[[ID:.*]], %{{.*}}
// CHECK: %[[MINE:.*]] = llvm.add %[[ID]], %[[CONSUMER]] : i32
// CHECK: %[[OTHER:.*]] = llvm.xor %[[CONSUMER]], %{{.*}} : i32
// CHECK: %[[NEXT:.*]] = llvm.add %[[ID]], %[[OTHER]] : i32
// CHECK: nvvm.barrier id = %[[MINE]] number_of_threads = %{{.*}}
// CHECK: ptx.barrier_arrive %[[NEXT]], %{{.*}}
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.return
!T = !tile.shared<64x64xbf16, swizzle = 128>
!Ring = !tile.ring<3 x !T>
!M = !tile.global<?x?xbf16>
tile.kernel @roles(%a: !M {tile.dims = ["M", "K"]}) grid "sms" threads 384 attributes {shared_bytes = 24624 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %k = tile.extent "K"
  %steps = arith.divui %k, %c64 : index
  %ring = tile.alloc_ring readers 2 {offset = 0 : i64} : !Ring
  %turns = tile.alloc_turns : !tile.turns<2>
  tile.specialize producer registers 40 {
    scf.for %s = %c0 to %steps step %c1 {
      %at = arith.muli %s, %c64 : index
      tile.fill %ring[%s] {
      ^slot(%t: !T, %full: !tile.mbarrier):
        tile.tma_load %a[%c0, %at], %t signal %full : !M, !T
      } : !Ring
    }
  } consumers 2 registers 232 {
  ^consumer(%g: index):
    scf.for %s = %c0 to %steps step %c1 {
      tile.take_turn %turns : !tile.turns<2>
      tile.pass_turn %turns : !tile.turns<2>
      %t = tile.ring_wait %ring[%s] : !Ring -> !T
      tile.barrier
      tile.ring_release %ring[%s] : !Ring
    }
  }
  tile.return
}

// -----

// Roles that leave registers for two CTAs of an SM say so.
// CHECK-LABEL: llvm.func @two_ctas
// CHECK-SAME: nvvm.minctasm = 2 : i32
// CHECK: nvvm.setmaxregister decrease 24
// CHECK: nvvm.setmaxregister increase 232
tile.kernel @two_ctas() grid 1 threads 256 {
  tile.specialize producer registers 24 {
  } consumers 1 registers 232 {
  ^consumer(%g: index):
  }
  tile.return
}

// -----

// What a launch tells: extents by name, once; a dense stride by the extents behind it.
// CHECK-LABEL: llvm.func @launch
// CHECK-SAME: %{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[S:.*]]: f32
// CHECK-SAME: ptx.arguments = [{buffer = 0 : i64}, {extent = "M"}, {extent = "N"}, {scalar = 1 : i64}]
// CHECK-DAG: llvm.trunc %[[M]] : i64 to i32
// CHECK-DAG: llvm.mul %{{.*}}, %[[N]] : i64
tile.kernel @launch(%x: !tile.global<?x?x?xf32> {tile.dims = ["B", "M", "N"]}, %s: f32) grid 8 threads 32 {
  %m = tile.extent "M"
  %r = tile.stride %x[1] : !tile.global<?x?x?xf32>
  %id = tile.cta_id
  %n = tile.cta_count
  %row, %column = tile.rasterize %id of [%m, %n] group 4
  %o = arith.muli %row, %r : index
  %p = arith.addi %o, %column : index
  tile.store %s, %x[%p] : f32, !tile.global<?x?x?xf32>
  tile.return
}
