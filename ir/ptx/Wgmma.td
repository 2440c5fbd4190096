// Warpgroup MMA with what nvvm's op lacks: a run-time scale of the accumulator, a in registers, registers tied through
// fences and waits, so that nothing moves what a product in flight still writes.

#ifndef KILN_IR_PTX_WGMMA
#define KILN_IR_PTX_WGMMA

include "ir/ptx/PtxBase.td"

def Ptx_WgmmaElement : I32EnumAttr<"WgmmaElement", "elements of a warpgroup's product", [
    I32EnumAttrCase<"bf16", 0>, I32EnumAttrCase<"f16", 1>, I32EnumAttrCase<"tf32", 2>, I32EnumAttrCase<"e4m3", 3>,
    I32EnumAttrCase<"e5m2", 4>, I32EnumAttrCase<"s8", 5>, I32EnumAttrCase<"f32", 6>, I32EnumAttrCase<"s32", 7>,
    I32EnumAttrCase<"u8", 8>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::kiln::ptx";
}
def Ptx_WgmmaElementAttr : EnumAttr<Ptx_Dialect, Ptx_WgmmaElement, "wgmma"> { let assemblyFormat = "$value"; }

/// A register that a product reads or writes: an f32, or 32 bits of anything.
def Ptx_WgmmaRegister : AnyTypeOf<[F32, I32]>;

def Ptx_WgmmaOp : Ptx_Op<"wgmma", [AttrSizedOperandSegments,
    RangedTypesMatchWith<"results are the sums", "sums", "results", "$_self">]> {
  let summary = "starts sums + a·b for 64 rows, one step of 32 bytes of k; sums count as zero where the predicate is false";
  let description = [{
    ```mlir
    %d:4 = ptx.wgmma f32 [%0, %1, %2, %3 : f32, f32, f32, f32] if %p, bf16 %a, bf16 %b transposed       // m64n8k16
    %e:4 = ptx.wgmma f32 [%0, %1, %2, %3 : f32, f32, f32, f32], bf16 [%w, %x, %y, %z], bf16 %b
    ```
    a and b are descriptors of tiles in shared memory, K-major unless `transposed`; or a is four registers. The width
    follows from how many sums a thread has.

    (C1) a is a descriptor or four registers. (C2) sums are what a thread has of 64xN: N/2 f32, N/2 i32 (s32) or N/4 i32
    (f16), N a multiple of 8 up to 256. (C3) elements are those of one instruction. (C4) 16-bit elements in shared memory alone
    may be transposed.
  }];
  let arguments = (ins Ptx_WgmmaElementAttr:$sum_element, Variadic<Ptx_WgmmaRegister>:$sums, Optional<I1>:$predicate,
                       Ptx_WgmmaElementAttr:$a_element, Optional<I64>:$a, Variadic<I32>:$a_registers,
                       UnitAttr:$transpose_a, Ptx_WgmmaElementAttr:$b_element, I64:$b, UnitAttr:$transpose_b);
  let results = (outs Variadic<Ptx_WgmmaRegister>:$results);
  let assemblyFormat = [{
    $sum_element ` ` `[` $sums `:` type($sums) `]` (`if` $predicate^)? `,` $a_element ($a^)? (` ` `[` $a_registers^ `]`)?
    (`transposed` $transpose_a^)? `,` $b_element $b (`transposed` $transpose_b^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Columns of the product.
    int64_t getColumns() { return static_cast<int64_t>(getSums().size()) * (getSumElement() == WgmmaElement::f16 ? 4 : 2); }
  }];
}

class Ptx_TiedOp<string mnemonic> : Ptx_Op<mnemonic,
    [RangedTypesMatchWith<"results are the registers", "registers", "results", "$_self">]> {
  let results = (outs Variadic<Ptx_WgmmaRegister>:$results);
}

def Ptx_WgmmaFenceOp : Ptx_TiedOp<"wgmma_fence"> {
  let summary = "what was written to registers and by other warpgroup products before is seen by those after";
  let description = [{
    `wgmma.fence`. The registers pass through it, so that what computes them stands before it.
  }];
  let arguments = (ins Variadic<Ptx_WgmmaRegister>:$registers);
  let assemblyFormat = "` ` `[` ($registers^ `:` type($registers))? `]` attr-dict";
}

def Ptx_WgmmaWaitOp : Ptx_TiedOp<"wgmma_wait"> {
  let summary = "waits until at most `pending` groups of products are in flight";
  let description = [{
    `wgmma.wait_group`. The registers pass through it, so that what reads them stands behind it. (C1) `pending` is 0 to 7.
  }];
  let arguments = (ins I64Attr:$pending, Variadic<Ptx_WgmmaRegister>:$registers);
  let assemblyFormat = "$pending ` ` `[` ($registers^ `:` type($registers))? `]` attr-dict";
  let hasVerifier = 1;
}

#endif
