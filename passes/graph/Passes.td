// Passes on the graph level. Each says what it does, shows the IR before and after, its limits, and its numerics.

#ifndef KILN_PASSES_GRAPH_PASSES
#define KILN_PASSES_GRAPH_PASSES

include "mlir/Pass/PassBase.td"

def Verify : Pass<"graph-verify", "::mlir::ModuleOp"> {
  let summary = "checks that a module is a graph: accepted ops with dtypes they take";
  let description = [{
    The level spec of the graph level. With `decomposed` it checks what must hold after `graph-decompose`. Changes
    nothing.
  }];
  let options = [Option<"decomposed", "decomposed", "bool", "false", "check the level after graph-decompose">];
}

def ChoosePrograms : Pass<"graph-choose-programs", "::mlir::ModuleOp"> {
  let summary = "puts the reference in the place of tile programs that are not for the target";
  let description = [{
    A `graph.custom_kernel` stays where its program is for the target's kind: of CTAs of threads for a gpu, without for a
    cpu. Elsewhere the ops of its reference take its place; without a reference that is an error.

    Before, for a cpu: `%c = graph.custom_kernel @matmul(%a, %b) : … reference { … graph.matmul … }`. After:
    `%c = graph.matmul %a, %b : …`.

    Limits: whether a target has a row for each of the program's ops is asked when it is lowered. Numerics: the
    reference is another order class than the program.
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"", "row of ir/target">];
  let statistics = [Statistic<"numReferences", "references", "programs replaced by their references">];
}

def Decompose : Pass<"graph-decompose", "::mlir::func::FuncOp"> {
  let summary = "spells composites and guarded ops in the ops that fusion and emission know";
  let description = [{
    softmax, layer_norm, mean, relu, integer division and remainder, and casts between floats and integers become
    accepted ops; what they do to NaN, infinities, 0 and INT_MIN is in `passes/graph/decompose`. gelu and sigmoid stay: they expand
    late, with the functions. A combination of nothing becomes its identity, and an op whose result is empty an empty
    constant, so that no later pass meets a tensor without elements that something depends on.

    Before: `%y = graph.relu %x`. After: `%y = arith.maximumf %x, %zero`, with `%zero` a splat constant.

    After it arithmetic on f16 and bf16 *is* the roundings that the contract names: a reduction, a composite or a matmul
    that the graph names in 16 bits is `arith.extf`, its formula in f32, `arith.truncf`. A matmul keeps operands of 16
    bits and gives f32:

    ```mlir
    %y = graph.matmul %a, %b : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
    // becomes
    %s = graph.matmul %a, %b : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
    %y = arith.truncf %s : tensor<4x2xf32> to tensor<4x2xbf16>
    ```

    Limits: none. Numerics: the formulas of the contract, rounded at each op; no float is computed here, so
    that nothing depends on the build host's libm.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let statistics = [Statistic<"numDecomposed", "decomposed", "ops replaced">];
}

def Fuse : Pass<"graph-fuse", "::mlir::func::FuncOp"> {
  let summary = "groups ops into graph.kernel regions, each of which one kernel computes";
  let description = [{
    Starts from one kernel per op and merges along edges from producer to consumer, and between siblings that read one
    input, from a queue ordered by the bytes of traffic that a merge saves. A merge is made unless a rule objects
    (`fuse/MergeRules.cpp` has them: one anchor, one reduction space, sizes, costs of computing again, no cycle, the form
    of a kernel); a value with several readers may stay on chip for some and be stored for others. Views, splat
    constants, index tensors and small cheap arithmetic are copied into every kernel that reads through them; a view that
    only permutes is where its producer is stored.

    Before: ops. After: kernels, constant tensors, reshapes that are aliases, and the return. Ops nobody needs are gone.

    ```mlir
    %s = math.sin %x : tensor<8xf32>        %y = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    %y = arith.mulf %s, %s : tensor<8xf32>    %s = math.sin %a : tensor<8xf32>
                                              %m = arith.mulf %s, %s : tensor<8xf32>
                                              graph.yield %m : tensor<8xf32> }
    ```

    With `fuse=false` there is one kernel per op; views become copies, except reshapes, which stay outside as aliases.

    Limits: one block of decomposed ops. Time is near linear in ops: kernels are limited in size, and searches for cycles
    in length. Numerics: none; each element is computed by the same ops, however they are grouped.
  }];
  let options = [Option<"fuse", "fuse", "bool", "true", "merge; else one kernel per op">,
                 Option<"maxOps", "max-ops", "unsigned", "512", "most ops in one kernel">,
                 Option<"maxOperands", "max-operands", "unsigned", "256", "most operands and results of one kernel">,
                 Option<"explain", "explain", "bool", "false", "say what became of every candidate edge, as remarks">,
                 Option<"target", "target", "std::string", "\"avx512\"", "row of ir/target, whose rates price work">];
  let dependentDialects = ["::kiln::graph::GraphDialect"];
  let statistics = [Statistic<"numKernels", "kernels", "kernels made">, Statistic<"numMerges", "merges", "merges made">];
}

def Align : Pass<"graph-align", "::mlir::func::FuncOp"> {
  let summary = "gives operands rows that start at 16 bytes, where that is quicker than reading them as they are";
  let description = [{
    On a gpu, an operand of 16-bit elements whose rows do not start at 16 bytes cannot be copied into shared memory
    asynchronously; it goes through registers, element by element, once for every tile across it. With rows padded to
    128 bytes (16, of short ones) it can. Where a kernel computes the operand, it stores padded rows, and every reader
    knows: no kernel more. Where it does not (an input, a parameter, a value that is returned as well), a copy is made,
    if the cost model (`passes/cost`) says that copy and aligned matmul take less time than the matmul as it is;
    operands of one shape share a kernel, and matmuls a copy. Nothing is ever read from the padding.

    Other kernels read and write rows that start anywhere by narrow accesses or shifted ones (`tile.load … shifted`),
    whichever their schedule predicts to be quicker; an operand is copied where that is quicker still. The decisions, with
    the times of all three, are there for `explain`.

    Before:
    ```mlir
    %y = graph.kernel "matmul" (%a = %x : tensor<1793x1793xbf16>, …) …
    ```
    After:
    ```mlir
    %p = graph.kernel "pointwise" (%a = %x : tensor<1793x1793xbf16>) -> tensor<1793x1793xbf16> attributes {
        result_layouts = [#graph.layout<strides = [1856, 1]>]} { graph.yield %a : … }
    %y = graph.kernel "matmul" (%a = %p : tensor<1793x1793xbf16>, …) … attributes {
        input_layouts = [#graph.layout<strides = [1856, 1]>, …]} …
    ```

    Times are those that the kernel's family predicts of the schedule it has, or of the best one for each layout where it
    has none yet.

    Limits: gpu targets; on others it changes nothing. Operands that a prologue computes stay as they are. Numerics:
    none, the same products are summed in the same order.
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_80\"", "row of ir/target">,
                 Option<"explain", "explain", "bool", "false", "say what became of every operand and result, as remarks">];
  let dependentDialects = ["::kiln::graph::GraphDialect"];
  let statistics = [Statistic<"numCopies", "copies", "operands copied">,
                    Statistic<"numPadded", "padded", "results of kernels stored with padded rows">];
}

def NameKernels : Pass<"graph-name-kernels", "::mlir::func::FuncOp"> {
  let summary = "gives kernels of equal structure equal symbols";
  let description = [{
    Sets `symbol` of each graph.kernel to its kind and 16 hexadecimal digits: a 64-bit hash (XXH3) of the region's ops,
    attributes and types, the schedule and the layouts. Locations, names of values and what the operands are outside do
    not count. A tile program's call is `custom`, the program's name, and the hash of the program: it is the same code for
    all shapes that it takes. Kernels with equal symbols are generated once.

    Before: `graph.kernel "row" (…)`. After: `graph.kernel "row" (…) attributes {symbol = "row_05d1c1f1f5b0a6e3"}`.

    Limits: ops that could stand in another order make another symbol. Numerics: none.
  }];
}

#endif
