// Y = softmax(X) along rows: each element is read once and written once, as fast as memory can.
//
// The producer keeps up to fifteen rows on their way, each by one bulk copy: a run of bytes needs no tensor map. A row
// waits in shared memory until the one of three consumers whose it is has time for it; that one reads it once, keeps it
// in registers, 32 elements to a thread, and writes the result straight to memory. While one consumer's threads meet
// over a maximum or a sum, the other two compute. Fifteen slots for three consumers: a slot is always the same one's.
// Were it now one's, now another's, the second could wait for a row while the first still waits for the one before it
// in the slot; and the slot's barrier, which knows even from odd alone, would let it through.
//
// A row is at most as long as `!Row`, and a multiple of 8 elements: bulk copies move whole 16 bytes.

!Row = !tile.shared<4096xbf16>
!Ring = !tile.ring<15 x !Row>                                    // 15 x 8 KB
!Rounded = tensor<4096xbf16, #tile.blocked<vec = 8, threads = 128>>  // 16 bytes to a thread, again and again
!Wide = tensor<4096xf32, #tile.blocked<vec = 8, threads = 128>>
!Live = tensor<4096xi1, #tile.blocked<vec = 8, threads = 128>>
!Units = tensor<512xf32, #tile.blocked<vec = 1, threads = 128>>  // what is left of eights
!Scratch = !tile.shared<512xf32>
!Matrix = !tile.global<?x?xbf16>

tile.kernel @softmax(%x: !Matrix {tile.name = "x", tile.dims = ["R", "N"], tile.aligned = 8},
                     %y: !Matrix {tile.name = "y", tile.dims = ["R", "N"], tile.aligned = 8}) grid "sms" threads 512 {
  %c0 = arith.constant 0 : index
  %rows = tile.extent "R"
  %n = tile.extent "N"
  %first = tile.cta_id
  %ctas = tile.cta_count
  %ring = tile.alloc_ring readers 1 : !Ring

  tile.specialize producer registers 32 {
    scf.for %r = %first to %rows step %ctas {
      %i = tile.index floordiv(%r - %first, %ctas)
      %at = tile.index %r * %n
      tile.fill %ring[%i] {
      ^slot(%row: !Row, %full: !tile.mbarrier):
        tile.bulk_load %x[%at] count %n, %row signal %full : !Matrix, !Row
      } : !Ring
    }
  } consumers 3 registers 152 {
  ^consumer(%group: index):
    // Two, so that nobody writes a maximum where another warp still reads a sum.
    %scratch_max = tile.alloc : !Scratch
    %scratch_sum = tile.alloc : !Scratch
    // exp(x) is 2^(x·log2(e)), and for powers of two there is an instruction.
    %log2e = arith.constant dense<1.44269502> : !Wide
    %minus = arith.constant -1.44269502 : f32
    %one = arith.constant 1.0 : f32
    %never = arith.constant dense<0xFF800000> : !Wide
    %lowest = arith.constant dense<0xFF800000> : !Units
    %zero = arith.constant dense<0.0> : !Units
    %live = tile.lane_mask %n aligned 8 : !Live
    %mine = tile.index %first + %group * %ctas
    %stride = tile.index 3 * %ctas
    scf.for %r = %mine to %rows step %stride {
      %i = tile.index floordiv(%r - %first, %ctas)
      %row = tile.ring_wait %ring[%i] : !Ring -> !Row
      %x_rounded = tile.load %row[%c0] aligned 8 : !Row -> !Rounded
      %x_all = arith.extf %x_rounded : !Rounded to !Wide
      // Behind the row's end is what was there before. 2^-∞ is 0: it will not count.
      %x_wide = arith.select %live, %x_all, %never : !Live, !Wide

      %maxima = tile.fold_units <max> %x_wide into %lowest : !Wide, !Units -> !Units
      %max = tile.fold <max> %maxima through %scratch_max : !Scratch : !Units -> f32
      // The threads have met, so all of them have read the row.
      tile.ring_release %ring[%i] : !Ring
      %shift = arith.mulf %max, %minus : f32
      %shift_wide = tile.splat %shift : f32 -> !Wide
      %power = math.fma %x_wide, %log2e, %shift_wide : !Wide
      %e = tile.approx <exp2> %power : !Wide

      %sums = tile.fold_units <add> %e into %zero : !Wide, !Units -> !Units
      %sum = tile.fold <add> %sums through %scratch_sum : !Scratch : !Units -> f32
      %inverse = arith.divf %one, %sum : f32
      %inverse_wide = tile.splat %inverse : f32 -> !Wide
      %y_wide = arith.mulf %e, %inverse_wide : !Wide
      %y_rounded = arith.truncf %y_wide : !Wide to !Rounded
      %to = tile.index %r * %n
      tile.store %y_rounded, %y[%to] aligned 8 mask %live : !Live : !Rounded, !Matrix
    }
  }
  tile.return
}
