// Ops that stand for several: `tile-expand` spells them out. They keep tile programs that people write short.

#ifndef KILN_IR_TILE_ABBREVIATIONS
#define KILN_IR_TILE_ABBREVIATIONS

include "ir/tile/Layouts.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_SizeOp : Tile_Op<"size", [Pure]> {
  let summary = "an extent of a shared tile's type: what index arithmetic is written with, so that types alone say sizes";
  let description = [{
    ```mlir
    %bm = tile.size !tile.shared<128x64xbf16>[0]   // 128
    ```
    (C1) the type has the dimension.
  }];
  let arguments = (ins TypeAttrOf<Tile_SharedType>:$tile, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$tile `[` $dim `]` attr-dict";
  let hasVerifier = 1;
}

def Tile_IndexOp : Tile_Op<"index", [Pure]> {
  let summary = "an expression over indices, in the language of grids";
  let description = [{
    `+`, `-`, `*`, parentheses, and `floordiv(a, b)`, `ceildiv(a, b)`, `min(a, b)`, `max(a, b)` over values and integers.
    What is divided is not negative, what divides is at least 1; `min` and `max` are signed.

    ```mlir
    %key = tile.index (%blocks - 1 - %j) * %bk
    ```
    `expression` names operand i `v<i>`. (C1) it is an expression, of the operands and integers only.
  }];
  let arguments = (ins StrAttr:$expression, Variadic<Index>:$operands);
  let results = (outs Index:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_UnravelOp : Tile_Op<"unravel", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "the coordinates of the i-th place of a grid, the last one fastest";
  let description = [{
    ```mlir
    %batch, %head, %row = tile.unravel %cta of [%batches, %heads, %rows]
    ```
    The place is below the product of the extents, and all are below 2^31, as the CTAs of a grid are. (C1) there is an
    extent.
  }];
  let arguments = (ins Index:$place, Variadic<Index>:$extents);
  let results = (outs Variadic<Index>:$coordinates);
  let assemblyFormat = "$place `of` `[` $extents `]` attr-dict";
  let hasVerifier = 1;
}

def Tile_FoldColumnsOp : Tile_Op<"fold_columns", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "combines columns n apart into an accumulator of n columns, in sequence, inside each thread";
  let description = [{
    result[r][c] = (…((acc[r][c] ∘ x[r][c]) ∘ x[r][c + n]) …): a sum per row that threads finish together, once, with
    `tile.reduce_rows`. (C1) both are `#tile.wgmma` fragments of the same rows and float elements. (C2) acc's columns
    divide x's.

    ```mlir
    %sum1 = tile.fold_columns <add> %x into %sum : tensor<64x128xf32, #tile.wgmma>, tensor<64x8xf32, #tile.wgmma>
    ```
  }];
  let arguments = (ins Tile_CombineKindAttr:$kind, Tile_Fragment:$x, Tile_Fragment:$acc);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$kind $x `into` $acc attr-dict `:` type($x) `,` type($acc)";
  let hasVerifier = 1;
}

def Tile_MaskColumnsOp : Tile_Op<"mask_columns", [Pure, AllTypesMatch<["x", "result"]>]> {
  let summary = "columns from a limit on become -∞; with `diagonal` the limit is one more in every row";
  let description = [{
    result[r][c] = c < limit ? x[r][c] : -∞, or c < limit + r with `diagonal`: scores of keys that are none, or that a
    query may not see. The limit is within 32 bits, and may be negative. (C1) x has rows and columns, of floats.

    ```mlir
    %seen = tile.mask_columns %scores from %limit diagonal : tensor<64x128xf32, #tile.wgmma>
    ```
  }];
  let arguments = (ins Tile_Fragment:$x, Index:$limit, UnitAttr:$diagonal);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$x `from` $limit (`diagonal` $diagonal^)? attr-dict `:` type($x)";
  let hasVerifier = 1;
}

#endif
