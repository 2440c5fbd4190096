// Ops on fragments of two dimensions: parts, rows and columns, other layouts, matrix stores.

#ifndef KILN_IR_TILE_FRAGMENTS
#define KILN_IR_TILE_FRAGMENTS

include "ir/tile/Layouts.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_ExtractOp : Tile_Op<"extract", [Pure]> {
  let summary = "a part of a fragment, which every thread holds of its own elements";
  let description = [{
    Element (i, j) of the result is (row + i, column + j). Offsets are constants once loops that say `tile.unroll` are
    unrolled. (C1) both are matrices of one layout and element type, and the part is no larger. (C2) offsets that are
    known lie where threads need not exchange elements, and the part within the fragment.
  }];
  let arguments = (ins Tile_Fragment:$source, Index:$row, Index:$column);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$source `[` $row `,` $column `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SubtileOp : Tile_Op<"subtile", [Pure]> {
  let summary = "a part of a shared tile, in place";
  let description = [{
    Element (i, j) of the result is (row + i, column + j) of the tile. Where there is a swizzle, rows given are multiples
    of 8. (C1) both are matrices of the same elements and swizzle, the part is no larger. (C2) it lies in memory as its
    type says: some rows of a tile without panels or of one panel, or all rows of several panels; where there is a swizzle
    its rows, and offsets that are known, are multiples of 8.
  }];
  let arguments = (ins Tile_SharedType:$source, Index:$row, Index:$column);
  let results = (outs Tile_SharedType:$result);
  let assemblyFormat = "$source `[` $row `,` $column `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReduceRowsOp : Tile_Op<"reduce_rows", [Pure]> {
  let summary = "combines each row of a fragment: a thread's own columns in ascending order, then its quad's in a tree";
  let description = [{
    All threads of the quad hold the row's result. (C1) the fragment is `#tile.wgmma`, the result `#tile.wgmma_rows` with
    its rows and elements.
  }];
  let arguments = (ins Tile_CombineKindAttr:$kind, Tile_Fragment:$x);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$kind $x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "a value per row, or per column, for every element";
  let description = [{
    (C1) the result is `#tile.wgmma`, the operand `#tile.wgmma_rows` or `#tile.wgmma_columns` with its rows or columns and
    elements.
  }];
  let arguments = (ins Tile_Fragment:$x);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_RelayoutOp : Tile_Op<"relayout", [Pure]> {
  let summary = "the same fragment in another layout, where each thread, or its quad, already holds its elements";
  let description = [{
    An accumulator becomes an operand of the next product: where elements have 16 bits without a move between threads;
    where they have 8 the four threads of a quad exchange halves of words, two for each word. (C1) shapes and elements are
    the same. (C2) every thread holds the elements of the result, or the result is `#tile.wgmma_a` of 8-bit elements of a
    `#tile.wgmma`.
  }];
  let arguments = (ins Tile_Fragment:$x);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_CoordinatesOp : Tile_Op<"coordinates", [Pure]> {
  let summary = "the row (dimension 0) or column (dimension 1) of each element, for masks and biases";
  let description = [{
    A fragment of a role counts from its own first row. (C1) the dimension is one of the fragment's. (C2) elements are i32.
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_StoreMatrixOp : Tile_Op<"store_matrix", [Tile_Accesses, MemoryEffects<[MemWrite]>]> {
  let summary = "writes a fragment of 16-bit elements to a shared tile: the mirror of `tile.load_matrix`";
  let description = [{
    Element (i, j) goes to (row + i, column + j) of the tile, which has those; with `transpose` to (row + j, column + i). Rows and
    columns given are multiples of 8.

    (C1) the fragment is `#tile.wgmma` or `#tile.mma_acc`, of the tile's 16-bit elements; the tile is a matrix that holds
    it. (C2) the tile's rows are a multiple of 16 bytes. (C3) a row and column that are known are multiples of 8.
  }];
  let arguments = (ins Tile_Fragment:$value, Arg<Tile_SharedType, "", [MemWrite]>:$target, Index:$row, Index:$column,
                       UnitAttr:$transpose);
  let assemblyFormat = [{
    $value `,` $target `[` $row `,` $column `]` (`transpose` $transpose^)? attr-dict `:` type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}

#endif
