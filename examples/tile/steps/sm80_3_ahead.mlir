// C = A·B with cp.async and mma.sync, step 3: fragments are loaded while the product before theirs is computed, across
// the barrier too, and a step's copies start behind its first fragments. The barrier is still where the loop begins.

!A = !tile.shared<128x64xbf16, swizzle = 128>                   // a step of k: rows of A
!B = !tile.shared<64x256xbf16, swizzle = 128>                   // and columns of B
!As = !tile.ring<3 x !A>
!Bs = !tile.ring<3 x !B>
!AFragment = tensor<128x16xbf16, #tile.mma_a<warps = [2, 4]>>   // an atom's step of k, a quarter of the slot's
!BFragment = tensor<16x256xbf16, #tile.mma_b<warps = [2, 4]>>
!Sum = tensor<128x256xf32, #tile.mma_acc<warps = [2, 4]>>
!Rounded = tensor<128x256xbf16, #tile.mma_acc<warps = [2, 4]>>
!Out = !tile.shared<128x264xbf16>                               // rows 16 bytes longer than C's tile meet all banks
!Row = tensor<256xbf16, #tile.blocked<vec = 8, threads = 32>>   // a row in the hands of one warp
!InRow = tensor<256xi1, #tile.blocked<vec = 8, threads = 32>>
!Operand = !tile.global<?x?xbf16>
!Result = !tile.global<?x?xbf16>

tile.kernel @matmul(%a: !Operand {tile.name = "a", tile.dims = ["M", "K"], tile.aligned = 8},
                    %b: !Operand {tile.name = "b", tile.dims = ["K", "N"], tile.aligned = 8},
                    %c: !Result {tile.name = "c", tile.dims = ["M", "N"], tile.aligned = 8})
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
  %as = tile.alloc_ring : !As
  %bs = tile.alloc_ring : !Bs

  // The first two steps. Outside of A and B copies write zeros; so does a step that is none, which is started all the
  // same: groups are counted.
  %ahead = arith.constant 2 : index
  scf.for %s = %c0 to %ahead step %c1 {
    %at = tile.index %s * %bk
    %a_slot = tile.slot %as[%s] : !As -> !A
    %b_slot = tile.slot %bs[%s] : !Bs -> !B
    tile.async_load %a[%row, %at], %a_slot : !Operand, !A
    tile.async_load %b[%at, %column], %b_slot : !Operand, !B
    tile.async_commit
  } {tile.unroll}

  // A step ends with fragments whose product is the next one's to start. The first has none, so it starts with zeros.
  %zero = arith.constant dense<0.0> : !Sum
  %x_none = arith.constant dense<0.0> : !AFragment
  %y_none = arith.constant dense<0.0> : !BFragment
  %sum, %x_end, %y_end = scf.for %s = %c0 to %steps step %c1
      iter_args(%acc = %zero, %x_last = %x_none, %y_last = %y_none) -> (!Sum, !AFragment, !BFragment) {
    // Once everybody has met, step s is there, and the slot of step s - 1 is free.
    tile.async_wait 1
    tile.barrier
    %a_here = tile.slot %as[%s] : !As -> !A
    %b_here = tile.slot %bs[%s] : !Bs -> !B
    %soon = tile.index %s + 2
    %at = tile.index %soon * %bk
    %a_soon = tile.slot %as[%soon] : !As -> !A
    %b_soon = tile.slot %bs[%soon] : !Bs -> !B

    %x0 = tile.load_matrix %a_here[%c0, %c0] : !A -> !AFragment
    %y0 = tile.load_matrix %b_here[%c0, %c0] : !B -> !BFragment
    tile.async_load %a[%row, %at], %a_soon : !Operand, !A
    %acc0 = tile.mma %x_last, %y_last, %acc : !AFragment, !BFragment, !Sum

    %x1 = tile.load_matrix %a_here[%c0, %atom] : !A -> !AFragment
    %y1 = tile.load_matrix %b_here[%atom, %c0] : !B -> !BFragment
    tile.async_load %b[%at, %column], %b_soon : !Operand, !B
    tile.async_commit
    %acc1 = tile.mma %x0, %y0, %acc0 : !AFragment, !BFragment, !Sum

    %third = tile.index 2 * %atom
    %accn, %xn, %yn = scf.for %i = %third to %bk step %atom
        iter_args(%acci = %acc1, %x = %x1, %y = %y1) -> (!Sum, !AFragment, !BFragment) {
      %x_next = tile.load_matrix %a_here[%c0, %i] : !A -> !AFragment
      %y_next = tile.load_matrix %b_here[%i, %c0] : !B -> !BFragment
      %acc_next = tile.mma %x, %y, %acci : !AFragment, !BFragment, !Sum
      scf.yield %acc_next, %x_next, %y_next : !Sum, !AFragment, !BFragment
    } {tile.unroll}
    scf.yield %accn, %xn, %yn : !Sum, !AFragment, !BFragment
  }
  %result = tile.mma %x_end, %y_end, %sum : !AFragment, !BFragment, !Sum

  // Rounded, then through shared memory, so that a warp can store whole rows: behind the barrier the tile lies where
  // the rings were.
  %rounded = arith.truncf %result : !Sum to !Rounded
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
    tile.store %values, %c[%to] aligned 8 mask %in_row : !InRow : !Row, !Result
  }
  tile.return
}
