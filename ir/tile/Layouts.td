// Fragment layouts: how a fragment's elements are spread over vector lanes, threads and registers.

#ifndef KILN_IR_TILE_LAYOUTS
#define KILN_IR_TILE_LAYOUTS

include "ir/tile/TileBase.td"

class Tile_Layout<string name, string mnemonic> : Tile_Attr<name, mnemonic, [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding, ["verifyEncoding"]>]>;

//===- One thread of execution (cpu) ------------------------------------------------------------------------------===//

def Tile_SimdAttr : Tile_Layout<"Simd", "simd"> {
  let summary = "a cpu fragment: the last dimension lies in the lanes of a vector, the others are separate vectors";
  let description = [{
    `tensor<64xf32, #tile.simd>` is one vector of 64 lanes, which may be several native registers;
    `tensor<6x32xf32, #tile.simd>` is six vectors of 32 lanes.

    (C1) the rank is 1 or 2. (C2) extents are at least 1.
  }];
  let assemblyFormat = "";
}

def Tile_SimdColumnAttr : Tile_Layout<"SimdColumn", "simd_column"> {
  let summary = "the slice of a 2-D `#tile.simd` fragment along its lanes: one scalar per row";
  let description = [{ (C1) the rank is 1. (C2) there is at least one row. }];
  let assemblyFormat = "";
}

//===- Threads of a CTA (gpu) -------------------------------------------------------------------------------------===//

def Tile_BlockedAttr : Tile_Layout<"Blocked", "blocked"> {
  let summary = "runs of `vec` consecutive elements, dealt to threads in turn";
  let description = [{
    Element e lies in thread (e / vec) mod threads, in that thread's register (e / (vec·threads))·vec + e mod vec. With
    32 threads the fragment belongs to a warp, and each warp of the CTA has its own; with more, to the whole CTA. A run
    is one memory access where it is aligned.

    `tensor<1024xbf16, #tile.blocked<vec = 8, threads = 128>>` is 8 elements, 16 bytes, of each of 128 threads.

    (C1) the rank is 1. (C2) `vec` is a power of two up to 16, `threads` a multiple of 32 up to 1024. (C3) the extent is
    a multiple of vec·threads.
  }];
  let parameters = (ins "int64_t":$vec, "int64_t":$threads);
  let assemblyFormat = "`<` `vec` `=` $vec `,` `threads` `=` $threads `>`";
}

class Tile_WarpGridLayout<string name, string mnemonic> : Tile_Layout<name, mnemonic> {
  let parameters = (ins "int64_t":$warpsM, "int64_t":$warpsN);
  let assemblyFormat = "`<` `warps` `=` `[` $warpsM `,` $warpsN `]` `>`";
}

def Tile_MmaAccAttr : Tile_WarpGridLayout<"MmaAcc", "mma_acc"> {
  let summary = "an accumulator of mma.sync atoms 16x8: rows and columns cut evenly among a grid of warps";
  let description = [{
    Warp w of the CTA owns block (w / warpsN, w mod warpsN) of the fragment: M/warpsM rows, N/warpsN columns, as atoms of
    16x8, row-major. In an atom lane l holds, in this order, (l/4, 2·(l mod 4)), the column right of it, and the same two
    8 rows down.

    (C1) the rank is 2. (C2) there are 1 to 32 warps. (C3) rows are a multiple of 16·warpsM, columns of 8·warpsN.
  }];
}

def Tile_MmaAAttr : Tile_WarpGridLayout<"MmaA", "mma_a"> {
  let summary = "the left operand (MxK) of mma.sync atoms 16x16 of 16-bit elements; every column of warps holds a copy";
  let description = [{
    Warp w holds the rows of its block of the accumulator, as atoms of 16x16, row-major. In an atom lane l holds pairs of
    neighbours along k, in this order: (l/4, 2·(l mod 4)), 8 rows down, 8 columns right, both.

    (C1) the rank is 2. (C2) there are 1 to 32 warps. (C3) rows are a multiple of 16·warpsM, columns of 16. (C4) elements
    have 16 bits.
  }];
}

def Tile_MmaBAttr : Tile_WarpGridLayout<"MmaB", "mma_b"> {
  let summary = "the right operand (KxN) of mma.sync atoms 16x8 of 16-bit elements; every row of warps holds a copy";
  let description = [{
    Warp w holds the columns of its block of the accumulator, as atoms of 16x8, row-major. In an atom lane l holds pairs
    of neighbours along k, in this order: (2·(l mod 4), l/4), 8 rows down.

    (C1) the rank is 2. (C2) there are 1 to 32 warps. (C3) rows are a multiple of 16, columns of 8·warpsN. (C4) elements
    have 16 bits.
  }];
}

class Tile_ThreadGridLayout<string name, string mnemonic> : Tile_Layout<name, mnemonic> {
  let parameters = (ins "int64_t":$rows, "int64_t":$columns);
  let assemblyFormat = "`<` `threads` `=` `[` $rows `,` $columns `]` `>`";
}

def Tile_OuterAttr : Tile_ThreadGridLayout<"Outer", "outer"> {
  let summary = "an accumulator of outer products: rows and columns dealt in fours to a grid of threads";
  let description = [{
    Thread t of the CTA is (t / columns, t mod columns) of the grid. Rows are dealt in runs of 4 to the grid's rows in
    turn, columns likewise; a thread's registers are row-major over its own rows and columns.

    (C1) the rank is 2. (C2) the grid has a multiple of 32 threads, up to 1024. (C3) the fragment's rows are a multiple of
    4·rows, its columns of 4·columns.
  }];
}

def Tile_OuterAAttr : Tile_ThreadGridLayout<"OuterA", "outer_a"> {
  let summary = "the slice of `#tile.outer` with one element per row: what a thread multiplies its columns by";
  let description = [{
    (C1) the rank is 1. (C2) the grid has a multiple of 32 threads, up to 1024. (C3) the extent is a multiple of 4·rows.
  }];
}

def Tile_OuterBAttr : Tile_ThreadGridLayout<"OuterB", "outer_b"> {
  let summary = "the slice of `#tile.outer` with one element per column";
  let description = [{
    (C1) the rank is 1. (C2) the grid has a multiple of 32 threads, up to 1024. (C3) the extent is a multiple of
    4·columns.
  }];
}

//===- Warpgroups -------------------------------------------------------------------------------------------------===//

def Tile_WgmmaAttr : Tile_Layout<"Wgmma", "wgmma"> {
  let summary = "a warpgroup's accumulator: atoms of 64 rows, each a warp's 16";
  let description = [{
    Rows are cut into blocks of 64, of which warp w has 16w … 16w + 15, as atoms of 16x8, row-major, blocks in order. In
    an atom lane l holds, in this order, (l/4, 2·(l mod 4)), the column right of it, and the same two 8 rows down.

    (C1) the rank is 2. (C2) rows are a multiple of 64, columns of 8.
  }];
  let assemblyFormat = "";
}

def Tile_WgmmaAAttr : Tile_Layout<"WgmmaA", "wgmma_a"> {
  let summary = "a warpgroup's left operand (MxK) in registers: atoms of 64 rows and 32 bytes";
  let description = [{
    Rows and warps as in `#tile.wgmma`. Neighbours along k share words of 4 bytes: w = 4, 2 or 1 elements of 8, 16 or 32
    bits. In an atom of 16 rows and 8w columns lane l holds words, in this order: at (l/4, w·(l mod 4)), 8 rows down, 4w
    columns right, both.

    (C1) the rank is 2. (C2) rows are a multiple of 64, columns of 32 bytes. (C3) elements have 8, 16 or 32 bits.
  }];
  let assemblyFormat = "";
}

def Tile_WgmmaRowsAttr : Tile_Layout<"WgmmaRows", "wgmma_rows"> {
  let summary = "the slice of `#tile.wgmma` with one element per row; the four threads of a quad hold copies";
  let description = [{ (C1) the rank is 1. (C2) the extent is a multiple of 64. }];
  let assemblyFormat = "";
}

def Tile_WgmmaColumnsAttr : Tile_Layout<"WgmmaColumns", "wgmma_columns"> {
  let summary = "the slice of `#tile.wgmma` with one element per column; threads of one place in their quads hold copies";
  let description = [{ (C1) the rank is 1. (C2) the extent is a multiple of 8. }];
  let assemblyFormat = "";
}

#endif
