// Ops of CTAs of many threads: who a warp is, barriers, asynchronous copies, matrix loads.

#ifndef KILN_IR_TILE_CTA
#define KILN_IR_TILE_CTA

include "ir/tile/Layouts.td"
include "ir/tile/Ring.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_WarpIdOp : Tile_Op<"warp_id", [Pure, Tile_InRange]> {
  let summary = "which warp of the CTA this is, from 0: uniform over a warp only";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_BarrierOp : Tile_Op<"barrier", [Tile_Barrier, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "every thread of the CTA, or of the role's warpgroup, arrives before any goes on; shared memory written before is seen after";
  let assemblyFormat = "attr-dict";
}

def Tile_AsyncCopyOp : Tile_Op<"async_copy", [Tile_Accesses, Tile_Collective]> {
  let summary = "copies a box of global memory into a whole shared tile, asynchronously, zeros where there is none";
  let description = [{
    Element (i, j) of the tile becomes source[offset + i·row_stride + j] where i < rows and j < columns, else zero. A
    negative or zero limit copies nothing. The CTA's threads move 16 bytes at a time. The copy is done for a thread when
    its group (`tile.async_commit`) has been waited for, and for the CTA behind a barrier after that.

    `offset` and the row stride, a number (`rows`) or a value (`stride`), count elements and are multiples of 16 bytes; so
    is the source's base.

    (C1) the tile has rank 2, its rows are a multiple of 16 bytes. (C2) the element types are the same. (C3) `row_stride`
    is a multiple of 16 bytes. (C4) there is one row stride.
  }];
  let arguments = (ins Arg<Tile_GlobalType, "", [MemRead]>:$source, Index:$offset, OptionalAttr<I64Attr>:$row_stride,
                       Index:$rows, Index:$columns, Optional<Index>:$stride, Arg<Tile_SharedType, "", [MemWrite]>:$target);
  let assemblyFormat = [{
    $source `[` $offset `]` (`rows` $row_stride^)? (`stride` $stride^)? `limit` `[` $rows `,` $columns `]` `,` $target
    attr-dict `:` type($source) `,` type($target)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$offset, "::mlir::IntegerAttr":$row_stride,
                                 "::mlir::Value":$rows, "::mlir::Value":$columns, "::mlir::Value":$target), [{
    build($_builder, $_state, source, offset, row_stride, rows, columns, ::mlir::Value(), target);
  }]>];
  let hasVerifier = 1;
}

def Tile_AsyncLoadOp : Tile_Op<"async_load", [Tile_Accesses, Tile_Collective]> {
  let summary = "fills a shared tile with a box of a matrix of global memory, asynchronously, zeros outside the matrix";
  let description = [{
    Element (i, j) of the tile becomes source[row + i, column + j]: `tile.tma_load` for GPUs without its hardware. The
    threads move 16 bytes at a time; the copies are waited for as those of `tile.async_copy`. Extents and strides are the
    source's. `column` is a multiple of 16 bytes.

    (C1) the tile has rank 2, its rows are a multiple of 16 bytes. (C2) the element types are the same. (C3) the source is
    an argument of the kernel, of rank 2, its last dimension dense. (C4) its rows start at multiples of 16 bytes: their
    stride says so, or `tile.aligned` does; and so does a column that is known.
  }];
  let arguments = (ins Arg<Tile_GlobalType, "", [MemRead]>:$source, Index:$row, Index:$column,
                       Arg<Tile_SharedType, "", [MemWrite]>:$target);
  let assemblyFormat = [{
    $source `[` $row `,` $column `]` `,` $target attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_AsyncCommitOp : Tile_Op<"async_commit", [Tile_Collective, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "ends a group: the copies since the last one";
  let assemblyFormat = "attr-dict";
}

def Tile_AsyncWaitOp : Tile_Op<"async_wait", [Tile_Collective, Tile_Completes, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until at most `pending` of this thread's latest groups are not done";
  let description = [{ (C1) `pending` is 0 to 31. }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def Tile_LoadMatrixOp : Tile_Op<"load_matrix", [Tile_Accesses, MemoryEffects<[MemRead]>]> {
  let summary = "reads an MMA operand from a shared tile";
  let description = [{
    Element (i, j) of the fragment is (row + i, column + j) of the tile; with `transpose`, (row + j, column + i). Rows and
    columns given are multiples of 8.

    (C1) the fragment is `#tile.mma_a` or `#tile.mma_b`, the tile has rank 2 and its element type. (C2) the tile's rows
    are a multiple of 16 bytes.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead]>:$source, Index:$row, Index:$column, UnitAttr:$transpose);
  let results = (outs Tile_Fragment:$value);
  let assemblyFormat = [{
    $source `[` $row `,` $column `]` (`transpose` $transpose^)? attr-dict `:` type($source) `->` type($value)
  }];
  let hasVerifier = 1;
}

#endif
