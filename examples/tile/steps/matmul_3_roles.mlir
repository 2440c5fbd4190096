// C = A·Bᵀ, step 3: roles. A producer fills the ring, two consumers share a tile of twice the rows, and one product is
// always in flight while the next one is started. One tile to a CTA: while it is stored, the tensor cores rest.

!A = !tile.shared<128x64xbf16, swizzle = 128>
!B = !tile.shared<256x64xbf16, swizzle = 128>
!Ring = !tile.ring<4 x !A, !B>
!Mine = !tile.shared<64x64xbf16, swizzle = 128>
!Sum = tensor<64x256xf32, #tile.wgmma>
!Pending = !tile.pending<!Sum>
!Part = tensor<64x64xf32, #tile.wgmma>
!Rounded = tensor<64x64xbf16, #tile.wgmma>
!Matrix = !tile.global<?x?xbf16>

tile.kernel @matmul(%a: !Matrix {tile.name = "a", tile.dims = ["M", "K"]},
                    %b: !Matrix {tile.name = "b", tile.dims = ["N", "K"]},
                    %c: !Matrix {tile.name = "c", tile.dims = ["M", "N"]})
    grid "ceildiv(M, 128) * ceildiv(N, 256)" threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = tile.size !A[0]
  %bn = tile.size !B[0]
  %bk = tile.size !A[1]
  %m = tile.extent "M"
  %n = tile.extent "N"
  %k = tile.extent "K"
  %rows = tile.index ceildiv(%m, %bm)
  %columns = tile.index ceildiv(%n, %bn)
  %steps = tile.index ceildiv(%k, %bk)
  %cta = tile.cta_id
  %tm, %tn = tile.unravel %cta of [%rows, %columns]
  %row = tile.index %tm * %bm
  %column = tile.index %tn * %bn
  %ring = tile.alloc_ring readers 2 : !Ring
  tile.specialize producer registers 40 {
    scf.for %s = %c0 to %steps step %c1 {
      %at = tile.index %s * %bk
      tile.fill %ring[%s] {
      ^slot(%as: !A, %bs: !B, %full: !tile.mbarrier):
        tile.tma_load %a[%row, %at], %as signal %full : !Matrix, !A
        tile.tma_load %b[%column, %at], %bs signal %full : !Matrix, !B
      } : !Ring
    }
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    %out = tile.alloc : !Mine
    %wm = tile.size !Mine[0]
    %mine = tile.index %group * %wm
    %none = tile.wgmma_none : !Pending
    %pending = scf.for %s = %c0 to %steps step %c1 iter_args(%acc = %none) -> (!Pending) {
      %as, %bs = tile.ring_wait %ring[%s] : !Ring -> !A, !B
      %a_mine = tile.subtile %as[%mine, %c0] : !A -> !Mine
      %more = arith.cmpi ne, %s, %c0 : index
      %started = tile.wgmma %a_mine, %bs transpose, %acc if %more : !Mine, !B, !Pending -> !Pending
      %flying = tile.wgmma_wait %started in_flight 1 : !Pending -> !Pending
      %before = tile.index %s - 1
      tile.ring_release %ring[%before] if %more : !Ring
      scf.yield %flying : !Pending
    }
    %sum = tile.wgmma_wait %pending : !Pending -> !Sum
    %row_mine = tile.index %row + %mine
    %wide = tile.size !Mine[1]
    scf.for %j = %c0 to %bn step %wide {
      %part = tile.extract %sum[%c0, %j] : !Sum -> !Part
      %rounded = arith.truncf %part : !Part to !Rounded
      tile.tma_store_wait 0
      tile.store_matrix %rounded, %out[%c0, %c0] : !Rounded, !Mine
      %column_out = tile.index %column + %j
      tile.tma_store %out, %c[%row_mine, %column_out] : !Mine, !Matrix
    } {tile.unroll}
    tile.tma_store_wait 0
  }
  tile.return
}
