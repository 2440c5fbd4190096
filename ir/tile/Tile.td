// The ops of the tile dialect.

#ifndef KILN_IR_TILE_TILE
#define KILN_IR_TILE_TILE

include "ir/tile/TileBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===- The program ------------------------------------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, Symbol]> {
  let summary = "a CTA's program and how many CTAs run it";
  let description = [{
    Arguments are `!tile.global` operands, then results. The body runs once per CTA of the linear `grid`; CTAs are
    independent and may run in any order. `shared_bytes` is set once every shared tile has an offset.

    (C1) arguments are `!tile.global`. (C2) nothing is returned. (C3) `grid` is not negative.

    ```mlir
    tile.kernel @scale(%x: !tile.global<1024xf32>, %y: !tile.global<1024xf32>) grid 16 {
      …
      tile.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, I64Attr:$grid,
                       OptionalAttr<I64Attr>:$shared_bytes, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
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

def Tile_CtaIdOp : Tile_Op<"cta_id", [Pure]> {
  let summary = "which CTA of the linear grid this is, from 0";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

//===- Memory -----------------------------------------------------------------------------------------------------===//

def Tile_AllocOp : Tile_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a shared tile that lives as long as the CTA; its contents start undefined";
  let description = [{ `offset`, in bytes, is set by `tile-assign-shared`. }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Tile_SharedType:$tile);
  let assemblyFormat = "attr-dict `:` type($tile)";
}

def Tile_LoadOp : Tile_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "reads consecutive elements, or one scalar";
  let description = [{
    A fragment of rank 1 reads elements offset, offset + 1, …. A `#tile.simd` fragment of rank 2 reads row r at
    offset + r·`row_stride`; a `#tile.simd_column` fragment one element per row, likewise. With a mask, lanes whose
    mask is false read nothing and hold zero. `offset` counts elements. bool reads one byte.

    (C1) the memory's element type is the value's. (C2) a mask has the value's shape and layout, or is i1 for a scalar.
    (C3) rank-2 and column fragments name a `row_stride`, others do not; they take no mask.
  }];
  let arguments = (ins Arg<Tile_Memory, "", [MemRead]>:$source, Index:$offset, Optional<Tile_Mask>:$mask,
                       OptionalAttr<I64Attr>:$row_stride);
  let results = (outs Tile_Value:$value);
  let assemblyFormat = [{
    $source `[` $offset `]` (`mask` $mask^ `:` type($mask))? (`rows` $row_stride^)? attr-dict `:` type($source) `->` type($value)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store"> {
  let summary = "writes consecutive elements, or one scalar; the mirror of `tile.load`";
  let description = [{
    Lanes whose mask is false write nothing.

    (C1) the memory's element type is the value's. (C2) a mask has the value's shape and layout, or is i1 for a scalar.
    (C3) rank-2 and column fragments name a `row_stride`, others do not; they take no mask.
  }];
  let arguments = (ins Tile_Value:$value, Arg<Tile_Memory, "", [MemWrite]>:$target, Index:$offset,
                       Optional<Tile_Mask>:$mask, OptionalAttr<I64Attr>:$row_stride);
  let assemblyFormat = [{
    $value `,` $target `[` $offset `]` (`mask` $mask^ `:` type($mask))? (`rows` $row_stride^)? attr-dict `:` type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [MemoryEffects<[MemRead]>]> {
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

def Tile_ScatterOp : Tile_Op<"scatter"> {
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

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a fragment whose every element is one scalar";
  let description = [{ (C1) the scalar has the fragment's element type. }];
  let arguments = (ins Tile_Scalar:$scalar);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$scalar attr-dict `:` type($scalar) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_LanesOp : Tile_Op<"lanes", [Pure]> {
  let summary = "0, 1, 2, … along the fragment's only dimension, as i64";
  let results = (outs Tile_Offsets:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_LaneMaskOp : Tile_Op<"lane_mask", [Pure]> {
  let summary = "true in the first `count` lanes";
  let description = [{ A negative count is no lane, one past the end every lane. }];
  let arguments = (ins Index:$count);
  let results = (outs Tile_Mask:$result);
  let assemblyFormat = "$count attr-dict `:` type($result)";
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

def Tile_FoldOp : Tile_Op<"fold", [Pure]> {
  let summary = "combines all lanes in a halving tree: lane l with lane l + n/2, then n/4, …, 1";
  let description = [{ (C1) the extent is a power of two. (C2) the result is the element type. }];
  let arguments = (ins Tile_CombineKindAttr:$kind, Tile_Vector:$x);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$kind $x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_MmaOp : Tile_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a·b on fragments, with the target's MMA atom";
  let description = [{
    cpu atom: a is one column (`tensor<Mxf32, #tile.simd_column>`), b one row (`tensor<Nxf32, #tile.simd>`), acc
    `tensor<MxNxf32, #tile.simd>`; each element is one fma. (C1) the extents match. (C2) one float element type.
  }];
  let arguments = (ins Tile_Fragment:$a, Tile_Fragment:$b, Tile_Fragment:$acc);
  let results = (outs Tile_Fragment:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)";
  let hasVerifier = 1;
}

#endif
