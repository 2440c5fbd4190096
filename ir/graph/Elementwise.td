// Elementwise ops that upstream lacks, or leaves undefined for some inputs.

#ifndef KILN_IR_GRAPH_ELEMENTWISE
#define KILN_IR_GRAPH_ELEMENTWISE

include "ir/graph/GraphBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Graph_FloatUnary<string mnemonic>
    : Graph_Op<mnemonic, [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let arguments = (ins Graph_FloatLike:$x);
  let results = (outs Graph_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

class Graph_IntBinary<string mnemonic>
    : Graph_Op<mnemonic, [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let arguments = (ins Graph_IntLike:$lhs, Graph_IntLike:$rhs);
  let results = (outs Graph_IntLike:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def Graph_ReluOp : Graph_FloatUnary<"relu"> {
  let summary = "max(x, 0), elementwise; NaN stays NaN";
  let description = [{ Decomposes to `arith.maximumf` with zero. relu(-0) = +0. Its derivative at 0 is 0. }];
}

def Graph_SigmoidOp : Graph_FloatUnary<"sigmoid"> {
  let summary = "1 / (1 + exp(-x)), elementwise, with no overflow at either end";
  let description = [{ Expanded late, by its row in `passes/functions`, which says how accurate it is. }];
}

def Graph_GeluOp : Graph_Op<"gelu", [Pure, SameOperandsAndResultType] # ElementwiseMappable.traits> {
  let summary = "Gaussian error linear unit, elementwise";
  let description = [{
    `exact`: x·Φ(x), through erfc, so that the negative tail keeps its relative accuracy. `tanh`:
    0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))). gelu(-inf) = -0, gelu(inf) = inf. Expanded late.

    ```mlir
    %y = graph.gelu <exact> %x : tensor<128x1536xf32>
    ```
  }];
  let arguments = (ins Graph_GeluFormAttr:$form, Graph_FloatLike:$x);
  let results = (outs Graph_FloatLike:$result);
  let assemblyFormat = "$form $x attr-dict `:` type($x)";
}

def Graph_DivIOp : Graph_IntBinary<"divi"> {
  let summary = "integer division that truncates and never traps, elementwise";
  let description = [{ x/0 = 0 and INT_MIN/-1 = INT_MIN. Decomposes to a guarded `arith.divsi`. }];
}

def Graph_RemIOp : Graph_IntBinary<"remi"> {
  let summary = "integer remainder that matches `graph.divi`, elementwise";
  let description = [{ x - (x/y)·y with the quotient of `graph.divi`: so x%0 = x, INT_MIN % -1 = 0. }];
}

def Graph_FpToSiOp : Graph_Op<"fptosi", [Pure, SameOperandsAndResultShape] # ElementwiseMappable.traits> {
  let summary = "float to signed integer: truncates, saturates, NaN gives 0";
  let arguments = (ins Graph_FloatLike:$x);
  let results = (outs Graph_IntLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
}

#endif
