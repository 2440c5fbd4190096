// What ops of tile programs do to threads, memory and pipelines: verifiers, passes, lowering and interpreters ask the op.
// MachineModel.cpp answers, op by op.

#ifndef KILN_IR_TILE_INTERFACES
#define KILN_IR_TILE_INTERFACES

include "mlir/IR/OpBase.td"

def Tile_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let description = [{ An op that several threads run together, and reach all or none. }];
  let cppNamespace = "::kiln::tile";
  let methods = [
    InterfaceMethod<"Who runs it together, at most.", "Collective", "getCollective">,
    InterfaceMethod<"Whether each goes on when all have arrived, and sees what they wrote to shared memory.", "bool",
                    "isBarrier", (ins), "", "return false;">];
}

def Tile_MemoryOpInterface : OpInterface<"MemoryOpInterface"> {
  let description = [{ An op that reads or writes tiles or tensors. }];
  let cppNamespace = "::kiln::tile";
  let methods = [InterfaceMethod<"What it accesses, in the order of its operands.",
                                 "::llvm::SmallVector<MemoryAccess, 2>", "getAccesses">];
}

def Tile_CompletionOpInterface : OpInterface<"CompletionOpInterface"> {
  let description = [{ An op that waits until what was started is complete. }];
  let cppNamespace = "::kiln::tile";
  let methods = [
    InterfaceMethod<"What it waits for: groups of accesses that complete so.", "Completion", "getCompletion">,
    InterfaceMethod<"How many groups, the youngest, may still be on their way.", "int64_t", "getLeft">];
}

def Tile_PipelineOpInterface : OpInterface<"PipelineOpInterface"> {
  let description = [{ A step of those who wait for each other at a ring, or in an order. }];
  let cppNamespace = "::kiln::tile";
  let methods = [InterfaceMethod<"Which step it is.", "PipelineStep", "getStep">,
                 InterfaceMethod<"The ring, or the order.", "::mlir::Value", "getPipeline", (ins), "",
                                 "return $_op->getOperand(0);">,
                 InterfaceMethod<"The ring's iteration; null of an order.", "::mlir::Value", "getStepIteration", (ins),
                                 "", "return $_op->getNumOperands() > 1 ? $_op->getOperand(1) : ::mlir::Value();">];
}

// Of ops: which methods they answer themselves.
def Tile_Collective : DeclareOpInterfaceMethods<Tile_CollectiveOpInterface>;
def Tile_Barrier : DeclareOpInterfaceMethods<Tile_CollectiveOpInterface, ["isBarrier"]>;
def Tile_Accesses : DeclareOpInterfaceMethods<Tile_MemoryOpInterface>;
def Tile_Completes : DeclareOpInterfaceMethods<Tile_CompletionOpInterface>;
def Tile_Steps : DeclareOpInterfaceMethods<Tile_PipelineOpInterface>;

#endif
