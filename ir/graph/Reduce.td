// Ops that combine many elements into one, and the composites built on them.

#ifndef KILN_IR_GRAPH_REDUCE
#define KILN_IR_GRAPH_REDUCE

include "ir/graph/GraphBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_ReduceOp : Graph_Op<"reduce", [Pure, InferTypeOpAdaptor]> {
  let summary = "combines the elements along `axes`, in the one canonical order";
  let description = [{
    Drops the reduced dimensions. Floats below 32 bits accumulate in f32 and round once; integers wrap; the mean of
    integers is f32; max and min propagate NaN. Empty sums are 0, empty products 1; an empty mean is NaN.

    The order of a float sum or product is part of its meaning (numerics contract). Where the last axis is reduced:
    units of 8 consecutive elements of the (row-major) reduced space, unit u on virtual lane u mod 1024, a lane combines
    in sequence, lanes meet in a halving tree 512, 256, …, 1. Where it is not: blocks of 128 in sequence, which meet in
    a halving tree. Either way spaces past 2^16 elements are cut there and the pieces combined in order.

    (C1) `axes` are distinct, ascending and within the rank. (C2) max and min need at least one element to combine.
    (C3) bool tensors take max and min only.

    ```mlir
    %s = graph.reduce <sum> %x axes [1] : tensor<128x384xf32> -> tensor<128xf32>
    ```
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Tensor:$x, DenseI64ArrayAttr:$axes);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $x `axes` $axes attr-dict `:` type($x) `->` type($result)";
}

def Graph_MatmulOp : Graph_Op<"matmul", [Pure, InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "batched matrix product, operands optionally transposed";
  let description = [{
    a is […, M, K] ([…, K, M] with `transpose_a`), b is […, K, N] ([…, N, K] with `transpose_b`), the result
    […, M, N]. Accumulates in f32 (f64 for f64), k ascending, and rounds once; with operands of 16 bits the result may
    also be the f32 sums themselves.

    (C1) both operands have the same rank, at least 2. (C2) their batch extents agree. (C3) their K extents agree.
    (C4) one float element type, that of the result; f32 from 16-bit operands.

    ```mlir
    %y = graph.matmul %q, %k transpose_b : (tensor<12x128x32xf32>, tensor<12x128x32xf32>) -> tensor<12x128x128xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$a, Graph_FloatTensor:$b, UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $a `,` $b (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)? attr-dict `:` functional-type(operands, $result)
  }];
}

def Graph_SoftmaxOp : Graph_Op<"softmax", [Pure, SameOperandsAndResultType]> {
  let summary = "exp(x - max) · (1 / sum(exp(x - max))) along one dimension";
  let description = [{
    Two passes (max, then sum) in f32, rounded once. A row that is all -inf, or holds a NaN or +inf, is NaN.

    (C1) `axis` is within the rank.
  }];
  let arguments = (ins Graph_FloatTensor:$x, I64Attr:$axis);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$x `axis` $axis attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def Graph_LayerNormOp : Graph_Op<"layer_norm", [Pure]> {
  let summary = "(x - mean) / sqrt(variance + eps) · scale + bias over the last dimension";
  let description = [{
    Mean and (biased) variance in two passes in f32, rounded once.

    (C1) x has rank at least 1. (C2) scale and bias are vectors as long as x's last dimension. (C3) eps is finite and
    not negative. (C4) the result has x's type.
  }];
  let arguments = (ins Graph_FloatTensor:$x, Graph_FloatTensor:$scale, Graph_FloatTensor:$bias, F64Attr:$eps);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$x `scale` $scale `bias` $bias `eps` $eps attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

#endif
