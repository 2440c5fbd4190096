// C = A·Bᵀ with any number of columns, step 1: `matmul_pingpong.mlir`, but C leaves by threads.
//
// A TMA store, and every access of more than 2 bytes, wants rows that start at multiples of more than 2 bytes. With a
// vocabulary of 50257 no two neighbouring rows of C do. So a consumer puts 64 whole rows into shared memory, and its
// warps write them row by row: as words of 4 bytes from the first even address on, whatever its place in the row, and
// single elements at the two ends. The other consumer's products hide the time that takes, but not what it takes from
// shared memory and the power that an SM has.

!A = !tile.shared<128x64xbf16, swizzle = 128>    // a step of k: the tile's rows of A,
!B = !tile.shared<192x64xbf16, swizzle = 128>    // and of B
!Ring = !tile.ring<4 x !A, !B>                   // 4 x 40 KB
!Sum = tensor<128x192xf32, #tile.wgmma>          // a consumer's tile of C
!Pending = !tile.pending<!Sum>                   // the same, not to be touched: the tensor core still adds to it
!Part = tensor<64x192xf32, #tile.wgmma>          // C leaves in blocks of 64 rows
!Rounded = tensor<64x192xbf16, #tile.wgmma>
!Block = !tile.shared<64x200xbf16>               // a row is 400 bytes: eight of them start in eight different banks
!Row = tensor<192xbf16, #tile.blocked<vec = 2, threads = 32>>  // a row in the hands of one warp, as words of two
!InRow = tensor<192xi1, #tile.blocked<vec = 2, threads = 32>>
!Operand = !tile.global<?x?xbf16>
!Element = bf16
!Result = !tile.global<?x?xbf16>

tile.kernel @matmul(%a: !Operand {tile.name = "a", tile.dims = ["M", "K"]},
                    %b: !Operand {tile.name = "b", tile.dims = ["N", "K"]},
                    %c: !Result {tile.name = "c", tile.dims = ["M", "N"]}) grid "sms" threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
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

  %ring = tile.alloc_ring readers 1 : !Ring
  %turns = tile.alloc_turns : !tile.turns<2>

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
    %block = tile.alloc : !Block
    %tall = tile.size !Block[0]
    %pitch = tile.size !Block[1]
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
      %row = tile.index %tm * %bm
      %column = tile.index %tn * %bn
      %inside = tile.index min(%n - %column, %bn)
      scf.for %i = %c0 to %bm step %tall {
        %part = tile.extract %sum[%i, %c0] : !Sum -> !Part
        %rounded = arith.truncf %part : !Part to !Rounded
        tile.barrier
        tile.store_matrix %rounded, %block[%c0, %c0] : !Rounded, !Block
        tile.barrier
        // Each warp takes every fourth row that C has.
        %live = tile.index min(%m - %row - %i, %tall)
        scf.for %r = %w to %live step %c4 {
          %to = tile.index (%row + %i + %r) * %n + %column
          %from = tile.index %r * %pitch
          // The first element that starts a word of C, and the elements that fill whole words from there.
          %odd = arith.remui %to, %c2 : index
          %to_even = tile.index %to + %odd
          %from_even = tile.index %from + %odd
          %rest = tile.index %inside - %odd
          %left = arith.remui %rest, %c2 : index
          %whole = tile.index %rest - %left
          %words = tile.load %block[%from_even] : !Block -> !Row
          %in_row = tile.lane_mask %whole aligned 2 : !InRow
          tile.store %words, %c[%to_even] aligned 2 mask %in_row : !InRow : !Row, !Result
          // An element before, an element behind.
          %is_odd = arith.cmpi ne, %odd, %c0 : index
          %head = tile.load %block[%from] : !Block -> !Element
          tile.store %head, %c[%to] mask %is_odd : i1 : !Element, !Result
          %is_left = arith.cmpi ne, %left, %c0 : index
          %from_tail = tile.index %from_even + %whole
          %to_tail = tile.index %to_even + %whole
          %tail = tile.load %block[%from_tail] : !Block -> !Element
          tile.store %tail, %c[%to_tail] mask %is_left : i1 : !Element, !Result
        }
      } {tile.unroll}
    }
  }
  tile.return
}
