// The tile dialect itself, its types, attributes and enums.

#ifndef KILN_IR_TILE_TILEBASE
#define KILN_IR_TILE_TILEBASE

include "ir/tile/Interfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/InferIntRangeInterface.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::kiln::tile";
  let summary = "How one CTA computes: fragments, shared tiles, loads and stores";
  let description = [{
    A tile program is what an expert would write by hand. Values are *fragments* (builtin tensors whose encoding is a
    fragment layout), uniform scalars, and *shared tiles*; memory arguments are `!tile.global`. Elementwise maths on
    fragments and scalars is `arith` and `math`, as at every level; loops are `scf`. Layouts live in the types, so each
    op lowers on its own.

    Ops are collective over the CTA unless they say otherwise. On the cpu target a CTA is one thread of execution.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Adds the types, which Types.cpp defines.
    void registerTypes();
  }];
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;
/// Ops that say how large their integers get.
def Tile_InRange : DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>;

class Tile_Type<string name, string mnemonicText> : TypeDef<Tile_Dialect, name> { let mnemonic = mnemonicText; }
class Tile_Attr<string name, string mnemonicText, list<Trait> traits = []> : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = mnemonicText;
}

//===- Memory -----------------------------------------------------------------------------------------------------===//

def Tile_GlobalType : Tile_Type<"Global", "global"> {
  let summary = "a tensor in global memory: its shape and element type";
  let description = [{
    `!tile.global<8192x4096xf32>` is dense and row-major. `strides` (in elements) says where it is not. Element offsets
    given to loads and stores already include strides; extents and strides are kept for readers and for verification.
    Extents are not negative; `?` is known at launch only.

    (C1) the element type is an integer or a float. (C2) `strides`, when given, are one per dimension.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t", "extents">:$shape, "::mlir::Type":$elementType,
                        OptionalArrayRefParameter<"int64_t", "elements per index step">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_SharedType : Tile_Type<"Shared", "shared"> {
  let summary = "a tile in the CTA's own memory";
  let description = [{
    `!tile.shared<128x64xbf16, swizzle = 128>`: row-major, the 16-byte chunks of each `swizzle` bytes permuted by the
    number of the row (of the 128-byte line, where rows are shorter), so that one column of chunks meets every bank; 0,
    the default, is no swizzle. With `panel = 64` the tile is cut into panels of 64 columns, each row-major in itself,
    one behind the other: how the tensor memory accelerator and `tile.wgmma` have tiles that are wider than the swizzle.
    On the cpu target it lies in the worker's workspace. Extents are not negative.

    (C1) the element type is an integer or a float. (C2) `swizzle` is 0, 32, 64 or 128. (C3) swizzled rows longer than
    128 bytes are a multiple of `swizzle`. (C4) panels are of rank 2, divide the columns, and have rows of `swizzle` bytes.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t", "extents">:$shape, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"int64_t", "0", "bytes">:$swizzle,
                        DefaultValuedParameter<"int64_t", "0", "columns">:$panel);
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                                   "int64_t":$swizzle),
                              [{ return $_get($_ctxt, shape, elementType, swizzle, int64_t(0)); }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_RemoteType : Tile_Type<"Remote", "remote"> {
  let summary = "a shared tile of another CTA of the cluster";
  let parameters = (ins "SharedType":$tile);
  let assemblyFormat = "`<` $tile `>`";
}

//===- Enums ------------------------------------------------------------------------------------------------------===//

def Tile_CombineKind : I32EnumAttr<"CombineKind", "how two values combine", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>, I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"min", 3>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::kiln::tile";
}
def Tile_CombineKindAttr : EnumAttr<Tile_Dialect, Tile_CombineKind, "combine"> { let assemblyFormat = "`<` $value `>`"; }

def Tile_ApproxKind : I32EnumAttr<"ApproxKind", "which function is approximated", [
    I32EnumAttrCase<"exp2", 0>, I32EnumAttrCase<"rcp", 1>, I32EnumAttrCase<"rsqrt", 2>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::kiln::tile";
}
def Tile_ApproxKindAttr : EnumAttr<Tile_Dialect, Tile_ApproxKind, "approx"> { let assemblyFormat = "`<` $value `>`"; }

//===- Operand types ----------------------------------------------------------------------------------------------===//

def Tile_Scalar : AnyTypeOf<[AnyFloat, AnySignlessInteger, Index]>;
def Tile_Memory : AnyTypeOf<[Tile_GlobalType, Tile_SharedType, Tile_RemoteType]>;
def Tile_Fragment : Type<CPred<"::kiln::tile::isFragment($_self)">, "a fragment">;
def Tile_Vector : Type<CPred<"::kiln::tile::isFragment($_self, 1)">, "a fragment of rank 1">;
def Tile_Value : AnyTypeOf<[Tile_Scalar, Tile_Fragment]>;
def Tile_Mask : Type<CPred<"::kiln::tile::isMask($_self)">, "i1 or a fragment of i1">;
def Tile_RowIndex : TypeConstraint<CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(32)">,
                                   "an i32, or a vector or fragment of it">;
def Tile_Offsets : Type<CPred<"::kiln::tile::isOffsets($_self)">, "a fragment of i64 offsets">;

#endif
