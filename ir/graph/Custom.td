// Tile programs that people wrote, called from a graph.

#ifndef KILN_IR_GRAPH_CUSTOM
#define KILN_IR_GRAPH_CUSTOM

include "ir/graph/GraphBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_CustomKernelOp : Graph_Op<"custom_kernel", [Pure, IsolatedFromAbove, SingleBlock,
                                                     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "what a tile program computes";
  let description = [{
    Calls a `tile.kernel` of the module. Its `!tile.global` arguments that it only reads are the operands; those it
    writes, which come last, are the results; scalar arguments take `scalars`. What its `tile.dims` name is bound by the
    operands' and results' shapes. It is a kernel of its own: nothing is fused with it, and its operands and results are
    dense.

    `class` names the order in which the program sums: two programs, or a program and Kiln's own kernel, give equal bits
    only within a class. The `reference` says what the program computes: the interpreter runs it, and so does a target
    that the program is not for (a program with threads on a cpu).

    ```mlir
    %c = graph.custom_kernel @matmul(%a, %b) class "wgmma-k16" : (tensor<64x32xbf16>, tensor<16x32xbf16>) -> tensor<64x16xbf16> reference {
    ^reference(%x: tensor<64x32xbf16>, %y: tensor<16x32xbf16>):
      %0 = graph.matmul %x, %y transpose_b : (tensor<64x32xbf16>, tensor<16x32xbf16>) -> tensor<64x16xbf16>
      graph.yield %0 : tensor<64x16xbf16>
    }
    ```

    (C1) the symbol is a tile program of the module, in which what is written comes behind what is only read. (C2) there
    is an operand for each argument that is read, a result for each that is written. (C3) element types are the
    arguments'. (C4) ranks and static extents are the arguments', extents of one name are equal, and in its
    `tile.ranges`. (C5) static strides of arguments are those of dense tensors, rows start at multiples of
    `tile.aligned`. (C6) there is a scalar for each scalar argument, of its type. (C7) the reference takes the operands
    and yields the results.
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, Variadic<Graph_Tensor>:$inputs, OptionalAttr<ArrayAttr>:$scalars,
                       OptionalAttr<StrAttr>:$order_class);
  let results = (outs Variadic<Graph_Tensor>:$outputs);
  let regions = (region MaxSizedRegion<1>:$reference);
  let assemblyFormat = [{
    $program `(` $inputs `)` (`scalars` $scalars^)? (`class` $order_class^)? attr-dict
    `:` functional-type($inputs, $outputs) (`reference` $reference^)?
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The region's block; null where there is no reference.
    ::mlir::Block *getReferenceBlock() { return getReference().empty() ? nullptr : &getReference().front(); }
  }];
}

#endif
