// C = A·B with cp.async and mma.sync, step 1: copy a step of k, wait, multiply, meet. Everything in turn.

!A = !tile.shared<128x64xbf16, swizzle = 128>
!B = !tile.shared<64x256xbf16, swizzle = 128>
!AFragment = tensor<128x16xbf16, #tile.mma_a<warps = [2, 4]>>
!BFragment = tensor<16x256xbf16, #tile.mma_b<warps = [2, 4]>>
!Sum = tensor<128x256xf32, #tile.mma_acc<warps = [2, 4]>>
!Rounded = tensor<128x256xbf16, #tile.mma_acc<warps = [2, 4]>>
!Out = !tile.shared<128x264xbf16>
!Row = tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>
!InRow = tensor<256xi1, #tile.blocked<vec = 8, threads = 32>>
!Matrix = !tile.global<?x?xbf16>

tile.kernel @matmul(%a: !Matrix {tile.name = "a", tile.dims = ["M", "K"], tile.aligned = 8},
                    %b: !Matrix {tile.name = "b", tile.dims = ["K", "N"], tile.aligned = 8},
                    %c: !Matrix {tile.name = "c", tile.dims = ["M", "N"], tile.aligned = 8})
    grid "ceildiv(M, 128) * ceildiv(N, 256)" threads 256 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %warps = arith.constant 8 : index
  %bm = tile.size !A[0]
  %bn = tile.size !B[1]
  %bk = tile.size !A[1]
  %pitch = tile.size !Out[1]
  %atom = arith.constant 16 : index
  %m = tile.extent "M"
  %n = tile.extent "N"
  %k = tile.extent "K"
  %rows = tile.index ceildiv(%m, %bm)
  %columns = tile.index ceildiv(%n, %bn)
  %steps = tile.index ceildiv(%k, %bk)
  %cta = tile.cta_id
  %warp = tile.warp_id
  %tm, %tn = tile.rasterize %cta of [%rows, %columns] group 8
  %row = tile.index %tm * %bm
  %column = tile.index %tn * %bn
  %as = tile.alloc : !A
  %bs = tile.alloc : !B

  %zero = arith.constant dense<0.0> : !Sum
  %sum = scf.for %s = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (!Sum) {
    %at = tile.index %s * %bk
    tile.async_load %a[%row, %at], %as : !Matrix, !A
    tile.async_load %b[%at, %column], %bs : !Matrix, !B
    tile.async_commit
    tile.async_wait 0
    tile.barrier
    %acc_last = scf.for %i = %c0 to %bk step %atom iter_args(%acc1 = %acc) -> (!Sum) {
      %x = tile.load_matrix %as[%c0, %i] : !A -> !AFragment
      %y = tile.load_matrix %bs[%i, %c0] : !B -> !BFragment
      %acc2 = tile.mma %x, %y, %acc1 : !AFragment, !BFragment, !Sum
      scf.yield %acc2 : !Sum
    } {tile.unroll}
    tile.barrier
    scf.yield %acc_last : !Sum
  }

  %rounded = arith.truncf %sum : !Sum to !Rounded
  tile.async_wait 0
  tile.barrier
  %out = tile.alloc : !Out
  tile.store %rounded, %out[%c0] aligned 8 rows 264 : !Rounded, !Out
  tile.barrier
  %inside = tile.index %n - %column
  %in_row = tile.lane_mask %inside aligned 8 : !InRow
  %live = tile.index min(%m - %row, %bm)
  scf.for %r = %warp to %live step %warps {
    %from = tile.index %r * %pitch
    %values = tile.load %out[%from] aligned 8 : !Out -> !Row
    %to = tile.index (%row + %r) * %n + %column
    tile.store %values, %c[%to] aligned 8 mask %in_row : !InRow : !Row, !Matrix
  }
  tile.return
}
