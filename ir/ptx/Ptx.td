// The ops of the ptx dialect: predicated accesses, the special function unit.

#ifndef KILN_IR_PTX_PTX
#define KILN_IR_PTX_PTX

include "ir/ptx/Async.td"
include "ir/ptx/PtxBase.td"
include "ir/ptx/Wgmma.td"

def Ptx_LoadOp : Ptx_Op<"load"> {
  let summary = "reads 1, 2 or 4 registers in one access if a predicate holds; else they are 0";
  let description = [{
    ```mlir
    %v:4 = ptx.load %pointer + 512 if %p {read_only} : !llvm.ptr<1> -> i32, i32, i32, i32
    ```
    is `@p ld.global.nc.v4.b32 {…}, [pointer + 512]`. The address is a multiple of the bytes that are read. `read_only`
    promises that nothing writes there while the kernel runs.

    (C1) 1, 2 or 4 registers of one type, 16 bytes at most; several are of 32 or 64 bits. (C2) the pointer is to global
    memory, or to shared memory of the CTA or of its cluster. (C3) the offset, in bytes, fits 32 bits. (C4) only global memory is `read_only`.
  }];
  let arguments = (ins Arg<LLVM_AnyPointer, "", [MemRead]>:$pointer, I1:$predicate,
                       DefaultValuedAttr<I64Attr, "0">:$offset, UnitAttr:$read_only);
  let results = (outs Variadic<Ptx_Register>:$values);
  let assemblyFormat = [{
    $pointer (`+` $offset^)? `if` $predicate attr-dict `:` qualified(type($pointer)) `->` type($values)
  }];
  let hasVerifier = 1;
}

def Ptx_StoreOp : Ptx_Op<"store"> {
  let summary = "writes 1, 2 or 4 registers in one access if a predicate holds";
  let description = [{
    ```mlir
    ptx.store [%a, %b : i32, i32], %pointer + 8 if %p : !llvm.ptr<3>
    ```
    is `@p st.shared.v2.b32 [pointer + 8], {…}`. The address is a multiple of the bytes that are written.

    (C1) 1, 2 or 4 registers of one type, 16 bytes at most; several are of 32 or 64 bits. (C2) the pointer is to global
    memory, or to shared memory of the CTA or of its cluster. (C3) the offset, in bytes, fits 32 bits.
  }];
  let arguments = (ins Variadic<Ptx_Register>:$values, Arg<LLVM_AnyPointer, "", [MemWrite]>:$pointer, I1:$predicate,
                       DefaultValuedAttr<I64Attr, "0">:$offset);
  let assemblyFormat = [{
    ` ` `[` $values `:` type($values) `]` `,` $pointer (`+` $offset^)? `if` $predicate attr-dict `:` qualified(type($pointer))
  }];
  let hasVerifier = 1;
}

def Ptx_ApproxKind : I32EnumAttr<"ApproxKind", "which function the special function unit gives", [
    I32EnumAttrCase<"ex2", 0>, I32EnumAttrCase<"rcp", 1>, I32EnumAttrCase<"rsqrt", 2>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::kiln::ptx";
}
def Ptx_ApproxKindAttr : EnumAttr<Ptx_Dialect, Ptx_ApproxKind, "approx"> { let assemblyFormat = "`<` $value `>`"; }

def Ptx_ApproxOp : Ptx_Op<"approx", [Pure]> {
  let summary = "2^x, 1/x or 1/sqrt(x) by the special function unit: one instruction, subnormals are zeros";
  let description = [{ `ptx.approx <ex2> %x` is `ex2.approx.ftz.f32`. }];
  let arguments = (ins Ptx_ApproxKindAttr:$kind, F32:$x);
  let results = (outs F32:$result);
  let assemblyFormat = "$kind $x attr-dict";
}

#endif
