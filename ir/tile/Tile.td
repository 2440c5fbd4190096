// The ops of the tile dialect.

#ifndef KILN_IR_TILE_TILE
#define KILN_IR_TILE_TILE

include "ir/tile/Abbreviations.td"
include "ir/tile/Bulk.td"
include "ir/tile/Cta.td"
include "ir/tile/Fragments.td"
include "ir/tile/Layouts.td"
include "ir/tile/Roles.td"
include "ir/tile/TileBase.td"
include "ir/tile/Wgmma.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===- The program ------------------------------------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, Symbol]> {
  let summary = "a CTA's program and how many CTAs run it";
  let description = [{
    Arguments are `!tile.global` operands, then results, then scalars. The body runs once per CTA of the linear `grid`; CTAs
    are independent and may run in any order, but for those of one `cluster`, which run together. On a gpu a CTA has
    `threads` threads; on the cpu target it is one thread of execution and names none. `shared_bytes` is set once every
    shared tile has an offset.

    Extents that are known at launch only are named: `{tile.dims = ["M", "K"]}` on the argument; two of one name are equal,
    which is checked before the launch. The grid may be an expression over them and `sms`, how many CTAs of this kernel the
    GPU runs at a time, a whole number of clusters: `grid "min(sms, ceildiv(M, 128) * ceildiv(N, 256))"`.

    (C1) arguments are `!tile.global`, then scalars. (C2) nothing is returned. (C3) `grid` is not negative, a whole number
    of clusters, or an expression of names that there are. (C4) `threads`, when given, are whole warps, up to 1024. (C5)
    fragments and warp ids fit the threads: `#tile.blocked` has those of a warp or of the CTA (in a role: of its
    warpgroup), warp and thread grids all of the CTA's, `#tile.wgmma` and its slices those of a warpgroup; `#tile.simd`
    stands where there are no threads. (C6) `tile.dims` names every dimension, as the argument's rank says; `?` has a name.
    (C7) a cluster has 1 to 8 CTAs, and threads. (C8) `tile.aligned`, of memory, counts elements. (C9) `tile.tensor` stands
    on all memory or none, and counts tensors. (C10) `tile.ranges` are of names that there are, from 0 or more to at least
    that.

    `{tile.aligned = 8}` on an argument says that its rows start at multiples of 8 elements: its base does, and so do the
    strides of all dimensions but the last. It is checked before a launch.

    A graph's kernel may be several programs, launched one after the other: `{tile.tensor = 2}` on an argument says which of
    the kernel's operands, results and workspaces, counted in this order, it is. Without it they are the operands, then the
    results. A workspace lives from the first of the launches to the last.

    `attributes {tile.ranges = {K = [64, 1024]}}` says which extents a launch may have, both ends among them; any other is
    refused before the launch, and what would go wrong with it is no fault of the program.

    ```mlir
    tile.kernel @scale(%x: !tile.global<1024xf32>, %y: !tile.global<1024xf32>) grid 16 {
      …
      tile.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<I64Attr>:$grid, OptionalAttr<StrAttr>:$grid_of, OptionalAttr<I64Attr>:$cluster,
                       OptionalAttr<I64Attr>:$threads, OptionalAttr<I64Attr>:$shared_bytes, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "ends a tile program";
  let assemblyFormat = "attr-dict";
}

def Tile_CtaIdOp : Tile_Op<"cta_id", [Pure, Tile_InRange]> {
  let summary = "which CTA of the linear grid this is, from 0";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

//===- Memory -----------------------------------------------------------------------------------------------------===//

def Tile_AllocOp : Tile_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a shared tile that lives as long as the CTA; its contents start undefined";
  let description = [{
    In a `consumers` region each consumer warpgroup has a tile of its own. `offset`, in bytes, is set by
    `tile-assign-shared`.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Tile_SharedType:$tile);
  let assemblyFormat = "attr-dict `:` type($tile)";
}

def Tile_LoadOp : Tile_Op<"load", [Tile_Accesses, MemoryEffects<[MemRead]>]> {
  let summary = "reads consecutive elements, or one scalar";
  let description = [{
    A fragment of rank 1 reads elements offset, offset + 1, …. A fragment of rank 2 reads row r at
    offset + r·`row_stride`; a `#tile.simd_column` fragment one element per row, likewise. With a mask, lanes whose
    mask is false read nothing and hold zero. `offset` counts elements; it is known to be a multiple of `aligned`, 1 if
    that is not given, which is what decides how wide a gpu's accesses are. bool reads one byte.

    `shifted`: a thread whose run of elements starts within a 16-byte word reads whole words all the same, up to the one
    that holds its last element, and shifts what it wants out of them. What is read is what is read without it.

    (C1) the memory's element type is the value's. (C2) a mask has the value's shape and layout, or is i1 for a scalar.
    (C3) rank-2 and column fragments name a `row_stride`, others do not; they take no mask. (C4) `aligned` is at least 1.
    (C5) `shifted` are `#tile.blocked` fragments of elements of at most 4 bytes, whose runs are whole 16-byte words, of
    global memory or of a shared tile without a swizzle.
  }];
  let arguments = (ins Arg<Tile_Memory, "", [MemRead]>:$source, Index:$offset, Optional<Tile_Mask>:$mask,
                       OptionalAttr<I64Attr>:$row_stride, OptionalAttr<I64Attr>:$aligned, UnitAttr:$shifted);
  let results = (outs Tile_Value:$value);
  let assemblyFormat = [{
    $source `[` $offset `]` (`aligned` $aligned^)? (`shifted` $shifted^)? (`mask` $mask^ `:` type($mask))? (`rows` $row_stride^)? attr-dict `:` type($source) `->` type($value)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$value, "::mlir::Value":$source, "::mlir::Value":$offset,
                                 "::mlir::Value":$mask, "::mlir::IntegerAttr":$row_stride,
                                 "::mlir::IntegerAttr":$aligned), [{
    build($_builder, $_state, value, source, offset, mask, row_stride, aligned, ::mlir::UnitAttr());
  }]>,
                  OpBuilder<(ins "::mlir::Type":$value, "::mlir::Value":$source, "::mlir::Value":$offset,
                                 "::mlir::Value":$mask, "::mlir::IntegerAttr":$row_stride), [{
    build($_builder, $_state, value, source, offset, mask, row_stride, ::mlir::IntegerAttr(), ::mlir::UnitAttr());
  }]>];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [Tile_Accesses]> {
  let summary = "writes consecutive elements, or one scalar; the mirror of `tile.load`";
  let description = [{
    Lanes whose mask is false write nothing. Where several threads hold one element (an MMA operand) one of them writes
    it; a scalar, which may be uniform over a warp only, is written by one thread of each warp.

    `shifted`: what a 16-byte word of memory gets from two threads' runs meets in one of them, which writes the word; what
    is left at either end of a warp's runs is written element by element. The same bytes are written.

    (C1) the memory's element type is the value's. (C2) a mask has the value's shape and layout, or is i1 for a scalar.
    (C3) rank-2 and column fragments name a `row_stride`, others do not; they take no mask. (C4) `aligned` is at least 1.
    (C5) as for `tile.load`, but of global memory alone.
  }];
  let arguments = (ins Tile_Value:$value, Arg<Tile_Memory, "", [MemWrite]>:$target, Index:$offset,
                       Optional<Tile_Mask>:$mask, OptionalAttr<I64Attr>:$row_stride, OptionalAttr<I64Attr>:$aligned,
                       UnitAttr:$shifted);
  let assemblyFormat = [{
    $value `,` $target `[` $offset `]` (`aligned` $aligned^)? (`shifted` $shifted^)? (`mask` $mask^ `:` type($mask))? (`rows` $row_stride^)? attr-dict `:` type($value) `,` type($target)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$target, "::mlir::Value":$offset,
                                 "::mlir::Value":$mask, "::mlir::IntegerAttr":$row_stride,
                                 "::mlir::IntegerAttr":$aligned), [{
    build($_builder, $_state, value, target, offset, mask, row_stride, aligned, ::mlir::UnitAttr());
  }]>,
                  OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$target, "::mlir::Value":$offset,
                                 "::mlir::Value":$mask, "::mlir::IntegerAttr":$row_stride), [{
    build($_builder, $_state, value, target, offset, mask, row_stride, ::mlir::IntegerAttr(), ::mlir::UnitAttr());
  }]>];
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [Tile_Accesses, MemoryEffects<[MemRead]>]> {
  let summary = "reads one element per lane, each at its own offset";
  let description = [{
    Lanes whose mask is false read nothing and hold zero.

    (C1) the memory's element type is the value's. (C2) a mask has the value's shape and layout. (C3) each lane has one
    offset.
  }];
  let arguments = (ins Arg<Tile_Memory, "", [MemRead]>:$source, Tile_Offsets:$offsets, Optional<Tile_Mask>:$mask);
  let results = (outs Tile_Vector:$value);
  let assemblyFormat = [{
    $source `[` $offsets `:` type($offsets) `]` (`mask` $mask^ `:` type($mask))? attr-dict `:` type($source) `->` type($value)
  }];
  let hasVerifier = 1;
}

def Tile_ScatterOp : Tile_Op<"scatter", [Tile_Accesses]> {
  let summary = "writes one element per lane, each at its own offset; offsets of unmasked lanes are distinct";
  let description = [{
    Lanes whose mask is false write nothing.

    (C1) the memory's element type is the value's. (C2) a mask has the value's shape and layout. (C3) each lane has one
    offset.
  }];
  let arguments = (ins Tile_Vector:$value, Arg<Tile_Memory, "", [MemWrite]>:$target, Tile_Offsets:$offsets,
                       Optional<Tile_Mask>:$mask);
  let assemblyFormat = [{
    $value `,` $target `[` $offsets `:` type($offsets) `]` (`mask` $mask^ `:` type($mask))? attr-dict `:` type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}

//===- Fragments --------------------------------------------------------------------------------------------------===//

def Tile_SplatOp : Tile_Op<"splat", [Pure, Tile_InRange]> {
  let summary = "a fragment whose every element is one scalar";
  let description = [{ (C1) the scalar has the fragment's element type. }];
  let arguments = (ins Tile_Scalar:$scalar);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$scalar attr-dict `:` type($scalar) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_LanesOp : Tile_Op<"lanes", [Pure, Tile_InRange]> {
  let summary = "0, 1, 2, … along the fragment's only dimension, as i64";
  let results = (outs Tile_Offsets:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_LaneMaskOp : Tile_Op<"lane_mask", [Pure]> {
  let summary = "true in the first `count` lanes";
  let description = [{
    A negative count is no lane, one past the end every lane. The count is known to be a multiple of `aligned`, 1 if that
    is not given. (C1) `aligned` is at least 1.
  }];
  let arguments = (ins Index:$count, OptionalAttr<I64Attr>:$aligned);
  let results = (outs Tile_Mask:$result);
  let assemblyFormat = "$count (`aligned` $aligned^)? attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$count),
                            [{ build($_builder, $_state, result, count, ::mlir::IntegerAttr()); }]>];
  let hasVerifier = 1;
}

def Tile_FoldUnitsOp : Tile_Op<"fold_units", [Pure]> {
  let summary = "combines each unit of 8 consecutive elements into its lane, in sequence";
  let description = [{
    result[l] = (…((acc[l] ∘ x[8l]) ∘ x[8l+1]) …) ∘ x[8l+7]: the inner step of the canonical reduction order.
    (C1) acc has an eighth of x's extent and its element type. (C2) the result has acc's type.
  }];
  let arguments = (ins Tile_CombineKindAttr:$kind, Tile_Vector:$x, Tile_Vector:$acc);
  let results = (outs Tile_Vector:$result);
  let assemblyFormat = "$kind $x `into` $acc attr-dict `:` type($x) `,` type($acc) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_FoldOp : Tile_Op<"fold", [Tile_Barrier]> {
  let summary = "combines all lanes in a halving tree: lane l with lane l + n/2, then n/4, …, 1";
  let description = [{
    Threads of several warps meet through `scratch`, whose contents are lost; the op is a barrier for them. Some warps may
    still read the scratch tile when others are done, so that it may be written again only behind another barrier.

    (C1) the extent is a power of two. (C2) the result is the element type. (C3) a fragment of more than a warp names a
    scratch tile of its element type with an element per lane, others none.
  }];
  let arguments = (ins Tile_CombineKindAttr:$kind, Tile_Vector:$x,
                       Arg<Optional<Tile_SharedType>, "", [MemRead, MemWrite]>:$scratch);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$kind $x (`through` $scratch^ `:` type($scratch))? attr-dict `:` type($x) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "CombineKind":$kind, "::mlir::Value":$x),
                            [{ build($_builder, $_state, result, kind, x, ::mlir::Value()); }]>];
  let hasVerifier = 1;
}

def Tile_MmaOp : Tile_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a·b on fragments, with the MMA atom that their layouts name";
  let description = [{
    | acc | a | b | each element |
    |---|---|---|---|
    | `tensor<MxNxf32, #tile.simd>` | `tensor<Mxf32, #tile.simd_column>` | `tensor<Nxf32, #tile.simd>` | one fma |
    | `tensor<MxNxf32, #tile.outer>` | `tensor<Mxf32, #tile.outer_a>` | `tensor<Nxf32, #tile.outer_b>` | one fma |
    | `tensor<MxNxf32, #tile.mma_acc>` | `tensor<MxKxbf16, #tile.mma_a>` | `tensor<KxNxbf16, #tile.mma_b>` | atoms of 16, k ascending |

    The last takes f16 as well. (C1) layouts and extents match. (C2) element types are those of the atom.
  }];
  let arguments = (ins Tile_Fragment:$a, Tile_Fragment:$b, Tile_Fragment:$acc);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)";
  let hasVerifier = 1;
}

//===- What functions are made of ---------------------------------------------------------------------------------===//

def Tile_LookupOp : Tile_Op<"lookup", [Pure]> {
  let summary = "the row of a constant table that each element names";
  let description = [{
    Result c at each element is table[index][c]. The index, in 0 … rows - 1 by construction, works element by element, on
    scalars, vectors and fragments alike. A target may keep rows side by side, so that one access reads a row.

    (C1) the table is a `dense` matrix of f32 or i32 with at least one row. (C2) there is one result per column, with the
    index's shape and layout and the table's element type.

    ```mlir
    %high, %low = tile.lookup dense<[[1.0, 0.0], [0.5, 0.25]]> : tensor<2x2xf32> at %i : tensor<64xi32, #tile.simd>
                  -> tensor<64xf32, #tile.simd>, tensor<64xf32, #tile.simd>
    ```
  }];
  let arguments = (ins ElementsAttr:$table, Tile_RowIndex:$index);
  let results = (outs Variadic<AnyType>:$columns);
  let assemblyFormat = "$table `at` $index attr-dict `:` type($index) `->` type($columns)";
  let hasVerifier = 1;
}

def Tile_ApproxOp : Tile_Op<"approx", [Pure, SameOperandsAndResultType]> {
  let summary = "what a GPU's special function unit gives for 2^x, 1/x or 1/sqrt(x)";
  let description = [{
    Elementwise, within 2^-22 of the result (`exp2`: absolutely in the exponent, too), with IEEE's results for zeros,
    infinities and NaN. Subnormal operands may count as zeros of their sign, and subnormal results may be zeros. Targets
    without such a unit have no row: there `tile-expand-functions` spells the function in arithmetic.

    (C1) the elements are f32.
  }];
  let arguments = (ins Tile_ApproxKindAttr:$kind, AnyType:$x);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $x attr-dict `:` type($x)";
  let hasVerifier = 1;
}

#endif
