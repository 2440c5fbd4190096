// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-verify))' --split-input-file --verify-diagnostics | FileCheck %s

// What is in order stays as it is: conditions that all warps share, turns of consumers, tiles written behind a fence.
!A = !tile.shared<64x64xbf16, swizzle = 128>
!Acc = tensor<64x64xf32, #tile.wgmma>
!P = !tile.pending<!Acc>
// CHECK-LABEL: tile.kernel @fine
tile.kernel @fine(%x: bf16, %n: index) grid 1 threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %turns = tile.alloc_turns : !tile.turns<2>
  tile.specialize producer registers 40 {
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    %a = tile.alloc : !A
    %none = tile.wgmma_none : !P
    %mine = arith.cmpi eq, %group, %c0 : index
    scf.if %mine {
      tile.take_turn %turns : !tile.turns<2>
      tile.pass_turn %turns : !tile.turns<2>
    }
    %w = tile.warp_id
    %chosen = arith.cmpi eq, %w, %c0 : index
    scf.if %chosen {
      tile.store %x, %a[%c0] : bf16, !A
    }
    tile.proxy_fence
    tile.barrier
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> !P {
      %more = arith.cmpi ne, %i, %c0 : index
      %p = tile.wgmma %a, %a transpose, %acc if %more : !A, !A, !P -> !P
      %q = tile.wgmma_wait %p in_flight 1 : !P -> !P
      scf.yield %q : !P
    }
    %done = tile.wgmma_wait %sum : !P -> !Acc
  }
  tile.return
}
