// Barriers in shared memory, copies that signal them, named barriers: what runs beside a thread.

#ifndef KILN_IR_PTX_ASYNC
#define KILN_IR_PTX_ASYNC

include "ir/ptx/PtxBase.td"

def Ptx_SharedPointer : Type<And<[LLVM_AnyPointer.predicate,
    CPred<"::llvm::cast<::mlir::LLVM::LLVMPointerType>($_self).getAddressSpace() == ::kiln::ptx::Shared">]>,
    "a pointer to shared memory">, BuildableType<"::mlir::LLVM::LLVMPointerType::get($_builder.getContext(), 3)">;
def Ptx_GlobalPointer : Type<And<[LLVM_AnyPointer.predicate,
    CPred<"::llvm::cast<::mlir::LLVM::LLVMPointerType>($_self).getAddressSpace() == ::kiln::ptx::Global">]>,
    "a pointer to global memory">, BuildableType<"::mlir::LLVM::LLVMPointerType::get($_builder.getContext(), 1)">;
/// A tensor map: a kernel's parameter, by its generic address.
def Ptx_TensorMap : Type<And<[LLVM_AnyPointer.predicate,
    CPred<"::llvm::cast<::mlir::LLVM::LLVMPointerType>($_self).getAddressSpace() == 0">]>,
    "a generic pointer to a tensor map">, BuildableType<"::mlir::LLVM::LLVMPointerType::get($_builder.getContext())">;

//===- Barriers ---------------------------------------------------------------------------------------------------===//

def Ptx_MBarrierWaitOp : Ptx_Op<"mbarrier_wait"> {
  let summary = "waits until the barrier's phase of that parity (0 or 1) is complete; of a fresh barrier, 1 is";
  let description = [{ `mbarrier.try_wait.parity` until it succeeds. What came with the phase is seen after it. }];
  let arguments = (ins Ptx_SharedPointer:$barrier, I32:$parity);
  let assemblyFormat = "$barrier `parity` $parity attr-dict";
}

def Ptx_MBarrierArriveOp : Ptx_Op<"mbarrier_arrive", [AttrSizedOperandSegments]> {
  let summary = "one arrival at a barrier, of this CTA or of the cluster's CTA `rank`, where the predicate holds";
  let description = [{
    ```mlir
    ptx.mbarrier_arrive %b expect %bytes if %p     // the phase waits for so many bytes of copies, too
    ptx.mbarrier_arrive %b at %rank if %p          // the barrier at that place of another CTA
    ```
    Releases what the thread wrote.
  }];
  let arguments = (ins Ptx_SharedPointer:$barrier, Optional<I32>:$bytes, Optional<I32>:$rank, Optional<I1>:$predicate);
  let assemblyFormat = "$barrier (`expect` $bytes^)? (`at` $rank^)? (`if` $predicate^)? attr-dict";
}

def Ptx_MBarrierCompleteOp : Ptx_Op<"mbarrier_complete"> {
  let summary = "counts bytes of a barrier's phase as copied that no copy brings";
  let arguments = (ins Ptx_SharedPointer:$barrier, I32:$bytes, Optional<I1>:$predicate);
  let assemblyFormat = "$barrier `,` $bytes (`if` $predicate^)? attr-dict";
}

def Ptx_BarrierArriveOp : Ptx_Op<"barrier_arrive"> {
  let summary = "arrives at a named barrier that `threads` threads meet at, and goes on";
  let description = [{ `bar.arrive`; nvvm has it as assembly text. The threads that wait run `nvvm.barrier`. }];
  let arguments = (ins I32:$id, I32:$threads);
  let assemblyFormat = "$id `,` $threads attr-dict";
}

//===- Copies -----------------------------------------------------------------------------------------------------===//

def Ptx_TmaLoadOp : Ptx_Op<"tma_load", [AttrSizedOperandSegments]> {
  let summary = "starts a copy of a tensor map's box to shared memory, where the predicate holds";
  let description = [{
    ```mlir
    ptx.tma_load %tile, %map[%column, %row], %barrier multicast %mask if %p
    ```
    Coordinates count from the innermost dimension. With a mask the copy goes to the same place of each CTA of the
    cluster that it has, and signals the barrier there. (C1) there are 1 to 5 coordinates.
  }];
  let arguments = (ins Ptx_SharedPointer:$target, Ptx_TensorMap:$map, Variadic<I32>:$coordinates,
                       Ptx_SharedPointer:$barrier, Optional<I16>:$multicast, Optional<I1>:$predicate);
  let assemblyFormat = [{
    $target `,` $map `[` $coordinates `]` `,` $barrier (`multicast` $multicast^)? (`if` $predicate^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Ptx_TmaStoreOp : Ptx_Op<"tma_store", [AttrSizedOperandSegments]> {
  let summary = "starts a copy of shared memory to a tensor map's box, where the predicate holds; `add` adds";
  let description = [{
    Coordinates count from the innermost dimension. (C1) there are 1 to 5 coordinates.
  }];
  let arguments = (ins Ptx_SharedPointer:$source, Ptx_TensorMap:$map, Variadic<I32>:$coordinates, UnitAttr:$add,
                       Optional<I1>:$predicate);
  let assemblyFormat = [{
    $source `,` $map `[` $coordinates `]` (`add` $add^)? (`if` $predicate^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Ptx_BulkLoadOp : Ptx_Op<"bulk_load"> {
  let summary = "starts a copy of bytes, a multiple of 16, from global to shared memory, where the predicate holds";
  let arguments = (ins Ptx_SharedPointer:$target, Ptx_GlobalPointer:$source, I32:$bytes, Ptx_SharedPointer:$barrier,
                       Optional<I1>:$predicate);
  let assemblyFormat = "$target `,` $source `,` $bytes `,` $barrier (`if` $predicate^)? attr-dict";
}

def Ptx_BulkStoreOp : Ptx_Op<"bulk_store"> {
  let summary = "starts a copy of bytes, a multiple of 16, from shared to global memory, where the predicate holds";
  let arguments = (ins Ptx_SharedPointer:$source, Ptx_GlobalPointer:$target, I32:$bytes, Optional<I1>:$predicate);
  let assemblyFormat = "$source `,` $target `,` $bytes (`if` $predicate^)? attr-dict";
}

def Ptx_BulkCommitOp : Ptx_Op<"bulk_commit"> {
  let summary = "makes the thread's copies from shared memory since the last one a group, where the predicate holds";
  let arguments = (ins Optional<I1>:$predicate);
  let assemblyFormat = "(`if` $predicate^)? attr-dict";
}

#endif
