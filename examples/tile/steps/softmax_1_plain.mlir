// Y = softmax(X), step 1: a CTA for each row, which it reads from global memory itself. While threads meet over a
// maximum or a sum, only other CTAs keep memory busy.

!Rounded = tensor<4096xbf16, #tile.blocked<vec = 8, threads = 128>>
!Wide = tensor<4096xf32, #tile.blocked<vec = 8, threads = 128>>
!Live = tensor<4096xi1, #tile.blocked<vec = 8, threads = 128>>
!Units = tensor<512xf32, #tile.blocked<vec = 1, threads = 128>>
!Scratch = !tile.shared<512xf32>
!Matrix = !tile.global<?x?xbf16>

tile.kernel @softmax(%x: !Matrix {tile.name = "x", tile.dims = ["R", "N"], tile.aligned = 8},
                     %y: !Matrix {tile.name = "y", tile.dims = ["R", "N"], tile.aligned = 8}) grid "R" threads 128 {
  %c0 = arith.constant 0 : index
  %n = tile.extent "N"
  %r = tile.cta_id
  %at = tile.index %r * %n
  %scratch_max = tile.alloc : !Scratch
  %scratch_sum = tile.alloc : !Scratch
  %log2e = arith.constant dense<1.44269502> : !Wide
  %minus = arith.constant -1.44269502 : f32
  %one = arith.constant 1.0 : f32
  %never = arith.constant dense<0xFF800000> : !Wide
  %lowest = arith.constant dense<0xFF800000> : !Units
  %zero = arith.constant dense<0.0> : !Units
  %live = tile.lane_mask %n aligned 8 : !Live
  %x_rounded = tile.load %x[%at] aligned 8 mask %live : !Live : !Matrix -> !Rounded
  %x_all = arith.extf %x_rounded : !Rounded to !Wide
  %x_wide = arith.select %live, %x_all, %never : !Live, !Wide

  %maxima = tile.fold_units <max> %x_wide into %lowest : !Wide, !Units -> !Units
  %max = tile.fold <max> %maxima through %scratch_max : !Scratch : !Units -> f32
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
  tile.store %y_rounded, %y[%at] aligned 8 mask %live : !Live : !Rounded, !Matrix
  tile.return
}
