// C = A·Bᵀ, step 2: a ring of four slots. Copies run three steps ahead of products, so that memory and tensor cores
// work at the same time; still the same threads start both.

!A = !tile.shared<64x64xbf16, swizzle = 128>
!B = !tile.shared<256x64xbf16, swizzle = 128>
!Ring = !tile.ring<4 x !A, !B>
!Sum = tensor<64x256xf32, #tile.wgmma>
!Pending = !tile.pending<!Sum>
!Rounded = tensor<64x256xbf16, #tile.wgmma>
!Out = !tile.shared<64x256xbf16, swizzle = 128, panel = 64>
!Matrix = !tile.global<?x?xbf16>

tile.kernel @matmul(%a: !Matrix {tile.name = "a", tile.dims = ["M", "K"]},
                    %b: !Matrix {tile.name = "b", tile.dims = ["N", "K"]},
                    %c: !Matrix {tile.name = "c", tile.dims = ["M", "N"]})
    grid "ceildiv(M, 64) * ceildiv(N, 256)" threads 128 {
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
  %ring = tile.alloc_ring readers 1 : !Ring
  %early = tile.index min(%steps, 3)
  scf.for %s = %c0 to %early step %c1 {
    %at = tile.index %s * %bk
    tile.fill %ring[%s] {
    ^slot(%as: !A, %bs: !B, %full: !tile.mbarrier):
      tile.tma_load %a[%row, %at], %as signal %full : !Matrix, !A
      tile.tma_load %b[%column, %at], %bs signal %full : !Matrix, !B
    } : !Ring
  }
  %zero = arith.constant dense<0.0> : !Sum
  %sum = scf.for %s = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (!Sum) {
    %soon = tile.index %s + 3
    %more = arith.cmpi slt, %soon, %steps : index
    scf.if %more {
      %at = tile.index %soon * %bk
      tile.fill %ring[%soon] {
      ^slot(%as: !A, %bs: !B, %full: !tile.mbarrier):
        tile.tma_load %a[%row, %at], %as signal %full : !Matrix, !A
        tile.tma_load %b[%column, %at], %bs signal %full : !Matrix, !B
      } : !Ring
    }
    %as, %bs = tile.ring_wait %ring[%s] : !Ring -> !A, !B
    %started = tile.wgmma %as, %bs transpose, %acc : !A, !B, !Sum -> !Pending
    %done = tile.wgmma_wait %started : !Pending -> !Sum
    tile.ring_release %ring[%s] : !Ring
    scf.yield %done : !Sum
  }
  %rounded = arith.truncf %sum : !Sum to !Rounded
  %out = tile.alloc : !Out
  tile.store_matrix %rounded, %out[%c0, %c0] : !Rounded, !Out
  tile.tma_store %out, %c[%row, %column] : !Out, !Matrix
  tile.tma_store_wait 0
  tile.return
}
