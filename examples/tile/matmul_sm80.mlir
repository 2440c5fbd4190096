// C = A·B on any GPU from sm_80 on: copies by cp.async, products by mma.sync. B has a row per step of k.
//
// There is nobody to specialise: all eight warps start copies, wait, and multiply. A tile of C, 128x256, is cut among a
// grid of 2x4 warps, 64x64 each, which is 128 sums to a thread. A step is 32 of k, two products of 16. Three
// things could keep the tensor cores waiting, and the order of what follows is there to prevent it:
//
// - Memory: copies run five steps ahead. Six slots of 32 take what three of 64 would, but are free again sooner: at
//   least five sixths of them hold what is to come, not two thirds.
// - Shared memory: fragments are loaded a product ahead. It serves what it is asked in turn, so a product's fragments
//   are asked for first and copies behind them, B's in one half of a step and A's in the other.
// - Other warps: the barrier stands between a step's products, not where the loop begins. No instruction moves across
//   a loop's ends, but products may cross a barrier, and the assembler lets it rise into the first: a warp that has met
//   the others has more than a product to start before it needs what they copied.

!A = !tile.shared<128x32xbf16, swizzle = 64>                    // a step of k: rows of A
!B = !tile.shared<32x256xbf16, swizzle = 128>                   // and columns of B
!As = !tile.ring<6 x !A>
!Bs = !tile.ring<6 x !B>
!AFragment = tensor<128x16xbf16, #tile.mma_a<warps = [2, 4]>>   // an atom's step of k, half of the slot's
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

  // The first five steps, and A's part of the sixth: A's copies are started half a step behind B's. Outside of A and B
  // copies write zeros; so does a step that is none, which is started all the same: groups are counted.
  %ahead = arith.constant 5 : index
  scf.for %s = %c0 to %ahead step %c1 {
    %at = tile.index %s * %bk
    %a_slot = tile.slot %as[%s] : !As -> !A
    %b_slot = tile.slot %bs[%s] : !Bs -> !B
    tile.async_load %a[%row, %at], %a_slot : !Operand, !A
    tile.async_load %b[%at, %column], %b_slot : !Operand, !B
    tile.async_commit
  } {tile.unroll}
  %sixth = tile.slot %as[%ahead] : !As -> !A
  %sixth_at = tile.index %ahead * %bk
  tile.async_load %a[%row, %sixth_at], %sixth : !Operand, !A
  tile.async_commit

  // Of six groups one is done: the first step is there, and its first fragments are loaded.
  tile.async_wait 5
  tile.barrier
  %a_first = tile.slot %as[%c0] : !As -> !A
  %b_first = tile.slot %bs[%c0] : !Bs -> !B
  %x_first = tile.load_matrix %a_first[%c0, %c0] : !A -> !AFragment
  %y_first = tile.load_matrix %b_first[%c0, %c0] : !B -> !BFragment

  // A step begins with its first fragments, and ends with the first ones of the next: of zeros, if there is none.
  %zero = arith.constant dense<0.0> : !Sum
  %sum, %x_none, %y_none = scf.for %s = %c0 to %steps step %c1
      iter_args(%acc = %zero, %x0 = %x_first, %y0 = %y_first) -> (!Sum, !AFragment, !BFragment) {
    // B's slot of step s - 1 is free since the last barrier, before which all had loaded from it.
    %a_here = tile.slot %as[%s] : !As -> !A
    %b_here = tile.slot %bs[%s] : !Bs -> !B
    %x1 = tile.load_matrix %a_here[%c0, %atom] : !A -> !AFragment
    %y1 = tile.load_matrix %b_here[%atom, %c0] : !B -> !BFragment
    %b_step = tile.index %s + 5
    %b_at = tile.index %b_step * %bk
    %b_soon = tile.slot %bs[%b_step] : !Bs -> !B
    tile.async_load %b[%b_at, %column], %b_soon : !Operand, !B
    %acc0 = tile.mma %x0, %y0, %acc : !AFragment, !BFragment, !Sum

    // Three groups may be under way: B's part of step s + 2, and what was started since. Once everybody has met, step
    // s + 1 is there, and the slots of step s are free.
    tile.async_wait 3
    tile.barrier
    %next = tile.index %s + 1
    %a_next = tile.slot %as[%next] : !As -> !A
    %b_next = tile.slot %bs[%next] : !Bs -> !B
    %x2 = tile.load_matrix %a_next[%c0, %c0] : !A -> !AFragment
    %y2 = tile.load_matrix %b_next[%c0, %c0] : !B -> !BFragment
    %a_step = tile.index %s + 6
    %a_at = tile.index %a_step * %bk
    %a_soon = tile.slot %as[%a_step] : !As -> !A
    tile.async_load %a[%row, %a_at], %a_soon : !Operand, !A
    tile.async_commit
    %acc1 = tile.mma %x1, %y1, %acc0 : !AFragment, !BFragment, !Sum
    scf.yield %acc1, %x2, %y2 : !Sum, !AFragment, !BFragment
  }

  // Rounded, then through shared memory, so that a warp can store whole rows: behind the barrier the tile lies where
  // the rings were.
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
    tile.store %values, %c[%to] aligned 8 mask %in_row : !InRow : !Row, !Result
  }
  tile.return
}
