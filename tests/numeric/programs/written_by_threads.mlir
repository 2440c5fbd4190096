// C = 2·A·Bᵀ of one tile, in f32, where threads write what the tensor core reads, and memory adds; D = A.

!Tile = !tile.shared<64x64xbf16, swizzle = 128>
!Ring = !tile.ring<1 x !Tile>
!Run = !tile.shared<4096xbf16>
!Elements = tensor<4096xbf16, #tile.blocked<vec = 8, threads = 128>>
!Sum = tensor<64x64xf32, #tile.wgmma>
!Pending = !tile.pending<!Sum>
!Out = !tile.shared<64x64xf32>
!In = !tile.global<64x64xbf16>
!Result = !tile.global<64x64xf32>

tile.kernel @double(%a: !In {tile.name = "a"}, %b: !In {tile.name = "b"}, %c: !Result {tile.name = "c"},
                    %d: !tile.global<4096xbf16> {tile.name = "d"}) grid 1 threads 128 {
  %c0 = arith.constant 0 : index
  %ring = tile.alloc_ring readers 1 : !Ring
  %as = tile.alloc : !Tile
  %run = tile.alloc : !Run
  %out = tile.alloc : !Out
  tile.fill %ring[%c0] {
  ^slot(%t: !Tile, %full: !tile.mbarrier):
    tile.tma_load %b[%c0, %c0], %t signal %full : !In, !Tile
  } : !Ring
  %x = tile.load %a[%c0] aligned 8 : !In -> !Elements
  tile.store %x, %run[%c0] aligned 8 : !Elements, !Run
  tile.bulk_store %run, %d[%c0] : !Run, !tile.global<4096xbf16>
  tile.store %x, %as[%c0] aligned 8 : !Elements, !Tile
  tile.proxy_fence
  tile.barrier
  %bs = tile.ring_wait %ring[%c0] : !Ring -> !Tile
  %none = tile.wgmma_none : !Pending
  %started = tile.wgmma %as, %bs transpose, %none : !Tile, !Tile, !Pending -> !Pending
  %sum = tile.wgmma_wait %started : !Pending -> !Sum
  tile.store %sum, %out[%c0] rows 64 : !Sum, !Out
  tile.tma_store %out, %c[%c0, %c0] : !Out, !Result
  tile.tma_store_wait 0 written
  tile.tma_store %out, %c[%c0, %c0] add : !Out, !Result
  tile.tma_store_wait 0
  tile.return
}
