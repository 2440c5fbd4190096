// One query per head against a long cache: a step of generation, with several query heads to a key head (GQA).
//
// Every key and value is read once and used for few products, so that memory is all there is to it: 2 x 2 bytes a key
// and column, as fast as they come. There are fewer heads than a GPU has room for, so two CTAs share a head's keys.
// Each keeps three blocks of keys and values on their way, and two CTAs fit an SM. No roles: between blocks there is
// time enough to start copies.
//
// The heads of a group are rows of one product. Tensor cores multiply 64 rows at a time, of which a group fills few;
// the others hold some other head's query, which is cheaper than to care. What two CTAs found is combined at the end
// through distributed shared memory: neither waits for a second kernel, and nothing but the result is written.

!Q = !tile.shared<64x128xbf16, swizzle = 128, panel = 64>    // the group's queries come first
!KV = !tile.shared<64x128xbf16, swizzle = 128, panel = 64>   // a block of keys, or of values
!Qs = !tile.ring<1 x !Q>
!KVs = !tile.ring<3 x !KV, !KV>                              // 3 x 32 KB
!Scores = tensor<64x64xf32, #tile.wgmma>                     // a row per query, a column per key
!ScoresFlight = !tile.pending<!Scores>
!Rounded = tensor<64x64xbf16, #tile.wgmma>
!Weights = tensor<64x64xbf16, #tile.wgmma_a>
!Values = tensor<64x128xf32, #tile.wgmma>                    // weighted sums of values
!ValuesFlight = !tile.pending<!Values>
!Rows = tensor<64xf32, #tile.wgmma_rows>                     // a number per query
!ValuesTile = !tile.shared<64x128xf32>
!RowsTile = !tile.shared<64xf32>
!Head = tensor<128xf32, #tile.blocked<vec = 1, threads = 128>>
!HeadRounded = tensor<128xbf16, #tile.blocked<vec = 1, threads = 128>>
!Queries = !tile.global<?x?x128xbf16>
!Cache = !tile.global<?x?x?x128xbf16>
#queries = ["B", "Hq", "D"]
#cache = ["B", "Hkv", "S", "D"]

tile.kernel @decode(%q: !Queries {tile.name = "q", tile.dims = #queries},
                    %k: !Cache {tile.name = "k", tile.dims = #cache},
                    %v: !Cache {tile.name = "v", tile.dims = #cache},
                    %o: !Queries {tile.name = "o", tile.dims = #queries}) grid "2 * B * Hkv" cluster 2 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %splits = arith.constant 2 : index
  %bk = tile.size !KV[0]
  %width = tile.size !KV[1]
  %hq = tile.extent "Hq"
  %hkv = tile.extent "Hkv"
  %batch = tile.extent "B"
  %s = tile.extent "S"
  %group = tile.index floordiv(%hq, %hkv)
  %cta = tile.cta_id
  %b, %h, %split = tile.unravel %cta of [%batch, %hkv, %splits]
  %head = tile.index %h * %group
  // The CTAs of a cluster deal the blocks among themselves.
  %blocks = tile.index ceildiv(%s, %bk)
  %count = tile.index floordiv(%blocks + %splits - 1 - %split, %splits)
  %qs = tile.alloc_ring readers 1 : !Qs
  %ring = tile.alloc_ring readers 1 : !KVs
  tile.fill %qs[%c0] {
  ^slot(%rows: !Q, %full: !tile.mbarrier):
    tile.tma_load %q[%b, %head, %c0], %rows signal %full : !Queries, !Q
  } : !Qs

  // exp(x/√128) is 2^(x·log2(e)/√128), and for powers of two there is an instruction.
  %scale = arith.constant dense<0.127517432> : !Scores
  %scale_rows = arith.constant dense<0.127517432> : !Rows
  %minus = arith.constant dense<-0.127517432> : !Rows
  %lowest = arith.constant dense<0xFF800000> : !Rows
  %no_weight = arith.constant dense<0.0> : !Rows
  %no_value = arith.constant dense<0.0> : !Values
  %none = tile.wgmma_none : !ScoresFlight
  // Copies run two blocks ahead of products.
  %early = tile.index min(%count, 2)
  scf.for %i = %c0 to %early step %c1 {
    %key = tile.index (%i * %splits + %split) * %bk
    tile.fill %ring[%i] {
    ^slot(%keys: !KV, %values: !KV, %full: !tile.mbarrier):
      tile.tma_load %k[%b, %h, %key, %c0], %keys signal %full : !Cache, !KV
      tile.tma_load %v[%b, %h, %key, %c0], %values signal %full : !Cache, !KV
    } : !KVs
  }
  %queries = tile.ring_wait %qs[%c0] : !Qs -> !Q
  %top_end, %sum_end, %o_end = scf.for %i = %c0 to %count step %c1
      iter_args(%top = %lowest, %sum = %no_weight, %o0 = %no_value) -> (!Rows, !Rows, !Values) {
    %soon = tile.index %i + 2
    %more = arith.cmpi slt, %soon, %count : index
    scf.if %more {
      %key = tile.index (%soon * %splits + %split) * %bk
      tile.fill %ring[%soon] {
      ^slot(%keys: !KV, %values: !KV, %full: !tile.mbarrier):
        tile.tma_load %k[%b, %h, %key, %c0], %keys signal %full : !Cache, !KV
        tile.tma_load %v[%b, %h, %key, %c0], %values signal %full : !Cache, !KV
      } : !KVs
    }
    %keys, %values = tile.ring_wait %ring[%i] : !KVs -> !KV, !KV
    %started = tile.wgmma %queries, %keys transpose, %none : !Q, !KV, !ScoresFlight -> !ScoresFlight
    %scores = tile.wgmma_wait %started : !ScoresFlight -> !Scores
    %left = tile.index %s - (%i * %splits + %split) * %bk
    %x = tile.mask_columns %scores from %left : !Scores
    // As in attention: weights against the largest score so far, and less of what was weighed against another.
    %here = tile.reduce_rows <max> %x : !Scores -> !Rows
    %top1 = arith.maximumf %top, %here : !Rows
    %shift = arith.mulf %top1, %minus : !Rows
    %shift_wide = tile.broadcast %shift : !Rows -> !Scores
    %power = math.fma %x, %scale, %shift_wide : !Scores
    %e = tile.approx <exp2> %power : !Scores
    %change = math.fma %top, %scale_rows, %shift : !Rows
    %less = tile.approx <exp2> %change : !Rows
    %weight = tile.reduce_rows <add> %e : !Scores -> !Rows
    %sum1 = math.fma %sum, %less, %weight : !Rows
    %less_wide = tile.broadcast %less : !Rows -> !Values
    %o_less = arith.mulf %o0, %less_wide : !Values
    %rounded = arith.truncf %e : !Scores to !Rounded
    %p = tile.relayout %rounded : !Rounded -> !Weights
    %o_started = tile.wgmma %p, %values, %o_less : !Weights, !KV, !Values -> !ValuesFlight
    %o1 = tile.wgmma_wait %o_started : !ValuesFlight -> !Values
    tile.ring_release %ring[%i] : !KVs
    scf.yield %top1, %sum1, %o1 : !Rows, !Rows, !Values
  }
  tile.ring_release %qs[%c0] : !Qs

  // What the cluster shows each other: behind the barrier these tiles may lie where the ring was.
  tile.barrier
  %tops = tile.alloc : !RowsTile
  %sums = tile.alloc : !RowsTile
  %os = tile.alloc : !ValuesTile
  %top_scaled = arith.mulf %top_end, %scale_rows : !Rows
  tile.store %top_scaled, %tops[%c0] : !Rows, !RowsTile
  tile.store %sum_end, %sums[%c0] : !Rows, !RowsTile
  tile.store %o_end, %os[%c0] rows 128 : !Values, !ValuesTile
  tile.cluster_barrier
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %no_head = arith.constant dense<0.0> : !Head
  // Each CTA finishes every other head of the group. Loops over the cluster are unrolled, so that its CTAs' memory is
  // asked at once, and waited for once.
  scf.for %g = %split to %group step %splits {
    %largest = scf.for %r = %c0 to %splits step %c1 iter_args(%sofar = %low) -> (f32) {
      %theirs = tile.remote %tops at %r : !RowsTile -> !tile.remote<!RowsTile>
      %t = tile.load %theirs[%g] : !tile.remote<!RowsTile> -> f32
      %larger = arith.maximumf %sofar, %t : f32
      scf.yield %larger : f32
    } {tile.unroll}
    %total, %o_total = scf.for %r = %c0 to %splits step %c1 iter_args(%z = %zero, %acc = %no_head) -> (f32, !Head) {
      %top_r = tile.remote %tops at %r : !RowsTile -> !tile.remote<!RowsTile>
      %t = tile.load %top_r[%g] : !tile.remote<!RowsTile> -> f32
      %gap = arith.subf %t, %largest : f32
      %w = tile.approx <exp2> %gap : f32
      %sum_r = tile.remote %sums at %r : !RowsTile -> !tile.remote<!RowsTile>
      %l = tile.load %sum_r[%g] : !tile.remote<!RowsTile> -> f32
      %z1 = math.fma %w, %l, %z : f32
      %o_r = tile.remote %os at %r : !ValuesTile -> !tile.remote<!ValuesTile>
      %from = tile.index %g * %width
      %part = tile.load %o_r[%from] : !tile.remote<!ValuesTile> -> !Head
      %w_wide = tile.splat %w : f32 -> !Head
      %acc1 = math.fma %part, %w_wide, %acc : !Head
      scf.yield %z1, %acc1 : f32, !Head
    } {tile.unroll}
    %total_wide = tile.splat %total : f32 -> !Head
    %mean = arith.divf %o_total, %total_wide : !Head
    %result = arith.truncf %mean : !Head to !HeadRounded
    %to = tile.index (%b * %hq + %head + %g) * %width
    tile.store %result, %o[%to] : !HeadRounded, !Queries
  }
  // Shared memory must be there until the others have read it.
  tile.cluster_barrier
  tile.return
}
