// The region that one kernel computes.

#ifndef KILN_IR_GRAPH_KERNEL
#define KILN_IR_GRAPH_KERNEL

include "ir/graph/GraphBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_KernelOp : Graph_Op<"kernel", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "what one kernel computes";
  let description = [{
    The region reads its operands through its block arguments and yields its results. `kind` names the kernel family
    (`pointwise`, `row`, `column`, `matmul`, …), which a skeleton turns into a tile program for the `schedule`.
    `symbol` is the family and a 64-bit hash of the region's structure, set once fusion is over: kernels with equal
    symbols are generated once. The kind `custom` is a `graph.custom_kernel` and nothing else. Where an operand or result is not dense and row-major, its `layout` says where it lies.

    (C1) one block argument per operand, of the same type. (C2) the yielded types are the results' types.
    (C3) layouts, when given, are one per operand (result), each with a stride per dimension.

    ```mlir
    %y = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> {
      %0 = math.exp %a : tensor<8xf32>
      graph.yield %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, StrAttr:$kind, OptionalAttr<StrAttr>:$symbol,
                       OptionalAttr<Graph_ScheduleAttr>:$schedule,
                       OptionalAttr<TypedArrayAttrBase<Graph_LayoutAttr, "one layout per operand">>:$input_layouts,
                       OptionalAttr<TypedArrayAttrBase<Graph_LayoutAttr, "one layout per result">>:$result_layouts);
  let results = (outs Variadic<Graph_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The call of a tile program that this kernel is; null for one that Kiln makes.
    ::kiln::graph::CustomKernelOp getCustom();
  }];
}

def Graph_YieldOp : Graph_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["KernelOp", "CustomKernelOp"]>]> {
  let summary = "ends a kernel's region, or a reference, with its results";
  let arguments = (ins Variadic<Graph_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif
