// O = softmax(Q·Kᵀ/√128)·V for heads of 128 columns: attention that never writes the scores to memory.
//
// Each of two consumers has 64 rows of Q and walks the keys in blocks of 128, last block first, so that only the first
// block it sees can be ragged. It keeps each row's largest score so far, its sum of weights, and its weighted sum of V;
// when a larger score turns up, what there is is scaled down. Weights go from registers into the second product as its
// left operand: but for rounding, an accumulator's layout is that operand's.
//
// Products and exponentials run on different units and take about as long as each other. They overlap twice: a consumer
// computes weights while it sums the values of the block before, whose weights it has; and while one consumer is at its
// exponentials, the other has the tensor cores.

!Q = !tile.shared<64x128xbf16, swizzle = 128, panel = 64>    // one consumer's rows, and later their result
!KV = !tile.shared<128x128xbf16, swizzle = 128, panel = 64>  // a block of keys, or of values
!Qs = !tile.ring<4 x !Q>                                     // iteration 2n + g: consumer g's rows of the n-th tile
!KVs = !tile.ring<2 x !KV>
!Block = tensor<64x128xf32, #tile.wgmma>                     // scores or weights: a row per query, a column per key;
!Flight = !tile.pending<!Block>                              // and sums of values, as many columns as a head has
!Rounded = tensor<64x128xbf16, #tile.wgmma>
!Weights = tensor<64x128xbf16, #tile.wgmma_a>                // weights as a product's left operand
!Rows = tensor<64xf32, #tile.wgmma_rows>                     // a number per query
!Sum = tensor<64x8xf32, #tile.wgmma>                         // a sum per query, spread over the threads of its row
!Heads = !tile.global<?x?x?x128xbf16>
#dims = ["B", "H", "S", "D"]

tile.kernel @attention(%q: !Heads {tile.name = "q", tile.dims = #dims},
                       %k: !Heads {tile.name = "k", tile.dims = #dims},
                       %v: !Heads {tile.name = "v", tile.dims = #dims},
                       %o: !Heads {tile.name = "o", tile.dims = #dims}) grid "sms" threads 384 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bq = tile.size !Q[0]
  %bk = tile.size !KV[0]
  %batch = tile.extent "B"
  %heads = tile.extent "H"
  %s = tile.extent "S"
  %tall = tile.index ceildiv(%s, 2 * %bq)
  %blocks = tile.index ceildiv(%s, %bk)
  %tiles = tile.index %batch * %heads * %tall
  %first = tile.cta_id
  %ctas = tile.cta_count
  %count = tile.index floordiv(%tiles + %ctas - 1 - %first, %ctas)  // this CTA's tiles: every %ctas-th
  %qs = tile.alloc_ring readers 1 : !Qs
  %ks = tile.alloc_ring readers 2 : !KVs
  %vs = tile.alloc_ring readers 2 : !KVs

  tile.specialize producer registers 40 {
    scf.for %n = %c0 to %count step %c1 {
      %t = tile.index %first + %n * %ctas
      // A head's tiles follow one another: CTAs that run at the same time find its keys in the L2 cache.
      %b, %h, %r = tile.unravel %t of [%batch, %heads, %tall]
      scf.for %g = %c0 to %c2 step %c1 {
        %i = tile.index 2 * %n + %g
        %row = tile.index (2 * %r + %g) * %bq
        tile.fill %qs[%i] {
        ^slot(%rows: !Q, %full: !tile.mbarrier):
          tile.tma_load %q[%b, %h, %row, %c0], %rows signal %full : !Heads, !Q
        } : !Qs
      }
      scf.for %j = %c0 to %blocks step %c1 {
        %i = tile.index %n * %blocks + %j
        %key = tile.index (%blocks - 1 - %j) * %bk
        tile.fill %ks[%i] {
        ^slot(%keys: !KV, %full: !tile.mbarrier):
          tile.tma_load %k[%b, %h, %key, %c0], %keys signal %full : !Heads, !KV
        } : !KVs
        tile.fill %vs[%i] {
        ^slot(%values: !KV, %full: !tile.mbarrier):
          tile.tma_load %v[%b, %h, %key, %c0], %values signal %full : !Heads, !KV
        } : !KVs
      }
    }
  } consumers 2 registers 232 {
  ^consumer(%g: index):
    %out = tile.alloc : !Q
    // exp(x/√128) is 2^(x·log2(e)/√128), and for powers of two there is an instruction.
    %scale = arith.constant dense<0.127517432> : !Block
    %scale_rows = arith.constant dense<0.127517432> : !Rows
    %minus = arith.constant dense<-0.127517432> : !Rows
    %zero = arith.constant dense<0.0> : !Block
    %spread = arith.constant dense<0.0> : !Sum
    %none = tile.wgmma_none : !Flight
    scf.for %n = %c0 to %count step %c1 {
      %t = tile.index %first + %n * %ctas
      // The last keys: their scores, without those of keys that are none, and their weights.
      %iq = tile.index 2 * %n + %g
      %rows = tile.ring_wait %qs[%iq] : !Qs -> !Q
      %base = tile.index %n * %blocks
      %keys0 = tile.ring_wait %ks[%base] : !KVs -> !KV
      %started = tile.wgmma %rows, %keys0 transpose, %none : !Q, !KV, !Flight -> !Flight
      %scores = tile.wgmma_wait %started : !Flight -> !Block
      tile.ring_release %ks[%base] : !KVs
      %ragged = tile.index %s - (%blocks - 1) * %bk
      %x0 = tile.mask_columns %scores from %ragged : !Block
      %top0 = tile.reduce_rows <max> %x0 : !Block -> !Rows
      %shift0 = arith.mulf %top0, %minus : !Rows
      %shift0_wide = tile.broadcast %shift0 : !Rows -> !Block
      %power0 = math.fma %x0, %scale, %shift0_wide : !Block
      %e0 = tile.approx <exp2> %power0 : !Block
      %sum0 = tile.fold_columns <add> %e0 into %spread : !Block, !Sum
      %rounded0 = arith.truncf %e0 : !Block to !Rounded
      %p0 = tile.relayout %rounded0 : !Rounded -> !Weights
      %values0 = tile.ring_wait %vs[%base] : !KVs -> !KV

      // Keys before: start their scores, and behind them the sum of the values whose weights are known.
      %o_end, %top_end, %sum_end, %p_end, %values_end = scf.for %j = %c1 to %blocks step %c1
          iter_args(%o0 = %zero, %top = %top0, %sum = %sum0, %p = %p0, %values = %values0)
          -> (!Block, !Rows, !Sum, !Weights, !KV) {
        %i = tile.index %n * %blocks + %j
        %before = tile.index %i - 1
        %keys = tile.ring_wait %ks[%i] : !KVs -> !KV
        %x_started = tile.wgmma %rows, %keys transpose, %none : !Q, !KV, !Flight -> !Flight
        %o_started = tile.wgmma %p, %values, %o0 : !Weights, !KV, !Block -> !Flight
        %x = tile.wgmma_wait %x_started in_flight 1 : !Flight -> !Block
        tile.ring_release %ks[%i] : !KVs
        %here = tile.reduce_rows <max> %x : !Block -> !Rows
        %top1 = arith.maximumf %top, %here : !Rows
        %shift = arith.mulf %top1, %minus : !Rows
        %shift_wide = tile.broadcast %shift : !Rows -> !Block
        %power = math.fma %x, %scale, %shift_wide : !Block
        %e = tile.approx <exp2> %power : !Block
        // What was weighed against the old top weighs less against the new one.
        %change = math.fma %top, %scale_rows, %shift : !Rows
        %less = tile.approx <exp2> %change : !Rows
        %less_narrow = tile.broadcast %less : !Rows -> !Sum
        %sum_less = arith.mulf %sum, %less_narrow : !Sum
        %sum1 = tile.fold_columns <add> %e into %sum_less : !Block, !Sum
        // What stands before a wait is done before it: exponentials, while the sum of the values before is in flight.
        %values1 = tile.ring_wait %vs[%i] : !KVs -> !KV
        %o_here = tile.wgmma_wait %o_started : !Flight -> !Block
        tile.ring_release %vs[%before] : !KVs
        %less_wide = tile.broadcast %less : !Rows -> !Block
        %o_less = arith.mulf %o_here, %less_wide : !Block
        %rounded = arith.truncf %e : !Block to !Rounded
        %p1 = tile.relayout %rounded : !Rounded -> !Weights
        scf.yield %o_less, %top1, %sum1, %p1, %values1 : !Block, !Rows, !Sum, !Weights, !KV
      }
      tile.ring_release %qs[%iq] : !Qs

      // The first values; then every row is divided by the sum of its weights.
      %last = tile.index (%n + 1) * %blocks - 1
      %ending = tile.wgmma %p_end, %values_end, %o_end : !Weights, !KV, !Block -> !Flight
      %total = tile.reduce_rows <add> %sum_end : !Sum -> !Rows
      %inverse = tile.approx <rcp> %total : !Rows
      %b, %h, %r = tile.unravel %t of [%batch, %heads, %tall]
      %row = tile.index (2 * %r + %g) * %bq
      %all = tile.wgmma_wait %ending : !Flight -> !Block
      tile.ring_release %vs[%last] : !KVs
      %inverse_wide = tile.broadcast %inverse : !Rows -> !Block
      %mean = arith.mulf %all, %inverse_wide : !Block
      %result = arith.truncf %mean : !Block to !Rounded
      tile.tma_store_wait 0
      tile.store_matrix %result, %out[%c0, %c0] : !Rounded, !Q
      tile.tma_store %out, %o[%b, %h, %row, %c0] : !Q, !Heads
    }
    tile.tma_store_wait 0
  }
  tile.return
}
