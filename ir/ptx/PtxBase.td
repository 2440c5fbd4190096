// The ptx dialect itself and what its ops share.

#ifndef KILN_IR_PTX_PTXBASE
#define KILN_IR_PTX_PTXBASE

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ptx_Dialect : Dialect {
  let name = "ptx";
  let cppNamespace = "::kiln::ptx";
  let summary = "Instructions of NVIDIA GPUs that nvvm lacks, or has only as assembly text";
  let description = [{
    Thread-level functions are `llvm` and `nvvm` ops; where neither fits, an op stands here, never a string. It becomes
    inline assembly when LLVM IR is made (codegen/ptx), one row per op, so that whoever reads or emulates a module sees
    operations.

    `ptx.shared_bytes` on a function counts the bytes of shared memory that a launch must give it.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Ptx_Op<string mnemonic, list<Trait> traits = []> : Op<Ptx_Dialect, mnemonic, traits>;

/// What one register of an access holds.
def Ptx_Register : AnyTypeOf<[I8, I16, I32, I64, F16, BF16, F32, F64]>;

#endif
