// The graph dialect itself, its attributes and the types its ops accept.

#ifndef KILN_IR_GRAPH_GRAPHBASE
#define KILN_IR_GRAPH_GRAPHBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::kiln::graph";
  let summary = "What is computed: tensors, and regions that one kernel computes";
  let description = [{
    A graph is a function over ranked, static tensors. Elementwise maths is spelled with upstream `arith` and `math`
    ops on tensors (which of them, and for which dtypes, is the table in `ir/graph/AcceptedOps.cpp`); this dialect
    adds what upstream lacks. SSA tensors carry no layout. Every op checks numbered constraints, `(C1)`, `(C2)`, …, and
    its diagnostics name the constraint with what was expected and what was found.

    After fusion a function holds only `graph.kernel` ops, each a region of the same ops that becomes one kernel.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Graph_Op<string mnemonic, list<Trait> traits = []> : Op<Graph_Dialect, mnemonic, traits>;

//===- Types ------------------------------------------------------------------------------------------------------===//

/// Every dtype the house knows, on the day it was founded; which op takes which is the accepted-ops table's business.
def Graph_Element : AnyTypeOf<[F64, F32, F16, BF16, F8E4M3FN, F8E5M2, F8E8M0FNU, I64, I32, I8, I<4>, I1]>;
def Graph_Float : AnyTypeOf<[F64, F32, F16, BF16, F8E4M3FN, F8E5M2]>;
def Graph_Int : AnyTypeOf<[I64, I32, I8, I<4>]>;

def Graph_Tensor : StaticShapeTensorOf<[Graph_Element]>;
def Graph_FloatTensor : StaticShapeTensorOf<[Graph_Float]>;
def Graph_IndexTensor : StaticShapeTensorOf<[I64, I32]>;
/// Elementwise ops also run on fragments and scalars: one spelling at every level.
def Graph_FloatLike : TypeConstraint<FloatLike.predicate, "a float scalar, vector or tensor">;
def Graph_IntLike : TypeConstraint<SignlessIntegerLike.predicate, "an integer scalar, vector or tensor">;

//===- Attributes -------------------------------------------------------------------------------------------------===//

def Graph_ReduceKind : I32EnumAttr<"ReduceKind", "how a reduction combines two values", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"mean", 1>, I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"min", 3>,
    I32EnumAttrCase<"prod", 4>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::kiln::graph";
}
def Graph_ReduceKindAttr : EnumAttr<Graph_Dialect, Graph_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Graph_GeluForm : I32EnumAttr<"GeluForm", "which formula gelu is", [
    I32EnumAttrCase<"exact", 0>, I32EnumAttrCase<"tanh", 1>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::kiln::graph";
}
def Graph_GeluFormAttr : EnumAttr<Graph_Dialect, Graph_GeluForm, "gelu_form"> {
  let assemblyFormat = "`<` $value `>`";
}

class Graph_Attr<string name, string mnemonicText> : AttrDef<Graph_Dialect, name> { let mnemonic = mnemonicText; }

def Graph_ScheduleAttr : Graph_Attr<"Schedule", "schedule"> {
  let summary = "how a kernel is tiled: a family and its knobs";
  let description = [{
    One generic attribute for every kernel family: `#graph.schedule<"matmul", {bm = 96, bn = 256, bk = 256}>`. A family
    owns a typed view of it (`passes/tiling/Schedule.h`), which rejects unknown keys and illegal values with reasons.
  }];
  let parameters = (ins StringRefParameter<"kernel family">:$family, "::mlir::DictionaryAttr":$knobs);
  let assemblyFormat = "`<` $family `,` $knobs `>`";
}

def Graph_LayoutAttr : Graph_Attr<"Layout", "layout"> {
  let summary = "where a kernel's operand or result lies: strides and offset in elements, alignment in bytes";
  let parameters = (ins OptionalArrayRefParameter<"int64_t", "elements from one index to the next, per dimension">:$strides,
                        DefaultValuedParameter<"int64_t", "0", "elements before the first">:$offset,
                        DefaultValuedParameter<"int64_t", "256", "bytes the base pointer is aligned to">:$alignment);
  let assemblyFormat = "`<` `strides` `=` `[` (`]`) : ($strides^ `]`)? (`offset` $offset^)? (`align` $alignment^)? `>`";
}

#endif
