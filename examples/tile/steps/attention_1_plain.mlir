// Attention, step 1: scores, weights, sum of values, one after the other. While a consumer computes weights, only the
// other one's products, if it happens to have any, keep the tensor cores busy.

!Q = !tile.shared<64x128xbf16, swizzle = 128, panel = 64>
!KV = !tile.shared<128x128xbf16, swizzle = 128, panel = 64>
!Qs = !tile.ring<2 x !Q>
!KVs = !tile.ring<2 x !KV>
!Block = tensor<64x128xf32, #tile.wgmma>
!Flight = !tile.pending<!Block>
!Rounded = tensor<64x128xbf16, #tile.wgmma>
!Weights = tensor<64x128xbf16, #tile.wgmma_a>
!Rows = tensor<64xf32, #tile.wgmma_rows>
!Columns = tensor<64x128xi32, #tile.wgmma>
!Live = tensor<64x128xi1, #tile.wgmma>
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
  %qs = tile.alloc_ring readers 1 : !Qs
  %ks = tile.alloc_ring readers 2 : !KVs
  %vs = tile.alloc_ring readers 2 : !KVs

  tile.specialize producer registers 40 {
    scf.for %t = %first to %tiles step %ctas {
      %n = tile.index floordiv(%t - %first, %ctas)
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
    %scale = arith.constant dense<0.127517432> : !Block
    %scale_rows = arith.constant dense<0.127517432> : !Rows
    %minus = arith.constant dense<-0.127517432> : !Rows
    %lowest = arith.constant dense<0xFF800000> : !Rows
    %no_weight = arith.constant dense<0.0> : !Rows
    %zero = arith.constant dense<0.0> : !Block
    %never = arith.constant dense<0xFF800000> : !Block
    %none = tile.wgmma_none : !Flight
    %column = tile.coordinates 1 : !Columns
    scf.for %t = %first to %tiles step %ctas {
      %n = tile.index floordiv(%t - %first, %ctas)
      %iq = tile.index 2 * %n + %g
      %rows = tile.ring_wait %qs[%iq] : !Qs -> !Q
      %top_end, %sum_end, %o_end = scf.for %j = %c0 to %blocks step %c1
          iter_args(%top = %lowest, %sum = %no_weight, %o0 = %zero) -> (!Rows, !Rows, !Block) {
        %i = tile.index %n * %blocks + %j
        %keys = tile.ring_wait %ks[%i] : !KVs -> !KV
        %x_started = tile.wgmma %rows, %keys transpose, %none : !Q, !KV, !Flight -> !Flight
        %scores = tile.wgmma_wait %x_started : !Flight -> !Block
        tile.ring_release %ks[%i] : !KVs
        // Every block is masked, though only the first can be ragged.
        %left = tile.index %s - (%blocks - 1 - %j) * %bk
        %limit = arith.index_cast %left : index to i32
        %limits = tile.splat %limit : i32 -> !Columns
        %live = arith.cmpi slt, %column, %limits : !Columns
        %x = arith.select %live, %scores, %never : !Live, !Block
        %here = tile.reduce_rows <max> %x : !Block -> !Rows
        %top1 = arith.maximumf %top, %here : !Rows
        %shift = arith.mulf %top1, %minus : !Rows
        %shift_wide = tile.broadcast %shift : !Rows -> !Block
        %power = math.fma %x, %scale, %shift_wide : !Block
        %e = tile.approx <exp2> %power : !Block
        %change = math.fma %top, %scale_rows, %shift : !Rows
        %less = tile.approx <exp2> %change : !Rows
        %weight = tile.reduce_rows <add> %e : !Block -> !Rows
        %sum1 = math.fma %sum, %less, %weight : !Rows
        %less_wide = tile.broadcast %less : !Rows -> !Block
        %o_less = arith.mulf %o0, %less_wide : !Block
        %rounded = arith.truncf %e : !Block to !Rounded
        %p = tile.relayout %rounded : !Rounded -> !Weights
        %values = tile.ring_wait %vs[%i] : !KVs -> !KV
        %o_started = tile.wgmma %p, %values, %o_less : !Weights, !KV, !Block -> !Flight
        %o1 = tile.wgmma_wait %o_started : !Flight -> !Block
        tile.ring_release %vs[%i] : !KVs
        scf.yield %top1, %sum1, %o1 : !Rows, !Rows, !Block
      }
      tile.ring_release %qs[%iq] : !Qs
      %inverse = tile.approx <rcp> %sum_end : !Rows
      %inverse_wide = tile.broadcast %inverse : !Rows -> !Block
      %mean = arith.mulf %o_end, %inverse_wide : !Block
      %result = arith.truncf %mean : !Block to !Rounded
      tile.tma_store_wait 0
      tile.store_matrix %result, %out[%c0, %c0] : !Rounded, !Q
      %b, %h, %r = tile.unravel %t of [%batch, %heads, %tall]
      %row = tile.index (2 * %r + %g) * %bq
      tile.tma_store %out, %o[%b, %h, %row, %c0] : !Q, !Heads
    }
    tile.tma_store_wait 0
  }
  tile.return
}
