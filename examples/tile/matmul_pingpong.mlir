// C = A·Bᵀ in ping-pong: two consumers, each with a tile of C of its own, take turns on the tensor cores.
//
// In `matmul_cooperative.mlir` both consumers round and store at the same time, and the tensor cores rest. Here the
// tiles of a CTA go to its consumers alternately. A consumer that has started the last product of its tile passes the
// turn, and stores while the other one multiplies. With a short k, where tiles are done soon, that is worth most.
//
// Each consumer holds a whole tile, 128x192, in 192 registers of each thread: that is why roles have register shares.

!A = !tile.shared<128x64xbf16, swizzle = 128>    // a step of k: the tile's rows of A,
!B = !tile.shared<192x64xbf16, swizzle = 128>    // and of B
!Ring = !tile.ring<5 x !A, !B>                   // 5 x 40 KB
!Sum = tensor<128x192xf32, #tile.wgmma>          // a consumer's tile of C
!Pending = !tile.pending<!Sum>                   // the same, not to be touched: the tensor core still adds to it
!Part = tensor<64x64xf32, #tile.wgmma>           // C leaves in parts of one copy each
!Rounded = tensor<64x64xbf16, #tile.wgmma>
!Out = !tile.shared<64x64xbf16, swizzle = 128>
!Operand = !tile.global<?x?xbf16>
!Result = !tile.global<?x?xbf16>

tile.kernel @matmul(%a: !Operand {tile.name = "a", tile.dims = ["M", "K"]},
                    %b: !Operand {tile.name = "b", tile.dims = ["N", "K"]},
                    %c: !Result {tile.name = "c", tile.dims = ["M", "N"]}) grid "sms" threads 384 {
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
  %tiles = tile.index %rows * %columns
  %first = tile.cta_id
  %ctas = tile.cta_count

  // A slot has one reader now: the consumer whose tile it belongs to.
  %ring = tile.alloc_ring readers 1 : !Ring
  %turns = tile.alloc_turns : !tile.turns<2>

  // The producer does not know of turns: it fills tile after tile, as before.
  tile.specialize producer registers 40 {
    scf.for %t = %first to %tiles step %ctas {
      %base = tile.index floordiv(%t - %first, %ctas) * %steps
      %tm, %tn = tile.rasterize %t of [%rows, %columns] group 8
      %row = tile.index %tm * %bm
      %column = tile.index %tn * %bn
      scf.for %s = %c0 to %steps step %c1 {
        %i = tile.index %base + %s
        %at = tile.index %s * %bk
        tile.fill %ring[%i] {
        ^slot(%as: !A, %bs: !B, %full: !tile.mbarrier):
          tile.tma_load %a[%row, %at], %as signal %full : !Operand, !A
          tile.tma_load %b[%column, %at], %bs signal %full : !Operand, !B
        } : !Ring
      }
    }
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    %out = tile.alloc : !Out
    %tall = tile.size !Out[0]
    %wide = tile.size !Out[1]
    // Every other tile of the CTA is this consumer's; the ring goes on counting all of them.
    %mine = tile.index %first + %group * %ctas
    %stride = tile.index 2 * %ctas
    scf.for %t = %mine to %tiles step %stride {
      %base = tile.index floordiv(%t - %first, %ctas) * %steps
      tile.take_turn %turns : !tile.turns<2>
      %none = tile.wgmma_none : !Pending
      %pending = scf.for %s = %c0 to %steps step %c1 iter_args(%acc = %none) -> (!Pending) {
        %i = tile.index %base + %s
        %as, %bs = tile.ring_wait %ring[%i] : !Ring -> !A, !B
        %more = arith.cmpi ne, %s, %c0 : index
        %started = tile.wgmma %as, %bs transpose, %acc if %more : !A, !B, !Pending -> !Pending
        %flying = tile.wgmma_wait %started in_flight 1 : !Pending -> !Pending
        %before = tile.index %i - 1
        tile.ring_release %ring[%before] if %more : !Ring
        scf.yield %flying : !Pending
      }
      // All products are started, if not done. The other consumer's queue up behind them without a gap.
      tile.pass_turn %turns : !tile.turns<2>
      %sum = tile.wgmma_wait %pending : !Pending -> !Sum
      %last = tile.index %base + %steps - 1
      tile.ring_release %ring[%last] : !Ring

      %tm, %tn = tile.rasterize %t of [%rows, %columns] group 8
      %row = tile.index %tm * %bm
      %column = tile.index %tn * %bn
      scf.for %i = %c0 to %bm step %tall {
        scf.for %j = %c0 to %bn step %wide {
          %part = tile.extract %sum[%i, %j] : !Sum -> !Part
          %rounded = arith.truncf %part : !Part to !Rounded
          tile.tma_store_wait 0
          tile.store_matrix %rounded, %out[%c0, %c0] : !Rounded, !Out
          %row_out = tile.index %row + %i
          %column_out = tile.index %column + %j
          tile.tma_store %out, %c[%row_out, %column_out] : !Out, !Result
        } {tile.unroll}
      } {tile.unroll}
    }
    tile.tma_store_wait 0
  }
  tile.return
}
