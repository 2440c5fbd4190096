// Copies by the tensor memory accelerator: tiles by tensor maps, and runs of bytes.

#ifndef KILN_IR_TILE_BULK
#define KILN_IR_TILE_BULK

include "ir/tile/Ring.td"

/// What maps a tile onto a tensor: all that the host needs to encode a tensor map at launch.
class Tile_TmaOp<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, traits>;

def Tile_TmaLoadOp : Tile_TmaOp<"tma_load", [Tile_Accesses, AttrSizedOperandSegments]> {
  let summary = "fills a shared tile with a box of a tensor of global memory, asynchronously, zeros outside the tensor";
  let description = [{
    The box starts at the coordinates given, one per dimension, which may lie outside, and has the tile's extents in the
    last dimensions, 1 in those before; `box` says otherwise, dimension by dimension. A tile in panels is a copy per panel.
    The host encodes a tensor map for each tensor, box and swizzle that a kernel names and passes it with the launch.

    `as` takes the tensor's memory for a dense tensor of other extents, expressions over the named ones, which coordinates
    and box are of, then. Of an MxK tensor `as ["floordiv(M, 8)", "8", "K"]` a box may have every eighth row. It reaches
    no further than the tensor, which is checked before a launch.

    `tf32` rounds elements of 32 bits to the 10 bits of mantissa that `tile.wgmma` takes, to nearest; without it they
    arrive as they are, and the tensor core leaves out the other 13 bits.

    With `multicast` the copy goes to the same place of each CTA of the cluster that the mask has, and signals each one's
    barrier. `l2` is how much the L2 cache fetches at once: a line of 128 bytes, where nothing is said.

    (C1) the element types are the same, and one that a tensor map has. (C2) there is a coordinate per dimension, 1 to 5.
    (C3) the box has the tile's elements: its extents but for ones are the tile's. (C4) rows of the tile, or of its
    panels, are as long as the swizzle where there is one, a multiple of 16 bytes, and no side of a box has more than 256
    elements. (C5) the tensor's last dimension is dense, the strides that are known of others are multiples of 16 bytes.
    (C6) `l2` is 0, 64, 128 or 256. (C7) the tensor is an argument of the kernel. (C8) `multicast` stands in a fill of a
    ring that has it. (C9) `as` names extents that there are, of a dense tensor. (C10) `tf32` are f32.
  }];
  let arguments = (ins Arg<Tile_GlobalType, "", [MemRead]>:$source, Variadic<Index>:$coordinates,
                       Arg<Tile_SharedType, "", [MemWrite]>:$target, Tile_MBarrierType:$barrier, Optional<I16>:$multicast,
                       OptionalAttr<StrArrayAttr>:$view, OptionalAttr<DenseI64ArrayAttr>:$box,
                       DefaultValuedAttr<I64Attr, "128">:$l2, UnitAttr:$tf32);
  let assemblyFormat = [{
    $source `[` $coordinates `]` (`as` $view^)? (`box` $box^)? `,` $target `signal` $barrier (`multicast` $multicast^)?
    (`tf32` $tf32^)? attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_TmaStoreOp : Tile_TmaOp<"tma_store", [Tile_Accesses, Tile_Barrier]> {
  let summary = "writes a shared tile to a box of a tensor of global memory, asynchronously; nothing outside the tensor";
  let description = [{
    What the group wrote to the tile before is what is stored: the op makes those writes visible, meets the group's
    threads, and one of them starts the copy, a group of its own for `tile.tma_store_wait`. `add` adds to what is there,
    element by element in no order that is known: to integers only where results must repeat. `as` and `box` as for
    `tile.tma_load`.

    As there: (C1) the element types are the same, and one that a tensor map has. (C2) there is a coordinate per
    dimension, 1 to 5. (C3) the box has the tile's elements: its extents but for ones are the tile's. (C4) rows of the
    tile, or of its panels, are as long as the swizzle where there is one, a multiple of 16 bytes, and no side of a box has
    more than 256 elements. (C5) the tensor's last dimension is dense, the strides that are known of others are multiples
    of 16 bytes. (C6) `add` is of i32, i64, f16, bf16 or f32. (C7) the tensor is an argument of the kernel. (C8) a
    `tile.tma_store_wait 0` stands behind it, in its block or one around it: a CTA must not end before tiles are read.
    (C9) `as` names extents that there are, of a dense tensor. (C10) no coordinate is negative: what lies behind the tensor
    is not written, but in front of it hardware stops with an illegal instruction.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead]>:$source, Arg<Tile_GlobalType, "", [MemWrite]>:$target,
                       Variadic<Index>:$coordinates, OptionalAttr<StrArrayAttr>:$view,
                       OptionalAttr<DenseI64ArrayAttr>:$box, UnitAttr:$add);
  let assemblyFormat = [{
    $source `,` $target `[` $coordinates `]` (`as` $view^)? (`box` $box^)? (`add` $add^)? attr-dict
    `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_TmaStoreWaitOp : Tile_Op<"tma_store_wait", [Tile_Barrier, Tile_Completes, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until all but the group's latest `pending` stores have read their tiles, which may be written then";
  let description = [{
    The group's threads meet. `written` waits until the stores are done, which only a reader in the same kernel needs.
    (C1) `pending` is 0 to 31.
  }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$written);
  let assemblyFormat = "$pending (`written` $written^)? attr-dict";
  let hasVerifier = 1;
}

def Tile_BulkLoadOp : Tile_Op<"bulk_load", [Tile_Accesses]> {
  let summary = "fills a shared tile with consecutive elements of global memory, asynchronously";
  let description = [{
    Copies the tile's elements from `offset` on, or the first `count` of them; the rest of the tile is left as it was, and
    the barrier is told of what was not copied. Offset and count are multiples of 16 bytes.

    (C1) the element types are the same. (C2) the tile is one run: no swizzle, a multiple of 16 bytes. (C3) an offset and
    a count that are known are multiples of 16 bytes.
  }];
  let arguments = (ins Arg<Tile_GlobalType, "", [MemRead]>:$source, Index:$offset,
                       Arg<Tile_SharedType, "", [MemWrite]>:$target, Tile_MBarrierType:$barrier, Optional<Index>:$count);
  let assemblyFormat = [{
    $source `[` $offset `]` (`count` $count^)? `,` $target `signal` $barrier attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_BulkStoreOp : Tile_Op<"bulk_store", [Tile_Accesses, Tile_Barrier]> {
  let summary = "writes a shared tile, or its first `count` elements, to consecutive elements of global memory, asynchronously";
  let description = [{
    Ordered and waited for as `tile.tma_store`. Offset and count are multiples of 16 bytes.

    (C1) the element types are the same. (C2) the tile is one run: no swizzle, a multiple of 16 bytes. (C3) an offset and
    a count that are known are multiples of 16 bytes. (C4) a `tile.tma_store_wait 0` stands behind it, in its block or
    one around it.
  }];
  let arguments = (ins Arg<Tile_SharedType, "", [MemRead]>:$source, Arg<Tile_GlobalType, "", [MemWrite]>:$target,
                       Index:$offset, Optional<Index>:$count);
  let assemblyFormat = [{
    $source `,` $target `[` $offset `]` (`count` $count^)? attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

#endif
