// C = A·Bᵀ with any number of columns: `matmul_pingpong.mlir` where C's rows may start at odd elements.
//
// A TMA store wants rows that start at multiples of 16 bytes. With a vocabulary of 50257 no two neighbouring rows of C
// start alike. But every eighth row does: eight rows are a multiple of 16 bytes, however long one is. So a tile has
// every eighth row of 1024, and starts at a column, up to 7 early, where they have a multiple of 16 bytes. To TMA eight
// rows of A, or of C, are one; to B it is all the same where a tile starts. What is odd about C costs nothing.
//
// Except at the edges: parts of tiles at either end of C's rows, and tiles of neighbouring rows that are left behind
// the last 1024, are stored element by element.

!A = !tile.shared<128x64xbf16, swizzle = 128>    // a step of k: the tile's rows of A,
!B = !tile.shared<192x64xbf16, swizzle = 128>    // and of B
!Ring = !tile.ring<5 x !A, !B>                   // 5 x 40 KB
!Sum = tensor<128x192xf32, #tile.wgmma>          // a consumer's tile of C
!Pending = !tile.pending<!Sum>                   // the same, not to be touched: the tensor core still adds to it
!Part = tensor<64x64xf32, #tile.wgmma>           // C leaves in parts of one copy each
!Rounded = tensor<64x64xbf16, #tile.wgmma>
!Out = !tile.shared<64x64xbf16, swizzle = 128>
!Line = tensor<64xbf16, #tile.blocked<vec = 2, threads = 32>>  // a part's row in the hands of one warp
!InLine = tensor<64xi1, #tile.blocked<vec = 2, threads = 32>>
!Operand = !tile.global<?x?xbf16>
!Result = !tile.global<?x?xbf16>

tile.kernel @matmul(%a: !Operand {tile.name = "a", tile.dims = ["M", "K"]},
                    %b: !Operand {tile.name = "b", tile.dims = ["N", "K"]},
                    %c: !Result {tile.name = "c", tile.dims = ["M", "N"]}) grid "sms" threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %bm = tile.size !A[0]
  %bn = tile.size !B[0]
  %bk = tile.size !A[1]
  %m = tile.extent "M"
  %n = tile.extent "N"
  %k = tile.extent "K"
  %rows = tile.index ceildiv(%m, %bm)
  %spread = tile.index floordiv(%m, 8 * %bm) * 8   // so many rows of tiles have every eighth row of C, in eights
  %columns = tile.index ceildiv(%n + 7, %bn)       // a tile starts up to 7 columns early
  %steps = tile.index ceildiv(%k, %bk)
  %tiles = tile.index %rows * %columns
  %first = tile.cta_id
  %ctas = tile.cta_count

  %ring = tile.alloc_ring readers 1 : !Ring
  %turns = tile.alloc_turns : !tile.turns<2>

  tile.specialize producer registers 40 {
    scf.for %t = %first to %tiles step %ctas {
      %base = tile.index floordiv(%t - %first, %ctas) * %steps
      %tm, %tn = tile.rasterize %t of [%rows, %columns] group 8
      %is_spread = arith.cmpi slt, %tm, %spread : index
      %row = tile.index %tm * %bm
      %of8 = arith.remui %tm, %c8 : index               // which of eight rows,
      %eights = tile.index floordiv(%tm, 8) * %bm       // of which eight on
      %at8 = tile.index %of8 * %n
      %early = arith.remui %at8, %c8 : index
      %column = tile.index %tn * %bn - %early
      scf.for %s = %c0 to %steps step %c1 {
        %i = tile.index %base + %s
        %at = tile.index %s * %bk
        scf.if %is_spread {
          tile.fill %ring[%i] {
          ^slot(%as: !A, %bs: !B, %full: !tile.mbarrier):
            tile.tma_load %a[%eights, %of8, %at] as ["max(floordiv(M, 8), 1)", "min(M, 8)", "K"] box [128, 1, 64],
              %as signal %full : !Operand, !A
            tile.tma_load %b[%column, %at], %bs signal %full : !Operand, !B
          } : !Ring
        } else {
          tile.fill %ring[%i] {
          ^slot(%as: !A, %bs: !B, %full: !tile.mbarrier):
            tile.tma_load %a[%row, %at], %as signal %full : !Operand, !A
            tile.tma_load %b[%column, %at], %bs signal %full : !Operand, !B
          } : !Ring
        }
      }
    }
  } consumers 2 registers 232 {
  ^consumer(%group: index):
    %out = tile.alloc : !Out
    %tall = tile.size !Out[0]
    %wide = tile.size !Out[1]
    %warp = tile.warp_id
    %w = arith.remui %warp, %c4 : index
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
      tile.pass_turn %turns : !tile.turns<2>
      %sum = tile.wgmma_wait %pending : !Pending -> !Sum
      %last = tile.index %base + %steps - 1
      tile.ring_release %ring[%last] : !Ring

      %tm, %tn = tile.rasterize %t of [%rows, %columns] group 8
      %is_spread = arith.cmpi slt, %tm, %spread : index
      %of8 = arith.remui %tm, %c8 : index
      %eights = tile.index floordiv(%tm, 8) * %bm
      %at8 = tile.index %of8 * %n
      %early = arith.remui %at8, %c8 : index
      %column = tile.index %tn * %bn - %early
      // The tile's rows begin with `%row`, so many apart.
      %near = tile.index %tm * %bm
      %far = tile.index %eights * 8 + %of8
      %row = arith.select %is_spread, %far, %near : index
      %apart = arith.select %is_spread, %c8, %c1 : index
      scf.for %i = %c0 to %bm step %tall {
        scf.for %j = %c0 to %bn step %wide {
          %part = tile.extract %sum[%i, %j] : !Sum -> !Part
          %rounded = arith.truncf %part : !Part to !Rounded
          tile.tma_store_wait 0
          tile.store_matrix %rounded, %out[%c0, %c0] : !Rounded, !Out
          // TMA stores a part whose rows begin and end in C, at multiples of 16 bytes.
          %left = tile.index %column + %j
          %right = tile.index %left + %wide
          %begins = arith.cmpi sge, %left, %c0 : index
          %ends = arith.cmpi sle, %right, %n : index
          %within = arith.andi %begins, %ends : i1
          %is_whole = arith.andi %is_spread, %within : i1
          scf.if %is_whole {
            %row_out = tile.index %eights + %i
            %column_out = tile.index %at8 + %left
            tile.tma_store %out, %c[%row_out, %column_out] as ["max(floordiv(M, 8), 1)", "min(M, 8) * N"]
              : !Out, !Result
          } else {
            tile.barrier
            // Columns before C's first are left out, and what lies behind its last.
            %skip = tile.index max(0 - %left, 0)
            %live = tile.index min(%n - %left, %wide) - %skip
            scf.for %r = %w to %tall step %c4 {
              %here = tile.index %row + (%i + %r) * %apart
              %is_there = arith.cmpi slt, %here, %m : index
              %count = arith.select %is_there, %live, %c0 : index
              %in_line = tile.lane_mask %count : !InLine
              %from = tile.index %r * %wide + %skip
              %to = tile.index %here * %n + %left + %skip
              %line = tile.load %out[%from] mask %in_line : !InLine : !Out -> !Line
              tile.store %line, %c[%to] mask %in_line : !InLine : !Line, !Result
            }
          }
        } {tile.unroll}
      } {tile.unroll}
    }
    tile.tma_store_wait 0
  }
  tile.return
}
