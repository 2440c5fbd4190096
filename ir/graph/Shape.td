// Ops that move elements and compute nothing: each is an index map from its result to its operands.

#ifndef KILN_IR_GRAPH_SHAPE
#define KILN_IR_GRAPH_SHAPE

include "ir/graph/GraphBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_BroadcastOp : Graph_Op<"broadcast", [Pure]> {
  let summary = "repeats a tensor along new or size-1 dimensions";
  let description = [{
    Dimension i of the operand becomes dimension `dims[i]` of the result.

    (C1) the element types agree. (C2) `dims` has one entry per operand dimension, ascending and within the result's
    rank. (C3) each operand extent is 1 or the result's extent.

    ```mlir
    %y = graph.broadcast %bias dims [1] : tensor<384xf32> -> tensor<128x384xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x `dims` $dims attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_ReshapeOp : Graph_Op<"reshape", [Pure]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{ (C1) the element types agree. (C2) the element counts agree. }];
  let arguments = (ins Graph_Tensor:$x);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

def Graph_TransposeOp : Graph_Op<"transpose", [Pure, InferTypeOpAdaptor]> {
  let summary = "permutes dimensions: dimension i of the result is dimension `perm[i]` of the operand";
  let description = [{ (C1) `perm` is a permutation of the operand's dimensions. }];
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$perm);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x `perm` $perm attr-dict `:` type($x) `->` type($result)";
}

def Graph_SliceOp : Graph_Op<"slice", [Pure, InferTypeOpAdaptor]> {
  let summary = "every `steps[i]`-th element from `starts[i]` up to, not including, `limits[i]`";
  let description = [{
    (C1) one start, limit and step per dimension. (C2) 0 ≤ start ≤ limit ≤ extent. (C3) steps are at least 1.
  }];
  let arguments = (ins Graph_Tensor:$x, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$steps);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x `from` $starts `to` $limits `step` $steps attr-dict `:` type($x) `->` type($result)";
}

def Graph_ConcatOp : Graph_Op<"concat", [Pure, InferTypeOpAdaptor]> {
  let summary = "joins tensors end to end along one dimension";
  let description = [{
    (C1) at least one operand. (C2) `axis` is within the rank. (C3) element types agree, and extents agree in every
    dimension but `axis`.
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$xs, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$xs `axis` $axis attr-dict `:` functional-type($xs, $result)";
}

def Graph_GatherOp : Graph_Op<"gather", [Pure, InferTypeOpAdaptor]> {
  let summary = "rows of a tensor, picked by index";
  let description = [{
    result[…before axis…, i…, …after axis…] = x[…, indices[i…], …]. An index below 0 reads element 0 and one past the
    end reads the last: no index is out of bounds.

    (C1) `axis` is within x's rank. (C2) x's extent there is at least 1, unless the result is empty.
  }];
  let arguments = (ins Graph_Tensor:$x, Graph_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$x `at` $indices `axis` $axis attr-dict `:` functional-type(operands, $result)";
}

def Graph_IotaOp : Graph_Op<"iota", [Pure]> {
  let summary = "each element's own index along one dimension";
  let description = [{ (C1) `axis` is within the rank. (C2) integer or float elements, not bool. }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "`axis` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
