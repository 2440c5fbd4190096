// C = A·Bᵀ by clusters of two CTAs, one above the other: each fetches half of the tile of B for both.

!A = !tile.shared<64x64xbf16, swizzle = 128>
!B = !tile.shared<64x64xbf16, swizzle = 128>
!Half = !tile.shared<32x64xbf16, swizzle = 128>
!Ring = !tile.ring<2 x !A, !B>
!Sum = tensor<64x64xf32, #tile.wgmma>
!Pending = !tile.pending<!Sum>
!Rounded = tensor<64x64xbf16, #tile.wgmma>
!Matrix = !tile.global<?x?xbf16>

tile.kernel @matmul(%a: !Matrix {tile.name = "a", tile.dims = ["M", "K"]},
                    %b: !Matrix {tile.name = "b", tile.dims = ["N", "K"]},
                    %c: !Matrix {tile.name = "c", tile.dims = ["M", "N"]})
    grid "2 * ceildiv(M, 128) * ceildiv(N, 64)" cluster 2 threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %both = arith.constant 3 : i16
  %m = tile.extent "M"
  %n = tile.extent "N"
  %k = tile.extent "K"
  %rows = tile.index ceildiv(%m, 128)
  %columns = tile.index ceildiv(%n, 64)
  %steps = tile.index ceildiv(%k, 64)
  %cta = tile.cta_id
  %rank = tile.cluster_rank
  %tm, %tn, %which = tile.unravel %cta of [%rows, %columns, %c2]
  %row = tile.index (%tm * 2 + %rank) * 64
  %column = tile.index %tn * 64
  %ring = tile.alloc_ring readers 1 multicast : !Ring
  tile.specialize producer registers 40 {
    %mine = tile.index %rank * 32
    scf.for %s = %c0 to %steps step %c1 {
      %at = tile.index %s * 64
      %from = tile.index %column + %mine
      tile.fill %ring[%s] {
      ^slot(%as: !A, %bs: !B, %full: !tile.mbarrier):
        %half = tile.subtile %bs[%mine, %c0] : !B -> !Half
        tile.tma_load %a[%row, %at], %as signal %full : !Matrix, !A
        tile.tma_load %b[%from, %at], %half signal %full multicast %both : !Matrix, !Half
      } : !Ring
    }
  } consumers 1 registers 232 {
  ^consumer(%group: index):
    %out = tile.alloc : !A
    %none = tile.wgmma_none : !Pending
    %pending = scf.for %s = %c0 to %steps step %c1 iter_args(%acc = %none) -> (!Pending) {
      %as, %bs = tile.ring_wait %ring[%s] : !Ring -> !A, !B
      %more = arith.cmpi ne, %s, %c0 : index
      %started = tile.wgmma %as, %bs transpose, %acc if %more : !A, !B, !Pending -> !Pending
      %flying = tile.wgmma_wait %started in_flight 1 : !Pending -> !Pending
      %before = tile.index %s - 1
      tile.ring_release %ring[%before] if %more : !Ring
      scf.yield %flying : !Pending
    }
    %sum = tile.wgmma_wait %pending : !Pending -> !Sum
    %last = tile.index %steps - 1
    tile.ring_release %ring[%last] : !Ring
    %rounded = arith.truncf %sum : !Sum to !Rounded
    tile.store_matrix %rounded, %out[%c0, %c0] : !Rounded, !A
    tile.tma_store %out, %c[%row, %column] : !A, !Matrix
    tile.tma_store_wait 0
  }
  tile.return
}
