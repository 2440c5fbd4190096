// C = A·B: `matmul_cooperative.mlir` where B has a row per step of k, as weights often have.
//
// Little differs. A tile of B is 256 columns wide, four times what a swizzle of 128 bytes spans: it lies in panels of
// 64 columns, one behind the other, each a copy of its own. Its coordinates change places, and `tile.wgmma` takes it
// as it is, without `transpose`.

!A = !tile.shared<128x64xbf16, swizzle = 128>    // a step of k: the tile's rows of A,
!B = !tile.shared<64x256xbf16, swizzle = 128, panel = 64>  // and the columns of B
!Ring = !tile.ring<4 x !A, !B>                   // 4 x 48 KB: three steps are on their way while one is multiplied
!Mine = !tile.shared<64x64xbf16, swizzle = 128>  // one consumer's rows of A
!Sum = tensor<64x256xf32, #tile.wgmma>           // and of C
!Pending = !tile.pending<!Sum>                   // the same, not to be touched: the tensor core still adds to it
!Part = tensor<64x64xf32, #tile.wgmma>           // C leaves in parts of one copy each
!Rounded = tensor<64x64xbf16, #tile.wgmma>
!Out = !tile.shared<64x64xbf16, swizzle = 128>
!Outs = !tile.ring<2 x !Out>                     // one is written while the other is copied out
!Operand = !tile.global<?x?xbf16>
!Result = !tile.global<?x?xbf16>

tile.kernel @matmul(%a: !Operand {tile.name = "a", tile.dims = ["M", "K"]},
                    %b: !Operand {tile.name = "b", tile.dims = ["K", "N"]},
                    %c: !Result {tile.name = "c", tile.dims = ["M", "N"]}) grid "sms" threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bm = tile.size !A[0]
  %bn = tile.size !B[1]
  %bk = tile.size !A[1]
  %m = tile.extent "M"
  %n = tile.extent "N"
  %k = tile.extent "K"
  %rows = tile.index ceildiv(%m, %bm)
  %columns = tile.index ceildiv(%n, %bn)
  %steps = tile.index ceildiv(%k, %bk)
  %tiles = tile.index %rows * %columns
  %first = tile.cta_id
  %ctas = tile.cta_count

  // Each slot has two barriers: the copies' bytes complete one, both consumers' releases the other.
  %ring = tile.alloc_ring readers 2 : !Ring

  // %base counts the steps of this CTA's tiles before: base + s is the ring's iteration, and says slot and phase.
  tile.specialize producer registers 40 {
    scf.for %t = %first to %tiles step %ctas {
      %base = tile.index floordiv(%t - %first, %ctas) * %steps
      // Eight rows of tiles are walked together, so that CTAs which run at the same time share A and B in the L2 cache.
      %tm, %tn = tile.rasterize %t of [%rows, %columns] group 8
      %row = tile.index %tm * %bm
      %column = tile.index %tn * %bn
      scf.for %s = %c0 to %steps step %c1 {
        %i = tile.index %base + %s
        %at = tile.index %s * %bk
        tile.fill %ring[%i] {
        ^slot(%as: !A, %bs: !B, %full: !tile.mbarrier):
          // What lies outside of A and B arrives as zeros: no other line has to know about edges.
          tile.tma_load %a[%row, %at], %as signal %full : !Operand, !A
          tile.tma_load %b[%at, %column], %bs signal %full : !Operand, !B
        } : !Ring
      }
    }
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    %outs = tile.alloc_ring : !Outs
    %wm = tile.size !Mine[0]
    %mine = tile.index %group * %wm
    %wide = tile.size !Out[1]
    scf.for %t = %first to %tiles step %ctas {
      %base = tile.index floordiv(%t - %first, %ctas) * %steps
      %none = tile.wgmma_none : !Pending
      %pending = scf.for %s = %c0 to %steps step %c1 iter_args(%acc = %none) -> (!Pending) {
        %i = tile.index %base + %s
        %as, %bs = tile.ring_wait %ring[%i] : !Ring -> !A, !B
        %a_mine = tile.subtile %as[%mine, %c0] : !A -> !Mine
        // The tile's first product replaces what the accumulator holds: no zeros are written.
        %more = arith.cmpi ne, %s, %c0 : index
        %started = tile.wgmma %a_mine, %bs, %acc if %more : !Mine, !B, !Pending -> !Pending
        // One product stays in flight. The one before it is done, so its slot may be filled again.
        %flying = tile.wgmma_wait %started in_flight 1 : !Pending -> !Pending
        %before = tile.index %i - 1
        tile.ring_release %ring[%before] if %more : !Ring
        scf.yield %flying : !Pending
      }
      %sum = tile.wgmma_wait %pending : !Pending -> !Sum
      %last = tile.index %base + %steps - 1
      tile.ring_release %ring[%last] : !Ring

      // Round, put into shared memory as the copy wants it, and let the copy clip what lies outside of C.
      %tm, %tn = tile.rasterize %t of [%rows, %columns] group 8
      %row = tile.index %tm * %bm + %mine
      %column = tile.index %tn * %bn
      tile.tma_store_wait 0
      scf.for %j = %c0 to %bn step %wide {
        %part = tile.extract %sum[%c0, %j] : !Sum -> !Part
        %rounded = arith.truncf %part : !Part to !Rounded
        %turn = tile.index floordiv(%j, %wide)
        %out = tile.slot %outs[%turn] : !Outs -> !Out
        tile.tma_store_wait 1
        tile.store_matrix %rounded, %out[%c0, %c0] : !Rounded, !Out
        %column_out = tile.index %column + %j
        tile.tma_store %out, %c[%row, %column_out] : !Out, !Result
      } {tile.unroll}
    }
    // Shared memory must outlive the copies that read it.
    tile.tma_store_wait 0
  }
  tile.return
}
